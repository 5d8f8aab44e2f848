package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// row is the Y of the i-th row of a horizontal bar chart, from the top.
func row(i int) float64 { return -float64(i) }

// rowTicks names the rows.
type rowTicks []string

// rowNames is the most room that the names of rows take.
const rowNames vg.Length = 130

// Ticks implements plot.Ticker.
func (t rowTicks) Ticks(_, _ float64) []plot.Tick { return t.within(rowNames, plot.DefaultTextHandler) }

// within are the ticks, no name wider than room.
func (t rowTicks) within(room vg.Length, fonts text.Handler) plot.ConstantTicks {
	out := make([]plot.Tick, len(t))
	for i, name := range t {
		sty := Style(8.5, false, Muted)
		sty.Handler = fonts
		out[i] = plot.Tick{Value: row(i), Label: Fit(Drawable(name, sty), sty, room)}
	}
	return out
}

// horizontal turns p into a chart of named rows with a vertical grid.
func horizontal(p *plot.Plot, names []string) {
	g := plotter.NewGrid()
	g.Horizontal.Width = 0
	g.Vertical = draw.LineStyle{Color: Grid, Width: 0.5}
	p.Add(g)
	p.Y.Min, p.Y.Max = row(len(names)-1)-0.5, 0.5
	p.Y.Tick.Marker = rowTicks(names)
}
