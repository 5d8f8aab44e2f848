package pdf

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gonogo/report/internal/typeface"
)

// Options configures a document.
type Options struct {
	Paper    Paper
	Title    string // a document property, like the next two
	Subject  string
	Creator  string
	Language string                  // of the texts, such as "en"
	Made     time.Time               // creation time; the zero time is written as 1970
	Fallback func() []*typeface.Face // called at most once, for runes that the builtin fonts lack; may be nil

	// The text at the edges of every page. Pages is the format of the page number, with two %s: the
	// page, and the number of pages.
	HeadLeft, HeadRight, FootLeft, Pages string
}

// Paper is a size of paper.
type Paper struct {
	Name          string
	Width, Height float64 // in points
}

// Papers lists the available sizes; the first is the default.
func Papers() []Paper {
	return []Paper{{"a4", 595.28, 841.89}, {"letter", 612, 792}}
}

// PaperByName returns the paper with a name; "" is the default.
func PaperByName(name string) (Paper, error) {
	papers := Papers()
	if name == "" {
		return papers[0], nil
	}
	var names []string
	for _, p := range papers {
		if p.Name == strings.ToLower(name) {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Paper{}, fmt.Errorf("unknown paper %q: use one of %s", name, strings.Join(names, ", "))
}

// The margins, in points. Page head and foot are inside the upper and lower ones.
const (
	side   = 48.0
	top    = 58.0
	bottom = 54.0
)

// Doc is a document under construction.
type Doc struct {
	opt     Options
	fonts   *fonts
	pages   [][]op
	y       float64 // where the next column begins on the last page
	pending *Column // a heading that is placed with what follows it
	marks   []mark
}

// mark is a bookmark.
type mark struct {
	text  string
	level int
	page  int
	y     float64
}

// New begins a document.
func New(opt Options) *Doc {
	if opt.Paper.Width == 0 {
		opt.Paper = Papers()[0]
	}
	d := &Doc{opt: opt, fonts: newFonts(opt.Fallback)}
	d.newPage()
	return d
}

func (d *Doc) newPage() {
	d.pages = append(d.pages, nil)
	d.y = top
}

// Width returns the width of a page between its margins, in points.
func (d *Doc) Width() float64 { return d.opt.Paper.Width - 2*side }

// Height returns the height of a page between its margins, in points.
func (d *Doc) Height() float64 { return d.opt.Paper.Height - top - bottom }

// room returns the height remaining on the last page.
func (d *Doc) room() float64 { return d.opt.Paper.Height - bottom - d.y }

// Space adds a gap, except at the top of a page.
func (d *Doc) Space(h float64) {
	if d.pending != nil {
		d.pending.y += h
	} else if d.y > top {
		d.y += h
	}
}

// Place puts a column below the previous one. It stays in one piece if it fits on a page; else it
// is split between lines.
func (d *Doc) Place(c *Column) {
	first := min(c.y, d.Height())
	if c.Loose {
		first = min(first, c.firstBreak())
	}
	lead := 0.0
	if d.pending != nil {
		lead = d.pending.y
	}
	if lead+first > d.room() && d.y > top {
		d.newPage()
	}
	d.settle()
	for rest := c; rest != nil; {
		var next *Column
		if rest.y > d.room() {
			rest, next = rest.split(d.room())
		}
		d.put(rest)
		if next != nil {
			d.newPage()
		}
		rest = next
	}
}

// settle draws a pending heading.
func (d *Doc) settle() {
	if c := d.pending; c != nil {
		d.pending = nil
		d.put(c)
	}
}

// put draws a column on the last page.
func (d *Doc) put(c *Column) {
	page := len(d.pages) - 1
	if c.Ground != nil {
		d.pages[page] = append(d.pages[page], box(side, d.y, d.Width(), c.y, c.Ground))
	}
	if c.Edge != nil {
		d.pages[page] = append(d.pages[page], box(side, d.y, c.EdgeWidth, c.y, c.Edge))
	}
	for _, m := range c.marks {
		m.page, m.y = page, d.y+m.y
		d.marks = append(d.marks, m)
	}
	for _, o := range c.ops {
		o.move(side, d.y)
		d.pages[page] = append(d.pages[page], o)
	}
	d.y += c.y
}

// Missing lists, in order, the runes that appear as boxes because no font has them.
func (d *Doc) Missing() []rune {
	var list []rune
	for r := range d.fonts.missing {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}
