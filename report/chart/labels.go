package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/report/internal/lettering"
)

// label is text at a point of the data. It is shifted to stay inside the plot and has an opaque
// background, so that no line runs through it.
type label struct {
	x, y   float64
	dx, dy vg.Length // offset from the point
	text   string
	color  color.Color
	xAlign text.XAlignment
	yAlign text.YAlignment
	bare   bool   // without a background
	short  string // instead of text if there is no room for it right of the point
}

// beside returns a text to the right of the end of a bar.
func beside(x, y float64, text string) label {
	return label{x: x, y: y, dx: 4, yAlign: draw.YCenter, xAlign: draw.XLeft, color: Ink, text: text}
}

// ends returns the texts, for makeRoom.
func (l labels) ends() (out []endText) {
	for _, q := range l {
		out = append(out, endText{after: q.x, text: q.text, short: q.short})
	}
	return out
}

// labels draws labels, over everything that was added before.
type labels []label

// Plot implements plot.Plotter.
func (l labels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, q := range l {
		q.draw(c, p, vg.Point{X: tx(q.x) + q.dx, Y: ty(q.y) + q.dy})
	}
}

func (q label) draw(c draw.Canvas, p *plot.Plot, at vg.Point) {
	const pad vg.Length = 1.5
	sty := styleOn(p, false, q.color)
	size := sty.Font.Size
	if q.short != "" && at.X+sty.Width(q.text) > c.Max.X {
		q.text = q.short
	}
	txt := lettering.Fit(lettering.Drawable(q.text, sty), sty, c.Max.X-c.Min.X)
	w, h := sty.Width(txt), size*1.15
	x := at.X + w*vg.Length(q.xAlign)
	low := at.Y + h*vg.Length(q.yAlign)
	x = max(c.Min.X, min(x, c.Max.X-w))
	low = max(c.Min.Y, min(low, c.Max.Y-h))
	if !q.bare {
		c.FillPolygon(tint(Paper, 0.85), corners(rectangle(x-pad, low, x+w+pad, low+h)))
	}
	c.FillText(sty, vg.Point{X: x, Y: low + h}, txt)
}

// rule is a straight line across the plot at one value, with a label.
type rule struct {
	value  float64
	upward bool // value is an X and the line is vertical; else value is a Y and the line is horizontal
	line   draw.LineStyle
	label  string
	below  bool      // put the label of a horizontal line under it
	left   bool      // put the label left of a vertical line, or at the left end of a horizontal one
	drop   vg.Length // how far below the top the label of a vertical line is
	avoid  []float64 // values of Y that the label of a vertical line keeps away from
}

// Plot implements plot.Plotter.
func (r rule) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	q := label{text: r.label, color: r.line.Color, xAlign: draw.XLeft, yAlign: draw.YTop}
	if r.upward {
		x := tx(r.value)
		c.StrokeLine2(r.line, x, c.Min.Y, x, c.Max.Y)
		if r.label == "" {
			return
		}
		at := vg.Point{X: x + 3.5, Y: c.Max.Y - r.drop}
		if len(r.avoid) > 0 {
			at.Y = c.Y(clearest(p, r.avoid)) + 4.5
		}
		if w := styleOn(p, false, Ink).Width(r.label); r.left || at.X+w > c.Max.X {
			q.xAlign, at.X = draw.XRight, x-3.5
		}
		q.draw(c, p, at)
		return
	}
	y := ty(r.value)
	c.StrokeLine2(r.line, c.Min.X, y, c.Max.X, y)
	if r.label == "" {
		return
	}
	at := vg.Point{X: c.Max.X - 1, Y: y + 1.5}
	q.xAlign, q.yAlign = draw.XRight, draw.YBottom
	if r.left {
		q.xAlign, at.X = draw.XLeft, c.Min.X+2
	}
	if r.below || at.Y+9.2 > c.Max.Y {
		q.yAlign, at.Y = draw.YTop, y-2
	}
	q.draw(c, p, at)
}

// clearest returns the height, as a share of the plot, that is farthest from all the values of Y.
func clearest(p *plot.Plot, values []float64) float64 {
	best, height := -1.0, 0.5
	for h := 0.05; h < 0.97; h += 0.025 {
		room := 1.0
		for _, v := range values {
			room = math.Min(room, math.Abs(p.Y.Norm(v)-h))
		}
		if room > best+1e-9 {
			best, height = room, h
		}
	}
	return height
}

// Thumbnail implements plot.Thumbnailer.
func (r rule) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	if r.upward {
		c.StrokeLine2(r.line, mid.X, c.Min.Y, mid.X, c.Max.Y)
		return
	}
	c.StrokeLine2(r.line, c.Min.X, mid.Y, c.Max.X, mid.Y)
}
