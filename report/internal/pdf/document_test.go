package pdf

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// texts are the texts of a page, in the order they are drawn.
func texts(ops []op) string {
	var list []string
	for _, o := range ops {
		if t, ok := o.(*text); ok {
			list = append(list, t.text)
		}
	}
	return strings.Join(list, " ")
}

func (d *Doc) paragraph(n int, form string) *Column {
	c := d.Column(0)
	for i := range n {
		c.Text(Paragraph{Spans: []Span{{fmt.Sprintf(form, i), plain}}})
	}
	return c
}

func TestAColumnHigherThanAPageIsBrokenBetweenLines(t *testing.T) {
	d := New(Options{})
	d.Place(d.paragraph(3, "first %d"))
	c := d.paragraph(130, "line %d")
	c.Edge, c.EdgeWidth = color.Black, 3
	d.Place(c)
	if len(d.pages) != 4 { // it begins on a page of its own: 55 lines a page
		t.Fatalf("%d pages", len(d.pages))
	}
	for i, ops := range d.pages {
		for _, o := range ops {
			if b := o.bounds(); b.y0 < top-1 || b.y1 > d.opt.Paper.Height-bottom+1 {
				t.Errorf("page %d: something at %v", i+1, b)
			}
		}
	}
	if got := texts(d.pages[2]); !strings.HasPrefix(got, "line 5") {
		t.Errorf("page 3 begins with %.20s", got)
	}
}

func TestAHeadingStaysWithWhatFollows(t *testing.T) {
	d := New(Options{})
	d.Place(d.paragraph(50, "line %d"))
	d.Heading(0, "Heading", plain)
	d.Heading(1, "Sub", plain)
	d.Place(d.paragraph(8, "below %d"))
	if got := texts(d.pages[1]); !strings.HasPrefix(got, "Heading Sub below 0") {
		t.Errorf("page 2 begins with %.40s", got)
	}
	if len(d.marks) != 2 || d.marks[0].page != 1 || d.marks[1].level != 1 {
		t.Errorf("bookmarks are %v", d.marks)
	}
}

func TestATableRepeatsItsHead(t *testing.T) {
	d := New(Options{})
	table := Table{Head: plain, Line: color.Black, Columns: []ColumnSpec{{Head: "name", Grow: 1}, {Head: "value", Right: true}}}
	for i := range 100 {
		table.Rows = append(table.Rows, []Cell{{Spans: []Span{{fmt.Sprintf("row%d", i), plain}}}, {Spans: []Span{{strings.Repeat("wide ", i), plain}}}})
	}
	d.Table(table)
	for i, ops := range d.pages {
		if got := texts(ops); !strings.HasPrefix(got, "name value row") {
			t.Errorf("page %d begins with %.40s", i+1, got)
		}
		for _, o := range ops {
			if b := o.bounds(); b.x0 < side-1 || b.x1 > d.opt.Paper.Width-side+1 || b.y1 > d.opt.Paper.Height-bottom+1 {
				t.Fatalf("page %d: something at %v", i+1, b)
			}
		}
	}
	if len(d.pages) < 3 {
		t.Errorf("%d pages", len(d.pages))
	}
}

func TestWidthsAreSharedByNeed(t *testing.T) {
	d := New(Options{})
	cell := func(s string) Cell { return Cell{Spans: []Span{{s, plain}}} }
	for name, test := range map[string]struct {
		columns []ColumnSpec
		row     []Cell
		check   func(w []float64, room float64) bool
	}{
		"what is left goes to those that grow": {
			[]ColumnSpec{{}, {Grow: 1}},
			[]Cell{cell("a"), cell("b")},
			func(w []float64, room float64) bool { return w[0] < 10 && math.Abs(w[0]+w[1]-room) < 0.01 },
		},
		"a long text leaves the others their words": {
			[]ColumnSpec{{}, {}},
			[]Cell{cell("unbreakable"), cell(strings.Repeat("many words ", 50))},
			func(w []float64, room float64) bool { return w[0] > 50 && math.Abs(w[0]+w[1]-room) < 0.01 },
		},
		"two words that do not fit share alike": {
			[]ColumnSpec{{Least: 400}, {Least: 400}},
			[]Cell{cell(""), cell("")},
			func(w []float64, room float64) bool { return math.Abs(w[0]-room/2) < 0.01 },
		},
	} {
		if w := d.widths(Table{Columns: test.columns, Rows: [][]Cell{test.row}}); !test.check(w, d.Width()-10) {
			t.Errorf("%s: widths are %v", name, w)
		}
	}
}

