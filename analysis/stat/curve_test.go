package stat

import (
	"math"
	"slices"
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
