package shift

import (
	"maps"

	"gonogo/analysis/message"
)

// The warnings of comparisons and searches.
var (
	fewOnSide = message.New("shift.few_on_side",
		"{rows} of {split} and {others} of {other}: at least {least} on each side are needed, 100 make it useful")
	fewGiven = message.New("shift.few_given", "{feature} is given in {rows} of {split} and {others} of "+
		"{other}: at least 2 on each side are needed, 100 make it useful")
	fewForInterval = message.New("shift.few_for_interval",
		"fewer than 3 rows on one side: no interval; 20 a side make it useful")
	fewForP = message.New("shift.few_for_p", "so few rows that p cannot fall below {least} whatever they "+
		"say: at least 4 on each side are needed, 100 make it useful")
	fewReferences = message.New("shift.few_references",
		"{rows} of {split} as a reference for {others} of {other}: it takes 3 and 1, and 100 and 20 make it useful")
	fewToTellFar = message.New("shift.few_to_tell_far",
		"distance is hard to judge with {rows} of {split}: 100 make it useful")
	rowsAlike = message.New("shift.rows_alike",
		"all rows are alike in everything that is compared: the interval depends only on their number")
	sidesAlike = message.New("shift.sides_alike", "the rows of each sample are all alike, so their spread says "+
		"nothing: the interval depends only on their number")
	scoresAlike = message.New("shift.scores_alike",
		"the AUC has no measurable standard error: the interval depends only on the number of rows")
	moreAlike = message.New("shift.more_alike", "the samples are more alike than two random draws, as after a "+
		"stratified split: the out-of-fold AUC of {auc} is shown as 0.5")
	manyFeatures = message.New("shift.many_features",
		"more features than the classifier looks at: the first 64 of them are used")
	namesRows = message.New("shift.names_rows",
		"{feature} has {values} in {rows}: it identifies rows instead of grouping them, so it is not compared")
	nearlyNamesRows = message.New("shift.nearly_names_rows",
		"{feature} has nearly as many values as rows, so it is not compared")
	takePart  = message.New("shift.take_part", "{some} of the {rows} of {split} take part, drawn at random")
	templates = message.New("shift.templates",
		"rows that differ only in numbers or names are as frequent within {split}: templates, which do not count")
	boundedGrams = message.New("shift.bounded_grams",
		"to bound the time, near copies were looked for by n-grams of at most {rows}")
)

// The differences between two samples.
var (
	shares       = message.New("shift.shares", "{feature}: {share} of {split}, {other_share} of {other}")
	medians      = message.New("shift.medians", "{feature}: median {median} in {split}, {other_median} in {other}")
	givenInOne   = message.New("shift.given_in_one", "{feature}: given in one of {split} and {other} only")
	notGivenText = message.New("shift.not_given", "{feature} (not given)")
)

// sidesOf returns the arguments with the numbers of rows of both samples.
func (c *comparison) sidesOf(a, b int) message.Args {
	return message.Args{
		"rows": countRows(a), "split": message.Name(c.nameA), "others": message.Int(b),
		"other": message.Name(c.nameB),
	}
}

func countRows(n int) message.Arg { return message.Count(n, "row") }

// of returns the arguments of a message about one feature and both samples.
func (c *comparison) of(feature message.Text, more message.Args) message.Args {
	args := message.Args{
		"feature": message.Nested(feature), "split": message.Name(c.nameB),
		"other": message.Name(c.nameA),
	}
	maps.Copy(args, more)
	return args
}
