package report

import (
	"fmt"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"

	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/internal/lettering"

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

// writeCard writes a single picture to attach: the brief of a report.
func writeCard(w io.Writer, p Page) error {
	c := vgimg.NewWith(vgimg.UseWH(cardWidth, cardHeight), vgimg.UseDPI(cardDPI), vgimg.UseBackgroundColor(chart.Paper))
	drawCard(draw.New(c), p)
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.Image()); err != nil { // half the time, and 4 % larger
		return fmt.Errorf("write summary picture: %w", err)
	}
	return nil
}

// card draws a brief.
type card struct {
	draw.Canvas
	fonts *lettering.Fonts
	doc   *block.Doc
	y     vg.Length // upper edge of the next element
}

// drawCard draws the brief of p over the whole of dc, which has the colour chart.Paper and is ideally
// 16:9: verdict and reason, the first actions, the numbers, and the deciding evidence.
func drawCard(dc draw.Canvas, p Page) {
	d := p.Doc()
	c := &card{Canvas: draw.Crop(dc, 24, -24, 14, -16), fonts: p.base().letters(), doc: d}
	c.y = c.Max.Y
	about := c.fonts.Style(9, false, chart.Muted)
	about.XAlign = draw.XRight
	shown := lettering.Fit(lettering.Drawable(d.About, about), about, (c.Max.X-c.Min.X)/2)
	c.FillText(about, vg.Point{X: c.Max.X, Y: c.y - 1.5}, shown)
	c.text(c.Min.X, c.Max.X-about.Width(shown)-18, d.Title, 11, false, chart.Muted, 1)
	c.y -= 6
	var rest []block.Block
	for _, b := range d.Brief {
		switch b := b.(type) {
		case block.Verdict:
			c.verdict(b)
		case block.Tiles:
			c.tiles(b)
		case block.Note:
			if b.Tone != "" {
				strong, _ := b.Tone.Colours()
				for _, text := range b.Texts[:min(2, len(b.Texts))] {
					most := 1
					if b.Lead != "" && !b.Points {
						text, most = d.Words.Signs.Named(b.Lead, text), 2
					}
					c.text(c.Min.X, c.Max.X, text, 9, true, strong, most)
				}
				c.y -= 8
			} else if !b.Muted {
				rest = append(rest, b)
			}
		case block.Figure:
			if b.Strip() {
				c.strip(b)
			} else if !b.Tall() {
				rest = append(rest, b)
			} else {
				rest = append(rest, block.Note{Lead: b.Title, Texts: []string{b.Subtitle}})
			}
		case block.Grid:
			rest = append(rest, b)
		}
	}
	c.deciding(rest)
	c.foot()
}

// text writes at most most lines from x0 to x1, and moves y below them.
func (c *card) text(x0, x1 vg.Length, s string, size vg.Length, strong bool, ink color.Color, most int) {
	for _, line := range c.lines(x0, x1, s, size, strong, ink, most) {
		sty := c.fonts.Style(size, strong, ink)
		c.FillText(sty, vg.Point{X: x0, Y: c.y}, line)
		c.y -= size * 1.25
	}
}

func (c *card) lines(x0, x1 vg.Length, s string, size vg.Length, strong bool, ink color.Color, most int) []string {
	sty := c.fonts.Style(size, strong, ink)
	return lettering.Wrap(lettering.Drawable(s, sty), sty, x1-x0, most)
}

