package chart

import (
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Table lists the data of a chart: for a reader who cannot see it, and for a page that shows what
// is under the pointer.
type Table struct {
	Head  []string
	Marks []Mark // in reading order; from left to right if Columns

	// Columns reports whether the marks are side by side, so that only the horizontal position of
	// the pointer selects one.
	Columns bool

	// Filter reports whether the first cell of a mark, as a filter of the item table of the shown
	// split, finds its items.
	Filter bool

	// Items reports whether the marks are the measured items of the shown split, lowest mean first,
	// the first from X = 0.5 to 1.5. Marks is then empty: the item table has them.
	Items bool
	Count int // number of items
	Each  int // items per mark
}

// heads returns the heads of columns, from pairs of an id and the English text.
func heads(l message.Language, list ...string) (out []string) {
	for pair := range slices.Chunk(list, 2) {
		out = append(out, l.Text(pair[0], pair[1]))
	}
	return out
}

// Mark is one row of a Table, and its area in the units of the plot.
type Mark struct {
	Cells          []string // the first is its name
	X0, X1, Y0, Y1 float64
	Dots           []Dot // the values in the area
}

// upMark returns a mark over the whole height of the plot.
func upMark(cells []string, x0, x1 float64, dots ...Dot) Mark {
	return Mark{cells, x0, x1, math.Inf(-1), math.Inf(1), dots}
}

// Dot is a point of a plot.
type Dot struct{ X, Y float64 }

// Frame is the area of a figure's axes, in points from its top left corner.
type Frame struct {
	Left, Right, Top, Bottom vg.Length
	x, y                     plot.Axis
}

// Frame returns the area of the axes when f is written as an SVG of the size. ok is false for a
// figure without a plot.
func (f Figure) Frame(width, height vg.Length) (frame Frame, ok bool) {
	if f.Plot == nil {
		return Frame{}, false
	}
	f.Fonts = browser()
	var rec recorder.Canvas
	c := f.inner(draw.NewCanvas(&rec, width, height))
	c.Max.Y = f.head(c)
	p := f.axes(c)
	area := p.DataCanvas(c)
	return Frame{
		Left: area.Min.X, Right: area.Max.X, Top: height - area.Max.Y, Bottom: height - area.Min.Y,
		x: p.X, y: p.Y,
	}, true
}

// At returns the position of a data point, in points from the top left corner. A point beyond an
// axis is moved to the end of that axis.
func (f Frame) At(x, y float64) (left, top vg.Length) {
	return f.Left + share(f.x, x)*(f.Right-f.Left), f.Bottom - share(f.y, y)*(f.Bottom-f.Top)
}

// share returns how far along an axis v is, from 0 to 1. On a logarithmic axis, zero and negative
// values are at 0.
func share(a plot.Axis, v float64) vg.Length {
	_, log := a.Scale.(plot.LogScale)
	switch {
	case math.IsInf(v, -1) || math.IsNaN(v) || log && v <= 0:
		return 0
	case math.IsInf(v, 1):
		return 1
	}
	return vg.Length(math.Max(0, math.Min(1, a.Norm(v))))
}

// columnsAt returns a mark for each X that any of the curves has; each mark reaches halfway to its
// neighbours.
func columnsAt(curves []curve, cells func(x float64) []string) []Mark {
	var xs []float64
	for _, v := range curves {
		xs = append(xs, v.x...)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	marks := make([]Mark, len(xs))
	for i, x := range xs {
		m := upMark(cells(x), x-0.5, x+0.5)
		if i > 0 {
			m.X0 = (xs[i-1] + x) / 2
		}
		if i < len(xs)-1 {
			m.X1 = (x + xs[i+1]) / 2
		}
		for _, v := range curves {
			if y, _, _, ok := v.at(x); ok {
				m.Dots = append(m.Dots, Dot{x, y})
			}
		}
		marks[i] = m
	}
	return marks
}

// at returns the value and interval of a curve at x. ok is false if it has no line there.
func (v curve) at(x float64) (y, lo, hi float64, ok bool) {
	i := slices.Index(v.x, x)
	if i < 0 || i >= len(v.y) {
		return 0, 0, 0, false
	}
	if v.lo == nil {
		return v.y[i], v.y[i], v.y[i], true
	}
	return v.y[i], v.lo[i], v.hi[i], true
}

// cellsAt returns x and the values of the curves at x as cells.
func cellsAt(x float64, curves []curve) []string {
	cells := []string{message.Digits(x)}
	for _, v := range curves {
		cells = append(cells, v.cell(x))
	}
	return cells
}

// cell returns the value of a curve at x as a cell, or "" if it has none.
func (v curve) cell(x float64) string {
	y, lo, hi, ok := v.at(x)
	if !ok {
		return ""
	}
	return message.Interval(&y, &lo, &hi)
}

// percentCell is like cell, for shares.
func (v curve) percentCell(x float64) string {
	y, lo, hi, ok := v.at(x)
	switch {
	case !ok:
		return ""
	case lo == hi:
		return message.Percent(y)
	}
	return percentInterval(stat.Estimate{Value: &y, Low: &lo, High: &hi})
}

// percentInterval writes a known share with its interval.
func percentInterval(e stat.Estimate) string {
	if e.Low == nil || e.High == nil {
		return message.Percent(*e.Value)
	}
	return message.Percent(*e.Value) + " [" + message.Percent(*e.Low) + ", " + message.Percent(*e.High) + "]"
}
