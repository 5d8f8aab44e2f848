package stat

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var unequal = [][]float64{{0, 1, 1, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}, {0, 1}, {}, {1, 0, 0, 0, 0}}

// Item means 0.5, 1, 0.25, 0.5, 0.2; N = 19. Expected values:
// python3 -c "import numpy as np; from scipy.stats import t, beta
// v=np.array([.5,1,.25,.5,.2]); p=v.mean(); se=v.std(ddof=1)/5**.5
// n=p*(1-p)/se**2*(t.ppf(.975,18)/t.ppf(.975,4))**2
// print(p, se, n, beta.ppf(.025,p*n,n-p*n+1), beta.ppf(.975,p*n+1,n-p*n), p-t.ppf(.975,4)*se, p+t.ppf(.975,4)*se)
// from scipy.stats import chi2, skew
// x=5/skew(v)**2; print(p+se*(chi2.ppf(.975,2*x+2)/2-x)/x**.5)"
//
// The item that always succeeds stands out of the five: the high end is that of
// skewed, and Korn–Graubard's own is 0.8528.
func TestMean(t *testing.T) {
	e := Mean(unequal, &unit, 0.95)
	nearEstimate(t, e, 0.49, 0.14177446878757824, 0.1351857707232288, 0.885110176108461, 1e-9)
	if e.N != 19 || e.Items != 5 {
		t.Errorf("N, Items = %d, %d, want 19, 5: the empty item does not count", e.N, e.Items)
	}
	// By hand: s²/n per item = (1/3)/4, 0, (1/4)/4, (1/2)/2, (1/5)/5; √(sum)/5.
	near(t, "fixed se", known(t, "fixed se", e.FixedSE), math.Sqrt(1./12+1./16+1./4+1./25)/5, 1e-12)

	e = Mean(unequal, nil, 0.95)
	nearEstimate(t, e, 0.49, 0.14177446878757824, 0.09637097009271034, 0.8836290299072898, 1e-9)
	if !strings.Contains(e.Method, "t(4)") {
		t.Errorf("method %q does not name the t interval", e.Method)
	}
}

// Rewards of an item may be negative and above 1: the range maps them.
// The command of TestMean with v = [-.25, 2.5, 0, 1.25], p = (mean+1)/4, se/4
// and N = 9, mapped back to -1 + 4x.
func TestMeanOnAnotherRange(t *testing.T) {
	items := [][]float64{{-1, 0.5}, {2, 3, 2.5}, {0, 0}, {1, 1.5}}
	e := Mean(items, &Range{-1, 3}, 0.95)
	nearEstimate(t, e, 0.875, 0.6332785063987777, -0.6596495558107143, 2.5379037008862295, 1e-9)
}

// One item in 10,001 stands out of the others: its count is 1, whose upper limit
// is 5.5716 (Garwood 1936, table 1), 4.5716 standard errors above it.
func TestOneItemThatStandsOutCountsAsOne(t *testing.T) {
	values := make([]float64, 10001)
	values[7] = 0.4
	down, up := skewed(values, 0.95)
	near(t, "up", up, 4.5716, 1e-3)
	near(t, "down", down, 0, 0)
	for i := range values {
		values[i] = -values[i]
	}
	down, up = skewed(values, 0.95)
	near(t, "down of the mirror image", down, 4.5716, 1e-3)
	near(t, "up of the mirror image", up, 0, 0)
}

// Rewards of 20 items that lie evenly within 0 to 0.02 bound the mean no better
// than rewards that are all 0: what an item not drawn may earn is the same.
func TestFineRewardsBoundUnseenItemsNoBetterThanZeros(t *testing.T) {
	zeros, fine := repeat(make([]float64, 8), 20), repeat(make([]float64, 8), 20)
	for i := range fine {
		fine[i] = []float64{0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.001 * float64(i)}
	}
	_, q := ClopperPearson(0, 20, 0.95) // 0.168
	for _, r := range tailRules {
		zero, e := r.make(zeros, 8), r.make(fine, 8)
		near(t, r.about+" of zeros", *zero.High, q, 1e-12)
		if *e.High < q*0.98 {
			t.Errorf("the %s of fine rewards is at most %.3f, of zeros %.3f", r.about, *e.High, q)
		}
	}
}

func TestMeanWithoutSpread(t *testing.T) {
	tests := []struct {
		about     string
		items     [][]float64
		r         *Range
		low, high float64
		method    string
	}{
		{"all at the bottom: Clopper–Pearson of 0 in 10", repeat([]float64{0, 0}, 10), &unit, 0, 0.3084971078187608, "Clopper–Pearson"},
		{"all at the top", repeat([]float64{1}, 10), &unit, 0.6915028921812392, 1, "Clopper–Pearson"},
		{"all at the top of another range", repeat([]float64{4, 4}, 10), &Range{-6, 4}, -6 + 10*0.6915028921812392, 4, "Clopper–Pearson"},
		{"all equal inside: Hoeffding", repeat([]float64{0.5}, 100), &unit, 0.5 - 0.135810, 0.5 + 0.135810, "Hoeffding"},
		{"equal means of unequal rewards", repeat([]float64{0, 1}, 100), &unit, 0.5 - 0.135810, 0.5 + 0.135810, "Hoeffding"},
		{"float noise is no spread", [][]float64{{0.1, 0.1, 0.1}, {0.1}, {0.3 - 0.2}}, &unit, 0, 0.1 + 0.784100, "Hoeffding"},
		{"one item: the whole range", [][]float64{{0.2, 0.4}}, &unit, 0, 1, "mean"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			e := Mean(test.items, test.r, 0.95)
			near(t, "low", known(t, "low", e.Low), test.low, 1e-5)
			near(t, "high", known(t, "high", e.High), test.high, 1e-5)
			if e.SE != nil {
				t.Errorf("se = %g, want none", *e.SE)
			}
			if len(e.Warnings) == 0 || !strings.Contains(e.Method, test.method) {
				t.Errorf("warnings %q, method %q", e.Warnings, e.Method)
			}
		})
	}
}

