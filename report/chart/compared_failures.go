package chart

import (
	"math"
	"slices"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// driftRows is how many kinds of failure a picture shows.
const driftRows = 24

func drawDrift(c *compare.Comparison) (*plot.Plot, error) {
	_, sc, ok := Compared(c)
	switch {
	case !ok:
		return nil, noSplit(c)
	case len(sc.Outcomes) == 0 && sc.Reward.Known():
		return nil, &NoData{Why: c.Lang.Text("every rollout of both runs ended in a grade: nothing drifts")}
	case len(sc.Outcomes) == 0:
		return nil, &NoData{Why: sc.Why.In(c.Lang)}
	}
	p := changesPlot(c.Lang.Text("share of rollouts, new - base"), driftOf(sc, c.Lang), 0.26)
	p.X.Tick.Marker = percentTicks{p.X.Tick.Marker}
	return p, nil
}

// driftOf has how often each outcome happened beside its change.
func driftOf(sc *compare.Split, l message.Language) variantDots {
	var d variantDots
	for _, o := range sc.Outcomes[:min(len(sc.Outcomes), driftRows)] {
		dot := changeDot(driftName(o, l), o.Difference, moves(o), true)
		dot.text = l.Say("%s to %s", message.Whole(o.Base), message.Whole(o.New))
		d.list = append(d.list, dot)
	}
	return d
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
	switch e := o.Difference; {
	case e.Low == nil || e.High == nil:
		return "unclear"
	case *e.Low > 0:
		return "up"
	case *e.High < 0:
		return "down"
	}
	return "unclear"
}

func captionDrift(c *compare.Comparison) Caption {
	_, sc, _ := Compared(c)
	more, fewer := 0, 0
	for _, o := range sc.Outcomes {
		more += b2i(moves(o) == "up")
		fewer += b2i(moves(o) == "down")
	}
	l, kinds := c.Lang, c.Lang.Count(len(sc.Outcomes), "kind")
	title := l.Text("No kind of failure is seen to become more frequent or rarer")
	switch {
	case len(sc.Outcomes) == 1 && more == 1:
		title = l.Say("Failures became more frequent: %s", driftName(sc.Outcomes[0], l))
	case len(sc.Outcomes) == 1 && fewer == 1:
		title = l.Say("Failures became rarer: %s", driftName(sc.Outcomes[0], l))
	case more > 0 && fewer > 0:
		title = l.Say("Of %s of failure, %s became more frequent and %s rarer", kinds, message.Whole(more), message.Whole(fewer))
	case more > 0:
		title = l.Say("Of %s of failure, %s became more frequent", kinds, message.Whole(more))
	case fewer > 0:
		title = l.Say("Of %s of failure, %s became rarer", kinds, message.Whole(fewer))
	}
	bars, left := "", ""
	if first := sc.Outcomes[0].Difference; first.Low != nil {
		bars = l.Say("bars: %s of the share of rollouts", intervalsAt(l, c.Confidence, first))
	}
	if n := len(sc.Outcomes) - driftRows; n > 0 {
		left = l.Say("%s more in the table only", l.Count(n, "kind"))
	}
	return Caption{
		Title: title,
		Subtitle: phrases(l, over(c), bars, l.Text("numbers: rollouts of all recorded, base to new"),
			l.Text("not corrected for how many kinds there are"), left),
		Legend: changeLegend(driftOf(sc, l), l.Text("rarer"), l.Text("more frequent"), l.Text("neither is seen"), l),
	}
}

func driftHeight(c *compare.Comparison) vg.Length {
	_, sc, _ := Compared(c)
	return rowsHeight(min(len(sc.Outcomes), driftRows))
}

func tableDrift(c *compare.Comparison) Table {
	_, sc, _ := Compared(c)
	l := c.Lang
	d := driftOf(sc, l)
	t := Table{Head: []string{l.Text("outcome"), l.Text("base"), l.Text("new"), l.Text("share, new - base")}}
	for i, o := range sc.Outcomes {
		cells := []string{driftName(o, l), message.Whole(o.Base), message.Whole(o.New), Change(o.Difference.Value, o.Difference.Low, o.Difference.High)}
		if i < len(d.list) {
			t.Marks = append(t.Marks, changeMark(d, i, cells))
			continue
		}
		t.Marks = append(t.Marks, Mark{Cells: cells, X0: 0, X1: 0, Y0: math.Inf(-1), Y1: math.Inf(-1)})
	}
	return t
}
