package pdf

import (
	"image/color"
	"math"
)

// Column is a strip of the page that grows downward. It is filled first and then placed.
type Column struct {
	Ground    color.Color // background over the width of the page
	Edge      color.Color // colour of a bar at the left, over the whole height
	EdgeWidth float64
	Loose     bool // may be split over pages even if it would fit on the next one

	d      *Doc
	x, w   float64 // left edge and width of its text
	y      float64
	ops    []op
	breaks []float64 // heights at which it may be split, ascending
	marks  []mark
}

// Column begins a column over the width of the page, with its text shifted right by indent.
func (d *Doc) Column(indent float64) *Column {
	return &Column{d: d, x: indent, w: d.Width() - indent}
}

// Heading puts a heading in front of whatever is placed next, with a bookmark: level 0 is a
// section.
func (d *Doc) Heading(level int, text string, sty Style) {
	waiting := d.pending
	c := d.Column(0)
	if waiting != nil {
		c = waiting
	}
	c.Mark(level, text)
	c.Text(Paragraph{Spans: []Span{{text, sty}}, Most: 6})
	c.Space(sty.Size * 0.4)
	d.pending = c
}

// Beside fills n columns side by side, with a gap between them.
func (c *Column) Beside(n int, gap float64, fill func(i int, c *Column)) {
	w := (c.w - gap*float64(n-1)) / float64(n)
	end := c.y
	for i := range n {
		one := &Column{d: c.d, x: c.x + float64(i)*(w+gap), w: w, y: c.y}
		fill(i, one)
		c.ops = append(c.ops, one.ops...)
		end = max(end, one.y)
	}
	c.y = end
	c.breaks = append(c.breaks, end)
}

// Mark sets a bookmark at the current height.
func (c *Column) Mark(level int, text string) {
	c.marks = append(c.marks, mark{text: text, level: level, y: c.y})
}

// Space adds a gap.
func (c *Column) Space(h float64) { c.y += h }

// Span is text in one style within a paragraph.
type Span struct {
	Text  string
	Style Style
}

// Paragraph is text to be broken into lines.
type Paragraph struct {
	Spans  []Span
	Indent float64     // of all lines
	Most   int         // maximum number of lines; the last is cut. 0 is no limit
	Lead   string      // drawn before the first line, within Indent
	Ground color.Color // background of each line, over the width of the column
}

// Text writes a paragraph.
func (c *Column) Text(p Paragraph) {
	if p.Lead != "" && len(p.Spans) > 0 {
		sty := p.Spans[0].Style
		c.line(c.x, c.y, c.d.fonts.fit(p.Lead, sty, math.Inf(1)))
	}
	for _, l := range c.d.fonts.wrap(p.Spans, c.w-p.Indent, p.Most) {
		if p.Ground != nil {
			c.ops = append(c.ops, box(c.x, c.y, c.w, l.height+0.2, p.Ground))
		}
		c.line(c.x+p.Indent, c.y, l)
		c.y += l.height
		c.breaks = append(c.breaks, c.y)
	}
}

// line draws a line with its top at y.
func (c *Column) line(x, y float64, l line) { c.ops = append(c.ops, l.ops(x, y)...) }

// Rule draws a horizontal line over the width of the column.
func (c *Column) Rule(width float64, col color.Color) {
	c.ops = append(c.ops, ruleAt(c.x, c.x+c.w, c.y, width, col))
}

// firstBreak returns how much of a loose column must stay together: the height of its first few
// lines.
func (c *Column) firstBreak() float64 {
	const lines = 4
	if len(c.breaks) <= lines {
		return c.y
	}
	return c.breaks[lines-1]
}

// split splits a column so that the first part is no higher than room. rest is nil if it cannot be
// split.
func (c *Column) split(room float64) (first, rest *Column) {
	cut := c.y
	for i := len(c.breaks) - 1; i >= 0; i-- {
		if b := c.breaks[i]; b <= room && b > 0 {
			cut = b
			break
		}
	}
	if cut >= c.y {
		return c, nil // no break: a single item higher than a page
	}
	first, rest = new(Column), new(Column)
	*first, *rest = *c, *c
	first.ops, first.breaks, first.marks, first.y = nil, nil, nil, cut
	rest.ops, rest.breaks, rest.marks, rest.y = nil, nil, nil, c.y-cut
	for _, o := range c.ops {
		if o.bounds().mid() < cut {
			first.ops = append(first.ops, o)
			continue
		}
		o.move(0, -cut)
		rest.ops = append(rest.ops, o)
	}
	for _, b := range c.breaks {
		if b > cut {
			rest.breaks = append(rest.breaks, b-cut)
		}
	}
	for _, m := range c.marks {
		if m.y < cut {
			first.marks = append(first.marks, m)
			continue
		}
		m.y -= cut
		rest.marks = append(rest.marks, m)
	}
	return first, rest
}
