package chart

import (
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// driftRows is how many kinds of failure a picture shows; the table has all.
const driftRows = 24

// drawDrift shows how often each outcome happened, and its change.
func drawDrift(c *compare.Comparison) (Figure, error) {
	l := c.Lang
	_, sc, ok := ComparedSplit(c)
	switch {
	case !ok:
		return noSplit(c)
	case len(sc.Outcomes) == 0 && sc.Reward.Known():
		return noData(l, "chart.drift.none", "every rollout of both runs ended in a grade")
	case len(sc.Outcomes) == 0:
		return Figure{}, &NoData{Why: sc.Why.In(l)}
	}
	var d dotRows
	more, fewer := 0, 0
	for i, o := range sc.Outcomes {
		e := o.Difference
		moved := map[int]string{1: "up", -1: "down"}[signOf(e)]
		more += b2i(moved == "up")
		fewer += b2i(moved == "down")
		name := driftName(o, l)
		v := changeRow(name, e, moved, true, []string{
			name, message.Whole(o.Base), message.Whole(o.New),
			message.Difference(e.Value, e.Low, e.High),
		}, i >= driftRows)
		v.text = l.Say("chart.drift.change", "%s to %s", message.Whole(o.Base), message.Whole(o.New))
		d.list = append(d.list, v)
	}
	f := d.drift(l, l.Text("chart.outcome", "outcome"))
	kinds := l.Count(len(sc.Outcomes), "kind")
	switch {
	case len(sc.Outcomes) == 1 && more == 1:
		f.Title = l.Say("chart.failures.up", "Failures became more frequent: %s", d.list[0].name)
	case len(sc.Outcomes) == 1 && fewer == 1:
		f.Title = l.Say("chart.failures.down", "Failures became rarer: %s", d.list[0].name)
	case more > 0 && fewer > 0:
		f.Title = l.Say("chart.drift.both", "Of %s of failure, %s became more frequent and %s rarer", kinds,
			message.Whole(more), message.Whole(fewer))
	case more > 0:
		f.Title = l.Say("chart.drift.up", "Of %s of failure, %s became more frequent", kinds, message.Whole(more))
	case fewer > 0:
		f.Title = l.Say("chart.drift.down", "Of %s of failure, %s became rarer", kinds, message.Whole(fewer))
	default:
		f.Title = l.Text("chart.drift.unseen", "No kind of failure clearly became more frequent or rarer")
	}
	unseen := len(sc.Outcomes) - driftRows
	f.Subtitle = phrases(l, over(c), driftBars(c, sc.Outcomes[0].Difference),
		l.Text("chart.drift.numbers", "numbers: among all recorded rollouts, base to new"),
		l.Text("chart.drift.uncorrected", "not corrected for the number of kinds"),
		when(unseen > 0, l.Say("chart.drift.more", "%s more in the table only", l.Count(unseen, "kind"))))
	return f, nil
}

// drawHacks shows the share of rollouts that each detector marks, and its change.
func drawHacks(c *compare.Comparison) (Figure, error) {
	l := c.Lang
	sc, err := compared(c)
	if err != nil {
		return Figure{}, err
	}
	var d dotRows
	more := 0
	for i, h := range sc.Hacks {
		if !h.Known() || h.Base == nil || h.New == nil {
			continue
		}
		base, latest := message.Percent(*h.Base), message.Percent(*h.New)
		v := changeRow(h.Name, h.Estimate, h.Direction, true,
			[]string{h.Name, base, latest, message.Difference(h.Value, h.Low, h.High)}, i >= driftRows)
		v.text = l.Say("chart.drift.change", "%s to %s", base, latest)
		more += b2i(v.look == badLook)
		d.list = append(d.list, v)
	}
	if len(d.list) == 0 {
		return noData(l, "chart.hacks.none", "no detector read the rollouts of both runs")
	}
	f := d.drift(l, l.Text("chart.detector", "detector"))
	f.Title = l.Say("chart.hacks.more", "By %s of %s, more rollouts are marked as hacks than in the base run",
		message.Whole(more), l.Count(len(d.list), "detector"))
	switch first := d.list[0]; {
	case more == 0:
		f.Title = l.Text("chart.hacks.no_more",
			"No detector clearly marks more rollouts as hacks than in the base run")
	case len(d.list) == 1:
		f.Title = l.Say("chart.hacks.one", "The detector %s marks more rollouts as hacks: %s", first.name, first.text)
	}
	f.Subtitle = phrases(l, over(c), driftBars(c, sc.Hacks[0].Estimate))
	return f, nil
}

// driftBars says what the bars are, if the first row has one.
func driftBars(c *compare.Comparison, first stat.Estimate) string {
	return when(first.Low != nil, c.Lang.Say("chart.drift.bars", "bars: %s of the share of rollouts",
		intervalsAt(c.Lang, c.Confidence, first)))
}

// drift draws changes of shares of rollouts; head is the head of the table's first column.
func (d dotRows) drift(l message.Language, head string) Figure {
	f := d.changes(l.Text("chart.drift.axis", "share of rollouts, new - base"), 0.26, nil, zeroRule())
	f.Plot.X.Tick.Marker = percentTicks(f.Plot.X.Tick.Marker)
	f.Table.Head = []string{
		head, l.Text("chart.base", "base"), l.Text("chart.new", "new"),
		l.Text("chart.drift.share", "share, new - base"),
	}
	f.Legend = d.legend(l, driftLooks...)
	return f
}

// driftLooks are the ways in which a kind of failure can change.
var driftLooks = []seen{
	{gainLook, message.New("chart.rarer", "rarer")},
	{badLook, message.New("chart.more_frequent", "more frequent")},
	{ringLook, message.New("chart.drift.neither", "no clear change")},
}

func driftName(o compare.OutcomeDrift, l message.Language) string {
	name := failureName(l, o.Outcome)
	if o.Kind != "" {
		name = l.Say("sign.bracketed", "%s (%s)", name, o.Kind)
	}
	return name
}
