package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gonogo/analysis"
)

// driftRows is how many kinds of failure a picture shows.
const driftRows = 24

func drawDrift(c *analysis.Comparison) (*plot.Plot, error) {
	_, sc, ok := Compared(c)
	switch {
	case !ok:
		return nil, noData("the runs hold no rollouts of a split that could be compared")
	case len(sc.Outcomes) == 0 && sc.Reward.Known():
		return nil, noData("every rollout of both runs ended in a grade: nothing drifts")
	case len(sc.Outcomes) == 0:
		return nil, noData("%s", sc.Why)
	}
	p := changesPlot("share of rollouts, new - base", driftOf(sc), 0.26)
	p.X.Tick.Marker = percentTicks{p.X.Tick.Marker}
	return p, nil
}

// driftOf has how often each outcome happened beside its change.
func driftOf(sc *analysis.SplitComparison) variantDots {
	var d variantDots
	for _, o := range sc.Outcomes[:min(len(sc.Outcomes), driftRows)] {
		dot := changeDot(driftName(o), o.Difference, moves(o), true)
		dot.text = Count(o.Base) + " to " + Count(o.New)
		d.list = append(d.list, dot)
	}
	return d
}

func driftName(o analysis.OutcomeDrift) string {
	name := string(o.Outcome)
	if i := slices.Index(failureOutcomes(), o.Outcome); i >= 0 {
		name = failureNames()[i]
	}
	if o.Kind != "" {
		name += " (" + o.Kind + ")"
	}
	return name
}

// moves is the direction of a drift whose whole interval lies on one side.
func moves(o analysis.OutcomeDrift) string {
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

func captionDrift(c *analysis.Comparison) Caption {
	_, sc, _ := Compared(c)
	more, fewer := 0, 0
	for _, o := range sc.Outcomes {
		more += b2i(moves(o) == "up")
		fewer += b2i(moves(o) == "down")
	}
	title, kinds := "No kind of failure is seen to become more frequent or rarer", plural(len(sc.Outcomes), "kind")
	switch {
	case len(sc.Outcomes) == 1 && more == 1:
		title = "Failures became more frequent: " + driftName(sc.Outcomes[0])
	case len(sc.Outcomes) == 1 && fewer == 1:
		title = "Failures became rarer: " + driftName(sc.Outcomes[0])
	case more > 0 && fewer > 0:
		title = fmt.Sprintf("Of %s of failure, %s became more frequent and %s rarer", kinds, Count(more), Count(fewer))
	case more > 0:
		title = fmt.Sprintf("Of %s of failure, %s became more frequent", kinds, Count(more))
	case fewer > 0:
		title = fmt.Sprintf("Of %s of failure, %s became rarer", kinds, Count(fewer))
	}
	sub := over(c)
	if first := sc.Outcomes[0].Difference; first.Low != nil {
		sub += "; bars: " + intervalsAt(c.Confidence, first) + " of the share of rollouts"
	}
	sub += "; numbers: rollouts of all recorded, base to new; not corrected for how many kinds there are"
	if left := len(sc.Outcomes) - driftRows; left > 0 {
		sub += fmt.Sprintf("; %s more in the table only", plural(left, "kind"))
	}
	return Caption{Title: title, Subtitle: sub, Legend: changeLegend(driftOf(sc), "rarer", "more frequent", "neither is seen")}
}

func driftHeight(c *analysis.Comparison) vg.Length {
	_, sc, _ := Compared(c)
	return rowsHeight(min(len(sc.Outcomes), driftRows))
}

func tableDrift(c *analysis.Comparison) Table {
	_, sc, _ := Compared(c)
	d := driftOf(sc)
	t := Table{Head: []string{"outcome", "base", "new", "share, new - base"}}
	for i, o := range sc.Outcomes {
		cells := []string{driftName(o), Count(o.Base), Count(o.New), Change(o.Difference.Value, o.Difference.Low, o.Difference.High)}
		if i < len(d.list) {
			t.Marks = append(t.Marks, changeMark(d, i, cells))
			continue
		}
		t.Marks = append(t.Marks, Mark{Cells: cells, X0: 0, X1: 0, Y0: math.Inf(-1), Y1: math.Inf(-1)})
	}
	return t
}
