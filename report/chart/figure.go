package chart

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/internal/lettering"
)

// Figure is a chart of one Result or Comparison, ready to be drawn on any canvas.
type Figure struct {
	Name string // the chart's name
	Doc  string // the chart's doc
	Caption
	Table  Table      // the plot in rows
	Plot   *plot.Plot // nil when there is nothing to show
	NoData string     // why Plot is nil
	Height vg.Length  // the height the figure is designed for, at Width
	Lang   message.Language
	Fonts  *lettering.Fonts // of its texts; nil: the builtin fonts

	OnRewards bool // it shows rewards

	ends []endText // the texts right of the marks

	// Panel draws the figure as a small part of a larger picture: smaller title, no subtitle, a
	// brief legend and no label on the Y axis.
	Panel bool

	// Head is the minimum height of the part above the plot: with the same Head, plots side by side
	// begin at the same level.
	Head vg.Length
}

// HeadHeight returns the height of the part above the plot when f is drawn at a width.
func (f Figure) HeadHeight(width vg.Length) vg.Length {
	var rec recorder.Canvas
	c := f.inner(draw.NewCanvas(&rec, width, f.Height))
	return c.Max.Y - f.head(c)
}

// Render draws chart c of r. If there is nothing to show, or drawing fails, the Figure says so.
func Render[R any](c Spec[R], r R) Figure {
	l, id := languageOf(r)
	f, err := c.Draw(r)
	if err == nil && f.Plot == nil {
		err = &NoData{Why: l.Text("chart.no.content", "the chart has nothing to show")}
	}
	if err != nil {
		f = Figure{NoData: err.Error(), Caption: Caption{Title: l.Text(id+c.Name+".title", title(c.Name))}}
		var none *NoData
		if errors.As(err, &none) {
			f.NoData = none.Why
		}
	}
	f.Name, f.Doc, f.Lang, f.OnRewards = c.Name, l.Text(id+c.Name+".doc", c.Doc), l, c.OnRewards
	f.Height = cmp.Or(f.Height, Height)
	return f
}

// languageOf returns the language of r and the prefix of the message ids of its charts.
func languageOf(r any) (l message.Language, ids string) {
	switch r := r.(type) {
	case *analysis.Result:
		return r.Lang, "chart."
	case *pilot.Result:
		return r.Lang, "chart."
	case *compare.Comparison:
		return r.Lang, "chart.compared."
	case *history.History:
		return r.Lang, "chart.history."
	}
	return message.Language{}, ""
}

// title turns a chart's name into words: "best_of_k" is "Best of k".
func title(name string) string {
	return capitalize(strings.ReplaceAll(name, "_", " "))
}

// Alt describes the figure in one or two sentences, for a reader who cannot see it.
func (f Figure) Alt() string {
	if f.Plot == nil {
		return f.Lang.Say("chart.no.data", "%s: no data, %s", f.Title, f.NoData)
	}
	if f.Subtitle == "" {
		return f.Title
	}
	return f.Lang.Say("sign.sentences", "%s. %s.", f.Title, f.Subtitle)
}

// Draw draws the figure over the whole of dc.
func (f Figure) Draw(dc draw.Canvas) {
	dc.FillPolygon(Paper, corners(dc.Rectangle))
	f.draw(dc)
}

// draw draws the figure over a canvas of the colour Paper.
func (f Figure) draw(dc draw.Canvas) {
	c := f.inner(dc)
	c.Max.Y = f.head(c)
	if f.Plot == nil {
		f.drawNoData(c)
		return
	}
	f.axes(c).Draw(c)
}

// axes returns the plot as drawn on c.
func (f Figure) axes(c draw.Canvas) *plot.Plot {
	p := *f.Plot
	setFonts(&p, f.Fonts)
	room := min(rowNames, (c.Max.X-c.Min.X)*0.36)
	if f.Panel {
		p.Y.Label.Text = ""
		room = (c.Max.X - c.Min.X) * 0.32
		for _, a := range []*plot.Axis{&p.X, &p.Y} {
			a.Label.TextStyle.Font.Size = 8.5
			a.Tick.Label.Font.Size = 8
		}
	}
	if nights, ok := p.X.Tick.Marker.(nightTicks); ok {
		nights.Most = min(nights.Most, max(2, int((c.Max.X-c.Min.X)/56)))
		p.X.Tick.Marker = nights
	}
	if rows, ok := p.Y.Tick.Marker.(rowTicks); ok {
		p.Y.Tick.Marker = rows.within(room, p.TextHandler)
	}
	if len(f.ends) > 0 {
		makeRoom(&p, f.ends, p.DataCanvas(c))
	}
	area := p.DataCanvas(c)
	p.X.Tick.Marker = apart(&p, area.Max.X-area.Min.X)
	return &p
}