func TestMeanOfTooLittle(t *testing.T) {
	if e := Mean(nil, &unit, 0.95); e.Known() || e.Low != nil || len(e.Warnings) != 1 {
		t.Errorf("no items: %+v", e)
	}
	if e := Mean([][]float64{{1, 2}}, nil, 0.95); !e.Known() || e.Low != nil || e.High != nil || len(e.Warnings) != 1 {
		t.Errorf("one item, unbounded: %+v", e)
	}
	if e := Mean(repeat([]float64{3}, 4), nil, 0.95); e.Low != nil || e.SE != nil || len(e.Warnings) != 1 {
		t.Errorf("items agree, unbounded: %+v", e)
	}
	if e := Mean([][]float64{{0, 1}, {1}}, &unit, 0.95); e.FixedSE != nil {
		t.Errorf("fixed se %g though an item has one sample", *e.FixedSE)
	}
}

func TestMeanOutsideItsRangeIsNotClipped(t *testing.T) {
	e := Mean([][]float64{{2, 3}, {4, 4}}, &unit, 0.95)
	near(t, "value", *e.Value, 3.25, 1e-12)
	if len(e.Warnings) != 1 || *e.High < 4 {
		t.Errorf("want a warning and a t interval, have %+v", e)
	}
}

func TestEstimatesAreWholeJSON(t *testing.T) {
	for _, e := range []Estimate{Mean(nil, nil, 0.95), Mean(unequal, &unit, 0.95), Mean([][]float64{{1}}, &unit, 0.95)} {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), `"warnings":null`) {
			t.Errorf("warnings are null in %s", b)
		}
	}
}

// Properties that hold for every mean, whatever the rewards.
func TestMeanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rewardItems(t)
		r := Range{-2, 3}
		e := Mean(items, &r, 0.95)
		if !e.Known() {
			return
		}
		if !(r.Lo <= *e.Low && *e.Low <= *e.Value && *e.Value <= *e.High && *e.High <= r.Hi && *e.Low < *e.High) {
			t.Fatalf("[%g, %g] around %g", *e.Low, *e.High, *e.Value)
		}
		for _, item := range items {
			slices.Reverse(item)
		}
		same(t, "rewards reversed within items", Mean(items, &r, 0.95), e, 0)
		slices.Reverse(items)
		same(t, "items reversed", Mean(items, &r, 0.95), e, 1e-9)
		moved := make([][]float64, len(items))
		for i, item := range items {
			for _, y := range item {
				moved[i] = append(moved[i], y+5)
			}
		}
		shifted := Mean(moved, &Range{3, 8}, 0.95)
		for _, p := range []*float64{shifted.Value, shifted.Low, shifted.High} {
			*p -= 5
		}
		same(t, "all rewards raised by 5", shifted, e, 1e-6)
	})
}

// rewardItems draws up to 12 items of up to 8 rewards in [-2, 3], with ties
// and empty items.
func rewardItems(t *rapid.T) [][]float64 {
	reward := rapid.OneOf(rapid.SampledFrom([]float64{-2, 0, 0.5, 1, 3}), rapid.Float64Range(-2, 3))
	return rapid.SliceOfN(rapid.SliceOfN(reward, 0, 8), 0, 12).Draw(t, "items")
}

// same compares two estimates number by number.
func same(t interface{ Fatalf(string, ...any) }, about string, got, want Estimate, tol float64) {
	pairs := [][2]*float64{{got.Value, want.Value}, {got.SE, want.SE}, {got.Low, want.Low}, {got.High, want.High}, {got.FixedSE, want.FixedSE}}
	for i, p := range pairs {
		if (p[0] == nil) != (p[1] == nil) || p[0] != nil && math.Abs(*p[0]-*p[1]) > tol {
			t.Fatalf("%s: number %d is %v, want %v", about, i, ValueOr(p[0], math.NaN()), ValueOr(p[1], math.NaN()))
		}
	}
}

func repeat(item []float64, m int) [][]float64 {
	items := make([][]float64, m)
	for i := range items {
		items[i] = slices.Clone(item)
	}
	return items
}

func TestCallersSlicesStayAsTheyAre(t *testing.T) {
	items := [][]float64{{3, 1, 2}, {2, 9, 1}, {5, 4, 4}}
	want := [][]float64{{3, 1, 2}, {2, 9, 1}, {5, 4, 4}}
	Mean(items, nil, 0.95)
	Pooled(items, nil, 0.95)
	ANOVA(items)
	ICC(items, 0.95, 100, seeded(1))
	BestOf(items, []int{2}, nil, 0.95)
	WorstOf(items, []int{2}, nil, 0.95)
	Signal(items, 2, 0, 0.95)
	SignalBracket(items, 5, 0, 0, 0.95)
	LiftValues(items, 2)
	Quantile(items[0], 0.5)
	quantileCI(items[0], 0.5, 0.5)
	QuantileItems(items, 0.5, 0.5)
	for i := range items {
		if !slices.Equal(items[i], want[i]) {
			t.Errorf("item %d is now %v", i, items[i])
		}
	}
}
