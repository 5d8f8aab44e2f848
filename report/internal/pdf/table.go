package pdf

import (
	"image/color"
	"math"
	"slices"
	"strings"
)

// Table is rows of cells below a head, which is repeated on every page.
type Table struct {
	Columns []ColumnSpec
	Rows    [][]Cell
	Head    Style // style of the head
	Upright bool  // turn the heads of number columns upright
	Dense   bool  // with less space between rows and columns
	Line    color.Color
}

// ColumnSpec configures one column of a table.
type ColumnSpec struct {
	Head  string
	Right bool    // align right, for numbers
	Least float64 // minimum of its preferred width, in points
	Most  float64 // maximum of its preferred width, in points; 0 is no limit
	Grow  float64 // its share of the remaining width; 0 keeps the preferred width
}

// Cell is the content of one cell of a table.
type Cell struct {
	Spans []Span
	Chip  *Chip  // drawn instead of text
	Gauge *Gauge // drawn instead of text
	Most  int    // maximum number of lines; 0 means 12
}

// Chip is a word on a coloured background.
type Chip struct {
	Text         string
	Ink, Ground  color.RGBA
	Size         float64
	Edge, Dashed bool
}

// Gauge shows a value, its interval and a threshold on a line, each as a share of the length of
// that line.
type Gauge struct {
	Value, Low, High, Threshold float64
	Ink                         color.RGBA // of the value
	Corners                     int        // of the mark of the value: 4 for a diamond, 8 for a disc
}

// gaugeWidth is the width of a Gauge, with room for its marks.
const gaugeWidth = 74.0

// cellLines is the default maximum number of lines of a cell.
const cellLines = 12

// pads returns the space between neighbouring columns, and above and below a row.
func (t Table) pads() (between, around float64) {
	if t.Dense {
		return 5.5, 1.6
	}
	return 10, 3
}

// Table places a table.
func (d *Doc) Table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	widths := d.widths(t)
	head := d.tableHead(t, widths)
	first := true
	for _, cells := range t.Rows {
		row := d.row(t, cells, widths)
		if first {
			d.Place(joined(head, row))
			first = false
			continue
		}
		if row.y > d.room() {
			d.newPage()
			row = joined(d.tableHead(t, widths), row)
		}
		d.Place(row)
	}
}

// joined appends b below a.
func joined(a, b *Column) *Column {
	for _, o := range b.ops {
		o.move(0, a.y)
	}
	a.ops = append(a.ops, b.ops...)
	a.y += b.y
	return a
}

// widths divides the width of the page among the columns. Each gets its preferred width, that of
// its longest text on one line. If that is too much, the width beyond the longest words is divided
// in proportion to the preferences; if width remains, the columns with Grow share it.
func (d *Doc) widths(t Table) []float64 {
	n := len(t.Columns)
	want, least := make([]float64, n), make([]float64, n)
	between, _ := t.pads()
	room := d.Width() - between*float64(n-1)
	grow, wants, leasts := 0.0, 0.0, 0.0
	for i, c := range t.Columns {
		consider := func(cell Cell) {
			w, word := d.wants(cell, room)
			want[i], least[i] = max(want[i], w), max(least[i], word)
		}
		switch {
		case t.Upright && c.Right:
			want[i] = t.Head.Size * leading
		default:
			consider(Cell{Spans: []Span{{c.Head, t.Head}}})
		}
		for _, row := range t.Rows {
			if i < len(row) {
				consider(row[i])
			}
		}
		if c.Most > 0 {
			want[i] = min(want[i], c.Most)
		}
		want[i] = max(want[i], c.Least)
		least[i] = min(max(least[i], c.Least), want[i])
		grow, wants, leasts = grow+c.Grow, wants+want[i], leasts+least[i]
	}
	switch {
	case leasts > room:
		return level(least, room)
	case wants > room:
		for i := range want {
			want[i] = least[i] + (want[i]-least[i])*(room-leasts)/(wants-leasts)
		}
	case grow > 0:
		for i, c := range t.Columns {
			want[i] += (room - wants) * c.Grow / grow
		}
	}
	return want
}

// wants returns the width of a cell on one line, up to most, and the width of its longest word, up
// to a fifth of most.
func (d *Doc) wants(c Cell, most float64) (all, word float64) {
	if c.Chip != nil {
		w := d.chipWidth(c.Chip)
		return w, w
	}
	if c.Gauge != nil {
		return gaugeWidth, gaugeWidth
	}
	for _, s := range c.Spans {
		if len(s.Text) > 2000 {
			return most, most / 5
		}
		text := d.fonts.drawable(s.Text, s.Style.Face)
		for w := range strings.FieldsSeq(text) {
			word = max(word, d.fonts.width(w, s.Style)+0.1)
		}
		all += d.fonts.width(text, s.Style)
	}
	return min(all+0.1, most), min(word, most/5)
}

