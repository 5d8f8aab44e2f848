package chart_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

// TestNoTextIsCutOrRunsIntoAnother draws every chart of every Result at three
// sizes on a canvas that notes where each text stands.
func TestNoTextIsCutOrRunsIntoAnother(t *testing.T) {
	for _, name := range reporttest.Names() {
		r := reporttest.Load(t, name)
		for _, c := range chart.Charts() {
			for _, size := range sizes {
				f := chart.Render(c, r)
				h := size.h * f.Height / chart.Height
				checkLayout(t, fmt.Sprintf("%s of %s at %v × %v", c.Name, name, size.w, h), f, size.w, h)
			}
			f := chart.Render(c, r)
			f.Title, f.Subtitle = "", "" // on a page
			checkLayout(t, fmt.Sprintf("%s of %s on a page", c.Name, name), f, 310, f.Height-30)
		}
	}
}

type placed struct {
	text string
	vg.Rectangle
}

func checkLayout(t *testing.T, what string, f chart.Figure, w, h vg.Length) {
	t.Helper()
	texts := texts(f, w, h)
	if len(texts) == 0 {
		t.Errorf("%s: no text at all", what)
	}
	const slack = 1.0 // points: sides of letters are not ink
	for i, a := range texts {
		if a.Min.X < -slack || a.Min.Y < -slack || a.Max.X > w+slack || a.Max.Y > h+slack {
			t.Errorf("%s: %q reaches outside the picture: %v", what, a.text, a.Rectangle)
		}
		for _, b := range texts[:i] {
			if a.Min.X+slack < b.Max.X && b.Min.X+slack < a.Max.X && a.Min.Y+slack < b.Max.Y && b.Min.Y+slack < a.Max.Y {
				t.Errorf("%s: %q and %q overlap", what, a.text, b.text)
			}
		}
	}
}

// texts draws f and returns the ink box of each text, turned as it is drawn.
func texts(f chart.Figure, w, h vg.Length) []placed {
	var rec recorder.Canvas
	f.Draw(draw.NewCanvas(&rec, w, h))
	type state struct{ angle, x, y float64 }
	stack := []state{{}}
	var out []placed
	for _, action := range rec.Actions {
		now := &stack[len(stack)-1]
		switch a := action.(type) {
		case *recorder.Push:
			stack = append(stack, *now)
		case *recorder.Pop:
			stack = stack[:len(stack)-1]
		case *recorder.Translate:
			sin, cos := math.Sincos(now.angle)
			x, y := float64(a.Point.X), float64(a.Point.Y)
			now.x, now.y = now.x+x*cos-y*sin, now.y+x*sin+y*cos
		case *recorder.Rotate:
			now.angle += a.Angle
		case *recorder.FillString:
			sty := f.Fonts.Style(a.Size, a.Font.Weight > 0, chart.Ink)
			wide, up := float64(sty.Width(a.String)), float64(a.Size)*0.72
			sin, cos := math.Sincos(now.angle)
			x0, y0 := math.Inf(1), math.Inf(1)
			x1, y1 := math.Inf(-1), math.Inf(-1)
			for _, p := range [][2]float64{{0, 0}, {wide, 0}, {0, up}, {wide, up}} {
				px, py := float64(a.Point.X)+p[0], float64(a.Point.Y)+p[1]
				x, y := now.x+px*cos-py*sin, now.y+px*sin+py*cos
				x0, x1, y0, y1 = math.Min(x0, x), math.Max(x1, x), math.Min(y0, y), math.Max(y1, y)
			}
			out = append(out, placed{a.String, vg.Rectangle{Min: vg.Point{X: vg.Length(x0), Y: vg.Length(y0)}, Max: vg.Point{X: vg.Length(x1), Y: vg.Length(y1)}}})
		}
	}
	return out
}

// In a narrow picture, as the summary's are, the line at the group size ran
// through the labels of the thresholds.
func TestTheGroupSizesLineCrossesNoLabel(t *testing.T) {
	for _, name := range reporttest.Names() {
		f := chart.Render(chartNamed(t, "informative"), reporttest.Load(t, name))
		f.Panel = true
		labels := texts(f, 270, 220)
		at := slices.IndexFunc(labels, func(l placed) bool { return strings.HasPrefix(l.text, "group size ") })
		if at < 0 {
			continue
		}
		line := labels[at].Min.X - 3.5 // as far from its label as a rule is
		for _, l := range labels {
			if strings.Contains(l.text, " below ") && l.Min.X < line && line < l.Max.X {
				t.Errorf("%s: it crosses %q", name, l.text)
			}
		}
	}
}
