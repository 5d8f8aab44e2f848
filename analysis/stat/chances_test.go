package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var (
	mixedTrials = Trials([]int{0, 0, 0, 0, 0, 1, 2, 5, 4, 1, 3, 0, 0}, []int{3, 8, 4, 16, 8, 8, 5, 8, 5, 4, 6, 2, 10})
	bothEnds    = Trials([]int{0, 1, 2, 3, 4, 8, 8, 7, 0, 0}, slices.Repeat([]int{8}, 10))
)

// Expected values by scipy 1.10:
//
//	import numpy as np; from scipy.stats import betabinom; from scipy.special import betaln as B, gammaln as G; from scipy.optimize import minimize
//	kw=dict(method='Nelder-Mead',options=dict(xatol=1e-10,fatol=1e-13,maxiter=40000,maxfev=40000))
//	plain=minimize(lambda x: -betabinom.logpmf(s,n,*np.exp(x)).sum(),[0,0],**kw)           # a, b = exp(x); fun + Σ log comb(n,s)
//	l=lambda a,b: B(s+a,n-s+b)-B(a,b)
//	def f(x): a,b=np.exp(x[:2]); z=1/(1+np.exp(-x[2])); return -np.where(s==0,np.log(z+(1-z)*np.exp(l(a,b))),np.log1p(-z)+l(a,b)).sum()
//	inflated=minimize(f,[0,1,0],**kw)                                                      # also from [0,0,-1], [-1,0,1] and [1,1,0]
//	dirichlet=minimize(lambda x: -(G(np.exp(x).sum())-G(np.exp(x).sum()+c.sum(1))+(G(np.exp(x)+c)-G(np.exp(x))).sum(1)).sum(),np.zeros(c.shape[1]),**kw)
func TestFitChances(t *testing.T) {
	tests := []struct {
		about    string
		counts   [][]int
		inflated bool
		alpha    []float64 // failures first
		zero     float64
		logL     float64
	}{
		{"beta-binomial", bothEnds, false, []float64{0.40627296, 0.30488803}, 0, -35.63463359524245},
		{"zero-inflated, unequal numbers of rollouts", mixedTrials, true, []float64{4.444179391, 2.952774}, 0.466958426, -32.79530190479426},
		{"zero-inflated, where no point mass makes the data likelier", bothEnds, true, []float64{0.40627296, 0.30488803}, 0, -35.63463359524245},
		{"three outcomes", [][]int{{4, 2, 2}, {8, 0, 0}, {1, 3, 4}, {0, 0, 8}, {5, 3, 0}, {2, 2, 4}, {7, 1, 0}, {3, 0, 3}}, false, []float64{1.04111128, 0.49263456, 0.65660001}, 0, -55.34602921071911},
		{"four outcomes, unequal numbers of rollouts", [][]int{{3, 1, 0, 2}, {2, 2, 1, 0}, {0, 0, 4, 0}, {1, 1, 1, 1}, {0, 5, 2, 1}, {2, 0, 0, 0}}, false, []float64{2.06007953, 2.08836267, 1.9616684, 1.11312808}, 0, -38.13047110289527},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			fit, ok := FitChances(test.counts, test.inflated)
			if !ok {
				t.Fatal("not ok")
			}
			near(t, "log-likelihood", fit.LogLikelihood, test.logL, 1e-9)
			near(t, "share of zeros", fit.Zero, test.zero, 1e-5)
			for v, a := range test.alpha {
				near(t, fmt.Sprintf("alpha[%d]", v), fit.Alpha[v]/a, 1, 1e-5)
			}
		})
	}
}