// verdict draws the banner: the answer, the reason, and the first actions.
func (c *card) verdict(v block.Verdict) {
	const pad vg.Length = 16
	strong, ground := v.Tone.Colours()
	size := wordSize(v.Answer)
	word := c.fonts.Style(size, true, strong)
	scope := c.fonts.Style(11, true, strong)
	x, right := c.Min.X+pad+max(word.Width(v.Answer), scope.Width(v.Scope))+18, c.Max.X-pad
	reason, most := vg.Length(12), 3
	if len(c.lines(x, right, v.Reason, reason, false, chart.Ink, 9)) > most {
		reason, most = 10, 4
	}
	next := ""
	for most := clearly; len(v.Next) > 0 && most > 0; most -= 20 {
		next = c.doc.Words.Signs.Named(v.Lead, within(v.Next[0], most))
		if len(c.lines(x, right, next, 9.5, true, chart.Ink, 9)) < 3 {
			break
		}
	}
	n := vg.Length(len(c.lines(x, right, v.Reason, reason, false, chart.Ink, most)))
	m := vg.Length(len(c.lines(x, right, next, 9.5, true, chart.Ink, 2)))
	open := c.lines(x, right, v.Unchecked, 9.5, false, chart.Ink, 3)
	high := n*reason*1.25 + (m+vg.Length(len(open)))*9.5*1.25
	height := max(size*1.3, high) + 20
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.y - height}, Max: vg.Point{X: c.Max.X, Y: c.y}}
	fill(c.Canvas, box, ground)
	edge := box
	edge.Max.X = edge.Min.X + 5
	fill(c.Canvas, edge, strong)
	word.YAlign = draw.YCenter
	at := vg.Point{X: box.Min.X + pad, Y: (box.Min.Y + box.Max.Y) / 2}
	if v.Scope != "" {
		scope.YAlign = draw.YTop
		at.Y += 7
		c.FillText(scope, vg.Point{X: at.X, Y: at.Y - size*0.6}, v.Scope)
	}
	c.FillText(word, at, v.Answer)
	c.y = (box.Min.Y+box.Max.Y)/2 + high/2
	c.text(x, right, v.Reason, reason, false, chart.Ink, most)
	c.text(x, right, v.Unchecked, 9.5, false, chart.Ink, 3)
	if m > 0 {
		c.text(x, right, next, 9.5, true, chart.Ink, 2)
	}
	c.y = box.Min.Y - 12
}

// wordSize returns the font size of an answer in the banner.
func wordSize(answer string) vg.Length {
	if uniseg.StringWidth(answer) > len("CANNOT TELL") {
		return 19
	}
	return 28
}

// tiles draws the numbers side by side.
func (c *card) tiles(list block.Tiles) {
	const (
		gap, number, note vg.Length = 14, 46, 8.5

		least, most = 2, 5 // lines of a note
	)
	w := (c.Max.X - c.Min.X - gap*vg.Length(len(list)-1)) / vg.Length(len(list))
	top, lines := c.y, least
	for i, h := range list {
		x := c.Min.X + vg.Length(i)*(w+gap)
		c.StrokeLine2(draw.LineStyle{Color: chart.Axis, Width: 0.8}, x, top, x+w, top)
		label := c.fonts.Style(10, true, chart.Ink)
		c.FillText(label, vg.Point{X: x, Y: top - 5}, lettering.Fit(h.Label, label, w))
		value, interval := c.fonts.Style(24, true, chart.Ink), c.fonts.Style(12, false, chart.Muted)
		if !h.Known {
			value = c.fonts.Style(16, true, chart.Muted)
		}
		if h.Doubted {
			value = c.fonts.Style(24, false, chart.Muted)
		}
		shown := lettering.Drawable(h.Interval, interval)
		// an interval is not cut if a smaller number avoids it
		for h.Known && value.Font.Size > 14 && value.Width(h.Value)+8+interval.Width(shown) > w {
			value.Font.Size--
			interval.Font.Size = max(9, interval.Font.Size-0.5)
		}
		known := lettering.Fit(lettering.Drawable(h.Value, value), value, w)
		const ascent = 0.905 // of Liberation Sans: numbers of all sizes share a baseline
		c.FillText(value, vg.Point{X: x, Y: top - 17 - ascent*(24-value.Font.Size)}, known)
		vx := x + value.Width(known) + 8
		c.FillText(interval, vg.Point{X: vx, Y: top - 27 - ascent*(12-interval.Font.Size)},
			lettering.Fit(shown, interval, x+w-vx))
		c.y = top - number
		lines = max(lines, len(c.lines(x, x+w, h.About, note, false, chart.Muted, most)))
		c.text(x, x+w, h.About, note, false, chart.Muted, most)
	}
	c.y = top - number - vg.Length(lines)*note*1.25 - 10
}

