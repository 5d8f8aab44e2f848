package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is a line with an optional band around it and an optional marker at
// each of its points.
type curve struct {
	x, y, lo, hi []float64 // lo and hi: nil for no band
	line         draw.LineStyle
	band         color.Color
	hatch        hatch
	glyph        draw.GlyphDrawer
	radius       vg.Length
}

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
	v.hatch.area(c, ring[0].X, ring[n-1].X, func(x vg.Length) (vg.Length, vg.Length) {
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
		v.hatch.rect(c, r)
	}
	y := c.Center().Y
	if len(v.y) > 0 {
		c.StrokeLine2(v.line, r.Min.X, y, r.Max.X, y)
	}
	if v.glyph != nil {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: v.line.Color, Radius: v.radius, Shape: v.glyph}, c.Center())
	}
}
