package chart

import (
	"cmp"
	"slices"
	"sort"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/internal/glyph"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

func drawPaired(c *compare.Comparison, sc *compare.Split) (Figure, error) {
	l, d, r := c.Lang, pairedOf(c, sc), sc.Reward
	x := l.Text("chart.moves.axis", "items of both runs, largest fall first")
	means := l.Say("chart.moves.pooled", "a bar is the mean of %s", message.Whole(d.each))
	p := newPlot(phrases(l, x, when(d.each > 1, means)), l.Text("chart.moves.change", "reward, new - base"))
	p.Add(d.down, d.up)
	all := reach{-d.delta, d.delta}
	all.add(d.values...)
	all.addKnown(d.mean.Value, d.mean.Low, d.mean.High)
	lo, hi := all.low, all.high
	if lo == hi {
		lo, hi = -1, 1
	}
	p.Add(d.mean, rule{value: 0, line: draw.LineStyle{Color: Ink, Width: 0.8}})
	if d.delta > 0 {
		p.Add(meanLine(-d.delta), meanLine(d.delta))
	}
	pad := (hi - lo) * 0.06
	p.Y.Min, p.Y.Max = lo-pad, hi+pad
	p.Y.Tick.Marker = roundTicks{Want: 6}
	n := float64(d.n)
	p.X.Min, p.X.Max = 0.5-n*0.005, n+0.5+n*0.005
	p.X.Tick.Marker = between(roundTicks{Want: 4, Whole: true}, 1, n)
	f := Figure{Plot: p, Table: d.table(l)}
	f.Title = l.Say("chart.moves.about", "%s: of %s, %s rose and %s fell", became(sc, l), l.Count(d.n, "item"),
		message.Whole(d.rose), message.Whole(d.fell))
	change := l.Say("chart.moves.mean_bare", "mean change %s, no interval: too little data for one",
		message.Difference(r.Value, r.Low, r.High))
	mean := l.Text("chart.moves.mean", "mean change")
	if r.Low != nil {
		change = l.Say("chart.moves.mean_within", "mean change %s, %s", message.Difference(r.Value, r.Low, r.High),
			intervalsAt(l, c.Confidence, r.Estimate))
		mean = l.Text("chart.moves.mean_line", "mean change with its interval")
	}
	f.Subtitle = phrases(l, over(c), change, l.Text("chart.moves.chance", "single items move by chance, too"))
	if d.rose > 0 {
		f.addEntry(l.Text("chart.rose", "rose"), d.up)
	}
	if d.fell > 0 {
		f.addEntry(l.Text("chart.fell", "fell"), d.down)
	}
	f.addEntry(mean, d.mean)
	if d.delta > 0 {
		f.addEntry(l.Say("chart.moves.delta", "± %s: a mean change within it does not matter", message.Digits(d.delta)),
			meanLine(0))
	}
	f.Brief = []Entry{
		entry(l.Text("chart.mean", "mean"), d.mean),
		entry("± "+message.Digits(d.delta), meanLine(0)),
	}
	return f, nil
}

// paired holds the changes of items, the largest fall first.
type paired struct {
	n, each    int // items, and items per bar
	rose, fell int
	delta      float64
	items      []string  // the first item of each bar
	values     []float64 // of the bars
	up, down   bars
	mean       meanBand
}

func pairedOf(c *compare.Comparison, sc *compare.Split) paired {
	list := slices.Clone(sc.Changes)
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Item, b.Item)) < 0
	})
	d := paired{n: len(list), each: 1, delta: c.Delta, mean: meanBand{sc.Reward.Estimate}}
	if len(list) > crowded {
		d.each = (len(list) + columns - 1) / columns
	}
	d.up = bars{fill: Sky}
	d.down = bars{fill: Orange, hatch: glyph.Hatch{Color: Paper, Width: 0.6, Space: 4}}
	for from := 0; from < len(list); from += d.each {
		to := min(len(list), from+d.each)
		sum := 0.0
		for _, ic := range list[from:to] {
			sum += ic.Change
			d.rose += b2i(ic.Change > 0)
			d.fell += b2i(ic.Change < 0)
		}
		value := sum / float64(to-from)
		d.items, d.values = append(d.items, list[from].Item), append(d.values, value)
		gap := 0.1
		if d.each > 1 {
			gap = 0
		}
		b := bar{x0: float64(from) + 0.5 + gap, x1: float64(to) + 0.5 - gap, y1: value}
		switch {
		case value > 0:
			d.up.list = append(d.up.list, b)
		case value < 0:
			d.down.list = append(d.down.list, b)
		}
	}
	if d.each > 1 {
		d.up.joined, d.down.joined = true, true
	}
	return d
}

// meanBand is a mean with its interval, across the whole plot.
type meanBand struct{ stat.Estimate }

var meanBandLine = draw.LineStyle{Color: Red, Width: 1.5}

// Plot implements plot.Plotter.
func (m meanBand) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	if m.Low != nil && m.High != nil {
		c.FillPolygon(tint(Red, 0.16), corners(rectangle(c.Min.X, ty(*m.Low), c.Max.X, ty(*m.High))))
	}
	if m.Value != nil {
		c.StrokeLine2(meanBandLine, c.Min.X, ty(*m.Value), c.Max.X, ty(*m.Value))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (m meanBand) Thumbnail(c *draw.Canvas) {
	if m.Low != nil {
		bars{fill: tint(Red, 0.16)}.Thumbnail(c)
	}
	rule{line: meanBandLine}.Thumbnail(c)
}

func (d paired) table(l message.Language) Table {
	t := Table{
		Columns: true,
		Head:    []string{l.Text("chart.item", "item"), l.Text("chart.moves.change", "reward, new - base")},
	}
	if d.each > 1 {
		t.Head = []string{
			l.Text("chart.items", "items"),
			l.Text("chart.moves.pooled_change", "reward, new - base, mean"),
			l.Text("chart.moves.first", "the first of them"),
		}
	}
	for i, v := range d.values {
		from, to := i*d.each, min(d.n, (i+1)*d.each)
		m := upMark([]string{d.items[i], message.Signed(v)}, float64(from)+0.5, float64(to)+0.5,
			Dot{float64(from+to+1) / 2, v})
		if d.each > 1 {
			m.Cells = []string{message.Whole(from+1) + " – " + message.Whole(to), message.Signed(v), d.items[i]}
		}
		t.Marks = append(t.Marks, m)
	}
	return t
}