// deciding draws the deciding evidence in the remaining room: two pictures side by side, one at
// full width below the texts, or texts above all gates.
func (c *card) deciding(list []block.Block) {
	var figures []block.Figure
	var notes []block.Note
	for _, b := range list {
		switch b := b.(type) {
		case block.Figure:
			figures = append(figures, b)
		case block.Grid:
			notes = append(notes, block.Note{Lead: b.Title, Texts: c.rows(b)})
		case block.Note:
			notes = append(notes, b)
		}
	}
	switch {
	case len(figures) > 0 && len(notes) > 0 && (c.long(notes[0]) || len(figures[0].Table.Marks) > manyRows):
		const gap, share = 24, 0.38
		x, top := c.Min.X+(c.Max.X-c.Min.X)*share, c.y
		c.words(c.Min.X, x-gap, notes[0].Lead, notes[0].Texts, c.Min.Y+16, 13)
		right := *c
		right.Min.X, right.y = x, top
		right.figures(figures[:1])
	case len(figures) > 0 && len(notes) > 0:
		c.words(c.Min.X, c.Max.X, notes[0].Lead, notes[0].Texts, c.Min.Y+(c.y-c.Min.Y)*0.58, 10.5)
		c.y -= 8
		c.figures(figures[:1])
	case len(figures) > 0:
		c.figures(figures[:min(len(figures), mostPictures)])
	default:
		if i := slices.IndexFunc(c.doc.Brief, isVerdict); i >= 0 && len(notes) < 2 {
			v := c.doc.Brief[i].(block.Verdict)
			rest := block.Note{
				Lead:  c.doc.Words.Why,
				Texts: append(slices.Clone(v.Texts), v.Next[min(1, len(v.Next)):]...),
			}
			if len(notes) == 0 {
				rest.Lead, rest.Texts = v.Lead, append(slices.Clone(v.Next), v.Texts...)
			}
			notes = append(notes, rest)
		}
		c.columns(notes[:min(len(notes), 2)])
		c.gates()
	}
}

// strip draws a low figure over the whole width.
func (c *card) strip(f block.Figure) {
	f.Panel, f.Fonts = true, c.fonts
	at := c.Canvas
	at.Min.Y, at.Max.Y = c.y-f.Height*0.9, c.y
	f.Draw(at)
	c.y = at.Min.Y - 6
}

// manyRows is the number of rows from which a picture has no room below texts.
const manyRows = 10

// long reports whether a note fills a column instead of a few lines.
func (c *card) long(n block.Note) bool {
	lines := 0
	for _, s := range n.Texts {
		lines += len(c.lines(0, (c.Max.X-c.Min.X)*0.36, s, 13, false, chart.Ink, 9))
	}
	return lines > 4
}

// figures draws pictures side by side down to the foot.
func (c *card) figures(list []block.Figure) {
	const gap vg.Length = 18
	w := (c.Max.X - c.Min.X - gap*vg.Length(len(list)-1)) / vg.Length(len(list))
	var head vg.Length
	for i := range list {
		list[i].Panel, list[i].Fonts = true, c.fonts
		head = max(head, list[i].HeadHeight(w))
	}
	for i, f := range list {
		x := c.Min.X + vg.Length(i)*(w+gap)
		f.Head = head
		at := c.Canvas
		at.Min, at.Max = vg.Point{X: x, Y: c.Min.Y + 14}, vg.Point{X: x + w, Y: c.y}
		f.Draw(at)
	}
}

// columns writes notes side by side.
func (c *card) columns(notes []block.Note) {
	const gap vg.Length = 18
	w := (c.Max.X - c.Min.X - gap*vg.Length(len(notes)-1)) / vg.Length(max(1, len(notes)))
	top, low := c.y, c.y
	for i, n := range notes {
		c.y = top
		x := c.Min.X + vg.Length(i)*(w+gap)
		c.words(x, x+w, n.Lead, n.Texts, c.Min.Y+16, 13)
		low = min(low, c.y)
	}
	c.y = low - 4
}

