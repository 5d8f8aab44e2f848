package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// costDots draws a dot for each bin, its interval upright and its span level.
type costDots struct {
	x, from, to, y, lo, hi []float64
	n                      []int         // rollouts
	largest                stat.Estimate // of the bin with the most rollouts
	wide                   bool          // some bin spans more than one value
}

func costDotsOf(a *analysis.Against) costDots {
	var d costDots
	for _, b := range a.Bins {
		if b.Reward.Value == nil {
			continue
		}
		if b.Reward.N > d.largest.N {
			d.largest = b.Reward
		}
		v := *b.Reward.Value
		lo, hi := v, v
		if b.Reward.Low != nil && b.Reward.High != nil {
			lo, hi = *b.Reward.Low, *b.Reward.High
		}
		d.x, d.from, d.to = append(d.x, b.Middle), append(d.from, b.From), append(d.to, b.To)
		d.y, d.lo, d.hi, d.n = append(d.y, v), append(d.lo, lo), append(d.hi, hi), append(d.n, b.Reward.N)
		d.wide = d.wide || b.To > b.From
	}
	return d
}

// near lists what the dots beside x cover, on its left and its right.
func (d costDots) near(x float64) []float64 {
	var left, right []float64
	for i := range d.x { // in rising order
		cover := []float64{d.lo[i], d.y[i], d.hi[i]}
		if d.x[i] <= x {
			left = cover
		} else if right == nil {
			right = cover
		}
	}
	return append(left, right...)
}

var (
	costSpan     = draw.LineStyle{Color: Sky, Width: 3.2}
	costInterval = draw.LineStyle{Color: Steel, Width: 1.1}
)

// Plot implements plot.Plotter.
func (d costDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range d.x {
		if d.to[i] > d.from[i] {
			c.StrokeLine2(costSpan, tx(d.from[i]), ty(d.y[i]), tx(d.to[i]), ty(d.y[i]))
		}
	}
	for i, x := range d.x {
		c.StrokeLine2(costInterval, tx(x), ty(d.lo[i]), tx(x), ty(d.hi[i]))
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: 2.6, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(x), Y: ty(d.y[i])})
	}
	if !d.wide {
		d.plotCounts(c, p, tx)
	}
}

// plotCounts writes the rollouts behind each dot above it, where there is room
// beside the one before; the table has all.
func (d costDots) plotCounts(c draw.Canvas, p *plot.Plot, tx func(float64) vg.Length) {
	sty := styleOn(p, 8, false, Muted)
	sty.XAlign = draw.XCenter
	free := c.Min.X
	for i, x := range d.x {
		text := message.Whole(d.n[i])
		half := sty.Width(text) / 2
		if tx(x)-half < free || tx(x)+half > c.Max.X {
			continue
		}
		c.FillText(sty, vg.Point{X: tx(x), Y: c.Max.Y}, text)
		free = tx(x) + half + 4
	}
}

// Thumbnail implements plot.Thumbnailer.
func (d costDots) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	if d.wide {
		c.StrokeLine2(costSpan, c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	c.StrokeLine2(costInterval, mid.X, c.Min.Y, mid.X, c.Max.Y)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: 2.6, Shape: draw.CircleGlyph{}}, mid)
}
