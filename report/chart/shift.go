package chart

import (
	"image/color"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawShift(r *analysis.Result) (*plot.Plot, error) {
	groups := shiftGroups(r)
	switch {
	case r.Shift == nil:
		return nil, noData(r.Lang, "the items themselves are not known, so splits cannot be compared")
	case len(r.Shift.Crossings) == 0:
		return nil, noData(r.Lang, "there is only one split: with data.eval and data.train the two are compared")
	case len(groups) == 0:
		return nil, noData(r.Lang, "no two splits have anything that can be compared")
	}
	p := newPlot(r.Lang.Text("AUC; for single features Kolmogorov–Smirnov D or Cramér's V"), "")
	last := groups[len(groups)-1]
	names := make([]string, last.first+len(last.dots)+1)
	for _, g := range groups {
		for i, d := range g.dots {
			names[g.first+1+i] = d.name
		}
	}
	horizontal(p, names)
	for _, g := range groups {
		p.Add(g)
	}
	p.X.Min, p.X.Max = -0.012, 1.19 // numbers stand right of 1
	p.X.Tick.Marker = between{ticks{want: 5}, 0, 1}
	return p, nil
}

func captionShift(r *analysis.Result) Caption {
	groups := shiftGroups(r)
	l := r.Lang
	c := Caption{Title: l.Text("No two splits are shown to differ in any of these")}
	var worst *shiftDot
	for i := range groups {
		for j := range groups[i].dots {
			if d := &groups[i].dots[j]; d.grade > 0 && (worst == nil || d.grade > worst.grade) {
				worst = d
			}
		}
	}
	if worst != nil {
		c.Title = l.Say("%s and %s can be distinguished by %s (AUC %s)", worst.a, worst.b, worst.by, message.Digits(worst.value))
		if worst.grade == differs {
			c.Title = l.Say("%s and %s are distinguished by %s (AUC %s)", worst.a, worst.b, worst.by, message.Digits(worst.value))
		}
	}
	for i, cross := range r.Shift.Crossings {
		if i > 0 {
			c.Subtitle += l.Text(", ")
		}
		c.Subtitle += l.Say("%s (n = %s) against %s (n = %s)", cross.A, message.Whole(cross.RowsA), cross.B, message.Whole(cross.RowsB))
	}
	c.Subtitle += l.Say("; lines: %s intervals; p of the permutation test, Holm over all; single features are descriptive", message.Percent(r.Confidence))
	shown := map[shiftGrade]bool{}
	limits := false
	for _, g := range groups {
		for _, d := range g.dots {
			shown[d.grade] = true
			limits = limits || d.fail != nil
		}
	}
	c.Legend = []Entry{{l.Text("no difference"), []plot.Thumbnailer{soundMark{}}}}
	for _, e := range []struct {
		grade shiftGrade
		words string
	}{{differs, "differ"}, {hints, "caution"}, {alike, "not shown to differ"}} {
		if shown[e.grade] {
			c.Legend = append(c.Legend, Entry{l.Text(e.words), []plot.Thumbnailer{shiftSample(e.grade)}})
		}
	}
	if shown[single] {
		c.Legend = append(c.Legend, Entry{l.Text("single feature"), []plot.Thumbnailer{shiftSample(single)}})
	}
	if limits {
		c.Legend = append(c.Legend, Entry{l.Text("caution beyond"), []plot.Thumbnailer{cautionMark()}}, Entry{l.Text("NO-GO beyond"), []plot.Thumbnailer{limitMark()}})
	}
	return c
}

func tableShift(r *analysis.Result) Table {
	words := map[shiftGrade]string{alike: "not shown to differ", hints: "caution", differs: "differ", single: ""}
	t := Table{Head: heads(r.Lang, "compared", "splits", "measure", "value", "p corrected", "answer", "what tells them apart")}
	for _, g := range shiftGroups(r) {
		for i, d := range g.dots {
			y := row(g.first + 1 + i)
			t.Marks = append(t.Marks, Mark{
				Cells: []string{d.by, d.a + " – " + d.b, d.measure, message.Interval(&d.value, &d.low, &d.high), strings.TrimPrefix(d.p, "= "), r.Lang.Text(words[d.grade]), d.top},
				X1:    1, Y0: y - 0.5, Y1: y + 0.5, Dots: []Dot{{d.value, y}},
			})
		}
	}
	return t
}

// shiftHeight gives every row its room.
func shiftHeight(r *analysis.Result) vg.Length {
	groups := shiftGroups(r)
	if len(groups) == 0 {
		return Height
	}
	const around, pitch vg.Length = 118, 14
	last := groups[len(groups)-1]
	return max(Height, around+pitch*vg.Length(last.first+len(last.dots)+1))
}

// Plot implements plot.Plotter.
func (g shiftGroup) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	top, bottom := ty(row(g.first)-0.5), ty(row(g.first+len(g.dots))-0.5)
	drawRowHead(c, p, g.head, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top}, Max: vg.Point{X: c.Max.X, Y: ty(row(g.first) + 0.5)}})
	c.StrokeLine2(soundLine, tx(g.sound), bottom, tx(g.sound), top)
	for i, d := range g.dots {
		y := ty(row(g.first + 1 + i))
		upper, lower := ty(row(g.first+1+i)+0.5), ty(row(g.first+1+i)-0.5)
		if d.fail != nil && *d.fail <= 1 {
			c.StrokeLine2(limitMark().line, tx(*d.fail), lower, tx(*d.fail), upper)
		}
		if d.caution != nil && *d.caution <= 1 {
			c.StrokeLine2(cautionMark().line, tx(*d.caution), lower, tx(*d.caution), upper)
		}
		c.StrokeLine2(draw.LineStyle{Color: shiftColor(d.grade), Width: 1.3}, tx(max(0, d.low)), y, tx(min(1, d.high)), y)
		drawShiftDot(&c, vg.Point{X: tx(d.value), Y: y}, d.grade)
		text := message.Digits(d.value)
		if d.p != "" {
			text += ", p " + d.p
		}
		sty := styleOn(p, 8, d.grade == differs, Ink)
		sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
		c.FillPolygon(Paper, corners(vg.Rectangle{Min: vg.Point{X: c.Max.X - sty.Width(text) - 3, Y: y - 5}, Max: vg.Point{X: c.Max.X, Y: y + 5}}))
		c.FillText(sty, vg.Point{X: c.Max.X, Y: y + 1.3}, text)
	}
}

