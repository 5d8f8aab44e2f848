package stat

import (
	"math"
	"slices"
	"testing"
)

// differences of ten items, with a zero and two ties of size.
var tenDifferences = []float64{0.125, -0.25, 0.5, 0.375, 0, -0.125, 0.625, 0.25, 0.1, -0.05}

// Expected numbers: scipy 1.10, with d the ten differences,
//
//	stats.t.interval(.95, 9, d.mean(), se); stats.ttest_1samp(d, 0)
//	stats.permutation_test((d[d != 0],), np.mean, permutation_type='samples', n_resamples=np.inf)
//	max(stats.ttest_1samp(d, -.6, alternative='greater').pvalue, stats.ttest_1samp(d, .6, alternative='less').pvalue)
func TestPairedAgainstScipy(t *testing.T) {
	e := PairedMean(tenDifferences, nil, 40, nil, 0.95)
	nearEstimate(t, e, 0.155, 0.08880377869838146, -0.045888104061009516, 0.3558881040610095, 1e-9)
	near(t, "sign flips", known(t, "p", SignFlip(tenDifferences, 0, nil)), 0.1328125, 1e-12)
	q := Equivalent(tenDifferences, nil, 0.6, 0.95)
	near(t, "equivalence p", known(t, "p", q.P), 0.00036395743863412353, 1e-9)
	near(t, "one-sided low", known(t, "low", q.Low), -0.007787355200514351, 1e-9)
	near(t, "one-sided high", known(t, "high", q.High), 0.3177873552005143, 1e-9)
	if !q.Shown || Equivalent(tenDifferences, nil, 0.3, 0.95).Shown {
		t.Error("the one-sided bounds lie inside 0.6 and not inside 0.3")
	}
}

// Expected numbers: scipy 1.10, stats.wilcoxon(x, mode='exact') for twelve
// differences without ties; stats.wilcoxon(x, mode='approx', correction=False)
// for sixty with ties and zeros; and for the ten above all 2^9 flips of
// stats.rankdata(abs(d)) by itertools.product.
func TestSignedRankAgainstScipy(t *testing.T) {
	untied := []float64{1.1, -2.3, 3.7, 4.2, -0.5, 6.1, 7.9, 2.2, -1.4, 0.3, 5.5, 8.8}
	near(t, "exact", known(t, "p", SignedRank(untied)), 0.0341796875, 1e-12)
	near(t, "exact with ties", known(t, "p", SignedRank(tenDifferences)), 0.16015625, 1e-12)
	var many []float64
	for i := range 60 {
		many = append(many, math.RoundToEven(float64((i*37)%101-45)/20*4)/4)
	}
	near(t, "normal", known(t, "p", SignedRank(many)), 0.2536438518810151, 1e-9)
	if SignedRank([]float64{0, 0}) != nil {
		t.Error("nothing differs, and there is a p-value")
	}
}

// Expected numbers: scipy 1.10, stats.binomtest(min(b, c), b+c, .5).pvalue.
func TestMcNemarAgainstScipy(t *testing.T) {
	for _, c := range []struct {
		gained, lost int
		p            float64
	}{{1, 9, 0.021484375}, {9, 1, 0.021484375}, {0, 6, 0.03125}, {12, 5, 0.143463134765625}, {3, 3, 1}, {40, 61, 0.04604406692934279}, {0, 0, 1}} {
		near(t, "McNemar", McNemar(c.gained, c.lost), c.p, 1e-10)
	}
}

// Expected numbers: scipy 1.10, stats.ttest_ind(b, a, equal_var=False) and
// stats.t.interval at the Welch–Satterthwaite degrees of freedom.
func TestWelchAgainstScipy(t *testing.T) {
	a := []float64{.1, .5, .9, .4, .3, .7}
	b := []float64{.8, .6, 1, .9, .2, .9, .75, .85}
	e, p := Welch(a, b, 14, &unit, 0.95)
	nearEstimate(t, e, 0.2666666666666668, 0.1468248605738813, -0.06009874208310878, 0.5934320754164424, 1e-9)
	near(t, "p", known(t, "p", p), 0.09913021269116043, 1e-9)
}

