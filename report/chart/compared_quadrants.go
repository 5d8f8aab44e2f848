package chart

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/internal/glyph"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// quadrantRows is how many dots the table lists.
const quadrantRows = 300

func drawQuadrants(c *compare.Comparison, sc *compare.Split) (Figure, error) {
	l := c.Lang
	if sc.Quadrants == nil {
		return noData(l, "chart.quadrants.none",
			"no rollout of these items records its tool calls in both runs, or none made any")
	}
	q := quadrantsOf(c, sc)
	p := newPlot(l.Text("chart.quadrants.axis", "tool calls of a rollout, new - base"),
		l.Text("chart.moves.change", "reward, new - base"))
	p.Add(q)
	x, y := q.reach()
	p.X.Min, p.X.Max = -x*1.06, x*1.06
	p.Y.Min, p.Y.Max = -y*quadrantRoom, y*quadrantRoom
	p.X.Tick.Marker = between(roundTicks{Want: 8}, -x, x)
	p.Y.Tick.Marker = between(roundTicks{Want: 6}, -y, y)
	f := Figure{Plot: p, Table: q.table(l), Height: Height * 1.3} // both directions need room
	calls := ""
	switch movedBy(other(sc, "tool_calls")) {
	case "up":
		calls = l.Text("chart.quadrants.more", "rollouts make more tool calls")
	case "down":
		calls = l.Text("chart.quadrants.fewer", "rollouts make fewer tool calls")
	default:
		calls = l.Text("chart.quadrants.unseen", "no clear change in tool calls")
	}
	same := q.count("same", "fewer") + q.count("same", "same") + q.count("same", "more")
	label := l.Text("chart.item", "item")
	if q.several {
		label = l.Text("chart.quadrants.dots", "item; larger: several at the same point")
	}
	before := l.Say("chart.quadrants.same", "the reward of %s is as before (fewer calls: %s, more: %s)",
		l.Count(same, "item"), message.Whole(q.count("same", "fewer")), message.Whole(q.count("same", "more")))
	diamonds := l.Say("chart.quadrants.diamond", "diamond: means with %s",
		intervalsAt(l, c.Confidence, sc.Reward.Estimate))
	f.Title = phrases(l, became(sc, l), calls)
	f.Subtitle = phrases(l, over(c), when(same > 0, before), when(sc.Reward.Low != nil, diamonds))
	f.Legend = []Entry{
		entry(label, q),
		entry(l.Say("chart.quadrants.mean", "mean: reward %s", message.Signed(*sc.Reward.Value)), meanMark{}),
		entry(l.Say("chart.quadrants.delta", "mean within ± %s: does not matter", message.Digits(q.delta)), bandMark),
	}
	f.Brief = []Entry{
		{l.Text("chart.item", "item"), f.Legend[0].Thumbs},
		{l.Text("chart.mean", "mean"), f.Legend[1].Thumbs},
		{l.Text("chart.quadrants.delta_short", "mean does not matter"), f.Legend[2].Thumbs},
	}
	return f, nil
}

// quadrantRoom is how much taller the plot is than the area of its dots, to fit the counts above
// and below them.
const quadrantRoom = 1.24

// quadrants draws items as dots whose area is proportional to their number of items.
type quadrants struct {
	dots    []quadrantDot
	cells   []compare.Quadrant
	mean    meanMark
	delta   float64
	several bool
	crowded bool
	lang    message.Language
}

// quadrantDot is one item, or several with the same change.
type quadrantDot struct {
	x, y  float64
	n     int
	first string // item
}