// apart returns the ticks of X, without every other label as long as two of them touch.
func apart(p *plot.Plot, width vg.Length) plot.ConstantTicks {
	const gap vg.Length = 4
	ticks := slices.Clone(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max))
	touch := func() (labelled []int, some bool) {
		for i, t := range ticks {
			if t.Label == "" {
				continue
			}
			if n := len(labelled); n > 0 {
				before := ticks[labelled[n-1]]
				room := vg.Length(p.X.Norm(t.Value)-p.X.Norm(before.Value)) * width
				some = some || room < (p.X.Tick.Label.Width(t.Label)+p.X.Tick.Label.Width(before.Label))/2+gap
			}
			labelled = append(labelled, i)
		}
		return labelled, some
	}
	for labelled, some := touch(); some; labelled, some = touch() {
		for k := 1; k < len(labelled); k += 2 {
			ticks[labelled[k]].Label = ""
		}
	}
	return ticks
}

// endText is a text that begins right of a value of X. short replaces it if it takes too much of the
// width.
type endText struct {
	after       float64
	text, short string
	strong      bool
}

// makeRoom extends X until every text has room between its value and the right end. The marks keep
// at least a quarter of the width.
func makeRoom(p *plot.Plot, ends []endText, area draw.Canvas) {
	const gap vg.Length = 9
	low, width := p.X.Min, area.Max.X-area.Min.X
	for _, e := range ends {
		sty := styleOn(p, e.strong, Ink)
		text := sty.Width(e.text) + gap
		if e.short != "" && text > width/2 {
			text = sty.Width(e.short) + gap
		}
		text = min(text, 0.75*width)
		p.X.Max = max(p.X.Max, low+(e.after-low)*float64(width/(width-text)))
	}
}

// inner returns the canvas without its margins.
func (f Figure) inner(dc draw.Canvas) draw.Canvas {
	if f.Panel {
		return draw.Crop(dc, 0, -6, 2, -2)
	}
	return draw.Crop(dc, 10, -14, 8, -9)
}

// head draws the title, the subtitle and the legend row, and returns where the plot may begin.
func (f Figure) head(c draw.Canvas) vg.Length {
	width, y := c.Max.X-c.Min.X, c.Max.Y
	big, small, lines := vg.Length(12.5), vg.Length(9), 2
	if f.Panel {
		big, lines = 10.5, 3
	}
	put := func(s string, size vg.Length, strong bool, maxLines int, gap vg.Length) {
		sty := f.Fonts.Style(size, strong, Muted)
		if strong {
			sty.Color = Ink
		}
		for _, line := range lettering.Wrap(lettering.Drawable(s, sty), sty, width, maxLines) {
			c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, line)
			y -= size * 1.28
		}
		y -= gap
	}
	put(f.Title, big, true, lines, 2)
	if !f.Panel {
		put(f.Subtitle, small, false, lines, 4)
	}
	return min(f.legend(c, y)-6, c.Max.Y-f.Head)
}

// legend draws the legend row, wrapped at the canvas width, and returns where the next thing may
// begin.
func (f Figure) legend(c draw.Canvas, y vg.Length) vg.Length {
	entries := f.Legend
	if f.Panel && f.Brief != nil {
		entries = f.Brief
	}
	if f.Plot == nil || len(entries) == 0 {
		return y
	}
	const thumb, pad, gap, row vg.Length = 16, 4, 14, 12
	sty := f.Fonts.Style(letters, false, Ink)
	sty.YAlign = draw.YCenter
	x := c.Min.X
	for _, e := range entries {
		lines := lettering.Wrap(lettering.Drawable(e.Label, sty), sty, c.Max.X-c.Min.X-thumb-pad, 3)
		w := thumb + pad
		for _, line := range lines {
			w = max(w, thumb+pad+sty.Width(line))
		}
		if x > c.Min.X && x+w > c.Max.X {
			x, y = c.Min.X, y-row
		}
		tc := draw.Canvas{Canvas: c.Canvas, Rectangle: rectangle(x, y-row+2, x+thumb, y-1)}
		for _, t := range e.Thumbs {
			t.Thumbnail(&tc)
		}
		for i, line := range lines {
			c.FillText(sty, vg.Point{X: x + thumb + pad, Y: y - row/2 + 0.5}, line)
			if i < len(lines)-1 {
				y -= row
			}
		}
		x += w + gap
	}
	return y - row
}

func (f Figure) drawNoData(c draw.Canvas) {
	c = draw.Crop(c, 0.5, -2, 2, -4)
	frame := append(corners(c.Rectangle), c.Min)
	c.StrokeLines(draw.LineStyle{Color: Axis, Width: 0.7, Dashes: []vg.Length{3, 3}}, frame)
	head, sty := f.Fonts.Style(11, true, Muted), f.Fonts.Style(9, false, Muted)
	head.XAlign, sty.XAlign = draw.XCenter, draw.XCenter
	lines := lettering.Wrap(lettering.Drawable(f.NoData, sty), sty, (c.Max.X-c.Min.X)*0.8, 4)
	mid := c.Center()
	y := mid.Y + (16+vg.Length(len(lines))*12)/2
	c.FillText(head, vg.Point{X: mid.X, Y: y}, f.Lang.Text("chart.no.data_short", "no data"))
	y -= 17
	for _, line := range lines {
		c.FillText(sty, vg.Point{X: mid.X, Y: y}, line)
		y -= 12
	}
}

// rectangle returns the rectangle between two corners.
func rectangle(x0, y0, x1, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
}

// corners lists the corners of a rectangle counterclockwise from Min.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
