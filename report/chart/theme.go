package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/report/internal/lettering"
)

// The palette. Colour-blind readers can distinguish its hues (blue, orange, red crosses), and
// they differ in lightness, so a grey print is readable; areas that touch also differ in their
// hatch.
var (
	Paper   = color.RGBA{0xff, 0xff, 0xff, 255} // background
	Ink     = color.RGBA{0x26, 0x2b, 0x33, 255} // text
	Muted   = color.RGBA{0x5f, 0x68, 0x74, 255} // secondary text
	Axis    = color.RGBA{0xb8, 0xc0, 0xc9, 255} // axis lines
	Grid    = color.RGBA{0xe4, 0xe7, 0xeb, 255} // grid lines
	Sky     = color.RGBA{0xa9, 0xcf, 0xec, 255} // bars
	Steel   = color.RGBA{0x4a, 0x6d, 0x8c, 255} // spread
	Blue    = color.RGBA{0x1f, 0x5f, 0x99, 255} // main curve
	Orange  = color.RGBA{0xc2, 0x5e, 0x0a, 255} // second curve
	Red     = color.RGBA{0xd6, 0x27, 0x28, 255} // best of N, blocking threshold
	Amber   = color.RGBA{0xa1, 0x6d, 0x06, 255} // caution threshold
	Green   = color.RGBA{0x1e, 0x6b, 0x41, 255} // GO
	Charred = color.RGBA{0x53, 0x5a, 0x66, 255} // dead items
)

// Palette names every colour that a Figure may use, so that a page can restyle an SVG, for example
// for a dark background.
func Palette() []Colour {
	return []Colour{
		{"paper", Paper},
		{"ink", Ink},
		{"muted", Muted},
		{"axis", Axis},
		{"grid", Grid},
		{"sky", Sky},
		{"steel", Steel},
		{"blue", Blue},
		{"orange", Orange},
		{"red", Red},
		{"amber", Amber},
		{"green", Green},
		{"charred", Charred},
	}
}

// Colour is one colour of the palette.
type Colour struct {
	Name string
	RGBA color.RGBA
}

// tint returns c at a share of its opacity, for the fill of a band.
func tint(c color.RGBA, alpha float64) color.NRGBA {
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(255*alpha + 0.5)}
}

// Axes returns empty axes in the house style, for a Figure drawn by another package.
func Axes(x, y string) *plot.Plot { return newPlot(x, y) }

// newPlot returns axes in the house style: with a horizontal grid and without a Y line.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = lettering.Style(9.5, false, Muted).Font
		a.Label.TextStyle.Color = Muted
		a.Label.Padding = 4
		a.Tick.Label.Font = lettering.Style(letters, false, Muted).Font
		a.Tick.Label.Color = Muted
		a.LineStyle = draw.LineStyle{Color: Axis, Width: 0.6}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 3
		a.Padding = 2
	}
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width, p.Y.Tick.Length = 0, 0, 0
	g := plotter.NewGrid()
	g.Vertical.Width = 0
	g.Horizontal = draw.LineStyle{Color: Grid, Width: 0.5}
	p.Add(g)
	return p
}

// letters is the size of the smallest letters of a picture. On a page as wide as a phone, 390 pixels,
// they are 11 pixels high: see html.width.
const letters vg.Length = 9

// styleOn is lettering.Style with the fonts of the plot, in the size of its ticks.
func styleOn(p *plot.Plot, strong bool, c color.Color) text.Style {
	sty := lettering.Style(p.X.Tick.Label.Font.Size, strong, c)
	sty.Handler = p.TextHandler
	return sty
}

// setFonts makes p draw its text with the fonts.
func setFonts(p *plot.Plot, f *lettering.Fonts) {
	p.TextHandler = f.Handler()
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Handler = p.TextHandler
		if _, ok := a.Label.TextStyle.Handler.(unmeasured); ok {
			a.Label.TextStyle.Handler = unmeasured{p.TextHandler}
		} else {
			a.Label.TextStyle.Handler = p.TextHandler
		}
	}
}

// browser returns fonts for a page read in any browser: none of this machine's.
func browser() *lettering.Fonts { return (*lettering.Fonts)(nil).External() }