// From the fits above: 1-exp(B(a,b+k)-B(a,b)), (1-z) times that, and
// 1-exp(B(a+16,b)-B(a,b))-exp(B(a,b+16)-B(a,b)).
func TestChancesBeyond(t *testing.T) {
	plain, _ := FitChances(bothEnds, false)
	near(t, "pass@64", plain.PassAt(64), 0.8349658174577987, 1e-7)
	near(t, "pass@256", plain.PassAt(256), 0.8918304006426916, 1e-7)
	near(t, "informative at 16", plain.Informative(16), 0.6072468042256864, 1e-7)
	near(t, "share of successes", plain.Share(1), 0.30488803/(0.30488803+0.40627296), 1e-7)
	// python3 -c "from scipy.special import betaln as B; import math; print(1-math.exp(B(.3,.4+1024)-B(.3,.4)), 1-math.exp(B(.3,.4+257)-B(.3,.4)))"
	few := Chances{Alpha: []float64{0.4, 0.3}}
	near(t, "pass@1024, by log-gammas", few.PassAt(1024), 0.9268517278016815, 1e-10)
	near(t, "pass@257, by log-gammas", few.PassAt(257), 0.889262409818638, 1e-10)
	inflated, _ := FitChances(mixedTrials, true)
	near(t, "zero-inflated pass@64", inflated.PassAt(64), 0.5327645320109843, 1e-6)
	near(t, "zero-inflated pass@256", inflated.PassAt(256), 0.5330360518100665, 1e-6)
	near(t, "shares add up", inflated.Share(0)+inflated.Share(1), 1, 1e-12)

	even := Chances{Alpha: []float64{1, 1, 1}} // uniform: E[min and max of k] of a symmetric law add to 1
	near(t, "best of 1 is the mean", even.BestOf(1, []float64{0, 0.5, 1}), 0.5, 1e-12)
	near(t, "one of two values is pass@k", Chances{Alpha: []float64{2, 1}}.BestOf(8, []float64{-1, 1}), -1+2*Chances{Alpha: []float64{2, 1}}.PassAt(8), 1e-12)
	// Pairs of three uniform outcomes agree with chance Σ α(α+1)/(A(A+1)) = 6/12.
	near(t, "informative pairs", even.Informative(2), 0.5, 1e-12)
}

func TestFitChancesRefuses(t *testing.T) {
	for about, counts := range map[string][][]int{
		"nothing": nil, "all of outcome 0": {{8, 0}, {3, 0}}, "all of outcome 2": {{0, 0, 8}, {0, 0, 1}},
		"single rollouts": {{1, 0}, {0, 1}}, "items without any": {{0, 0}},
	} {
		if fit, ok := FitChances(counts, true); ok {
			t.Errorf("%s: %v, want no fit", about, fit)
		}
	}
	alike, ok := FitChances(Trials([]int{2, 2, 2, 2, 2}, slices.Repeat([]int{8}, 5)), false)
	if !ok || !alike.Alike() {
		t.Errorf("items less spread than coins of one kind: %v, %v, want a fit of items that are alike", alike, ok)
	}
	near(t, "share of successes of items that are alike", alike.Share(1), 0.25, 1e-4)
}

// A point mass can only make the data likelier, and neither the order of items
// nor repeating each of them changes a fit.
func TestFitChancesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.SliceOfN(rapid.IntRange(0, 6), 3, 3)
		counts := rapid.SliceOfN(item, 2, 25).Draw(t, "counts")
		plain, ok := FitChances(counts, false)
		inflated, same := FitChances(counts, true)
		if ok != same {
			t.Fatalf("ok = %v without a point mass, %v with one", ok, same)
		}
		if !ok {
			return
		}
		if !plain.finite() || !inflated.finite() || inflated.LogLikelihood < plain.LogLikelihood {
			t.Fatalf("%v, with a point mass %v", plain, inflated)
		}
		last := 0.0
		for _, k := range []int{1, 2, 8, 64, 1024} {
			p, s := plain.PassAt(k), plain.Informative(k)
			if p < last-1e-12 || p > 1 || s < 0 || s > 1 {
				t.Fatalf("pass@%d = %g after %g, informative %g", k, p, last, s)
			}
			last = p
		}
		turned := slices.Clone(counts)
		slices.Reverse(turned)
		for times, other := range [][][]int{turned, slices.Concat(counts, counts)} {
			again, _ := FitChances(other, false)
			less := math.Abs(again.LogLikelihood/float64(times+1) - plain.LogLikelihood)
			if less > 0.02 || math.Abs(again.Share(1)-plain.Share(1)) > 1e-3 {
				t.Fatalf("%v, of the same items in another order or number %v", plain, again)
			}
		}
	})
}

