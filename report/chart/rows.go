package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/internal/glyph"
	"gonogo/report/internal/lettering"
)

// row returns the Y of the i-th row of a horizontal chart, counted from the top.
func row(i int) float64 { return -float64(i) }

// dotRow is one row: a name, a dot with its interval, and a text at the right end.
type dotRow struct {
	name             string
	look             look
	value, low, high float64
	text             string
	strong           bool     // the text is bold
	cells            []string // of the table row
	head             bool     // the row is a heading of those below it and has no dot
	hidden           bool     // in the table only, for lack of room
}

// place sets the value and interval of the dot, if the value is known.
func (v *dotRow) place(e stat.Estimate) {
	if e.Value != nil {
		v.value, v.low, v.high = spanOf(e)
	}
}

// spanOf returns a known value and its interval; an unknown interval has no width.
func spanOf(e stat.Estimate) (value, low, high float64) {
	if e.Low == nil || e.High == nil {
		return *e.Value, *e.Value, *e.Value
	}
	return *e.Value, *e.Low, *e.High
}

// reach is a range of values.
type reach struct{ low, high float64 }

// noReach returns a reach without values.
func noReach() reach { return reach{math.Inf(1), math.Inf(-1)} }

// add widens the range to the values.
func (r *reach) add(values ...float64) {
	for _, x := range values {
		r.low, r.high = min(r.low, x), max(r.high, x)
	}
}

// addKnown widens the range to the values that are not nil.
func (r *reach) addKnown(values ...*float64) {
	for _, x := range values {
		if x != nil {
			r.add(*x)
		}
	}
}

// dotRows draws one row below the other.
type dotRows struct {
	list  []dotRow
	lines []rowLine
}

// rowLine is a vertical line over the rows from first to last, indices of the list.
type rowLine struct {
	value       float64
	first, last int
	line        draw.LineStyle
}

// drawn returns how many rows are drawn.
func (d dotRows) drawn() int {
	n := 0
	for _, v := range d.list {
		n += b2i(!v.hidden)
	}
	return n
}

// span returns the range of the drawn dots, their intervals and the values.
func (d dotRows) span(values ...float64) (lo, hi float64) {
	all := noReach()
	all.add(values...)
	for _, v := range d.list {
		if !v.hidden && !v.head {
			all.add(v.low, v.value, v.high)
		}
	}
	return all.low, all.high
}

// figure draws the rows over an axis from lo to hi. room is the space to the right of that for the
// texts, as a share of hi - lo; pitch is the height of a row. under is drawn below the dots.
func (d dotRows) figure(axis string, lo, hi, room float64, pitch vg.Length, under ...plot.Plotter) Figure {
	const around vg.Length = 112
	p := newPlot(axis, "")
	var names []string
	for _, v := range d.list {
		switch {
		case v.hidden:
		case v.head:
			names = append(names, "")
		default:
			names = append(names, v.name)
		}
	}
	horizontal(p, names)
	p.Add(under...)
	p.Add(d)
	p.X.Min, p.X.Max = lo, hi+(hi-lo)*room
	p.X.Tick.Marker = between(roundTicks{Want: 7}, lo, hi)
	f := Figure{Plot: p, Height: around + pitch*vg.Length(len(names)), Table: Table{Marks: d.marks()}}
	for _, v := range d.list {
		if !v.hidden && !v.head {
			f.ends = append(f.ends, endText{after: hi, text: v.text, strong: v.strong})
		}
	}
	return f
}

// marks returns the rows of the table. A row that is not drawn has its place on the line between
// the drawn rows around it.
func (d dotRows) marks() []Mark {
	var out []Mark
	index := 0
	for _, v := range d.list {
		m := Mark{Cells: v.cells, X0: math.Inf(-1), X1: math.Inf(1), Y0: row(index) + 0.5, Y1: row(index) + 0.5}
		if !v.hidden {
			m.Y0, m.Dots = row(index)-0.5, []Dot{{v.value, row(index)}}
			index++
		}
		if !v.head {
			out = append(out, m)
		}
	}
	return out
}

// Plot implements plot.Plotter.
func (d dotRows) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	left, right := tx(p.X.Min), tx(p.X.Max)
	heights := make([]float64, len(d.list)) // the Y of each row
	n := 0
	for i, v := range d.list {
		n += b2i(!v.hidden)
		heights[i] = row(n - 1)
		if v.head && !v.hidden {
			names := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)
			drawRowHead(c, p, v.name, rectangle(c.Min.X-widest(p, names), ty(heights[i]-0.5), c.Max.X, ty(heights[i]+0.5)))
		}
	}
	for _, l := range d.lines {
		if x := tx(l.value); x >= left && x <= right {
			c.StrokeLine2(l.line, x, ty(heights[l.last]-0.5), x, ty(heights[l.first]+0.5))
		}
	}
	for i, v := range d.list {
		if v.hidden || v.head {
			continue
		}
		y := ty(heights[i])
		c.StrokeLine2(draw.LineStyle{Color: v.look.Color, Width: 1.4}, max(left, tx(v.low)), y,
			min(right, tx(v.high)), y)
		v.look.draw(&c, vg.Point{X: tx(v.value), Y: y})
		sty := styleOn(p, v.strong, Ink)
		sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
		c.FillPolygon(Paper, corners(rectangle(c.Max.X-sty.Width(v.text)-3, y-5, c.Max.X, y+5)))
		c.FillText(sty, vg.Point{X: c.Max.X, Y: y + 1.3}, v.text)
	}
}

