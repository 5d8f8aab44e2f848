package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawItemClasses shows the classes of the splits that have items with rewards.
func drawItemClasses(r *analysis.Result) (Figure, error) {
	l := r.Lang
	parts := []part{
		{analysis.Dead, l.Text("chart.dead", "dead: all at the bottom"), bars{fill: Charred}},
		{analysis.Saturated, l.Text("chart.saturated", "saturated: all at the top"), bars{fill: tint(Orange, 0.30), hatch: hatch{color: Orange, width: 0.6, space: 3.5, back: true}}},
		{analysis.Flat, l.Text("chart.flat", "flat: all equal, in between"), bars{fill: Grid, hatch: hatch{color: Muted, width: 0.6, space: 3.5}}},
		{analysis.Mixed, l.Text("chart.mixed", "mixed: rewards differ"), bars{fill: Sky}},
		{analysis.Unclassed, l.Text("chart.unclassed", "sampled once"), bars{fill: tint(Axis, 0.35)}},
	}
	var names []string
	var counts []segment
	t := Table{Head: heads(l, "chart.head.split", "split", "chart.head.class", "class", "chart.head.items", "items", "chart.head.share", "share")}
	for _, split := range rollout.Splits() {
		total := 0
		if s := r.Splits[split]; s != nil {
			total = classTotal(s)
		}
		if total == 0 {
			continue
		}
		i, from := len(names), 0.0
		share := func(k int) float64 { return float64(r.Splits[split].Classes.Counts[parts[k].name]) / float64(total) }
		stack(parts, i, share)
		for k, one := range parts {
			to, n := from+share(k), r.Splits[split].Classes.Counts[one.name]
			if n > 0 {
				counts = append(counts, segment{i, from, to, n, one.name == analysis.Dead})
				t.Marks = append(t.Marks, Mark{
					Cells: []string{string(split), l.Text("report.classes."+one.name, one.name), message.Whole(n), message.Percent(share(k))},
					X0:    from, X1: to, Y0: row(i) - 0.32, Y1: row(i) + 0.32,
				})
			}
			from = to
		}
		names = append(names, l.Say("sign.bracketed", "%s (%s)", split, l.Count(total, "item")))
	}
	if len(names) == 0 {
		return noData(l, "chart.no_item_has_a_reward", "no item has a reward")
	}
	p := newPlot(l.Text("chart.share_of_items", "share of items"), "")
	horizontal(p, names)
	for _, one := range parts {
		p.Add(one.bars)
	}
	p.Add(segmentLabels(counts))
	p.X.Min, p.X.Max = 0, 1.005
	p.X.Tick.Marker = percentTicks{between{ticks{want: 5}, 0, 1}}
	f := Figure{Plot: p, Table: t}
	f.Title = l.Text("chart.items_sampled_once_cannot_be_classed", "Items sampled once cannot be classed")
	split, s, _ := ShownSplit(r)
	if total := classTotal(s); total > s.Classes.Counts[analysis.Unclassed] {
		share := func(class string) string { return message.Percent(float64(s.Classes.Counts[class]) / float64(total)) }
		f.Title = l.Say("chart.of_items_are_mixed_never_succeed", "%s of %s items are mixed, %s never succeed, %s always do", share(analysis.Mixed), split, share(analysis.Dead), share(analysis.Saturated))
	}
	f.Subtitle = l.Text("chart.classes_as_seen_in_these_samples", "classes as seen in these samples: with more samples a dead, saturated or flat item may turn out mixed")
	f.Legend = partLegend(l, parts)
	return f, nil
}

func classTotal(s *analysis.SplitResult) int {
	total := 0
	for _, class := range analysis.ClassNames() {
		total += s.Classes.Counts[class]
	}
	return total
}

// segment is a part of a row with its count.
type segment struct {
	row      int
	from, to float64
	n        int
	dark     bool
}

// segmentLabels writes its count into every segment, and above one that has
// no room for it.
type segmentLabels []segment

// Plot implements plot.Plotter.
func (l segmentLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	free := c.Min.X // above the row, from here on
	for i, q := range l {
		if i > 0 && q.row != l[i-1].row {
			free = c.Min.X
		}
		sty := styleOn(p, 8.5, true, Ink)
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
		at := vg.Point{X: tx((q.from + q.to) / 2), Y: ty(row(q.row))}
		if w := sty.Width(message.Whole(q.n)); w+6 > tx(q.to)-tx(q.from) {
			at = vg.Point{X: max(at.X, free+w/2+2), Y: ty(row(q.row)+0.32) + 6.5}
			free = at.X + w/2 + 2
		} else if q.dark {
			sty.Color = Paper
		}
		c.FillText(sty, at, message.Whole(q.n))
	}
}
