// Package glyph draws what distinguishes marks and areas without colour: hatches, rings and
// diamonds.
package glyph

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Hatch is a set of parallel diagonal lines, a pattern that distinguishes areas even in grey.
type Hatch struct {
	Color color.Color
	Width vg.Length // of a line
	Space vg.Length // between lines, along the X axis
	Back  bool      // leaning backwards
}

// Rect hatches a rectangle. A hatch without space between its lines draws nothing.
func (h Hatch) Rect(c *draw.Canvas, r vg.Rectangle) {
	if h.Space <= 0 {
		return
	}
	h.Area(c, r.Min.X, r.Max.X, func(vg.Length) (vg.Length, vg.Length) { return r.Min.Y, r.Max.Y })
}

// Area hatches the area between two curves over [x0, x1]. It follows each line in small steps and
// interrupts it outside the area.
func (h Hatch) Area(c *draw.Canvas, x0, x1 vg.Length, bounds func(x vg.Length) (lo, hi vg.Length)) {
	if h.Space <= 0 || !(x1 > x0) {
		return
	}
	bottom, top := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	const step vg.Length = 0.4
	for x := x0; x <= x1; x += step {
		lo, hi := bounds(x)
		bottom, top = min(bottom, lo), max(top, hi)
	}
	lean := vg.Length(1)
	if h.Back {
		lean = -1
	}
	sty := draw.LineStyle{Color: h.Color, Width: h.Width}
	reach := top - bottom
	// Lines start at multiples of Space on the canvas, so the hatches of neighbouring areas
	// continue each other.
	for foot := vg.Length(math.Floor(float64((x0-reach)/h.Space))) * h.Space; foot <= x1+reach; foot += h.Space {
		var from, to vg.Point
		open := false
		for x := x0; x <= x1; x += step {
			y := bottom + (x-foot)*lean
			if h.Back {
				y = bottom + (foot - x)
			}
			lo, hi := bounds(x)
			if inside := y >= lo && y <= hi; inside {
				if !open {
					from, open = vg.Point{X: x, Y: y}, true
				}
				to = vg.Point{X: x, Y: y}
				continue
			}
			if open {
				c.StrokeLine2(sty, from.X, from.Y, to.X, to.Y)
				open = false
			}
		}
		if open {
			c.StrokeLine2(sty, from.X, from.Y, to.X, to.Y)
		}
	}
}

// Ring is a circle filled with the colour of the paper, so that it hides the line behind it.
type Ring struct{ Paper color.Color }

// DrawGlyph implements draw.GlyphDrawer.
func (r Ring) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	sty.Radius -= 0.4
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: r.Paper, Radius: sty.Radius, Shape: draw.CircleGlyph{}}, at)
	sty.Shape = draw.RingGlyph{}
	c.DrawGlyphNoClip(sty, at)
}

// Diamond is a square on its corner.
type Diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (Diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	w := sty.Radius + 0.6
	c.FillPolygon(sty.Color, []vg.Point{
		{X: at.X - w, Y: at.Y},
		{X: at.X, Y: at.Y + w},
		{X: at.X + w, Y: at.Y},
		{X: at.X, Y: at.Y - w},
	})
}
