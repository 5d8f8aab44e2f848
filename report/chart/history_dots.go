package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
)

// nightDots are the nights of a series with their intervals: a disc, a red
// triangle where the night did not pass, a ring where it can not be compared with
// the newest good one.
type nightDots struct{ list []nightDot }

type nightDot struct {
	x, y, lo, hi float64
	what         nightKind
}

type nightKind int

const (
	passedNight nightKind = iota
	failedNight
	otherNight
)

func (s trend) dots(h *history.History) nightDots {
	var d nightDots
	for _, q := range s.Points {
		dot := nightDot{x: float64(q.Night), y: q.Value, lo: q.Value, hi: q.Value}
		if q.Low != nil && q.High != nil {
			dot.lo, dot.hi = *q.Low, *q.High
		}
		switch {
		case !q.InTrend:
			dot.what = otherNight
		case !h.Nights[q.Night].Good:
			dot.what = failedNight
		}
		d.list = append(d.list, dot)
	}
	return d
}

// glyph is how a night is drawn.
func (k nightKind) glyph(radius vg.Length) draw.GlyphStyle {
	switch k {
	case failedNight:
		return draw.GlyphStyle{Color: Red, Radius: radius * 1.3, Shape: draw.PyramidGlyph{}}
	case otherNight:
		return draw.GlyphStyle{Color: Muted, Radius: radius, Shape: draw.RingGlyph{}}
	}
	return draw.GlyphStyle{Color: Blue, Radius: radius, Shape: draw.CircleGlyph{}}
}

// Plot implements plot.Plotter.
func (d nightDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	radius := max(1, min(2.6, 0.3*(tx(1)-tx(0))))
	for _, q := range d.list {
		g := q.what.glyph(radius)
		var line color.Color = Steel
		if q.what == otherNight {
			line = Axis
		}
		c.StrokeLine2(draw.LineStyle{Color: line, Width: min(0.8, radius/2)}, tx(q.x), ty(q.lo), tx(q.x), ty(q.hi))
		c.DrawGlyphNoClip(g, vg.Point{X: tx(q.x), Y: ty(q.y)})
	}
}

// legend names the kinds of nights that there are.
func (d nightDots) legend(l message.Language) []Entry {
	var out []Entry
	for kind, label := range []string{"a night", "regressed, or could not tell", "other items: not compared"} {
		for _, q := range d.list {
			if q.what == nightKind(kind) {
				out = append(out, Entry{l.Text(label), []plot.Thumbnailer{nightKind(kind)}})
				break
			}
		}
	}
	return out
}

// Thumbnail implements plot.Thumbnailer.
func (k nightKind) Thumbnail(c *draw.Canvas) { c.DrawGlyphNoClip(k.glyph(2.6), c.Center()) }

// nightTicks labels at most eight nights by their dates: the last, some before it
// at even steps, and the first where it has room.
type nightTicks struct {
	nights []history.Mark
	lang   message.Language
}

// Ticks implements plot.Ticker.
func (t nightTicks) Ticks(_, _ float64) []plot.Tick {
	const most = 8
	n := len(t.nights)
	every := max(1, (n+most-2)/(most-1))
	var at []int
	for i := n - 1; i >= 0; i -= every {
		at = append(at, i)
	}
	switch last := len(at) - 1; {
	case n > 0 && at[last] > every/2:
		at = append(at, 0)
	case n > 0:
		at[last] = 0
	}
	var out []plot.Tick
	year := 0
	for _, i := range slices.Backward(at) {
		label := t.nights[i].Time.Format(t.lang.Text("2 Jan"))
		if now := t.nights[i].Time.Year(); i == 0 || now != year {
			label, year = t.nights[i].Time.Format(t.lang.Text("2 Jan 2006")), now
		}
		out = append(out, plot.Tick{Value: float64(i), Label: label})
	}
	return out
}
