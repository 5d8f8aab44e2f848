package stat

import (
	"math"
	"testing"

	"gonogo/analysis/message"
)

func TestFinite(t *testing.T) {
	items := [][]float64{{0, 1, 1, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}, {0, 1, 0, 0}, {1, 0, 0, 1}, {0, 0, 0, 0}}
	e := Mean(items, nil, 0.95)
	total, within := *e.SE**e.SE, *e.FixedSE**e.FixedSE

	same(t, "a vast population changes nothing", Finite(e, 6, 1e15, nil, 0.95), e, 1e-12)

	half := Finite(e, 6, 12, nil, 0.95)
	near(t, "se with half the file", known(t, "se", half.SE), math.Sqrt(within+(total-within)/2), 1e-12)
	near(t, "high", *half.High, *e.Value+2.5705818366*(*half.SE), 1e-9)

	all := Finite(e, 6, 6, nil, 0.95)
	near(t, "se with the whole file", known(t, "se", all.SE), *e.FixedSE, 1e-12)
	same(t, "a file smaller than its sample", Finite(e, 6, 2, nil, 0.95), all, 0)

	e.FixedSE = nil
	same(t, "unknown within variance: no reduction", Finite(e, 6, 6, nil, 0.95), e, 1e-12)
}

func TestFiniteKeepsWhatHasNoSpread(t *testing.T) {
	e := Mean(repeat([]float64{0, 0}, 10), &unit, 0.95)
	same(t, "all items agree", Finite(e, 10, 10, &unit, 0.95), e, 0)
	e = Mean([][]float64{{0, 1}}, &unit, 0.95)
	same(t, "one item", Finite(e, 1, 1, &unit, 0.95), e, 0)
}

func TestFiniteNeverIsAPoint(t *testing.T) {
	items := append(repeat([]float64{0, 0}, 6), repeat([]float64{1, 1}, 4)...)
	e := Finite(Mean(items, &unit, 0.95), 10, 10, &unit, 0.95)
	near(t, "low", known(t, "low", e.Low), 0.4-0.3084971078187608, 1e-9)
	near(t, "high", known(t, "high", e.High), 0.4+0.3084971078187608, 1e-9)
	if e.SE != nil || len(e.Warnings) != 1 {
		t.Errorf("se %v, warnings %q: want none and one", e.SE, e.Warnings)
	}
}

func TestFiniteLeavesItsInputAlone(t *testing.T) {
	items := append(repeat([]float64{0, 0}, 6), repeat([]float64{1, 1}, 4)...)
	e := Mean(items, &unit, 0.95)
	e.Warnings = make([]message.Text, 0, 8)
	Finite(e, 10, 10, &unit, 0.95)
	if !e.Warnings[:1][0].IsEmpty() || e.SE == nil {
		t.Error("the estimate handed in was changed")
	}
}

func TestNeeded(t *testing.T) {
	e := Mean(unequal, &unit, 0.95) // 0.49, [0.135, 0.853], 5 items
	tests := []struct {
		about     string
		e         Estimate
		threshold float64
		m         int
		r         *Range
		settled   bool
	}{
		{"settled already", e, 0.9, 5, &unit, true},
		{"a threshold inside", e, 0.3, 5, &unit, true},
		{"a threshold above", e, 0.6, 5, &unit, true},
		{"unbounded", Mean(unequal, nil, 0.95), 0.6, 5, nil, true},
		{"all agree at the end", Mean(repeat([]float64{0}, 10), &unit, 0.95), 0.1, 10, &unit, true},
		{"all agree inside", Mean(repeat([]float64{0.5}, 10), &unit, 0.95), 0.4, 10, &unit, true},
		{"one item", Mean([][]float64{{0.5}}, &unit, 0.95), 0.1, 1, &unit, true},
		{"one item near the threshold", Mean([][]float64{{0}}, &unit, 0.95), 0.03, 1, &unit, true},
		{"on the threshold", e, 0.49, 5, &unit, false},
		{"a hair from the threshold", e, 0.4905, 5, &unit, false},
		{"past a hundred times the items", e, 0.495, 5, &unit, false},
		{"unknown", Mean(nil, &unit, 0.95), 0.5, 0, &unit, false},
		{"one item, unbounded", Mean([][]float64{{0.5}}, nil, 0.95), 0.1, 1, nil, false},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			items, ok := Needed(test.e, test.threshold, test.m, test.r, 0.95)
			if ok != test.settled || !ok && items != 0 {
				t.Fatalf("Needed = %d, %v, want settleable %v", items, ok, test.settled)
			}
			if !ok || items == test.m {
				return
			}
			if low, high := test.e.grown(test.m, items, test.r, 0.95); !excludes(low, high, test.threshold) {
				t.Errorf("%d items are not enough: [%g, %g]", items, *low, *high)
			}
			if low, high := test.e.grown(test.m, items-1, test.r, 0.95); items-1 > test.m && excludes(low, high, test.threshold) {
				t.Errorf("%d items would do already", items-1)
			}
		})
	}
}

// 0 of m excludes 0.1 once (α/2)^(1/m) > 0.9: m > ln 0.025 / ln 0.9 = 35.01.
func TestNeededByHand(t *testing.T) {
	e := Mean(repeat([]float64{0}, 10), &unit, 0.95)
	if items, ok := Needed(e, 0.1, 10, &unit, 0.95); items != 36 || !ok {
		t.Errorf("Needed = %d, %v, want 36, true", items, ok)
	}
}