// widest returns the width of the widest label of ticks.
func widest(p *plot.Plot, ticks []plot.Tick) (width vg.Length) {
	for _, t := range ticks {
		width = max(width, p.Y.Tick.Label.Width(t.Label))
	}
	return width
}

// drawRowHead draws the name of a group of rows on a background.
func drawRowHead(c draw.Canvas, p *plot.Plot, head string, r vg.Rectangle) {
	c.FillPolygon(tint(Axis, 0.22), corners(r))
	sty := styleOn(p, true, Ink)
	sty.YAlign = draw.YCenter
	c.FillText(sty, vg.Point{X: r.Min.X + 5, Y: (r.Min.Y+r.Max.Y)/2 + 0.5}, lettering.Fit(head, sty, r.Max.X-r.Min.X-8))
}

// seen is a look and what it means.
type seen struct {
	look  look
	words message.Def
}

// legend names the looks that occur in drawn rows.
func (d dotRows) legend(l message.Language, list ...seen) []Entry {
	var out []Entry
	for _, e := range list {
		for _, v := range d.list {
			if !v.head && !v.hidden && v.look == e.look {
				out = append(out, entry(e.words.In(l), e.look))
				break
			}
		}
	}
	return out
}

// look is how a dot is drawn. Its shape distinguishes it in grey.
type look struct {
	Color color.RGBA
	Shape draw.GlyphDrawer
}

// The looks of rows.
var (
	ringLook    = look{Blue, glyph.Ring{Paper: Paper}}
	discLook    = look{Blue, draw.CircleGlyph{}}
	gainLook    = look{Green, draw.CircleGlyph{}}
	cautionLook = look{Orange, draw.CircleGlyph{}}
	badLook     = look{Red, glyph.Diamond{}}
	evenLook    = look{Blue, draw.BoxGlyph{}}
	singleLook  = look{Steel, draw.BoxGlyph{}}
)

func (k look) draw(c *draw.Canvas, at vg.Point) {
	r := vg.Length(3.1)
	if _, box := k.Shape.(draw.BoxGlyph); box {
		r = 2.6
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: k.Color, Radius: r, Shape: k.Shape}, at)
}

// Thumbnail implements plot.Thumbnailer.
func (k look) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(draw.LineStyle{Color: k.Color, Width: 1.4}, c.Min.X, mid.Y, c.Max.X, mid.Y)
	k.draw(c, mid)
}

// band shades the differences that do not matter: those up to this far from zero.
type band float64

var bandFill = tint(Axis, 0.32)

// bandMark is the legend mark of a band.
var bandMark = bars{fill: bandFill}

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	if tx, _ := p.Transforms(&c); b > 0 {
		c.FillPolygon(bandFill, corners(rectangle(tx(-float64(b)), c.Min.Y, tx(float64(b)), c.Max.Y)))
	}
}

// zeroRule marks where nothing changed.
func zeroRule() rule { return rule{upward: true, line: draw.LineStyle{Color: Ink, Width: 0.9}} }

// The lines at thresholds, and where a sound grader or no difference would be.
var (
	soundLine   = draw.LineStyle{Color: tint(Green, 0.45), Width: 3}
	limitLine   = draw.LineStyle{Color: Red, Width: 1, Dashes: dashed}
	cautionLine = draw.LineStyle{Color: Amber, Width: 1, Dashes: dotted}
)

// upright returns the legend mark of a vertical line.
func upright(line draw.LineStyle) []plot.Thumbnailer {
	return []plot.Thumbnailer{rule{upward: true, line: line}}
}

// rowTicks names the rows.
type rowTicks []string

// rowNames is the maximum width of the names of rows.
const rowNames vg.Length = 130

// Ticks implements plot.Ticker.
func (t rowTicks) Ticks(_, _ float64) []plot.Tick { return t.within(rowNames, plot.DefaultTextHandler) }

// within returns the ticks, with each name shortened to room.
func (t rowTicks) within(room vg.Length, fonts text.Handler) plot.ConstantTicks {
	out := make([]plot.Tick, len(t))
	for i, name := range t {
		sty := lettering.Style(letters, false, Muted)
		sty.Handler = fonts
		out[i] = plot.Tick{Value: row(i), Label: lettering.Fit(lettering.Drawable(name, sty), sty, room)}
	}
	return out
}

// horizontal makes p a chart of named rows with a vertical grid.
func horizontal(p *plot.Plot, names []string) {
	g := plotter.NewGrid()
	g.Horizontal.Width = 0
	g.Vertical = draw.LineStyle{Color: Grid, Width: 0.5}
	p.X.LineStyle.Width = 0 // it would extend beyond 100 %, under the texts right of the bars
	p.Add(g)
	p.Y.Min, p.Y.Max = row(len(names)-1)-0.5, 0.5
	p.Y.Tick.Marker = rowTicks(names)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
