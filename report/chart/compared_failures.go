package chart

import (
	"slices"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
)

// driftRows is how many kinds of failure a picture shows.
const driftRows = 24

// drawDrift shows how often each outcome happened beside its change.
func drawDrift(c *compare.Comparison) (Figure, error) {
	l := c.Lang
	_, sc, ok := Compared(c)
	switch {
	case !ok:
		return noSplit(c)
	case len(sc.Outcomes) == 0 && sc.Reward.Known():
		return noData(l, "every rollout of both runs ended in a grade: nothing drifts")
	case len(sc.Outcomes) == 0:
		return Figure{}, &NoData{Why: sc.Why.In(l)}
	}
	var d dotRows
	more, fewer := 0, 0
	for i, o := range sc.Outcomes {
		e, moved := o.Difference, moves(o)
		more += b2i(moved == "up")
		fewer += b2i(moved == "down")
		name := driftName(o, l)
		v := changeRow(name, e, moved, true, []string{name, message.Whole(o.Base), message.Whole(o.New), Change(e.Value, e.Low, e.High)}, i >= driftRows)
		v.text = l.Say("%s to %s", message.Whole(o.Base), message.Whole(o.New))
		d.list = append(d.list, v)
	}
	f := d.changes(l.Text("share of rollouts, new - base"), 0.26, nil, zeroRule())
	f.Plot.X.Tick.Marker = percentTicks{f.Plot.X.Tick.Marker}
	f.Table.Head = []string{l.Text("outcome"), l.Text("base"), l.Text("new"), l.Text("share, new - base")}
	kinds := l.Count(len(sc.Outcomes), "kind")
	switch {
	case len(sc.Outcomes) == 1 && more == 1:
		f.Title = l.Say("Failures became more frequent: %s", d.list[0].name)
	case len(sc.Outcomes) == 1 && fewer == 1:
		f.Title = l.Say("Failures became rarer: %s", d.list[0].name)
	case more > 0 && fewer > 0:
		f.Title = l.Say("Of %s of failure, %s became more frequent and %s rarer", kinds, message.Whole(more), message.Whole(fewer))
	case more > 0:
		f.Title = l.Say("Of %s of failure, %s became more frequent", kinds, message.Whole(more))
	case fewer > 0:
		f.Title = l.Say("Of %s of failure, %s became rarer", kinds, message.Whole(fewer))
	default:
		f.Title = l.Text("No kind of failure is seen to become more frequent or rarer")
	}
	bars, left := "", ""
	if first := sc.Outcomes[0].Difference; first.Low != nil {
		bars = l.Say("bars: %s of the share of rollouts", intervalsAt(l, c.Confidence, first))
	}
	if n := len(sc.Outcomes) - driftRows; n > 0 {
		left = l.Say("%s more in the table only", l.Count(n, "kind"))
	}
	f.Subtitle = phrases(l, over(c), bars, l.Text("numbers: rollouts of all recorded, base to new"), l.Text("not corrected for how many kinds there are"), left)
	f.Legend = d.legend(l, seen{gainLook, "rarer"}, seen{badLook, "more frequent"}, seen{ringLook, "neither is seen"})
	return f, nil
}

func driftName(o compare.OutcomeDrift, l message.Language) string {
	name := string(o.Outcome)
	if i := slices.Index(failureOutcomes(), o.Outcome); i >= 0 {
		name = failureNames(l)[i]
	}
	if o.Kind != "" {
		name = l.Say("%s (%s)", name, o.Kind)
	}
	return name
}

// moves is the direction of a drift whose whole interval lies on one side.
func moves(o compare.OutcomeDrift) string {
	switch signOf(o.Difference) {
	case 1:
		return "up"
	case -1:
		return "down"
	}
	return "unclear"
}
