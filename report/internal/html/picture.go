package html

import (
	"html/template"
	"math"

	"gonum.org/v1/plot/vg"

	"gonogo/report/block"
)

// picture is a figure, its rows, and where on it they are.
type picture struct {
	Name, Doc       string
	Title, Subtitle string
	SVG             template.HTML
	Grid            block.Grid
	Split           string // whose item table has its numbers, when they are items
	Spots           *spots
	Brief           bool
}

// headHeight is about what title and subtitle take of a figure.
const headHeight vg.Length = 30

// spots says where the rows of a picture's table are on it, in percent of its width and
// height from the left top corner.
type spots struct {
	Axes    [4]float64  `json:"axes"`    // left, top, right, bottom
	Columns bool        `json:"columns"` // only left and right tell them apart
	Places  [][]float64 `json:"places,omitempty"`
	Filter  bool        `json:"filter,omitempty"` // the name of a row finds its items

	// Of a picture of items: the left end of the first and the width of each,
	// in percent, the rewards at bottom and top, the range of rewards, and how
	// many are drawn as one.
	Items []float64 `json:"items,omitempty"`
	Range []float64 `json:"range,omitempty"`
	Each  int       `json:"each,omitempty"`
}

func (r *renderer) picture(of block.Figure) (picture, error) {
	f := of.Figure
	alt, one := f.Alt(), picture{Name: f.Name, Doc: f.Doc, Title: f.Title, Subtitle: f.Subtitle, Brief: of.Brief}
	f.Title, f.Subtitle = "", "" // the page's own text can be wrapped
	if !of.Strip() {
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
	at := func(x, y float64) (float64, float64) {
		left, top := frame.At(x, y)
		return percent(left-svgLeft, width-svgLeft-svgRight), percent(top-svgTop, f.Height-svgTop-svgBottom)
	}
	s := &spots{Columns: f.Table.Columns, Each: f.Table.Each, Filter: f.Table.Filter}
	s.Axes[0], s.Axes[1] = at(math.Inf(-1), math.Inf(1))
	s.Axes[2], s.Axes[3] = at(math.Inf(1), math.Inf(-1))
	one.Spots = s
	if f.Table.Filter {
		one.Split = of.Axis
	}
	if f.Table.Items {
		one.Split = of.Axis
		first, _ := at(0.5, 0)
		next, _ := at(float64(f.Table.Count)+0.5, 0)
		s.Range = of.Range[:]
		s.Items = []float64{first, (next - first) / float64(max(1, f.Table.Count)), f.Plot.Y.Min, f.Plot.Y.Max}
		return one, nil
	}
	for _, m := range f.Table.Marks {
		one.Grid.Rows = append(one.Grid.Rows, m.Cells)
		left, top := at(m.X0, m.Y1)
		right, bottom := at(m.X1, m.Y0)
		place := []float64{left, top, right, bottom}
		for _, d := range m.Dots {
			x, y := at(d.X, d.Y)
			place = append(place, x, y)
		}
		s.Places = append(s.Places, place)
	}
	return one, nil
}

// percent is a length as a share of another, to the hundredth.
func percent(part, whole vg.Length) float64 {
	return math.Round(10000*float64(part/whole)) / 100
}
