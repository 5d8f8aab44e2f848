package html

import (
	"html/template"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"

	"gonogo/report/block"
)

// picture is a figure with its data as rows, and the place of each row in it.
type picture struct {
	Name, Doc       string
	Title, Subtitle string
	SVG             template.HTML
	Grid            block.Grid
	Split           string // the split whose item table has the data, if the marks are items
	Spots           *spots
	Brief           bool
}

// headHeight is about the height of the title and subtitle of a figure.
const headHeight vg.Length = 30

// spots says where the rows of a picture's table are in the picture, in percent of its width and
// height from the top left corner.
type spots struct {
	Axes    [4]float64  `json:"axes"`    // left, top, right, bottom
	Columns bool        `json:"columns"` // places differ only in left and right
	Places  [][]float64 `json:"places,omitempty"`
	Filter  bool        `json:"filter,omitempty"` // the name of a row finds its items in the item table

	// For a picture of items: the left end of the first and the width of each, in percent, the
	// rewards at the bottom and the top; the reward range; and how many items one mark has.
	Items []float64 `json:"items,omitempty"`
	Range []float64 `json:"range,omitempty"`
	Each  int       `json:"each,omitempty"`
}

func (r *renderer) picture(b block.Figure) (picture, error) {
	f := b.Figure
	alt, one := f.Alt(), picture{Name: f.Name, Doc: f.Doc, Title: f.Title, Subtitle: f.Subtitle, Brief: b.Brief}
	f.Title, f.Subtitle = "", "" // the page shows them as text, which wraps
	if !b.Strip() {
		f.Height -= headHeight
	}
	svg, err := inlineSVG(f, alt)
	if err != nil {
		return picture{}, err
	}
	one.SVG, one.Grid = svg, block.Grid{Head: f.Table.Head}
	frame, ok := f.Frame(width, f.Height)
	if !ok || len(f.Table.Marks) == 0 && !f.Table.Items {
		return one, nil
	}
	position := func(x, y float64) (float64, float64) {
		left, top := frame.At(x, y)
		return percent(left-svgLeft, width-svgLeft-svgRight), percent(top-svgTop, f.Height-svgTop-svgBottom)
	}
	s := &spots{Columns: f.Table.Columns, Each: f.Table.Each, Filter: f.Table.Filter}
	s.Axes[0], s.Axes[1] = position(math.Inf(-1), math.Inf(1))
	s.Axes[2], s.Axes[3] = position(math.Inf(1), math.Inf(-1))
	one.Spots = s
	if f.Table.Filter {
		one.Split = b.Axis
	}
	if f.Table.Items {
		one.Split = b.Axis
		first, _ := position(0.5, 0)
		next, _ := position(float64(f.Table.Count)+0.5, 0)
		s.Range = b.Range[:]
		s.Items = []float64{first, (next - first) / float64(max(1, f.Table.Count)), f.Plot.Y.Min, f.Plot.Y.Max}
		return one, nil
	}
	for _, m := range f.Table.Marks {
		one.Grid.Rows = append(one.Grid.Rows, m.Cells)
		left, top := position(m.X0, m.Y1)
		right, bottom := position(m.X1, m.Y0)
		place := []float64{left, top, right, bottom}
		for _, d := range m.Dots {
			x, y := position(d.X, d.Y)
			place = append(place, x, y)
		}
		s.Places = append(s.Places, place)
	}
	one.Grid.Kinds = kinds(one.Grid)
	return one, nil
}

// kinds returns the kinds of the columns of g: numbers where every cell begins as one.
func kinds(g block.Grid) []block.Kind {
	list := make([]block.Kind, len(g.Head))
	for i := range g.Head {
		list[i] = block.Number
		for _, row := range g.Rows {
			cell := strings.TrimLeft(row[i], "-−–+±<>≤≥$ ")
			if cell != "" && (cell[0] < '0' || cell[0] > '9') || i == 0 {
				list[i] = block.Text
			}
		}
	}
	return list
}

// percent returns a length in percent of another, rounded to hundredths.
func percent(part, total vg.Length) float64 {
	return math.Round(10000*float64(part/total)) / 100
}
