package chart

import (
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/internal/glyph"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawItemClasses shows the item classes of every split that has items with rewards.
func drawItemClasses(r *analysis.Result) (Figure, error) {
	l := r.Lang
	parts := []part{
		{analysis.Dead, l.Text("chart.dead", "dead: all at the bottom"), bars{fill: Charred}},
		{
			analysis.Saturated, l.Text("chart.saturated", "saturated: all at the top"),
			bars{fill: tint(Orange, 0.30), hatch: glyph.Hatch{Color: Orange, Width: 0.6, Space: 3.5, Back: true}},
		},
		{
			analysis.Flat, l.Text("chart.flat", "flat: all equal, in between"),
			bars{fill: Grid, hatch: glyph.Hatch{Color: Muted, Width: 0.6, Space: 3.5}},
		},
		{analysis.Mixed, l.Text("chart.mixed", "mixed: rewards differ"), bars{fill: Sky}},
		{analysis.Unclassed, l.Text("chart.unclassed", "sampled once"), bars{fill: tint(Axis, 0.35)}},
	}
	var rows []shareRow
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil && classTotal(s) > 0 {
			one := shareRow{
				split: split,
				name:  l.Say("sign.bracketed", "%s (%s)", split, l.Count(classTotal(s), "item")),
			}
			for _, p := range parts {
				n := s.Classes.Counts[p.name]
				one.shares, one.texts = append(one.shares, float64(n)/float64(classTotal(s))),
					append(one.texts, message.Whole(n))
			}
			rows = append(rows, one)
		}
	}
	if len(rows) == 0 {
		return noData(l, "chart.classes.none", "no item has a reward")
	}
	f := shares(l, l.Text("chart.classes.axis", "share of items"), parts, rows)
	f.Table.Head = heads(l, "chart.head.split", "split", "chart.head.class", "class", "chart.head.items", "items",
		"chart.head.share", "share")
	for i, m := range f.Table.Marks {
		f.Table.Marks[i].Cells[1] = l.Text("report.classes."+m.Cells[1], m.Cells[1])
	}
	f.Title = l.Text("chart.classes.single", "Items sampled once cannot be classed")
	split, s, _ := ShownSplit(r)
	if total := classTotal(s); total > s.Classes.Counts[analysis.Unclassed] {
		share := func(class string) string { return message.Percent(float64(s.Classes.Counts[class]) / float64(total)) }
		f.Title = l.Say("chart.classes.mixed", "%s of %s items are mixed, %s always get the lowest reward, %s "+
			"always the highest",
			share(analysis.Mixed), split, share(analysis.Dead), share(analysis.Saturated))
	}
	f.Subtitle = l.Text("chart.classes.about",
		"classes as seen in these samples: with more samples a dead, saturated or flat item may turn out mixed")
	return f, nil
}

// drawNoise shows how much of the variance of rewards within items is grader noise.
func drawNoise(r *analysis.Result) (Figure, error) {
	l := r.Lang
	parts := []part{
		{
			"samples", l.Text("chart.noise.samples", "the model's answers differ: what training learns from"),
			bars{fill: Blue},
		},
		{
			"grader", l.Text("chart.noise.grader", "the grader disagrees with itself on the same answer"),
			faultBars,
		},
	}
	var rows []shareRow
	var findings []string
	for _, split := range rollout.Splits() {
		s := r.Splits[split]
		if s == nil || !s.Variance.GraderShare.Known() {
			continue
		}
		noise := min(1, max(0, *s.Variance.GraderShare.Value))
		one := shareRow{split: split, name: string(split), shares: []float64{1 - noise, noise}}
		for _, x := range one.shares {
			one.texts = append(one.texts, message.Percent(x))
		}
		rows = append(rows, one)
		findings = append(findings,
			l.Say("sign.bracketed", "%s (%s)", message.Percent(*s.Variance.GraderShare.Value), split))
	}
	noisy := func(one shareRow) bool { return one.shares[1] > 0 }
	if len(rows) > 0 && !slices.ContainsFunc(rows, noisy) {
		return noData(l, "chart.noise.zero", "every answer that was graded again got the same reward")
	}
	if len(rows) == 0 {
		return noData(l, "chart.noise.none", "no answer was graded more than once, so the grader's noise is not known")
	}
	regraded := 0 // over all splits
	if r.Grader != nil {
		regraded = r.Grader.NoiseVar.N
	}
	f := shares(l, l.Text("chart.noise.axis", "share of the variance of rewards within items"), parts, rows)
	f.Table.Head = heads(l, "chart.head.split", "split", "chart.head.source", "source",
		"chart.head.share_of_variance", "share of variance", "chart.head.share", "share")
	f.Title = l.Say("chart.noise.finding", "Grader noise is %s of the variance within items",
		strings.Join(findings, l.Text("sign.list", ", ")))
	f.Subtitle = l.Say("chart.noise.about", "n = %s graded again; observed shares, no interval",
		l.Count(regraded, "output"))
	return f, nil
}

// shareRow is one row, divided into parts.
type shareRow struct {
	split  rollout.Split
	name   string
	shares []float64
	texts  []string // one for each part
}

// shares draws rows of parts, each as long as its share.
func shares(l message.Language, axis string, parts []part, rows []shareRow) Figure {
	var names []string
	var segments []segment
	var t Table
	for i, one := range rows {
		stack(parts, i, func(k int) float64 { return one.shares[k] })
		from := 0.0
		for k, share := range one.shares {
			if share > 0 {
				segments = append(segments,
					segment{i, from, from + share, one.texts[k], parts[k].bars.fill == Charred ||
						parts[k].bars.fill == Blue})
				t.Marks = append(t.Marks, Mark{
					Cells: []string{string(one.split), parts[k].name, one.texts[k], message.Percent(share)},
					X0:    from, X1: from + share, Y0: row(i) - 0.32, Y1: row(i) + 0.32,
				})
			}
			from += share
		}
		names = append(names, one.name)
	}
	p := newPlot(axis, "")
	horizontal(p, names)
	for _, one := range parts {
		p.Add(one.bars)
	}
	p.Add(segmentLabels(segments))
	p.X.Min, p.X.Max = 0, 1.005
	p.X.Tick.Marker = percentTicks(between(roundTicks{Want: 5}, 0, 1))
	return Figure{Plot: p, Table: t, Caption: Caption{Legend: partLegend(parts)}}
}

func classTotal(s *analysis.SplitResult) int {
	total := 0
	for _, class := range analysis.ClassNames() {
		total += s.Classes.Counts[class]
	}
	return total
}

// segment is one part of a row, with its text.
type segment struct {
	row      int
	from, to float64
	text     string
	dark     bool
}

// segmentLabels writes the text of each segment into it, or above it if there is no room.
type segmentLabels []segment

// Plot implements plot.Plotter.
func (l segmentLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	free := c.Min.X // where the free space above the row begins
	for i, q := range l {
		if i > 0 && q.row != l[i-1].row {
			free = c.Min.X
		}
		sty := styleOn(p, true, Ink)
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
		at := vg.Point{X: tx((q.from + q.to) / 2), Y: ty(row(q.row))}
		if w := sty.Width(q.text); w+6 > tx(q.to)-tx(q.from) {
			at = vg.Point{X: max(at.X, free+w/2+2), Y: ty(row(q.row)+0.32) + 6.5}
			free = at.X + w/2 + 2
		} else if q.dark {
			sty.Color = Paper
		}
		c.FillText(sty, at, q.text)
	}
}