// quadrantsOf collects the items. Many items are pooled on a fine lattice: thousands of dots cannot
// be distinguished.
func quadrantsOf(c *compare.Comparison, sc *compare.Split) quadrants {
	q := quadrants{
		lang: c.Lang, cells: sc.Quadrants.Cells, delta: c.Delta,
		mean: meanMark{y: sc.Reward.Value, y0: sc.Reward.Low, y1: sc.Reward.High},
	}
	if d := other(sc, "tool_calls"); d != nil {
		q.mean.x, q.mean.x0, q.mean.x1 = d.Value, d.Low, d.High
	}
	var spanX, spanY float64
	for _, ic := range sc.Changes {
		if ic.CallsChange != nil {
			spanX, spanY = max(spanX, math.Abs(*ic.CallsChange)), max(spanY, math.Abs(ic.Change))
		}
	}
	stepX, stepY := spanX/1e6, spanY/1e6
	if len(sc.Changes) > crowded {
		stepX, stepY, q.crowded = spanX/60, spanY/40, true
	}
	index := map[[2]int]int{}
	for _, ic := range sc.Changes {
		if ic.CallsChange == nil {
			continue
		}
		x, y := *ic.CallsChange, ic.Change
		place := [2]int{lattice(x, stepX), lattice(y, stepY)}
		i, found := index[place]
		if !found {
			i, index[place] = len(q.dots), len(q.dots)
			q.dots = append(q.dots, quadrantDot{first: ic.Item})
		}
		d := &q.dots[i]
		d.n++
		d.x += (x - d.x) / float64(d.n)
		d.y += (y - d.y) / float64(d.n)
		q.several = q.several || d.n > 1
	}
	// large dots are drawn below small ones
	slices.SortStableFunc(q.dots, func(a, b quadrantDot) int { return cmp.Compare(b.n, a.n) })
	return q
}

func lattice(x, step float64) int {
	if step == 0 {
		return 0
	}
	return int(math.Round(x / step))
}

// reach returns how far the plot extends from zero, the same in both directions, because quadrants
// are compared by eye.
func (q quadrants) reach() (x, y float64) {
	y = 2 * q.delta
	for _, d := range q.dots {
		x, y = max(x, math.Abs(d.x)), max(y, math.Abs(d.y))
	}
	across, along := reach{-x, x}, reach{-y, y}
	across.addKnown(q.mean.x, q.mean.x0, q.mean.x1)
	along.addKnown(q.mean.y, q.mean.y0, q.mean.y1)
	return cmp.Or(max(-across.low, across.high), 1), cmp.Or(max(-along.low, along.high), 1)
}

func (q quadrants) count(reward, calls string) int {
	for _, c := range q.cells {
		if c.Reward == reward && c.Calls == calls {
			return c.Items
		}
	}
	return 0
}

// Plot implements plot.Plotter.
func (q quadrants) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	if q.delta > 0 {
		c.FillPolygon(bandFill, corners(rectangle(c.Min.X, ty(-q.delta), c.Max.X, ty(q.delta))))
	}
	axis := draw.LineStyle{Color: Ink, Width: 0.8}
	c.StrokeLine2(axis, c.Min.X, ty(0), c.Max.X, ty(0))
	_, high := q.reach()
	c.StrokeLine2(axis, tx(0), ty(-high), tx(0), ty(high))
	for _, d := range q.dots {
		drawDot(&c, vg.Point{X: tx(d.x), Y: ty(d.y)}, d.n, q.crowded)
	}
	q.mean.draw(&c, tx, ty)
	q.counts(c, p)
}

// drawDot draws n items; crowded dots have no edge.
func drawDot(c *draw.Canvas, at vg.Point, n int, crowded bool) {
	r := vg.Length(math.Min(9, 1.9*math.Sqrt(float64(n))))
	if crowded {
		r = vg.Length(math.Min(9, 0.9*math.Sqrt(float64(n))))
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: tint(Blue, 0.6), Radius: r, Shape: draw.CircleGlyph{}}, at)
		return
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: tint(Blue, 0.45), Radius: r, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: r, Shape: draw.RingGlyph{}}, at)
}

// The words for items whose reward went up or down, with fewer calls, as many, and more.
var (
	itemsUp = [3]message.Def{
		message.New("chart.quadrants.up_fewer", "{n} up, fewer calls"),
		message.New("chart.quadrants.up", "{n} up"), message.New("chart.quadrants.up_more", "{n} up, more calls"),
	}
	itemsDown = [3]message.Def{
		message.New("chart.quadrants.down_fewer", "{n} down, fewer calls"),
		message.New("chart.quadrants.down", "{n} down"),
		message.New("chart.quadrants.down_more", "{n} down, more calls"),
	}
)

