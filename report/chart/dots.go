package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// probeDots draws a group of probes: its head, where a sound grader is,
// and for each probe a dot with its interval and the items behind it. A hole
// is a diamond, what held is a ring, what only moved is a disc: that reads in grey.
type probeDots struct {
	probeGroup
	lang message.Language
}

// came is what came of a probe.
type came int

const (
	held came = iota
	holed
	shifted
)

func whatCame(p analysis.ProbeResult) came {
	switch {
	case Holes(p) > 0:
		return holed
	case Moves(p) > 0:
		return shifted
	}
	return held
}

// Plot implements plot.Plotter.
func (d probeDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	last := d.first + len(d.probes)
	top, bottom := ty(row(d.first)-0.5), ty(row(last)-0.5)
	drawRowHead(c, p, d.head, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top}, Max: vg.Point{X: c.Max.X, Y: ty(row(d.first) + 0.5)}})
	c.StrokeLine2(soundLine, tx(d.sound), bottom, tx(d.sound), top)
	if d.limit != nil && *d.limit >= 0 && *d.limit <= 1 {
		c.StrokeLine2(limitMark().line, tx(*d.limit), bottom, tx(*d.limit), top)
	}
	for i, pr := range d.probes {
		y := ty(row(d.first + 1 + i))
		what := whatCame(pr)
		share := float64(pr.Above) / float64(pr.Items)
		if pr.Accept.Known() {
			share = *pr.Accept.Value
		}
		sty := d.line(what)
		if lo, hi := pr.Accept.Low, pr.Accept.High; lo != nil && hi != nil {
			c.StrokeLine2(sty, tx(math.Max(0, *lo)), y, tx(math.Min(1, *hi)), y)
		}
		d.dot(&c, vg.Point{X: tx(share), Y: y}, what)
		count := styleOn(p, 8, false, Ink)
		count.XAlign, count.YAlign = draw.XRight, draw.YCenter
		c.FillText(count, vg.Point{X: c.Max.X, Y: y + 1.3}, d.lang.Say("%s of %s", message.Whole(pr.Above), message.Whole(pr.Items)))
	}
}

// drawRowHead draws a group's name on a ground of its own.
func drawRowHead(c draw.Canvas, p *plot.Plot, head string, r vg.Rectangle) {
	c.FillPolygon(tint(Axis, 0.22), corners(r))
	sty := styleOn(p, 8.5, true, Ink)
	sty.YAlign = draw.YCenter
	c.FillText(sty, vg.Point{X: r.Min.X + 5, Y: (r.Min.Y+r.Max.Y)/2 + 0.5}, Fit(head, sty, r.Max.X-r.Min.X-8))
}

func (d probeDots) line(what came) draw.LineStyle {
	if what == holed {
		return draw.LineStyle{Color: Red, Width: 1.6}
	}
	return draw.LineStyle{Color: Blue, Width: 1}
}

func (d probeDots) dot(c *draw.Canvas, at vg.Point, what came) {
	const r vg.Length = 3
	if what == holed {
		const w = r + 0.6
		c.FillPolygon(Red, []vg.Point{{X: at.X - w, Y: at.Y}, {X: at.X, Y: at.Y + w}, {X: at.X + w, Y: at.Y}, {X: at.X, Y: at.Y - w}})
		return
	}
	if what == shifted {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: r, Shape: draw.CircleGlyph{}}, at)
		return
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: Paper, Radius: r - 0.4, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: r - 0.4, Shape: draw.RingGlyph{}}, at)
}

// dotSample is a dot of the legend.
type dotSample struct {
	probeDots
	what came
}

func (d probeDots) sample(what came) dotSample { return dotSample{d, what} }

// Thumbnail implements plot.Thumbnailer.
func (s dotSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(s.line(s.what), c.Min.X, mid.Y, c.Max.X, mid.Y)
	s.dot(c, mid, s.what)
}