// A figure's turned, moved and scaled marks stand where the canvas says.
func TestACanvasIsDrawnInItsPlace(t *testing.T) {
	d := New(Options{})
	c := d.Column(0)
	c.Space(10)
	c.Figure(20, 100, 50, func(dc draw.Canvas) {
		dc.Push()
		dc.Translate(vg.Point{X: 50, Y: 25})
		dc.Rotate(math.Pi / 2)
		dc.Scale(2, 1)
		dc.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1, Dashes: []vg.Length{2, 1}}, 0, 0, 10, 0)
		dc.Canvas.FillString(font.Face{Font: font.Font{Size: 8}}, vg.Point{}, "up")
		dc.Pop()
		var circle vg.Path
		circle.Arc(vg.Point{X: 10, Y: 10}, 5, 0, 2*math.Pi)
		circle.Close()
		dc.SetColor(color.NRGBA{R: 255, A: 128})
		dc.Fill(circle)
		var nowhere vg.Path
		nowhere.Move(vg.Point{X: vg.Length(math.NaN())})
		nowhere.Line(vg.Point{X: vg.Length(math.Inf(1))})
		dc.Stroke(nowhere)
	})
	if len(c.ops) != 3 {
		t.Fatalf("%d marks, want a line, a text and a circle; what is nowhere is left out", len(c.ops))
	}
	near := func(got, want rect) bool {
		return math.Abs(got.x0-want.x0)+math.Abs(got.y0-want.y0)+math.Abs(got.x1-want.x1)+math.Abs(got.y1-want.y1) < 0.1
	}
	if got, want := c.ops[0].bounds(), (rect{69.5, 14.5, 70.5, 35.5}); !near(got, want) {
		t.Errorf("the line stands at %v, want %v", got, want)
	}
	if text := c.ops[1].(*text); math.Abs(text.angle-90) > 1e-9 || math.Abs(text.x-70) > 1e-9 || math.Abs(text.y-35) > 1e-9 {
		t.Errorf("the text stands at %g, %g, turned by %g", text.x, text.y, text.angle)
	}
	if got, want := c.ops[2].bounds(), (rect{25, 45, 35, 55}); !near(got, want) {
		t.Errorf("the circle stands at %v, want %v", got, want)
	}
}

func TestPaper(t *testing.T) {
	for name, want := range map[string]float64{"": 595.28, "a4": 595.28, "A4": 595.28, "Letter": 612} {
		if p, err := PaperByName(name); err != nil || p.Width != want {
			t.Errorf("%q is %v, %v", name, p, err)
		}
	}
}

// FuzzText puts any text wherever text may stand.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "😀𝕏\U0010FFFF", "\xff\xfe\x00", "\u202eשלום\u200b", "𠮷 中文", "\ufffe\uffff\ufeff", strings.Repeat("x", 10_000), "(\\)\r\n{nb}", "<</Type /Page>>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := New(Options{Title: s, Subject: s, Creator: s, HeadLeft: s, HeadRight: s, FootLeft: s, Pages: "%s/%s"})
		d.Heading(0, s, plain)
		d.Table(Table{Columns: []ColumnSpec{{Head: s}, {Head: s, Right: true}}, Rows: [][]Cell{{{Spans: []Span{{s, plain}}}, {Chip: &Chip{Text: "x", Size: 7}}}}, Head: plain, Line: color.Black})
		c := d.Column(0)
		c.Text(Paragraph{Lead: "•", Indent: 9, Spans: []Span{{s, plain}, {s, plain}}, Most: 5})
		d.Place(c)
		var a, b bytes.Buffer
		if err := d.Write(&a); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatalf("a second writing differs: %v", err)
		}
	})
}

// Two figures side by side were once drawn over each other.
func TestFiguresSideBySideKeepTheirColumns(t *testing.T) {
	c := New(Options{}).Column(0)
	c.Beside(2, 20, func(_ int, one *Column) {
		one.Figure(0, 100, 50, func(dc draw.Canvas) {
			dc.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1}, 0, 0, 10, 0)
		})
	})
	first, second := c.ops[0].bounds(), c.ops[1].bounds()
	if want := (c.w-20)/2 + 20; math.Abs(second.x0-first.x0-want) > 0.01 || first.y0 != second.y0 {
		t.Errorf("they are at %v and %v, want %.0f points between them", first, second, want)
	}
}
