package chart_test

import (
	"testing"

	"gonum.org/v1/plot/vg"

	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

// TestEveryChartIsATableToo holds each chart's rows against its picture: each
// names itself and stands within the axes, and columns follow each other.
func TestEveryChartIsATableToo(t *testing.T) {
	for _, name := range reporttest.Names() {
		r := reporttest.Load(t, name)
		for _, c := range chart.Charts() {
			f := chart.Render(c, r)
			frame, ok := f.Frame(chart.Width, f.Height)
			if ok != (f.Plot != nil) {
				t.Errorf("%s of %s: a frame is %t, a plot %t", c.Name, name, ok, f.Plot != nil)
			}
			if !ok {
				continue
			}
			if frame.Left < 0 || frame.Right > chart.Width || frame.Left >= frame.Right || frame.Top < 0 || frame.Bottom > f.Height || frame.Top >= frame.Bottom {
				t.Errorf("%s of %s: its axes lie at %v", c.Name, name, frame)
			}
			if len(f.Table.Marks) == 0 && !f.Table.Items {
				t.Errorf("%s of %s has no rows", c.Name, name)
			}
			end := vg.Length(-1)
			for i, m := range f.Table.Marks {
				if len(m.Cells) != len(f.Table.Head) || m.Cells[0] == "" {
					t.Errorf("%s of %s: row %d is %q under %q", c.Name, name, i, m.Cells, f.Table.Head)
				}
				left, low := frame.At(m.X0, m.Y0)
				right, high := frame.At(m.X1, m.Y1)
				if right < left || high > low || f.Table.Columns && (right == left || left < end-1e-9) {
					t.Errorf("%s of %s: row %q stands at %v to %v, %v to %v", c.Name, name, m.Cells, left, right, low, high)
				}
				end = right
			}
		}
	}
}

func TestAPointStandsWhereItIsDrawn(t *testing.T) {
	c := chart.Charts()[0]
	f := chart.Render(c, reporttest.Load(t, "go"))
	frame, _ := f.Frame(chart.Width, f.Height)
	x, y := frame.At(f.Plot.X.Min, f.Plot.Y.Max)
	if x != frame.Left || y != frame.Top {
		t.Errorf("the left top end of the axes is at %v, %v, want %v, %v", x, y, frame.Left, frame.Top)
	}
	x, y = frame.At((f.Plot.X.Min+f.Plot.X.Max)/2, f.Plot.Y.Min-1)
	if mid := (frame.Left + frame.Right) / 2; x-mid > 1e-6 || mid-x > 1e-6 || y != frame.Bottom {
		t.Errorf("the middle, below the axes, is at %v, %v, want %v, %v", x, y, mid, frame.Bottom)
	}
}
