package chart

import (
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Comparison is a chart of two runs.
type Comparison = Spec[*compare.Comparison]

// Comparisons lists the charts of a comparison in display order.
func Comparisons() []Comparison {
	return []Comparison{
		{
			Name: "quadrants",
			Doc: "Every item that both runs hold, by the change of its reward and of its tool calls: a dot up and " +
				"to the left earns more with fewer calls. " +
				"Single items move by chance as well; the diamond is the mean, and a mean within the band is no " +
				"change that matters.",
			Read: "Dots above the horizontal line earn more than before, dots left of the vertical one call fewer " +
				"tools, and the diamond is all of them together.",
			Draw: ofItems(drawQuadrants),
		},
		{
			Name: "paired_differences",
			Doc: "The change of each item's mean reward, the largest fall first. The line is the mean change with " +
				"its interval; between the dashed lines it would not matter.",
			Read: "Bars below zero are items that lost, bars above it items that gained; a few long ones may be " +
				"chance, so the line with its band decides.",
			Draw: ofItems(drawPaired),
		},
		{
			Name: "categories",
			Doc: "The change of the mean reward within each category of items, the largest fall first, with intervals. " +
				"A diamond left of the line lost, a disc right of it gained; a ring shows no clear change.",
			Read: "Look for a diamond: a category that lost although the mean of all did not.",
			Draw: ofItems(categoryGroups.draw),
			Only: categoryGroups.asked,
		},
		{
			Name: "families",
			Doc: "The change of the mean reward within each family of items, the largest fall first, with intervals. " +
				"A diamond left of the line lost, a disc right of it gained; a ring shows no clear change.",
			Read: "Look for a diamond: a family of items that lost although the mean of all did not.",
			Draw: ofItems(familyGroups.draw),
			Only: familyGroups.asked,
		},
		latencyMove.chart("reward_latency",
			"From base (ring) to new (disc): what rollouts earn, against their wall time, waiting "+
				"for endpoints included. Within the band the mean reward has not changed by an amount that matters.",
			"Up and to the left is better and faster; a disc within the band earns as much as before."),
		outputMove.chart("reward_output_tokens",
			"From base (ring) to new (disc): what rollouts earn, against the tokens that the model writes, which "+
				"take most of the time of sampling and training.",
			"Up and to the left earns more for fewer tokens written; a disc right of its ring makes every rollout "+
				"of training longer."),
		inputMove.chart("reward_input_tokens",
			"From base (ring) to new (disc): what rollouts earn, against the tokens that the model is given, over "+
				"all its turns.",
			"Up and to the left earns more for fewer tokens read; a disc far to the right means that the context "+
				"grew."),
		{
			Name: "failure_drift",
			Doc: "How much more often, or less, rollouts end without a grade, by the way they ended: a diamond " +
				"right of the line is a failure that became more frequent. " +
				"Where an endpoint failed more, the reward of the remaining rollouts may look too good.",
			Read: "Rows whose whole line is right of zero are failures that became more frequent; those that cross " +
				"zero may be unchanged.",
			Draw: drawDrift,
		},
		{
			Name: "hacks",
			Doc: "The share of rollouts that each detector marks as hacks, and how much more or less it is than in " +
				"the base run. If the reward rises with them, the policy may not be better.",
			Read: "A diamond right of the line is a detector that marks more rollouts than before: read those " +
				"before you believe the reward.",
			Draw: drawHacks,
			Only: func(c *compare.Comparison) bool { _, sc, ok := ComparedSplit(c); return ok && len(sc.Hacks) > 0 },
		},
	}
}

// ComparedSplit returns the split that the charts of a comparison show: the one that decides, else
// the first with a compared reward, else the first. ok is false if there is none.
func ComparedSplit(c *compare.Comparison) (split rollout.Split, sc *compare.Split, ok bool) {
	if c.Split != nil && c.Splits[*c.Split] != nil {
		return *c.Split, c.Splits[*c.Split], true
	}
	for _, s := range rollout.Splits() {
		one := c.Splits[s]
		if one != nil && (sc == nil || !sc.Reward.Known() && one.Reward.Known()) {
			split, sc = s, one
		}
	}
	return split, sc, sc != nil
}

// ofItems returns a Draw of the changes of single items.
func ofItems(draw func(*compare.Comparison, *compare.Split) (Figure, error)) func(*compare.Comparison) (Figure, error) {
	return func(c *compare.Comparison) (Figure, error) {
		switch sc, err := compared(c); {
		case err != nil:
			return Figure{}, err
		case !sc.Paired || len(sc.Changes) == 0:
			return noData(c.Lang, "chart.comparison.no_pair",
				"no item is measured in both runs: there is no change of an item to show")
		default:
			return draw(c, sc)
		}
	}
}

// compared returns ComparedSplit, or the error of a Draw if the split or its rewards are missing.
func compared(c *compare.Comparison) (*compare.Split, error) {
	_, sc, ok := ComparedSplit(c)
	switch {
	case !ok:
		_, err := noSplit(c)
		return nil, err
	case !sc.Reward.Known():
		return nil,
			&NoData{Why: c.Lang.Say("chart.comparison.no_reward", "the runs have no rewards to compare: %s",
				sc.Why.In(c.Lang))}
	}
	return sc, nil
}

func noSplit(c *compare.Comparison) (Figure, error) {
	return noData(c.Lang, "chart.comparison.no_split", "the runs have no split whose rollouts can be compared")
}

// over says what was compared: "eval: 24 items in both runs, n = 192 rollouts".
func over(c *compare.Comparison) string {
	split, sc, _ := ComparedSplit(c)
	items, n := c.Lang.Count(sc.Reward.Items, "item"), c.Lang.Count(sc.Reward.N, "rollout")
	if !sc.Paired {
		return c.Lang.Say("chart.comparison.unpaired", "%s: %s, none in both runs, n = %s", split, items, n)
	}
	return c.Lang.Say("chart.comparison.paired", "%s: %s in both runs, n = %s", split, items, n)
}

// became says in words how the mean reward changed.
func became(sc *compare.Split, l message.Language) string {
	rose := sc.Answer == compare.NotBetter && sc.Reward.Low != nil && *sc.Reward.Low > 0
	switch {
	case sc.Answer == compare.Regressed:
		return l.Text("chart.comparison.fell", "The mean reward fell")
	case sc.Answer == compare.Improved, rose:
		return l.Text("chart.comparison.rose", "The mean reward rose")
	case sc.Answer == compare.Equivalent:
		return l.Text("chart.comparison.same", "The mean reward did not change by an amount that matters")
	}
	return l.Text("chart.comparison.unclear", "It is unclear whether the mean reward changed")
}

// phrases joins the phrases of one line of a caption.
func phrases(l message.Language, list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), l.Text("sign.clause", "; "))
}

// when returns words if ok, else "", which phrases leaves out.
func when(ok bool, words string) string {
	if !ok {
		return ""
	}
	return words
}

// movedBy returns the direction in which a quantity moved, up or down, if the table of the report
// says that it changed: that needs the interval and the p-value corrected for all quantities. It
// returns "" otherwise, and for nil.
func movedBy(d *analysis.Difference) string {
	if d == nil || !slices.Contains([]string{"better", "worse", "changed"}, d.Change) {
		return ""
	}
	return d.Direction
}

// other returns the difference of another quantity than the reward; nil if it is unknown.
func other(sc *compare.Split, name string) *analysis.Difference {
	for i := range sc.Others {
		if sc.Others[i].Name == name && sc.Others[i].Known() {
			return &sc.Others[i]
		}
	}
	return nil
}