func TestRefitsDoNotDependOnProcessors(t *testing.T) {
	fit, _ := FitChances(mixedTrials, true)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := Refits(mixedTrials, fit, true, 120, 7)
	runtime.GOMAXPROCS(3)
	if three := Refits(mixedTrials, fit, true, 120, 7); !reflect.DeepEqual(one, three) {
		t.Error("refits differ with the number of processors")
	}
	if other := Refits(mixedTrials, fit, true, 120, 8); reflect.DeepEqual(one, other) {
		t.Error("another seed gives the same refits")
	}
}

// A warm start must not be another answer: refits agree with fits of the same
// resamples from scratch.
func TestRefitsFindTheMaximum(t *testing.T) {
	for _, inflated := range []bool{false, true} {
		fit, _ := FitChances(mixedTrials, inflated)
		o, weights := observe(mixedTrials), []float64(nil)
		for b, refit := range Refits(mixedTrials, fit, inflated, 60, 3) {
			weights = make([]float64, len(o.cells))
			o.resample(weights, o.weights(), rand.NewPCG(3, uint64(b)))
			var counts [][]int
			for i, w := range weights {
				for range int(w) {
					counts = append(counts, o.cells[i])
				}
			}
			if cold, ok := FitChances(counts, inflated); ok && cold.LogLikelihood > refit.LogLikelihood+1e-3 {
				t.Errorf("resample %d: log-likelihood %g from the warm start, %g from scratch", b, refit.LogLikelihood, cold.LogLikelihood)
			}
		}
	}
}

// Drawing cells is drawing items: the same number in all, and in each cell the
// mean and the variance of a multinomial.
func TestResampleOfCrowdedCells(t *testing.T) {
	o := observe(slices.Concat(slices.Repeat([][]int{{4, 0}}, 30), slices.Repeat([][]int{{3, 1}}, 120), slices.Repeat([][]int{{0, 4}}, 50)))
	sizes, weights := o.weights(), make([]float64, 3)
	const draws = 4000
	var sums, squares [3]float64
	for b := range uint64(draws) {
		o.resample(weights, sizes, rand.NewPCG(9, b))
		if sum(weights) != 200 {
			t.Fatalf("%v are not 200 items", weights)
		}
		for i, w := range weights {
			sums[i] += w
			squares[i] += w * w
		}
	}
	for i, size := range sizes {
		mean, p := sums[i]/draws, size/200
		near(t, "mean", mean/size, 1, 0.02)
		near(t, "variance", (squares[i]/draws-mean*mean)/(200*p*(1-p)), 1, 0.1)
	}
}

func TestRefitsOfRareSuccess(t *testing.T) {
	counts := Trials([]int{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, slices.Repeat([]int{8}, 10))
	fit, _ := FitChances(counts, false)
	pass := func(c Chances) float64 { return c.PassAt(256) }
	low, high, ok := Percentiles(pass(fit), Refits(counts, fit, false, 200, 1), pass, 0.95)
	if !ok || low != 0 || high <= pass(fit)-1e-12 {
		t.Errorf("one success in ten items: %g to %g around %g, want from 0: a third of the resamples hold none", low, high, pass(fit))
	}
	if _, _, ok := Percentiles(0.5, make([]Chances, 99), pass, 0.95); ok {
		t.Error("99 refits make an interval")
	}
}
