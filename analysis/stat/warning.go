package stat

import "gonogo/analysis/message"

// The warnings of Estimates.
var (
	outsideRange = message.New("stat.outside_range",
		"the mean {mean} is outside the range [{low}, {high}]: set the range to what the grader can give")
	oneItem = message.New("stat.one_item",
		"one independent item: the interval is the whole range; at least 2 are needed and 20 or more make it useful")
	oneItemUnbounded = message.New("stat.one_item_unbounded",
		"one independent item: no interval; at least 2 are needed and 20 or more make it useful")
	allAgree = message.New("stat.all_agree",
		"all {items} agree, so their spread says nothing: the interval depends only on their number and the range")
	allAgreeNoRange = message.New("stat.all_agree_no_range",
		"all {items} agree and the range is unbounded: no interval; set a range, or measure items that differ")
	sideAgrees = message.New("stat.side_agrees", "all items of a side agree, so their spread says nothing: "+
		"the interval depends only on their number and the range")
	ranksAgree = message.New("stat.ranks_agree",
		"all ranks agree: the interval depends only on the number of items")
	samplesAgree = message.New("stat.samples_agree",
		"every item agrees with itself in all its samples: the interval only bounds what more samples could show")
	sameResamples = message.New("stat.same_resamples", "all resamples agree: the interval is the whole range; "+
		"items that differ in how much their rewards vary are needed")
	negativeVariance = message.New("stat.negative_variance",
		"the between-item variance came out negative and counts as 0: items differ no more than sampling makes them")
	oftenDiffer = message.New("stat.grades_often_differ",
		"two grades of one output differ in more than half of all cases: no flip rate explains that, it counts as 1/2")
	lineRestsOnOne = message.New("stat.line_rests_on_one",
		"the line is the same without any one item, or depends on a single one: no interval")
	perfectLine = message.New("stat.perfect_line",
		"the correlation is perfect, or depends on one item: no interval")
	cutAtOne = message.New("stat.cut_at_one", "the bound is cut at 1: it says nothing")

	tooFewItems = message.New("stat.few_items",
		"{items} are too few to tell more: the interval is the whole range; 20 make it useful")
	fewOnSide         = message.New("stat.few_on_side", "no interval: at least 2 items are needed on each side")
	fewResamples      = message.New("stat.few_resamples", "only {resamples}, no interval: {needed} or more are needed")
	fewResamplesRange = message.New("stat.few_resamples_range", "only {resamples}: the interval is the whole range")
	noLowerBound      = message.New("stat.no_lower_bound",
		"no lower bound from {values}: {enough|independent one} would do")
	noUpperBound = message.New("stat.no_upper_bound",
		"no upper bound from {values}: {enough|independent one} would do")
	valuesOfItems = message.New("stat.values_of_items", "{values} of {items}")

	noItems        = message.New("stat.no_items", "no item has a value: at least 2 items are needed")
	noItemsOnSide  = message.New("stat.no_items_on_side", "one side has no item with a value")
	noRewards      = message.New("stat.no_rewards", "no rewards: at least 2 items are needed")
	noFamilies     = message.New("stat.no_families", "no rewards: at least 2 families are needed")
	noTrials       = message.New("stat.no_trials", "no item was tried")
	noRegrades     = message.New("stat.no_regrades", "no output was graded twice")
	noValues       = message.New("stat.no_values", "no values: a two-sided bound needs {enough}")
	nothingCounted = message.New("stat.nothing_counted",
		"nothing was counted in any of {items}: the share has no value")
	needsBoth          = message.New("stat.needs_both", "needs both quantities, and one to divide by")
	needsDifferRewards = message.New("stat.needs_differing_rewards",
		"needs at least 2 items, one of them with 2 rewards, and rewards that differ")
	needsDifferSides = message.New("stat.needs_differing_sides",
		"needs 2 items or more, and values that differ on both sides; 20 items make it useful")
	needsDifferNumbers = message.New("stat.needs_differing_numbers",
		"needs 2 items or more with numbers that differ; 20 items make it useful")
	needsYesAndNo = message.New("stat.needs_yes_and_no",
		"needs 2 items or more, and both yes and no among the judgements")
	needsTwoRaters = message.New("stat.needs_two_raters",
		"needs 2 items or more with outputs that two people rated, and ratings that differ")
	needsWrongAndRight = message.New("stat.needs_wrong_and_right",
		"needs both answers that are wrong and answers that are right")
	needsBothVerdicts = message.New("stat.needs_both_verdicts",
		"needs labels on outputs that the grader accepts and on outputs that it rejects: label some of both")
	notSampled = message.New("stat.not_sampled",
		"the labelled texts are not a sample of the run's outputs: label rollouts, such as in gonogo view")
	tooLittleBetter = message.New("stat.too_little_better", "the grader may be little better than chance on the "+
		"labelled texts: its errors cannot be taken out of the mean")
	needsGroup = message.New("stat.needs_group",
		"an item has only {samples}: groups of {size} need {size} or a bracket")
	needsTwoSamples = message.New("stat.needs_two_samples",
		"an item has 1 sample: whether rewards differ needs at least 2, and {size} for groups of {size}")
)

// warn appends a warning.
func (e *Estimate) warn(why message.Text) { e.Warnings = append(e.Warnings, why) }

// unknown returns an estimate that could not be made, with the reason.
func unknown(items, n int, method string, why message.Text) Estimate {
	return Estimate{Items: items, N: n, Method: method, Warnings: []message.Text{why}}
}

// ofItems returns the argument for a message that counts items.
func ofItems(n int) message.Args { return message.Args{"items": message.Count(n, "item")} }

func resamples(n int) message.Args {
	return message.Args{"resamples": message.Count(n, "usable resample"), "needed": message.Int(fewestDraws)}
}
