package analysis

import (
	"maps"
	"regexp"
	"slices"

	"gonogo/analysis/message"
)

// plain is what results and comparisons are made in, and kept.
var plain message.Language

// What a comparison keeps of its runs in English, and In says again: the catalogue
// of a language has these among what is kept.
const (
	sameFile     = "both sides are the same file: a run compared with itself tells of no change"
	sameRollouts = "both sides hold the same rollouts, down to their times: a run compared with itself tells of no change"
	sameOutputs  = "the outputs are the same in both runs: what differs is how they were graded"
	sameRewards  = "every reward is the same, sample by sample: the same rollouts twice, or a model, a seed or a cache that makes them the same"

	baseUnknown = "the base run has no %s: what it was made with is not known"
	newUnknown  = "the new run has no %s: what it was made with is not known"
	baseHacks   = "in the base run %s that a detector marked as a hack counts at the bottom of the reward range"
	newHacks    = "in the new run %s that a detector marked as a hack counts at the bottom of the reward range"

	bothUntrusted = "both runs are NO-GO for their grader, base by %s and new by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays"
	baseUntrusted = "the base run is NO-GO for its grader, by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays"
	newUntrusted  = "the new run is NO-GO for its grader, by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays"

	bothMarked = "the detector “%s” marks %s of the rollouts as hacks in the base run and %s in the new one"
	baseMarked = "the detector “%s” marks %s of the rollouts as hacks in the base run; it did not read those of the new one"
	newMarked  = "the detector “%s” marks %s of the rollouts as hacks in the new run; it did not read those of the base run"

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

// In returns a copy of the comparison that is said in l; of English, or of a copy
// made in another language, the comparison itself. Answers are worded again from
// the numbers, notes and what differs by their English forms: a text that today's
// gonogo would not say, as one of another version's, stays as it is. It may be one
// read from comparison.json.
func (c *Comparison) In(l message.Language) *Comparison {
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
func (c *Comparison) wordedAgain(l message.Language) *Comparison {
	out := *c
	out.Lang, out.english = l, c
	out.Notes, out.Differs = slices.Clone(c.Notes), slices.Clone(c.Differs)
	for i, note := range c.Notes {
		out.Notes[i] = l.Again(note)
	}
	for i, d := range c.Differs {
		d.Base, d.New, d.Note = d.said(l, d.Base), d.said(l, d.New), l.Again(d.Note)
		out.Differs[i] = d
	}
	out.Splits = maps.Clone(c.Splits)
	for split, sc := range c.Splits {
		if sc != nil {
			said := *sc
			said.Reward.Warnings = slices.Clone(sc.Reward.Warnings)
			for i, w := range sc.Reward.Warnings {
				said.Reward.Warnings[i] = l.Again(w)
			}
			out.Splits[split] = &said
		}
	}
	out.say(l, c.same())
	return &out
}

var rowsOfFile = regexp.MustCompile(` \((.+?), ([\d,]+ rows?)\)`)

// said is what a side has, in l: counts and our own texts, but no value of a key.
func (d RunDifference) said(l message.Language, text string) string {
	switch d.What {
	case "items":
		return l.Again(text)
	case "data":
		return rowsOfFile.ReplaceAllStringFunc(text, func(s string) string {
			m := rowsOfFile.FindStringSubmatch(s)
			return l.Say(" (%s)", l.Say("%s, %s", m[1], l.Again(m[2])))
		})
	}
	return text
}
