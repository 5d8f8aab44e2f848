package chart

import (
	"fmt"
	"image/color"

	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot implements plot.Plotter.
func (m bigrams) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	cell := func(i, j int) vg.Rectangle {
		return vg.Rectangle{
			Min: vg.Point{X: tx(float64(j)-0.5) + 1, Y: ty(row(i)-0.5) + 1},
			Max: vg.Point{X: tx(float64(j)+0.5) - 1, Y: ty(row(i)+0.5) - 1},
		}
	}
	room := cell(0, 0).Size().X - 4
	m.plotHead(c, p, tx, ty, room)
	for i := range m.names {
		for j := range m.names {
			share := float64(m.n[i][j]) / float64(m.most)
			shade(share).fill(&c, cell(i, j))
			if i == j {
				diagonal{}.stroke(&c, cell(i, j))
			}
			if m.n[i][j] > 0 {
				m.plotCount(c, p, cell(i, j), i, j, share)
			}
		}
	}
}

// plotHead names the columns; by their number alone where a name lacks room.
func (m bigrams) plotHead(c draw.Canvas, p *plot.Plot, tx, ty func(float64) vg.Length, room vg.Length) {
	sty := styleOn(p, 8.5, false, Muted)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	named := true
	for i := range m.names {
		named = named && sty.Width(Drawable(m.label(i), sty)) <= room
	}
	for i := range m.names {
		text := message.Whole(i + 1)
		if named {
			text = Drawable(m.label(i), sty)
		}
		c.FillText(sty, vg.Point{X: tx(float64(i)), Y: ty(0.8)}, Fit(text, sty, room+3))
	}
}

// plotCount writes how often a pair came, and its share where there is room.
func (m bigrams) plotCount(c draw.Canvas, p *plot.Plot, r vg.Rectangle, i, j int, share float64) {
	sty := styleOn(p, 8.5, false, Ink)
	if share > 0.62 {
		sty.Color = Paper
	}
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	room := r.Size().X - 3
	text := message.Whole(m.n[i][j])
	if long := text + " (" + wholePercent(float64(m.n[i][j])/float64(m.after[i])) + ")"; sty.Width(long) <= room {
		text = long
	} else if sty.Width(text) > room {
		return // the table has it
	}
	c.FillText(sty, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y+r.Max.Y)/2 + 1}, text)
}

// wholePercent is a share without decimals; one above zero is not none.
func wholePercent(share float64) string {
	if share > 0 && share < 0.01 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// shade is a share of the largest number, from paper to blue: one hue, which
// darkens evenly, also in grey.
type shade float64

func (s shade) color() color.Color {
	if s <= 0 {
		return tint(Grid, 0.45)
	}
	return tint(Blue, 0.10+0.90*float64(s))
}

func (s shade) fill(c *draw.Canvas, r vg.Rectangle) {
	c.FillPolygon(Paper, corners(r)) // no grid shines through
	c.FillPolygon(s.color(), corners(r))
}

// Thumbnail implements plot.Thumbnailer.
func (s shade) Thumbnail(c *draw.Canvas) { s.fill(c, c.Rectangle) }

// diagonal frames the cells of a tool that follows itself.
type diagonal struct{}

func (diagonal) stroke(c *draw.Canvas, r vg.Rectangle) {
	c.StrokeLines(draw.LineStyle{Color: Orange, Width: 1.4}, append(corners(r), r.Min))
}

// Thumbnail implements plot.Thumbnailer.
func (d diagonal) Thumbnail(c *draw.Canvas) { d.stroke(c, c.Rectangle) }
