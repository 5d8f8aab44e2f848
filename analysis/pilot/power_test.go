package pilot

import (
	"fmt"
	"math"
	"testing"

	"gonogo/analysis/stat"
)

// binary returns items with 8 rewards of 0 and 1; ones says how many of an item's are 1.
func binary(items int, ones func(i int) int) []Item {
	out := make([]Item, items)
	for i := range out {
		rewards := make([]float64, 8)
		for k := range ones(i) {
			rewards[k] = 1
		}
		out[i] = Item{ID: fmt.Sprint(i), Rewards: rewards}
	}
	return out
}

// The figures of one look at p = 0.3 are those of a normal approximation, Φ(min(0.02, 0.05-1.645·se)/se)
// with se = √(2·0.21/8/m): 0.54 for 64 items, 0.89 for 200.
func TestPowerOfAnEvalLook(t *testing.T) {
	unit := stat.Range{Lo: 0, Hi: 1}
	// s² is 0.125 for one 1 and 0.214 for two: the mean is 0.21 = p(1-p) at p = 0.3
	ones := func(i int) int {
		if i%20 == 0 {
			return 1
		}
		return 2
	}
	for _, c := range []struct {
		items, looks int
		same, stops  float64
		weak         bool
	}{
		{64, 1, 0.0286, 0.54, true},
		{200, 1, 0.0162, 0.89, true},
		{400, 1, 0.0115, 0.96, false},
		{64, 3, 0.0286, 0.34, true}, // 0.05 - 2.128·0.0286 = -0.011, Φ(-0.38) = 0.35; t with 63 degrees is wider
	} {
		p, ok := PowerOf(binary(c.items, ones), unit, 8, c.looks)
		if !ok || math.Abs(p.Same-c.same) > 0.0003 || math.Abs(p.Stops-c.stops) > 0.012 || p.Weak() != c.weak {
			t.Errorf("%d items, %d looks: %+v (%v), want a standard error of %g, %g stopped, weak %v", c.items, c.looks,
				p, ok, c.same, c.stops, c.weak)
		}
		// 0.21·2/8/0.015² = 233
		if p.Enough < 230 || p.Enough > 237 {
			t.Errorf("%d items: %d are enough, want about 233", c.items, p.Enough)
		}
		// Items hardly differ: the interaction is at least 0.05·0.95.
		if want := math.Sqrt(p.Same*p.Same + 0.0475/float64(c.items)); math.Abs(p.Changed-want) > 1e-9 {
			t.Errorf("%d items: %g if items change, want %g", c.items, p.Changed, want)
		}
	}
}

func TestPowerIsAShareOfTheRange(t *testing.T) {
	items := binary(64, func(i int) int { return i % 9 })
	want, _ := PowerOf(items, stat.Range{Lo: 0, Hi: 1}, 8, 3)
	for i := range items {
		for k := range items[i].Rewards {
			items[i].Rewards[k] = 10*items[i].Rewards[k] - 5
		}
	}
	got, ok := PowerOf(items, stat.Range{Lo: -5, Hi: 5}, 8, 3)
	if !ok || math.Abs(got.Same-want.Same) > 1e-12 || math.Abs(got.Changed-want.Changed) > 1e-12 ||
		math.Abs(got.Stops-want.Stops) > 1e-12 || got.Enough != want.Enough {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPowerOfFewRewards(t *testing.T) {
	unit := stat.Range{Lo: 0, Hi: 1}
	once := []Item{{"a", []float64{1}}, {"b", []float64{0}}, {"c", nil}}
	if p, ok := PowerOf(once, unit, 8, 1); ok {
		t.Errorf("items sampled once: %+v", p)
	}
	// s² is 1/2 for two items, and taken to be for the third: 1/2·(1/2+1/2+1 + 3/8)/9
	p, ok := PowerOf([]Item{{"a", []float64{1, 0}}, {"b", []float64{0, 1}}, {"c", []float64{1}}}, unit, 8, 1)
	if want := math.Sqrt(0.5 * 2.375 / 9); !ok || math.Abs(p.Same-want) > 1e-12 {
		t.Errorf("%+v (%v), want a standard error of %g", p, ok, want)
	}
	// all rewards equal: e is exact, and stops for certain
	p, ok = PowerOf([]Item{{"a", []float64{1, 1}}, {"b", []float64{1, 1}}}, unit, 8, 1)
	if !ok || p.Same != 0 || p.Stops != 1 || p.Weak() {
		t.Errorf("%+v (%v)", p, ok)
	}
}