func cautionMark() rule {
	return rule{upward: true, line: draw.LineStyle{Color: Amber, Width: 1, Dashes: dotted}}
}

func shiftColor(g shiftGrade) color.RGBA {
	switch g {
	case differs:
		return Red
	case hints:
		return Orange
	case single:
		return Steel
	}
	return Blue
}

// drawShiftDot draws what a comparison says: a diamond differs, a disc is a
// caution, a ring is neither, a square is not judged. That reads in grey.
func drawShiftDot(c *draw.Canvas, at vg.Point, g shiftGrade) {
	const r vg.Length = 3
	switch g {
	case differs:
		const w = r + 0.6
		c.FillPolygon(Red, []vg.Point{{X: at.X - w, Y: at.Y}, {X: at.X, Y: at.Y + w}, {X: at.X + w, Y: at.Y}, {X: at.X, Y: at.Y - w}})
	case hints:
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Orange, Radius: r, Shape: draw.CircleGlyph{}}, at)
	case single:
		const w = r - 0.6
		c.FillPolygon(Steel, corners(vg.Rectangle{Min: vg.Point{X: at.X - w, Y: at.Y - w}, Max: vg.Point{X: at.X + w, Y: at.Y + w}}))
	default:
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Paper, Radius: r - 0.4, Shape: draw.CircleGlyph{}}, at)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: r - 0.4, Shape: draw.RingGlyph{}}, at)
	}
}

// shiftSample is a comparison of the legend.
type shiftSample shiftGrade

// Thumbnail implements plot.Thumbnailer.
func (s shiftSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(draw.LineStyle{Color: shiftColor(shiftGrade(s)), Width: 1.3}, c.Min.X, mid.Y, c.Max.X, mid.Y)
	drawShiftDot(c, mid, shiftGrade(s))
}
