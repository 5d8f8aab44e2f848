package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/report/internal/glyph"
)

// bar is one bar in data units; the bars of gonum have a fixed width on paper.
type bar struct{ x0, x1, y0, y1 float64 }

// bars draws filled bars without outlines, which would turn many narrow bars black.
type bars struct {
	list  []bar
	fill  color.Color
	hatch glyph.Hatch // over the fill; the zero hatch draws nothing

	// joined draws neighbouring bars as one area on their common base: many narrow bars would show
	// a seam at each edge.
	joined bool
}

// faultBars is the style of bars that show faults to fix.
var faultBars = bars{fill: tint(Orange, 0.35), hatch: glyph.Hatch{Color: Orange, Width: 0.6, Space: 3.5}}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	if b.joined && len(b.list) > 0 {
		last := b.list[len(b.list)-1]
		ring := []vg.Point{{X: tx(last.x1), Y: ty(last.y0)}, {X: tx(b.list[0].x0), Y: ty(b.list[0].y0)}}
		for _, q := range b.list {
			ring = append(ring, vg.Point{X: tx(q.x0), Y: ty(q.y1)}, vg.Point{X: tx(q.x1), Y: ty(q.y1)})
		}
		c.FillPolygon(b.fill, ring)
		return
	}
	for _, q := range b.list {
		r := rectangle(tx(min(q.x0, q.x1)), ty(min(q.y0, q.y1)), tx(max(q.x0, q.x1)), ty(max(q.y0, q.y1)))
		c.FillPolygon(b.fill, corners(r))
		b.hatch.Rect(&c, r)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (b bars) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	r.Min.Y++
	r.Max.Y--
	c.FillPolygon(b.fill, corners(r))
	b.hatch.Rect(c, r)
}

// whiskers draws the intervals of a curve as thin vertical lines without caps.
type whiskers struct{ curve }

// Plot implements plot.Plotter.
func (w whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, x := range w.x {
		c.StrokeLine2(w.line, tx(x), ty(w.lo[i]), tx(x), ty(w.hi[i]))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (w whiskers) Thumbnail(c *draw.Canvas) {
	x := c.Center().X
	c.StrokeLine2(w.line, x, c.Min.Y, x, c.Max.Y)
}

// crosses marks points with an x whose size depends on the room for it.
type crosses struct {
	x, y  []float64
	color color.Color
	slot  float64 // distance between neighbours, in data units
}

// Plot implements plot.Plotter.
func (m crosses) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	slot := float64(tx(m.slot) - tx(0))
	r := vg.Length(math.Max(1.3, math.Min(2.8, slot*0.62)))
	for i, x := range m.x {
		m.mark(&c, tx(x), ty(m.y[i]), r)
	}
}

func (m crosses) mark(c *draw.Canvas, x, y, r vg.Length) {
	sty := draw.LineStyle{Color: m.color, Width: vg.Length(math.Max(0.7, float64(r)*0.45))}
	c.StrokeLine2(sty, x-r, y-r, x+r, y+r)
	c.StrokeLine2(sty, x-r, y+r, x+r, y-r)
}

// Thumbnail implements plot.Thumbnailer.
func (m crosses) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	m.mark(c, mid.X, mid.Y, 2.6)
}

// The dash patterns distinguish lines in grey.
var (
	dashed = []vg.Length{5, 2.5}
	dotted = []vg.Length{1.4, 2}
)

// curve is a line with an optional band around it and an optional marker at each point.
type curve struct {
	x, y, lo, hi []float64 // lo and hi: nil for no band
	line         draw.LineStyle
	band         color.Color
	hatch        glyph.Hatch
	glyph        draw.GlyphDrawer
	radius       vg.Length
}

// The styles of a chart's main curve and of the one that it is compared with.
var (
	mainCurve = curve{
		line: draw.LineStyle{Color: Blue, Width: 1.6}, band: tint(Blue, 0.18), glyph: draw.CircleGlyph{}, radius: 2.2,
	}
	secondCurve = curve{
		line: draw.LineStyle{Color: Orange, Width: 1.4, Dashes: dashed}, band: tint(Orange, 0.16),
		glyph: draw.BoxGlyph{}, radius: 2,
	}
	thirdCurve = curve{
		line: draw.LineStyle{Color: Green, Width: 1.4, Dashes: dotted}, band: tint(Green, 0.14),
		glyph: draw.PyramidGlyph{}, radius: 2.2,
	}
)

// Plot implements plot.Plotter.
func (v curve) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	if v.lo != nil && len(v.x) > 1 {
		v.plotBand(&c, tx, ty)
	}
	line := make([]vg.Point, len(v.y))
	for i := range v.y {
		line[i] = vg.Point{X: tx(v.x[i]), Y: ty(v.y[i])}
	}
	if len(line) > 1 {
		c.StrokeLines(v.line, line)
	}
	if v.lo != nil && len(v.x) == 1 {
		c.StrokeLine2(v.line, tx(v.x[0]), ty(v.lo[0]), tx(v.x[0]), ty(v.hi[0]))
	}
	if v.glyph != nil && len(v.x) <= 40 {
		for _, pt := range line {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: v.line.Color, Radius: v.radius, Shape: v.glyph}, pt)
		}
	}
}

func (v curve) plotBand(c *draw.Canvas, tx, ty func(float64) vg.Length) {
	n := len(v.x)
	ring := make([]vg.Point, 0, 2*n)
	for i := range v.x {
		ring = append(ring, vg.Point{X: tx(v.x[i]), Y: ty(v.hi[i])})
	}
	for i := n - 1; i >= 0; i-- {
		ring = append(ring, vg.Point{X: tx(v.x[i]), Y: ty(v.lo[i])})
	}
	c.FillPolygon(v.band, ring)
	v.hatch.Area(c, ring[0].X, ring[n-1].X, func(x vg.Length) (vg.Length, vg.Length) {
		i := 1
		for i < n-1 && ring[i].X < x {
			i++
		}
		a, b := ring[i-1], ring[i]
		t := (x - a.X) / (b.X - a.X)
		la, lb := ring[2*n-i], ring[2*n-1-i]
		return la.Y + t*(lb.Y-la.Y), a.Y + t*(b.Y-a.Y)
	})
}

// Thumbnail implements plot.Thumbnailer.
func (v curve) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	if v.lo != nil {
		c.FillPolygon(v.band, corners(r))
		v.hatch.Rect(c, r)
	}
	y := c.Center().Y
	if len(v.y) > 0 {
		c.StrokeLine2(v.line, r.Min.X, y, r.Max.X, y)
	}
	if v.glyph != nil {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: v.line.Color, Radius: v.radius, Shape: v.glyph}, c.Center())
	}
}