// counts writes into the corners how many items are there, as bare numbers if the words do not fit
// side by side.
func (q quadrants) counts(c draw.Canvas, p *plot.Plot) {
	sty := styleOn(p, true, Ink)
	for _, side := range []struct {
		reward string
		words  [3]message.Def
		y      vg.Length
	}{{"better", itemsUp, c.Max.Y - 1}, {"worse", itemsDown, c.Min.Y + 10.5}} {
		var texts []string
		for i, calls := range []string{"fewer", "same", "more"} {
			texts = append(texts, side.words[i].In(q.lang, message.Args{"n": message.Int(q.count(side.reward, calls))}))
		}
		room := (c.Max.X - c.Min.X) / 2
		if mid := sty.Width(texts[1])/2 + 8; sty.Width(texts[0])+mid > room || sty.Width(texts[2])+mid > room {
			for i, calls := range []string{"fewer", "same", "more"} {
				texts[i] = message.Whole(q.count(side.reward, calls))
			}
		}
		for i, text := range texts {
			w := sty.Width(text)
			x := []vg.Length{c.Min.X + 3, c.Center().X - w/2, c.Max.X - w - 3}[i]
			c.FillPolygon(tint(Paper, 0.85), corners(rectangle(x-2, side.y-9, x+w+2, side.y)))
			c.FillText(sty, vg.Point{X: x, Y: side.y}, text)
		}
	}
}

// Thumbnail implements plot.Thumbnailer.
func (quadrants) Thumbnail(c *draw.Canvas) { drawDot(c, c.Center(), 2, false) }

// meanMark is a point with an interval for each of its two coordinates.
type meanMark struct{ x, x0, x1, y, y0, y1 *float64 }

func (m meanMark) draw(c *draw.Canvas, tx, ty func(float64) vg.Length) {
	if m.x == nil || m.y == nil {
		return
	}
	for _, l := range []draw.LineStyle{{Color: Paper, Width: 3}, {Color: Red, Width: 1.5}} {
		m.drawIntervals(c, l, tx, ty)
	}
	drawDiamond(c, vg.Point{X: tx(*m.x), Y: ty(*m.y)})
}

// drawIntervals draws the known intervals through the mean, which must be known.
func (m meanMark) drawIntervals(c *draw.Canvas, l draw.LineStyle, tx, ty func(float64) vg.Length) {
	x, y := tx(*m.x), ty(*m.y)
	if m.x0 != nil && m.x1 != nil {
		c.StrokeLine2(l, tx(*m.x0), y, tx(*m.x1), y)
	}
	if m.y0 != nil && m.y1 != nil {
		c.StrokeLine2(l, x, ty(*m.y0), x, ty(*m.y1))
	}
}

func drawDiamond(c *draw.Canvas, at vg.Point) {
	glyph.Diamond{}.DrawGlyph(c, draw.GlyphStyle{Color: Paper, Radius: 4}, at)
	glyph.Diamond{}.DrawGlyph(c, draw.GlyphStyle{Color: Red, Radius: 2.9}, at)
}

// Thumbnail implements plot.Thumbnailer.
func (meanMark) Thumbnail(c *draw.Canvas) { drawDiamond(c, c.Center()) }

func (q quadrants) table(l message.Language) Table {
	rx, ry := q.reach()
	dots := slices.Clone(q.dots)
	slices.SortStableFunc(dots, func(a, b quadrantDot) int { return cmp.Compare(math.Abs(b.y), math.Abs(a.y)) })
	t := Table{Head: []string{
		l.Text("chart.item", "item"), l.Text("chart.quadrants.items", "items"),
		l.Text("chart.moves.change", "reward, new - base"), l.Text("chart.quadrants.calls", "tool calls, new - base"),
	}}
	for _, d := range dots[:min(len(dots), quadrantRows)] {
		name := d.first
		if d.n > 1 {
			name += ", …"
		}
		t.Marks = append(t.Marks, Mark{
			Cells: []string{name, message.Whole(d.n), message.Signed(d.y), message.Signed(d.x)},
			X0:    d.x - rx*0.015, X1: d.x + rx*0.015, Y0: d.y - ry*0.03, Y1: d.y + ry*0.03,
		})
	}
	return t
}
