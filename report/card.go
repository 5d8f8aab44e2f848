package report

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"

	"github.com/rivo/uniseg"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The card is laid out in points, at 144 to the inch: 1600 × 900 pixels.
const (
	cardWidth  vg.Length = 800
	cardHeight vg.Length = 450
	cardDPI              = 144
)

// writeSummary writes the one picture to attach: verdict, three numbers,
// three charts.
func writeSummary(w io.Writer, p *Page) error {
	c := vgimg.NewWith(vgimg.UseWH(cardWidth, cardHeight), vgimg.UseDPI(cardDPI))
	p.DrawCard(draw.New(c))
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("write summary picture: %w", err)
	}
	return nil
}

// DrawCard draws the summary over the whole of dc, which is best 16:9.
func (p *Page) DrawCard(dc draw.Canvas) {
	fill(dc, dc.Rectangle, chart.Paper)
	c := draw.Crop(dc, 24, -24, 14, -18)
	y := p.drawBanner(c, string(p.Verdict), p.Verdict)
	y = p.drawTiles(c, y-12)
	p.drawCharts(under(c, y), "variance", "best_of_k", "informative")
	var parts []string
	if p.Result.Run.Model != "" {
		parts = append(parts, visible(p.Result.Run.Model))
	}
	if p.Split != "" {
		parts = append(parts, p.Words.Split+" "+visible(string(p.Split)), fmt.Sprintf(p.Words.Brackets, message.Percent(p.Result.Confidence)))
	}
	p.drawFoot(c, parts)
}

// under is what is left for the charts below y.
func under(c draw.Canvas, y vg.Length) draw.Canvas {
	c.Max.Y = y - 12
	c.Min.Y += 14
	return c
}

// tones are the verdict's colours: text and edge, and ground.
func tones(v analysis.Verdict) (strong, ground color.RGBA) {
	switch v {
	case analysis.Go:
		return chart.Green, color.RGBA{0xe9, 0xf6, 0xec, 255}
	case analysis.NoGo:
		return color.RGBA{0xa8, 0x1c, 0x1c, 255}, color.RGBA{0xfb, 0xea, 0xe9, 255}
	}
	return color.RGBA{0x7a, 0x52, 0x04, 255}, color.RGBA{0xfd, 0xf3, 0xdf, 255}
}

// drawBanner draws name, verdict and sentence, in the colours of like, and
// returns where the banner ends.
func (p *Page) drawBanner(c draw.Canvas, verdict string, like analysis.Verdict) vg.Length {
	strong, ground := tones(like)
	title := p.letters().Style(11, false, chart.Muted)
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, chart.Fit(chart.Drawable(p.Title, title), title, c.Max.X-c.Min.X))
	top := c.Max.Y - 20
	const height, pad vg.Length = 58, 16
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - height}, Max: vg.Point{X: c.Max.X, Y: top}}
	fill(c, box, ground)
	edge := box
	edge.Max.X = edge.Min.X + 5
	fill(c, edge, strong)
	word := p.letters().Style(wordSize(verdict), true, strong)
	word.YAlign = draw.YCenter
	mid := (box.Min.Y + box.Max.Y) / 2
	c.FillText(word, vg.Point{X: box.Min.X + pad, Y: mid}, verdict)
	x := box.Min.X + pad + word.Width(verdict) + 18
	text := p.Sentence
	size := vg.Length(12.5)
	sty := p.letters().Style(size, false, chart.Ink)
	if len(chart.Wrap(chart.Drawable(text, sty), sty, box.Max.X-pad-x, 9)) > 3 {
		size = 10.5
		sty = p.letters().Style(size, false, chart.Ink)
	}
	lines := chart.Wrap(chart.Drawable(text, sty), sty, box.Max.X-pad-x, 4)
	y := mid + vg.Length(len(lines))*size*1.25/2
	for _, line := range lines {
		c.FillText(sty, vg.Point{X: x, Y: y}, line)
		y -= size * 1.25
	}
	return box.Min.Y
}

// wordSize is how large a verdict stands in the banner.
func wordSize(verdict string) vg.Length {
	if uniseg.StringWidth(verdict) > len("CANNOT TELL") {
		return 19
	}
	return 28
}

// drawTiles draws the three numbers side by side and returns where they end.
func (p *Page) drawTiles(c draw.Canvas, top vg.Length) vg.Length {
	const gap, height vg.Length = 14, 70
	w := (c.Max.X - c.Min.X - 2*gap) / 3
	for i, h := range p.Headlines {
		x := c.Min.X + vg.Length(i)*(w+gap)
		c.StrokeLine2(draw.LineStyle{Color: chart.Axis, Width: 0.8}, x, top, x+w, top)
		label := p.letters().Style(10, true, chart.Ink)
		c.FillText(label, vg.Point{X: x, Y: top - 5}, chart.Fit(h.Label, label, w))
		value, interval := p.letters().Style(24, true, chart.Ink), p.letters().Style(12, false, chart.Muted)
		if !h.Known {
			value = p.letters().Style(16, true, chart.Muted)
		}
		c.FillText(value, vg.Point{X: x, Y: top - 17}, h.Value)
		vx := x + value.Width(h.Value) + 8
		c.FillText(interval, vg.Point{X: vx, Y: top - 27}, chart.Fit(chart.Drawable(h.Interval, interval), interval, x+w-vx))
		doc := p.letters().Style(8.5, false, chart.Muted)
		for j, line := range chart.Wrap(chart.Drawable(h.About(), doc), doc, w, 3) {
			c.FillText(doc, vg.Point{X: x, Y: top - 46 - vg.Length(j)*10}, line)
		}
	}
	return top - height
}

// drawCharts draws three figures in a row, the first one wider.
func (p *Page) drawCharts(c draw.Canvas, wider, middle, last string) {
	const gap vg.Length = 16
	wide := (c.Max.X - c.Min.X - 2*gap) * 0.44
	slim := (c.Max.X - c.Min.X - 2*gap - wide) / 2
	first, second, third := c, c, c
	first.Max.X = c.Min.X + wide
	second.Min.X = first.Max.X + gap
	second.Max.X = second.Min.X + slim
	third.Min.X = second.Max.X + gap
	places := map[string]draw.Canvas{wider: first, middle: second, last: third}
	var head vg.Length
	for _, f := range p.Figures {
		if at, ok := places[f.Name]; ok && f.Plot != nil {
			f.Panel, f.Fonts = true, p.letters()
			head = max(head, f.HeadHeight(at.Size().X))
		}
	}
	for _, f := range p.Figures {
		if at, ok := places[f.Name]; ok {
			f.Panel, f.Head, f.Fonts = true, head, p.letters()
			f.Draw(at)
		}
	}
}

// drawFoot says at the lower edge what was measured, and when.
func (p *Page) drawFoot(c draw.Canvas, parts []string) {
	sty := p.letters().Style(8, false, chart.Muted)
	sty.YAlign = draw.YBottom
	at := vg.Point{X: c.Min.X, Y: c.Min.Y - 6}
	made := p.footer()
	right := sty
	right.XAlign = draw.XRight
	c.FillText(right, vg.Point{X: c.Max.X, Y: at.Y}, chart.Fit(chart.Drawable(made, sty), sty, 260))
	c.FillText(sty, at, chart.Fit(chart.Drawable(strings.Join(parts, " · "), sty), sty, c.Max.X-c.Min.X-270))
}

func fill(c draw.Canvas, r vg.Rectangle, col color.Color) {
	c.FillPolygon(col, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
}