// gates draws the state of every gate in columns, or of every checked one, if there is room.
func (c *card) gates() {
	const columns, size vg.Length = 3, 9
	var list block.Findings
	for _, s := range c.doc.Rest {
		for _, b := range s.Blocks {
			if f, ok := b.(block.Findings); ok {
				list = f
			}
		}
	}
	rows := func() int { return (len(list) + int(columns) - 1) / int(columns) }
	fit := func() bool { return vg.Length(rows())*size*1.25 <= c.y-c.Min.Y-18 }
	if !fit() { // how many were not checked is said above
		list = slices.DeleteFunc(slices.Clone(list), func(f block.Finding) bool { return f.Tone == block.Skipped })
	}
	down := rows()
	if down == 0 || !fit() {
		return
	}
	line := min(size*1.9, (c.y-c.Min.Y-18)/vg.Length(down))
	w := (c.Max.X - c.Min.X) / columns
	for i, f := range list {
		strong, _ := f.Tone.Colours()
		at := vg.Point{X: c.Min.X + vg.Length(i/down)*w, Y: c.y - vg.Length(i%down)*line}
		state, name := c.fonts.Style(size-1.5, true, strong), c.fonts.Style(size, f.Open, chart.Ink)
		c.FillText(state, vg.Point{X: at.X, Y: at.Y - 1}, f.Label)
		c.FillText(name, vg.Point{X: at.X + 52, Y: at.Y}, lettering.Fit(lettering.Drawable(f.Name, name), name, w-62))
	}
}

func isVerdict(b block.Block) bool { _, ok := b.(block.Verdict); return ok }

// rows returns the rows of a table as texts.
func (c *card) rows(g block.Grid) []string {
	list := make([]string, len(g.Rows))
	for i, row := range g.Rows {
		list[i] = row[0]
		if len(row) > 1 {
			list[i] = c.doc.Words.Signs.Named(row[0], strings.Trim(strings.Join(row[1:], " · "), " ·"))
		}
		if g.Kind(0) == block.Number {
			list[i] = strings.Join(row, " × ")
		}
	}
	return list
}

// words writes a title and texts in the room above y, in the largest size that fits, at most size.
func (c *card) words(x0, x1 vg.Length, title string, texts []string, y, size vg.Length) {
	const most = 4 // lines of a text
	for ; size > 9.5; size -= 0.5 {
		high := (size + 1) * 1.25 * 2
		for _, s := range texts {
			high += size*1.25*vg.Length(len(c.lines(x0, x1, s, size, false, chart.Ink, most+1))) + size/2
		}
		if high < c.y-y {
			break
		}
	}
	if title != "" {
		c.text(x0, x1, title, size+1, true, chart.Ink, 3)
		c.y -= 4
	}
	for _, s := range texts {
		if room := int((c.y - y) / (size * 1.25)); room > 0 {
			c.text(x0, x1, s, size, false, chart.Ink, min(room, most))
			c.y -= size / 2
		}
	}
}

// foot writes at the lower edge what was measured, and when.
func (c *card) foot() {
	sty := c.fonts.Style(8, false, chart.Muted)
	sty.YAlign = draw.YBottom
	at, right := vg.Point{X: c.Min.X, Y: c.Min.Y - 6}, sty
	right.XAlign = draw.XRight
	c.FillText(right, vg.Point{X: c.Max.X, Y: at.Y}, lettering.Fit(lettering.Drawable(c.doc.Footer, sty), sty, 260))
	c.FillText(sty, at,
		lettering.Fit(lettering.Drawable(strings.Join(append(slices.Clone(c.doc.Head), c.doc.Foot...), " · "), sty),
			sty, c.Max.X-c.Min.X-270))
}

func fill(c draw.Canvas, r vg.Rectangle, col color.Color) {
	c.FillPolygon(col, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
}
