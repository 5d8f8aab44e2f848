package analysis

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/language"
)

// plain is what a comparison is made in.
var plain language.Language

// What a comparison says of its runs, in English: the forms by which In knows it
// again.
const (
	sameFile     = "both sides are the same file: a run compared with itself tells of no change"
	sameRollouts = "both sides hold the same rollouts, down to their times: a run compared with itself tells of no change"
	sameOutputs  = "the outputs are the same in both runs: what differs is how they were graded"
	sameRewards  = "every reward is the same, sample by sample: the same rollouts twice, or a model, a seed or a cache that makes them the same"

	baseUnknown = "the base run has no %s: what it was made with is not known"
	newUnknown  = "the new run has no %s: what it was made with is not known"
	baseHacks   = "in the base run %s that a detector marked as a hack counts at the bottom of the reward range"
	newHacks    = "in the new run %s that a detector marked as a hack counts at the bottom of the reward range"

	itemsOfItsOwn      = "%s of its own"
	notCompared        = "left out of the comparison"
	otherConversations = "the same ids with other conversations"
	notTheSame         = "not the same items: left out of the comparison"
	withOtherFields    = "the same conversations with other fields"
	otherReference     = "compared; where the field is the reference, the grader asks for something else"
	sameConversation   = "only items of the same id and conversation are compared"
	ofTheGrader        = "a change of the reward may be the grader's"
	medianOfSamples    = "median of valid samples an item; nothing here is biased by it"

	clustered = "clustered by family the interval holds 0: items of a family move together"
)

// forms lists them, and what package stat warns of in a difference.
var forms = []string{
	sameFile, sameRollouts, sameOutputs, sameRewards, baseUnknown, newUnknown, baseHacks, newHacks,
	itemsOfItsOwn, notCompared, otherConversations, notTheSame, withOtherFields, otherReference, sameConversation, ofTheGrader, medianOfSamples,
	clustered,
	"all %s differences agree, so their spread says nothing: the interval rests on their number and the range alone",
	"all %s items agree and the range is unbounded: no interval; set a range, or measure items that differ",
	"all items of a side agree, so their spread says nothing: the interval rests on their number and the range alone",
	"no interval: at least 2 items are needed on each side",
	"one independent item: no interval; at least 2 are needed and 20 or more make it useful",
	"one independent item: the interval is the whole range; at least 2 are needed and 20 or more make it useful",
}

// In returns a copy of the comparison that is said in l; of English, or of a copy
// made in another language, the comparison itself. Answers are worded again from
// the numbers, notes and what differs by their English forms: a text that today's
// gonogo would not say, as one of another version's, stays as it is. It may be one
// read from comparison.json.
func (c *Comparison) In(l language.Language) *Comparison {
	if c.english != nil {
		c = c.english
	}
	if l == plain {
		return c
	}
	today, out := c.wordedAgain(plain), c.wordedAgain(l)
	if today.Sentence != c.Sentence {
		out.Sentence = c.Sentence
	}
	for split, sc := range out.Splits {
		if sc != nil && today.Splits[split].Why != c.Splits[split].Why {
			sc.Why = c.Splits[split].Why
		}
	}
	return out
}

// wordedAgain is a copy of the comparison, worded again.
func (c *Comparison) wordedAgain(l language.Language) *Comparison {
	out := *c
	out.Lang, out.english = l, c
	out.Notes, out.Differs = slices.Clone(c.Notes), slices.Clone(c.Differs)
	for i, note := range c.Notes {
		out.Notes[i] = sayAgain(l, note)
	}
	for i, d := range c.Differs {
		d.Base, d.New, d.Note = d.said(l, d.Base), d.said(l, d.New), sayAgain(l, d.Note)
		out.Differs[i] = d
	}
	out.Splits = maps.Clone(c.Splits)
	for split, sc := range c.Splits {
		if sc != nil {
			said := *sc
			said.Reward.Warnings = slices.Clone(sc.Reward.Warnings)
			for i, w := range sc.Reward.Warnings {
				said.Reward.Warnings[i] = sayAgain(l, w)
			}
			out.Splits[split] = &said
		}
	}
	out.say(l, len(c.Notes) > 0 && c.Sentence == capitalized(c.Notes[0])+".")
	return &out
}

var (
	rowsOfFile = regexp.MustCompile(`, ([\d,]+) rows?\)`)
	counted    = regexp.MustCompile(`^([\d,]+) (item|rollout)s?$`)
	formOf     = patternsOf(forms)
)

func patternsOf(forms []string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(forms))
	for i, form := range forms {
		out[i] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(form), "%s", "(.+)") + "$")
	}
	return out
}

// said is what a side has, in l: counts and our own texts, but no value of a key.
func (d RunDifference) said(l language.Language, text string) string {
	switch d.What {
	case "items":
		return sayAgain(l, text)
	case "data":
		return rowsOfFile.ReplaceAllStringFunc(text, func(s string) string {
			return ", " + countOf(l, rowsOfFile.FindStringSubmatch(s)[1], "row") + ")"
		})
	}
	return text
}

// sayAgain says in l what was said in English by one of the forms; another text
// stays.
func sayAgain(l language.Language, english string) string {
	if m := counted.FindStringSubmatch(english); m != nil {
		return countOf(l, m[1], m[2])
	}
	for i, pattern := range formOf {
		m := pattern.FindStringSubmatch(english)
		if m == nil {
			continue
		}
		var args []any
		for _, part := range m[1:] {
			args = append(args, sayAgain(l, part))
		}
		return l.Say(forms[i], args...)
	}
	return english
}

// countOf counts things in l, by a number as it is printed in English.
func countOf(l language.Language, number, thing string) string {
	n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
	if err != nil {
		return number + " " + thing
	}
	return l.Count(n, thing)
}
