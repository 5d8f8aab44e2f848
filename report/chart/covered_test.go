package chart_test

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

// On a page the label of a row covered the red mark that decided: every dot of every picture stays
// clear of the backgrounds of texts drawn after it.
func TestNoTextCoversAMark(t *testing.T) {
	results := map[string]*analysis.Result{"shifted": shifted(t)}
	for _, name := range reporttest.Names() {
		results[name] = reporttest.Load(t, name)
	}
	dots := 0
	for name, r := range results {
		for _, c := range chart.Charts() {
			f := chart.Render(c, r)
			for _, size := range []struct{ w, h vg.Length }{{310, f.Height}, {chart.Width, f.Height}} {
				dots += checkUncovered(t, fmt.Sprintf("%s of %s at %v", c.Name, name, size.w), f, size.w, size.h)
			}
		}
	}
	if dots < 500 {
		t.Errorf("only %d dots were looked at", dots)
	}
}

// checkUncovered returns how many dots f has.
func checkUncovered(t *testing.T, what string, f chart.Figure, w, h vg.Length) int {
	t.Helper()
	marks := []color.Color{chart.Red, chart.Blue, chart.Orange, chart.Steel, chart.Green}
	var rec recorder.Canvas
	f.Draw(draw.NewCanvas(&rec, w, h))
	var now color.Color
	var dots []vg.Point
	for _, action := range rec.Actions {
		switch a := action.(type) {
		case *recorder.SetColor:
			now = a.Color
		case *recorder.Fill:
			box := boundsOf(a.Path)
			size := box.Size()
			switch {
			case slices.Contains(marks, now) && size.X <= 9 && size.Y <= 9:
				dots = append(dots, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2})
			case paper(now) && size.X > 12 && size.X < w-1:
				for _, p := range dots {
					if p.X > box.Min.X && p.X < box.Max.X && p.Y > box.Min.Y && p.Y < box.Max.Y {
						t.Errorf("%s: a dot at %v is under a text's background %v", what, p, box)
					}
				}
			}
		}
	}
	return len(dots)
}

func paper(c color.Color) bool {
	if c == nil {
		return false
	}
	r, g, b, a := c.RGBA()
	return a > 0xc000 && r == a && g == a && b == a
}

// boundsOf is the box of a path's points. Arcs count with their full circle.
func boundsOf(path vg.Path) vg.Rectangle {
	box := vg.Rectangle{Min: vg.Point{X: vg.Length(1e9), Y: vg.Length(1e9)}, Max: vg.Point{X: vg.Length(-1e9), Y: vg.Length(-1e9)}}
	for _, p := range path {
		if p.Type == vg.CloseComp {
			continue
		}
		box.Min.X, box.Min.Y = min(box.Min.X, p.Pos.X-p.Radius), min(box.Min.Y, p.Pos.Y-p.Radius)
		box.Max.X, box.Max.Y = max(box.Max.X, p.Pos.X+p.Radius), max(box.Max.Y, p.Pos.Y+p.Radius)
	}
	return box
}

// Three rewards were drawn as bins of 0.05, and named "in the lowest bin".
func TestAFewRewardsHaveABarEach(t *testing.T) {
	r := reporttest.Load(t, "go")
	_, s, _ := chart.ShownSplit(r)
	h := &s.Reward.Histogram
	*h = analysis.Histogram{Edges: []float64{0, 0.5, 1}, Counts: []int{60, 40}, Values: []float64{0, 0.1, 1}, ValueCounts: []int{50, 10, 40}}
	f := chart.Render(chartNamed(t, "rewards"), r)
	if want := "Rewards on train: 0 (50 %), 0.1 (10 %), 1 (40 %)"; f.Title != want {
		t.Errorf("the title is %q, want %q", f.Title, want)
	}
	if m := f.Table.Marks; len(m) != 3 || m[1].Cells[0] != "0.1" || m[1].Cells[1] != "10" || m[1].X0 >= 0.1 || m[1].X1 <= 0.1 {
		t.Errorf("the rows are %+v", m)
	}
	wellFormed(t, writeSVG(t, f))
	h.Values, h.ValueCounts = []float64{0, 1}, []int{60, 40}
	if got, want := chart.Render(chartNamed(t, "rewards"), r).Title, "All or nothing: 60 % of train rewards at the bottom of the range, 40 % at the top"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	h.Values, h.ValueCounts = []float64{0, 0.25, 0.5, 0.75, 1}, []int{20, 20, 20, 20, 20}
	if got, want := chart.Render(chartNamed(t, "rewards"), r).Title, "5 different rewards on train, from 0 (20 %) to 1 (20 %)"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
}

// A picture without anything to show was an empty frame with a legend.
func TestNothingToShowIsNoPicture(t *testing.T) {
	r := reporttest.Load(t, "go")
	for split, s := range r.Splits {
		zero := 0.0
		s.Missing, s.OwnFailures = analysis.Missing{}, analysis.OwnFailures{}
		s.Variance.GraderShare.Value = &zero
		r.Splits[split] = s
	}
	for name, why := range map[string]string{
		"failures": "every rollout ended in a grade", "noise": "every answer that was graded again got the same reward",
	} {
		if f := chart.Render(chartNamed(t, name), r); f.Plot != nil || f.NoData != why {
			t.Errorf("%s: plot %t, %q, want %q", name, f.Plot != nil, f.NoData, why)
		}
	}
}

// With a thousand items a cross is the mean of several bests, and the legend called it the best.
func TestPooledCrossesAreMeans(t *testing.T) {
	r := reporttest.Load(t, "go")
	_, s, _ := chart.ShownSplit(r)
	if f := chart.Render(chartNamed(t, "variance"), r); f.Legend[2].Label != "best of 8 samples" {
		t.Errorf("the cross is %q", f.Legend[2].Label)
	}
	items := s.Classes.Items
	for len(s.Classes.Items) < 1000 {
		s.Classes.Items = append(s.Classes.Items, items...)
	}
	if f := chart.Render(chartNamed(t, "variance"), r); f.Legend[2].Label != "mean of the best of 8 samples" {
		t.Errorf("the cross is %q", f.Legend[2].Label)
	}
}
