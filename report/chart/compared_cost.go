package chart

import (
	"cmp"
	"math"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/internal/glyph"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// move is a quantity of rollouts whose change is shown with the change of the reward.
type move struct {
	quantity string      // name of the Difference
	unit     message.Def // "reward {reward}, seconds {change}"
	axis     message.Def // below the plot
	more     message.Def // "rollouts take longer"
	less     message.Def
	neither  message.Def // the title if neither is shown
	without  message.Def // the reason if there is nothing to draw
}

var (
	movedTokens = message.New("chart.moved.tokens", "reward {reward}, tokens {change}")
	latencyMove = move{
		"latency", message.New("chart.moved.seconds", "reward {reward}, seconds {change}"),
		message.New("chart.latency.axis", "wall time of a rollout, seconds, mean"),
		message.New("chart.latency.more", "rollouts take longer"),
		message.New("chart.latency.less", "rollouts are faster"),
		message.New("chart.latency.neither", "no clear change in speed"),
		message.New("chart.latency.without", "the rollouts of a run do not record how long they took"),
	}
	outputMove = move{
		"output_tokens", movedTokens, message.New("chart.output_tokens.axis", "output tokens of a rollout, mean"),
		message.New("chart.output_tokens.more", "rollouts write more"),
		message.New("chart.output_tokens.less", "rollouts write less"),
		message.New("chart.output_tokens.neither", "no clear change in output tokens"),
		message.New("chart.output_tokens.without", "no server reported how many tokens the rollouts of a run wrote"),
	}
	inputMove = move{
		"input_tokens", movedTokens, message.New("chart.input_tokens.axis", "input tokens of a rollout, mean"),
		message.New("chart.input_tokens.more", "rollouts read more"),
		message.New("chart.input_tokens.less", "rollouts read less"),
		message.New("chart.input_tokens.neither", "no clear change in input tokens"),
		message.New("chart.input_tokens.without", "no server reported how many tokens the rollouts of a run read"),
	}
)

func (m move) chart(name, doc, read string) Comparison {
	return Comparison{Name: name, Doc: doc, Read: read, Draw: m.draw}
}

func (m move) draw(c *compare.Comparison) (Figure, error) {
	l := c.Lang
	sc, err := compared(c)
	if err != nil {
		return Figure{}, err
	}
	a, d := m.arrow(c, sc), other(sc, m.quantity)
	if a == nil {
		return noData(l, m.without.ID, m.without.English)
	}
	p := newPlot(m.axis.In(l), l.Text("chart.mean_reward", "mean reward"))
	p.Add(a)
	x0, x1, y0, y1 := a.extent()
	padX, padY := (x1-x0)*0.16, (y1-y0)*0.1
	p.X.Min, p.X.Max = x0-padX, x1+padX
	if x0 >= 0 {
		p.X.Min = max(0, p.X.Min)
	}
	p.Y.Min, p.Y.Max = y0-padY, y1+padY
	p.X.Tick.Marker = between(roundTicks{Want: 6}, p.X.Min, p.X.Max)
	p.Y.Tick.Marker = roundTicks{Want: 5}
	moved := m.neither
	switch movedBy(d) {
	case "up":
		moved = m.more
	case "down":
		moved = m.less
	}
	rewards, quantities := message.Difference(sc.Reward.Value, sc.Reward.Low, sc.Reward.High),
		message.Difference(d.Value, d.Low, d.High)
	changes := m.unit.In(l, message.Args{"reward": message.Name(rewards), "change": message.Name(quantities)})
	cross := ""
	if e := cmp.Or(bounded(d), bounded(&sc.Reward)); e != nil {
		cross = l.Say("chart.cost.cross", "cross: %s of the differences, around new",
			intervalsAt(l, c.Confidence, e.Estimate))
	}
	base, latest := l.Text("chart.base", "base"), l.Text("chart.new", "new")
	f := Figure{Plot: p}
	f.Title, f.Subtitle = phrases(l, became(sc, l), moved.In(l)), phrases(l, over(c), changes, cross)
	f.Legend = []Entry{
		entry(base, endSample{}),
		entry(l.Text("chart.cost.new", "new, with the intervals of the differences"), endSample{true}),
		entry(l.Say("chart.cost.base", "base ± %s: a mean reward within it is no change that matters",
			message.Digits(a.delta)), bandMark),
	}
	f.Brief = []Entry{f.Legend[0], {latest, f.Legend[1].Thumbs}}
	rx, ry := (x1-x0)*0.02, (y1-y0)*0.04
	mark := func(x, y float64, name string) Mark {
		return Mark{
			Cells: []string{name, message.Digits(y), message.Digits(x)}, X0: x - rx, X1: x + rx, Y0: y - ry,
			Y1: y + ry,
		}
	}
	f.Table = Table{Head: []string{"", l.Text("chart.mean_reward", "mean reward"), m.axis.In(l)}, Marks: []Mark{
		mark(a.x, a.y, base), mark(a.toX, a.toY, latest),
		{
			Cells: []string{l.Text("chart.groups.change", "new - base"), rewards, quantities}, X0: x0, X1: x1, Y0: y0,
			Y1: y1,
		},
	}}
	return f, nil
}

// arrow goes from the means of base to the means of new. Its intervals are those of the
// differences, shifted by the mean of base, so they are around the new end.
type arrow struct {
	x, y, toX, toY float64
	cross          meanMark // around the new end
	delta          float64
	lang           message.Language
}

// arrow returns nil if the quantity or the reward is unknown in one of the runs.
func (m move) arrow(c *compare.Comparison, sc *compare.Split) *arrow {
	d := other(sc, m.quantity)
	if d == nil || d.Base == nil || d.New == nil || sc.Reward.Base == nil || sc.Reward.New == nil {
		return nil
	}
	from := func(base float64, v *float64) *float64 {
		if v == nil {
			return nil
		}
		sum := base + *v
		return &sum
	}
	bx, by := *d.Base, *sc.Reward.Base
	return &arrow{
		x: bx, y: by, toX: *d.New, toY: *sc.Reward.New, delta: c.Delta, lang: c.Lang,
		cross: meanMark{
			x: d.New, x0: from(bx, d.Low), x1: from(bx, d.High), y: sc.Reward.New,
			y0: from(by, sc.Reward.Low), y1: from(by, sc.Reward.High),
		},
	}
}

// bounded returns d if it has an interval, else nil.
func bounded(d *analysis.Difference) *analysis.Difference {
	if d.Low == nil || d.High == nil {
		return nil
	}
	return d
}

func (a *arrow) extent() (x0, x1, y0, y1 float64) {
	x, y := reach{a.x, a.x}, reach{a.y - a.delta, a.y + a.delta}
	x.addKnown(&a.toX, a.cross.x0, a.cross.x1)
	y.addKnown(&a.toY, a.cross.y0, a.cross.y1)
	x0, x1, y0, y1 = x.low, x.high, y.low, y.high
	if x1-x0 < 1e-9*math.Abs(x1) || x0 == x1 {
		around := math.Max(0.05*math.Abs(x1), 1e-6)
		x0, x1 = x0-around, x1+around
	}
	if y0 == y1 {
		y0, y1 = y0-0.5, y1+0.5
	}
	return x0, x1, y0, y1
}

// Plot implements plot.Plotter.
func (a *arrow) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	if a.delta > 0 {
		c.FillPolygon(bandFill, corners(rectangle(c.Min.X, ty(a.y-a.delta), c.Max.X, ty(a.y+a.delta))))
	}
	a.cross.drawIntervals(&c, draw.LineStyle{Color: Steel, Width: 1.1}, tx, ty)
	from, to := vg.Point{X: tx(a.x), Y: ty(a.y)}, vg.Point{X: tx(a.toX), Y: ty(a.toY)}
	shaft(&c, from, to)
	drawEnd(&c, from, false)
	drawEnd(&c, to, true)
	right := to.X >= from.X
	for _, q := range []struct {
		text string
		at   vg.Point
		up   bool
	}{{a.lang.Text("chart.base", "base"), from, false}, {a.lang.Text("chart.new", "new"), to, true}} {
		l := label{text: q.text, color: Ink, xAlign: draw.XLeft, yAlign: draw.YBottom, bare: true}
		at := vg.Point{X: q.at.X + 5, Y: q.at.Y + 4}
		if right != q.up {
			l.xAlign, at.X = draw.XRight, q.at.X-5
		}
		if !q.up {
			l.yAlign, at.Y = draw.YTop, q.at.Y-4
		}
		l.draw(c, p, at)
	}
}

