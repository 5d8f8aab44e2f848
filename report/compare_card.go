package report

import (
	"fmt"
	"io"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/chart"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// writeComparedSummary writes the one picture to attach.
func writeComparedSummary(w io.Writer, p *ComparisonPage) error {
	c := vgimg.NewWith(vgimg.UseWH(cardWidth, cardHeight), vgimg.UseDPI(cardDPI))
	p.DrawCard(draw.New(c))
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("write summary picture: %w", err)
	}
	return nil
}

// DrawCard draws the summary over the whole of dc, which is best 16:9: the
// answer, the differences with their intervals, and three pictures.
func (p *ComparisonPage) DrawCard(dc draw.Canvas) {
	fill(dc, dc.Rectangle, chart.Paper)
	c := draw.Crop(dc, 24, -24, 14, -18)
	y := p.page.drawBanner(c, p.Answer, like(p.Comparison))
	y = p.drawFirst(c, y)
	y = p.page.drawTiles(c, y-12)
	p.page.drawCharts(under(c, y), "quadrants", "paired_differences", p.thirdPicture())
	w := p.words
	parts := []string{w.Base + " " + visible(p.Comparison.Base.File), w.New + " " + visible(p.Comparison.New.File)}
	if p.page.Split != "" {
		parts = append([]string{w.Split + " " + visible(string(p.page.Split)), fmt.Sprintf(p.page.Words.Brackets, message.Percent(p.Comparison.Confidence))}, parts...)
	}
	p.page.drawFoot(c, parts)
}

// rowsOnCard is how many rows a small picture holds.
const rowsOnCard = 9

// thirdPicture is the first that has something to show and room to show it.
func (p *ComparisonPage) thirdPicture() string {
	for _, name := range []string{"categories", "reward_latency", "reward_output_tokens", "failure_drift"} {
		for _, f := range p.Figures {
			if f.Name == name && f.Plot != nil && (name == "reward_latency" || len(f.Table.Marks) <= rowsOnCard) {
				return name
			}
		}
	}
	return "reward_latency"
}

// drawFirst says, each in a line, that the grader is not to be trusted and what
// else a change may stem from, and returns where it ends.
func (p *ComparisonPage) drawFirst(c draw.Canvas, y vg.Length) vg.Length {
	var keys []string
	for _, d := range p.Differs {
		if d.Confounds {
			keys = append(keys, d.Key)
		}
	}
	strong, _ := tones("")
	sty := p.page.letters().Style(9.5, true, strong)
	for _, line := range []struct {
		form string
		of   []string
	}{{p.words.Untrusted, p.Comparison.Untrusted()}, {p.words.Confounded, keys}} {
		if len(line.of) > 0 {
			text := fmt.Sprintf(line.form, visible(strings.Join(line.of, p.words.Signs.List)))
			c.FillText(sty, vg.Point{X: c.Min.X, Y: y - 5}, chart.Fit(chart.Drawable(text, sty), sty, c.Max.X-c.Min.X))
			y -= 16
		}
	}
	return y
}