// Expected: scipy 1.10, stats.norm.ppf(.975) + stats.norm.ppf(.8), and the
// formulas of STATISTICS by hand.
func TestPowerFormulas(t *testing.T) {
	near(t, "MDE of 1", MDE(1, 0.95), 2.8015852181129683, 1e-9)
	near(t, "inverse", MDE(SEAtMDE(0.05, 0.95), 0.95), 0.05, 1e-12)
	items := [][]float64{{0, 1}, {1, 1, 0, 0}, {0.5, 0.5}} // s²/n = 1/4, 1/12, 0
	near(t, "same model twice", known(t, "se", SameModelSE(items)), math.Sqrt(2*(1./4+1./12))/3, 1e-12)
	if SameModelSE([][]float64{{1}, {0, 1}}) != nil {
		t.Error("an item with one sample carries no within-variance, not 0")
	}
	d, within := []float64{0.2, -0.2, 0.4, 0}, []float64{0.01, 0.02, 0.01, 0.02}
	near(t, "interaction", known(t, "τ²", Interaction(d, within)), 0.2/3-0.015, 1e-12)
	if tau := Interaction(d, []float64{1, 1, 1, 1}); known(t, "τ²", tau) != 0 {
		t.Error("a negative component counts as 0")
	}
	if Interaction(d, nil) != nil {
		t.Error("without within-variances there is no interaction to tell")
	}
}

// Differences that all agree are never 0 ± 0. Expected: 1 - 0.025^(1/40) and
// 1 - 0.05^(1/40).
func TestAgreeingDifferencesAreBoundedByTheirNumber(t *testing.T) {
	both := Range{-1, 1}
	e := PairedMean(make([]float64, 40), nil, 80, &both, 0.95)
	near(t, "low", known(t, "low", e.Low), -0.08809730287880235, 1e-9)
	near(t, "high", known(t, "high", e.High), 0.08809730287880235, 1e-9)
	q := Equivalent(make([]float64, 40), &both, 0.08, 0.95)
	near(t, "one-sided", known(t, "high", q.High), 0.0721575245055146, 1e-9)
	if !q.Shown || Equivalent(make([]float64, 40), &both, 0.07, 0.95).Shown {
		t.Error("40 items that agree show no change above 0.072, and not below")
	}
	if e.SE != nil || len(e.Warnings) == 0 {
		t.Error("agreeing differences tell of no standard error, and it is said")
	}
	if e := PairedMean([]float64{0.5}, nil, 2, &both, 0.95); e.Low != nil {
		t.Error("one item has an interval")
	}
	if e := PairedMean(nil, nil, 0, &both, 0.95); e.Known() {
		t.Error("no item has a mean difference")
	}
	flat, p := Welch([]float64{1, 1, 1}, []float64{1, 1, 1}, 6, &unit, 0.95)
	if flat.Low == nil || *flat.Low > -0.5 || p != nil {
		t.Errorf("three agreeing items a side bound little: %v", flat)
	}
}

// Swapping base and new changes signs and nothing else; neither does the order
// of items, and a caller's slice stays as it is.
func TestPairedTestsAreSymmetric(t *testing.T) {
	rng := seeded(7)
	for range 50 {
		d := make([]float64, 3+rng.IntN(40))
		for i := range d {
			d[i] = math.Round(8*rng.NormFloat64()) / 8
		}
		before := slices.Clone(d)
		swapped, turned := slices.Clone(d), slices.Clone(d)
		for i := range swapped {
			swapped[i] = -swapped[i]
		}
		slices.Reverse(turned)
		for _, other := range [][]float64{swapped, turned} {
			a, b := SignedRank(d), SignedRank(other)
			if (a == nil) != (b == nil) || a != nil && math.Abs(*a-*b) > 1e-12 {
				t.Errorf("signed rank: %v and %v of %v", a, b, d)
			}
			if len(d) <= exactFlips {
				near(t, "sign flips", *SignFlip(other, 0, nil), *SignFlip(d, 0, nil), 1e-12)
			}
		}
		if !slices.Equal(d, before) {
			t.Fatal("the caller's slice was changed")
		}
	}
}

// A permutation p is never 0, and random flips agree with all of them.
func TestRandomFlipsAgreeWithAll(t *testing.T) {
	all := make([]float64, 200)
	for i := range all {
		all[i] = 1
	}
	if p := SignFlip(all, 999, seeded(1)); *p != 1./1000 {
		t.Errorf("p = %v, want 1/1000", *p)
	}
	d := []float64{3, 1, -2, 5, 4, -1, 2, 6, -3, 1, 2, 2, -1, 3, 1, 0.5}
	exact := *SignFlip(d, 0, nil)
	far, sum := 0, 0.0
	for _, v := range d {
		sum += v
	}
	src := seeded(2)
	for range 20000 {
		if math.Abs(flipped(d, src)) >= sum {
			far++
		}
	}
	near(t, "share of random flips", float64(far)/20000, exact, 0.01)
	near(t, "nothing moved", *SignFlip(make([]float64, 30), 99, seeded(1)), 1, 0)
}
