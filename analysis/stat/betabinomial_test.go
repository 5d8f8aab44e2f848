package stat

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Expected values by scipy on the same likelihood: /usr/bin/python3 -c
// "import numpy as np; from scipy.special import betaln as B; from scipy.optimize import minimize
// f=lambda x: -np.sum(B(s+np.exp(x[0]),n-s+np.exp(x[1]))-B(np.exp(x[0]),np.exp(x[1])))
// print(np.exp(minimize(f,[0,0],method='Nelder-Mead',options=dict(xatol=1e-10,fatol=1e-13,maxiter=10000)).x))"
func TestBetaBinomialFit(t *testing.T) {
	tests := []struct {
		about        string
		successes, n []int
		a, b         float64
	}{
		{"items at both ends", []int{0, 1, 2, 3, 4, 8, 8, 7, 0, 0}, slices.Repeat([]int{8}, 10), 0.30488803, 0.40627296},
		{"unequal numbers of rollouts", []int{0, 1, 0, 2, 5, 4, 1, 3}, []int{3, 4, 2, 2, 8, 5, 1, 6}, 5.73141635, 5.58507646},
		{"mostly failures", []int{0, 0, 0, 0, 1, 0, 0, 8, 0, 0, 0, 2}, slices.Repeat([]int{8}, 12), 0.05937063, 0.35966248},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			a, b, ok := BetaBinomialFit(test.successes, test.n)
			if !ok {
				t.Error("not ok")
			}
			near(t, "a", a/test.a, 1, 1e-4)
			near(t, "b", b/test.b, 1, 1e-4)
		})
	}
}

// Boys among the first 12 children of 6115 families (Geissler 1889, as in
// Lindsey 1995): the usual example of the distribution, fitted as 34.1 and 31.6.
func TestBetaBinomialFitOfFamilies(t *testing.T) {
	var boys []int
	for k, families := range []int{3, 24, 104, 286, 670, 1033, 1343, 1112, 829, 478, 181, 45, 7} {
		boys = append(boys, slices.Repeat([]int{k}, families)...)
	}
	a, b, ok := BetaBinomialFit(boys, slices.Repeat([]int{12}, len(boys)))
	near(t, "a", a, 34.1, 0.002)
	near(t, "b", b, 31.6, 0.002)
	if !ok {
		t.Error("not ok")
	}
}

func TestBetaBinomialFitRefuses(t *testing.T) {
	for about, data := range map[string][2][]int{
		"nothing":           {nil, nil},
		"all failures":      {{0, 0}, {8, 8}},
		"all successes":     {{8, 4}, {8, 4}},
		"single rollouts":   {{0, 1, 1}, {1, 1, 1}},
		"items without any": {{0, 0}, {0, 0}},
	} {
		if a, b, ok := BetaBinomialFit(data[0], data[1]); ok || a != 0 || b != 0 {
			t.Errorf("%s: %g, %g, %v, want 0, 0, false", about, a, b, ok)
		}
	}
	// Less spread than coins of one kind: only the mean is left.
	a, b, ok := BetaBinomialFit([]int{2, 2, 2, 2, 2}, []int{8, 8, 8, 8, 8})
	near(t, "mean of items that are alike", a/(a+b), 0.25, 1e-4)
	if ok {
		t.Error("ok though items are alike")
	}
}

func TestBetaBinomialFitOfCertainItems(t *testing.T) {
	a, b, ok := BetaBinomialFit([]int{8, 0, 8, 0, 0}, []int{8, 8, 8, 8, 8})
	near(t, "share of items", a/(a+b), 0.4, 1e-3)
	if !ok || StaysProb(8, 8, 8, a, b) < 0.99 {
		t.Errorf("items that never change: Beta(%g, %g), %v", a, b, ok)
	}
}

func TestBetaBinomialFitRecovers(t *testing.T) {
	rng := seeded(31)
	truth := distuv.Beta{Alpha: 0.6, Beta: 1.8, Src: rng}
	var successes, n []int
	for _, item := range coins(rng, 4000, 8, truth.Rand) {
		sum := 0
		for _, y := range item {
			sum += int(y)
		}
		successes, n = append(successes, sum), append(n, 8)
	}
	a, b, _ := BetaBinomialFit(successes, n)
	if math.Abs(a-0.6) > 0.06 || math.Abs(b-1.8) > 0.2 {
		t.Errorf("Beta(%g, %g), want about Beta(0.6, 1.8)", a, b)
	}
}

func TestStaysProb(t *testing.T) {
	near(t, "a uniform prior: Laplace's rule", StaysProb(8, 8, 1, 1, 1), 9./10, 1e-12)
	near(t, "a uniform prior, a group of 8", StaysProb(8, 8, 8, 1, 1), 9./17, 1e-12)
	near(t, "after 3 of 4", StaysProb(3, 4, 1, 1, 1), 4./6, 1e-12)
	near(t, "no more draws", StaysProb(5, 5, 0, 0.1, 3), 1, 0)
	// python3 -c "from scipy.special import betaln as B; import math; print(math.exp(B(.3+16,.4)-B(.3+8,.4)))"
	near(t, "a fitted prior", StaysProb(8, 8, 8, 0.3, 0.4), 0.7579822369683509, 1e-12)
}

func TestSamplesToTell(t *testing.T) {
	// A uniform prior: (n+1)/(n+9) >= 0.9 from n = 71 on.
	if n, ok := SamplesToTell(8, 1, 1, 0.9, 1000); n != 71 || !ok {
		t.Errorf("SamplesToTell = %d, %v, want 71, true", n, ok)
	}
	if n, ok := SamplesToTell(8, 1, 1, 0.9, 71); n != 71 || !ok {
		t.Errorf("with max 71: %d, %v, want 71, true", n, ok)
	}
	if n, ok := SamplesToTell(8, 1, 1, 0.9, 70); n != 0 || ok {
		t.Errorf("with max 70: %d, %v, want 0, false", n, ok)
	}
	if n, ok := SamplesToTell(1, 5, 0.01, 0.5, 10); n != 1 || !ok {
		t.Errorf("told by one: %d, %v, want 1, true", n, ok)
	}
	if _, ok := SamplesToTell(1, 1, 1, 0.5, 0); ok {
		t.Error("no samples allowed, yet told")
	}
}