// shaft draws an arrow between two ends that touches neither; if they are too close it draws none.
func shaft(c *draw.Canvas, from, to vg.Point) {
	const gap, head vg.Length = 5, 6
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	long := vg.Length(math.Hypot(dx, dy))
	if long < 2*gap+head {
		return
	}
	ux, uy := vg.Length(dx)/long, vg.Length(dy)/long
	tip := vg.Point{X: to.X - ux*gap, Y: to.Y - uy*gap}
	neck := vg.Point{X: tip.X - ux*head, Y: tip.Y - uy*head}
	c.StrokeLine2(draw.LineStyle{Color: Blue, Width: 1.8}, from.X+ux*gap, from.Y+uy*gap, neck.X, neck.Y)
	c.FillPolygon(Blue, []vg.Point{
		tip,
		{X: neck.X - uy*3.2, Y: neck.Y + ux*3.2},
		{X: neck.X + uy*3.2, Y: neck.Y - ux*3.2},
	})
}

// drawEnd draws the base end as a ring and the new end as a disc.
func drawEnd(c *draw.Canvas, at vg.Point, filled bool) {
	sty := draw.GlyphStyle{Color: Blue, Radius: 4, Shape: glyph.Ring{Paper: Paper}}
	if filled {
		sty.Radius, sty.Shape = 3.6, draw.CircleGlyph{}
	}
	c.DrawGlyphNoClip(sty, at)
}

// endSample is the legend mark of an end.
type endSample struct{ filled bool }

// Thumbnail implements plot.Thumbnailer.
func (s endSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	if s.filled {
		c.StrokeLine2(draw.LineStyle{Color: Steel, Width: 1.1}, c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	drawEnd(c, mid, s.filled)
}
