package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/report/chart"
)

// figures are the pictures of docs/backtest.md.
func figures(all []*training) []chart.Figure {
	return []chart.Figure{gainsFigure(all), measuresFigure(all)}
}

// dots are points with an interval each, upright or level.
type dots struct {
	plotter.XYs
	ends  [][2]float64
	level bool
	style draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, at := range d.XYs {
		line := draw.LineStyle{Color: d.style.Color, Width: 0.8}
		if d.level {
			c.StrokeLine2(line, tx(d.ends[i][0]), ty(at.Y), tx(d.ends[i][1]), ty(at.Y))
		} else {
			c.StrokeLine2(line, tx(at.X), ty(d.ends[i][0]), tx(at.X), ty(d.ends[i][1]))
		}
		c.DrawGlyphNoClip(d.style, vg.Point{X: tx(at.X), Y: ty(at.Y)})
	}
}

// Thumbnail implements plot.Thumbnailer.
func (d dots) Thumbnail(c *draw.Canvas) { c.DrawGlyph(d.style, c.Center()) }

// line is a straight line over the whole plot.
func line(p *plot.Plot, at float64, upright bool, style draw.LineStyle) *plotter.Line {
	xys := plotter.XYs{{X: p.X.Min, Y: at}, {X: p.X.Max, Y: at}}
	if upright {
		xys = plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}}
	}
	return &plotter.Line{XYs: xys, LineStyle: style}
}

var (
	solid  = draw.LineStyle{Color: chart.Axis, Width: 0.8}
	dashed = draw.LineStyle{Color: chart.Orange, Width: 1, Dashes: []vg.Length{4, 3}}
)

// gainsFigure shows the gain of each training in the order that the verdicts give.
func gainsFigure(all []*training) chart.Figure {
	order := inOrder(all)
	slices.Reverse(order)
	p := chart.Axes("trainings, by verdict and then by the share of groups that teach", "gain of the mean true reward")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(len(order)+1), -0.1, 1
	p.X.Tick.Marker = plot.ConstantTicks{}
	looks := []draw.GlyphStyle{
		{Color: chart.Red, Radius: 2.4, Shape: draw.CrossGlyph{}},
		{Color: chart.Amber, Radius: 2.2, Shape: draw.RingGlyph{}},
		{Color: chart.Green, Radius: 2.4, Shape: draw.CircleGlyph{}},
	}
	p.Add(line(p, 0, false, solid))
	limit := line(p, leastGain, false, dashed)
	p.Add(limit)
	f := chart.Figure{Name: "gains", Plot: p, Height: chart.Height}
	from := 0
	for i, v := range verdicts {
		d, good := dots{style: looks[i]}, 0
		for at, t := range order {
			if t.result.Verdict == v {
				d.XYs, d.ends = append(d.XYs, plotter.XY{X: float64(at + 1), Y: t.Outcome.Gain}), append(d.ends, [2]float64{t.Outcome.Low, t.Outcome.High})
				good += map[bool]int{true: 1}[t.outcome() == gained]
			}
		}
		if from += len(d.XYs); i < len(verdicts)-1 {
			p.Add(line(p, float64(from)+0.5, true, solid))
		}
		p.Add(d)
		f.Legend = append(f.Legend, chart.Entry{Label: fmt.Sprintf("%s: %d of %d gained", v, good, len(d.XYs)), Thumbs: []plot.Thumbnailer{d}})
	}
	f.Legend = append(f.Legend, chart.Entry{Label: fmt.Sprintf("gain of %g", leastGain), Thumbs: []plot.Thumbnailer{limit}})
	f.Title = "What each training gained, by the verdict on its base run"
	f.Subtitle = fmt.Sprintf("n = %d trainings of the design half; lines: 95 %% intervals over 128 held-out items", len(all))
	return f
}

// measuresFigure shows which of the gates' measures separate the trainings that gained.
func measuresFigure(all []*training) chart.Figure {
	list := measures(all)
	slices.SortStableFunc(list, func(a, b measure) int { return int(1e6 * (a.auc.value - b.auc.value)) })
	p := chart.Axes("AUC against gained: right of 0.5, higher values gain more often", "")
	var names []string
	apart, unclear := dots{level: true, style: draw.GlyphStyle{Color: chart.Blue, Radius: 2.4, Shape: draw.CircleGlyph{}}}, dots{level: true, style: draw.GlyphStyle{Color: color.Color(chart.Muted), Radius: 2.2, Shape: draw.RingGlyph{}}}
	for i, m := range list {
		names = append(names, m.fact)
		if m.split != "" {
			names[i] += " (" + string(m.split) + ")"
		}
		d := &unclear
		if m.auc.low > 0.5 || m.auc.high < 0.5 {
			d = &apart
		}
		d.XYs, d.ends = append(d.XYs, plotter.XY{X: m.auc.value, Y: float64(i)}), append(d.ends, [2]float64{m.auc.low, m.auc.high})
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.5, float64(len(list))-0.5
	p.Add(line(p, 0.5, true, solid), apart, unclear)
	return chart.Figure{
		Name: "measures", Plot: p, Height: vg.Length(len(list))*11 + 90,
		Caption: chart.Caption{
			Title:    "Which measures separate the trainings that gained",
			Subtitle: fmt.Sprintf("at most %d trainings of the design half; lines: 95 %% bootstrap intervals over trainings", len(all)),
			Legend: []chart.Entry{
				{Label: "the interval excludes 0.5", Thumbs: []plot.Thumbnailer{apart}},
				{Label: "it does not", Thumbs: []plot.Thumbnailer{unclear}},
			},
		},
	}
}

// drawn is a figure as PNG, in the palette of the charts and its tints alone, which
// takes a third of the space.
func drawn(f chart.Figure) ([]byte, error) {
	var b bytes.Buffer
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		return nil, err
	}
	full, err := png.Decode(&b)
	if err != nil {
		return nil, err
	}
	var tints color.Palette
	for _, c := range chart.Palette() {
		for _, share := range []float64{1, 0.75, 0.5, 0.25} {
			on := func(x uint8) uint8 { return uint8(255 - share*(255-float64(x))) }
			tints = append(tints, color.RGBA{R: on(c.RGBA.R), G: on(c.RGBA.G), B: on(c.RGBA.B), A: 255})
		}
	}
	small := image.NewPaletted(full.Bounds(), tints)
	imagedraw.Draw(small, small.Bounds(), full, full.Bounds().Min, imagedraw.Src)
	b.Reset()
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small)
	return b.Bytes(), err
}