// level reduces the widest columns to one width so that all fit into room.
func level(want []float64, room float64) []float64 {
	out := slices.Clone(want)
	sorted := slices.Sorted(slices.Values(want))
	remaining := room
	for i, w := range sorted {
		share := remaining / float64(len(sorted)-i)
		if w > share {
			for j := range out {
				out[j] = math.Min(out[j], share)
			}
			return out
		}
		remaining -= w
	}
	return out
}

func (d *Doc) tableHead(t Table, widths []float64) *Column {
	if !slices.ContainsFunc(t.Columns, func(c ColumnSpec) bool { return c.Head != "" }) {
		return d.Column(0)
	}
	if t.Upright {
		return d.uprightHead(t, widths)
	}
	cells := make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		cells[i] = Cell{Spans: []Span{{c.Head, t.Head}}}
	}
	return d.row(t, cells, widths)
}

// uprightHead lays out a head whose number columns have heads that read upward.
func (d *Doc) uprightHead(t Table, widths []float64) *Column {
	const most = 150
	lines := make([]line, len(t.Columns))
	high := 0.0
	for i, c := range t.Columns {
		lines[i] = d.fonts.fit(c.Head, t.Head, most)
		if c.Right {
			high = max(high, lines[i].width)
		}
	}
	between, rowPad := t.pads()
	row := d.Column(0)
	row.y = high + 2*rowPad
	x := 0.0
	for i, w := range widths {
		if !t.Columns[i].Right {
			row.line(x, row.y-rowPad-lines[i].height, lines[i])
		} else {
			head := &text{x: x + w - t.Head.Size*0.15, y: row.y - rowPad, angle: 90}
			for _, p := range lines[i].pieces {
				one := *head
				one.piece = p
				row.ops = append(row.ops, &one)
				head.y -= p.width
			}
		}
		x += w + between
	}
	row.Rule(0.5, t.Line)
	return row
}

// row lays out one row with a line below it.
func (d *Doc) row(t Table, cells []Cell, widths []float64) *Column {
	between, rowPad := t.pads()
	row := d.Column(0)
	x, height := 0.0, 0.0
	for i, w := range widths {
		y := rowPad
		switch {
		case i >= len(cells):
		case cells[i].Chip != nil:
			y += row.chip(cells[i].Chip, x, y)
		case cells[i].Gauge != nil:
			row.gauge(cells[i].Gauge, x, y+5)
		default:
			most := cells[i].Most
			if most == 0 {
				most = cellLines
			}
			for _, l := range d.fonts.wrap(cells[i].Spans, w, most) {
				left := x
				if t.Columns[i].Right {
					left += w - l.width
				}
				row.line(left, y, l)
				y += l.height
			}
		}
		height = max(height, y)
		x += w + between
	}
	row.y = height + rowPad
	row.Rule(0.5, t.Line)
	return row
}

const chipPad = 4.0

func (d *Doc) chipWidth(c *Chip) float64 {
	return d.fonts.fit(c.Text, c.style(), math.Inf(1)).width + 2*chipPad
}

// chip draws a chip and returns its height.
func (col *Column) chip(c *Chip, x, y float64) float64 {
	l := col.d.fonts.fit(c.Text, c.style(), math.Inf(1))
	h := l.height + 1
	frame := box(x, y, l.width+2*chipPad, h, c.Ground)
	col.ops = append(col.ops, frame)
	edge := &shape{path: slices.Clone(frame.path), color: nrgba(c.Ink), stroke: true, width: 0.5}
	if c.Dashed {
		edge.dash = []float64{2, 1.5}
	}
	if c.Edge {
		col.ops = append(col.ops, edge)
	}
	col.line(x+chipPad, y+0.5, l)
	return h
}

// gauge draws a gauge centred on the height y.
func (col *Column) gauge(g *Gauge, x, y float64) {
	const pad, r = 4.0, 2.6
	along := func(share float64) float64 { return x + pad + share*(gaugeWidth-2*pad) }
	dot := make([]point, g.Corners)
	for i := range dot {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(g.Corners))
		dot[i] = point{along(g.Value) + r*cos, y + r*sin}
	}
	threshold := box(along(g.Threshold)-0.5, y-4.5, 1, 9, color.Black)
	col.ops = append(col.ops,
		ruleAt(along(0), along(1), y, 0.5, color.Gray{0xb8}),
		ruleAt(along(g.Low), along(g.High), y, 1.8, color.RGBA{0x4a, 0x6d, 0x8c, 255}),
		threshold, &shape{path: polygon(dot...), color: nrgba(g.Ink)})
}
