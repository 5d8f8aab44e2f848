package stat

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestBestOf(t *testing.T) {
	items := [][]float64{{0, 0, 1}, {1, 1, 0}, {}, {0.5, 0, 0.25}}
	curve := BestOf(items, []int{1, 2, 3}, &unit, 0.95)
	mean := Mean(items, &unit, 0.95)
	same(t, "best of 1 is the mean", curve[0].Estimate, mean, 1e-12)
	// By hand over pairs: 2/3, 1, (.5+.5+.25)/3.
	near(t, "best of 2", *curve[1].Value, (2./3+1+1.25/3)/3, 1e-12)
	near(t, "best of 3", *curve[2].Value, 2.5/3, 1e-12)
	if curve[1].FixedSE == nil || curve[2].FixedSE != nil {
		t.Error("fixed se: want one at k < n and none at k = n")
	}
	for i, p := range curve {
		if p.K != i+1 || p.N != 9 || p.Items != 3 {
			t.Errorf("k, n, items = %d, %d, %d", p.K, p.N, p.Items)
		}
	}
	worst := WorstOf(items, []int{1, 3}, &unit, 0.95)
	near(t, "worst of 3", *worst[1].Value, 0, 1e-12)
	if *worst[1].Low != 0 || *worst[1].High < 0.5 {
		t.Errorf("worst of 3 in [%g, %g], want the interval of items that agree", *worst[1].Low, *worst[1].High)
	}
	if points := BestOf(nil, nil, nil, 0.95); points == nil || len(points) != 0 {
		t.Errorf("no ks give %v, want an empty slice", points)
	}
}

// Fifty items of which one succeeds twice in four tries: the worst of two is
// 1/6 there and 0 elsewhere, and items that always succeed cannot be ruled out.
func TestCurvesReachToWhatUnseenItemsMayHold(t *testing.T) {
	items := append(repeat([]float64{0, 0, 0, 0}, 49), []float64{0, 1, 0, 1})
	worst := WorstOf(items, []int{1, 2, 4}, &unit, 0.95)
	same(t, "the worst of 1 is the mean", worst[0].Estimate, Mean(items, &unit, 0.95), 1e-12)
	_, q := ClopperPearson(0, 50, 0.95)
	near(t, "high of the worst of 2", *worst[1].High, 1./300+q*(1-1./6), 1e-9)
	near(t, "high of the worst of 4", *worst[2].High, q, 1e-12)
	if !strings.Contains(worst[1].Method, "unseen") {
		t.Errorf("method %q does not say that it was widened", worst[1].Method)
	}
	alike := append(repeat([]float64{0, 0, 0, 1}, 49), []float64{0, 1, 0, 1}) // 3 and 4 of 6 pairs differ
	signal := Signal(alike, 2, 0, 0.95)
	near(t, "low of the signal", *signal.Low, (1-q)*0.5+1./300, 1e-9)
	near(t, "high of the signal", *signal.High, 0.5+1./300+q*(1-4./6), 1e-9)

	file := Finite(worst[1].Estimate, 50, 75, &unit, 0.95)
	shrink := *file.SE / *worst[1].SE
	near(t, "high for the file", *file.High, 1./300+(*worst[1].High-1./300)*shrink, 1e-9)

	spread := append(items, []float64{1, 1, 1, 1})
	if e := WorstOf(spread, []int{2}, &unit, 0.95)[0]; strings.Contains(e.Method, "unseen") {
		t.Errorf("widened though items at both ends were seen: %q", e.Method)
	}
}

func TestKs(t *testing.T) {
	if got := Ks(0); got == nil || len(got) != 0 {
		t.Errorf("Ks(0) = %v", got)
	}
	if got := Ks(3, 8); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("Ks(3, 8) = %v: what exceeds the samples is no point", got)
	}
	if got := Ks(64); len(got) != 64 {
		t.Errorf("Ks(64) has %d points, want all", len(got))
	}
	for _, n := range []int{65, 100, 1000, 100000} {
		got := Ks(n, 8, 61, n+1, -1)
		if len(got) > 64 || len(got) < 50 || got[0] != 1 || got[len(got)-1] != n {
			t.Errorf("Ks(%d) = %v", n, got)
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("Ks(%d) = %v: not strictly ascending", n, got)
		}
		if !slices.Contains(got, 8) || !slices.Contains(got, 61) {
			t.Errorf("Ks(%d) = %v lacks a kept value", n, got)
		}
		widest := 0.0
		for i := 1; i < len(got); i++ {
			widest = max(widest, math.Log(float64(got[i])/float64(got[i-1])))
		}
		if widest > math.Log(2)+1e-9 {
			t.Errorf("Ks(%d) leaves a gap by a factor of %g", n, math.Exp(widest))
		}
	}
}
