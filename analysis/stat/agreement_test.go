package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Five items of four rollouts. Expected numbers below: scipy 1.10, with
// stats.linregress and stats.spearmanr on the numbers and on them without one
// item each, se = sqrt((m-1)/m * sum((z_i - z)**2)), stats.t.ppf(.975, 4).
var (
	fiveX = [][]float64{{1, 2, 3, 5}, {2, 4, 4, 7}, {3, 3, 6, 8}, {1, 5, 6, 9}, {2, 2, 5, 6}}
	fiveY = [][]float64{{0.1, 0.4, 0.3, 0.6}, {0.5, 0.4, 0.8, 0.9}, {0.2, 0.1, 0.3, 0.5}, {0.6, 0.7, 0.7, 1.0}, {0.0, 0.3, 0.2, 0.2}}
	fiveA = [][]float64{{1, 1, 0, 1}, {0, 0, 0, 1}, {1, 1, 1, 1}, {0, 1, 0, 0}, {0, 0, 1, 1}}
	fiveB = [][]float64{{1, 1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}}
)

func pair(x, y [][]float64) [][]Pair {
	out := make([][]Pair, len(x))
	for i := range x {
		for j := range x[i] {
			out[i] = append(out[i], Pair{x[i][j], y[i][j]})
		}
	}
	return out
}

func nearInterval(t *testing.T, what string, e Estimate, value, low, high float64) {
	t.Helper()
	near(t, what, known(t, what, e.Value), value, 1e-9)
	near(t, what+" low", known(t, what+" low", e.Low), low, 1e-9)
	near(t, what+" high", known(t, what+" high", e.High), high, 1e-9)
}

func TestLines(t *testing.T) {
	within := WithinLine(pair(fiveX, fiveY), 0.95)
	nearInterval(t, "slope within items", within.Slope, 0.057941176470588246, 0.02624161439967586, 0.08964073854150063)
	nearInterval(t, "correlation within items", within.Correlation, 0.737253970736643, 0.3673787782741472, 0.9057757741802747)
	near(t, "p", known(t, "p", within.P), 0.00710626989181714, 1e-9)
	pooled := PooledLine(pair(fiveX, fiveY), 0.95)
	nearInterval(t, "pooled slope", pooled.Slope, 0.06660079051383398, 0.027741444536639494, 0.10546013649102848)
	nearInterval(t, "pooled correlation", pooled.Correlation, 0.5455932259584041, 0.13499138821052933, 0.7962750771646054)
}

// Longer answers earn less on every item, and the items with longer answers
// more: the pooled sign is the opposite of the one within items.
func TestWithinIsNotPooled(t *testing.T) {
	var items [][]Pair
	for i := range 12 {
		base := float64(i)
		items = append(items, []Pair{{base, base}, {base + 1, base - 0.5 - 0.01*base}, {base + 2, base - 1}})
	}
	within, pooled := WithinLine(items, 0.95), PooledLine(items, 0.95)
	if *within.Correlation.Value > -0.9 || *pooled.Correlation.Value < 0.9 {
		t.Errorf("within %v, pooled %v", *within.Correlation.Value, *pooled.Correlation.Value)
	}
}

func TestLinesWithNothingToFit(t *testing.T) {
	for name, items := range map[string][][]Pair{
		"no items":               nil,
		"one item":               {{{1, 2}, {2, 3}}},
		"one length for all":     {{{3, 0}, {3, 1}}, {{3, 1}, {3, 0}}},
		"one reward for all":     {{{1, 1}, {2, 1}}, {{1, 1}, {5, 1}}},
		"one rollout of an item": {{{1, 0}}, {{2, 1}}, {{4, 0}}},
	} {
		l := WithinLine(items, 0.95)
		if l.P != nil || l.Correlation.Known() || len(l.Correlation.Warnings) == 0 {
			t.Errorf("%s: %+v, want nothing known and the reason", name, l.Correlation)
		}
	}
}

func TestSpearman(t *testing.T) {
	e := Spearman(pair(fiveX, fiveY), 0.95)
	nearInterval(t, "rank correlation", e, 0.4685515849332948, 0.08860591679681835, 0.7294668187303317)
	cubes := make([][]float64, len(fiveX))
	for i, xs := range fiveX {
		for _, x := range xs {
			cubes[i] = append(cubes[i], x*x*x)
		}
	}
	again := Spearman(pair(cubes, fiveY), 0.95)
	near(t, "ranks do not change with the scale", *again.Value, *e.Value, 1e-12)
	perfect := Spearman(pair(fiveX, fiveX), 0.95)
	if *perfect.Value != 1 || *perfect.High != 1 || *perfect.Low >= 0.9 {
		t.Errorf("perfect agreement of 5 items is %+v", perfect)
	}
	if e := Spearman([][]Pair{{{1, 1}, {1, 2}}, {{1, 3}}}, 0.95); e.Known() {
		t.Errorf("labels that are all equal rank nothing: %+v", e)
	}
}

// Cohen's kappa by its formula (po - pe)/(1 - pe) in numpy 1.24, interval as
// above.
func TestKappa(t *testing.T) {
	nearInterval(t, "kappa", Kappa(pair(fiveA, fiveB), 0.95), 0.603960396039604, 0.2779536209895564, 0.8052095850062859)
	same := Kappa(pair(fiveA, fiveA), 0.95)
	_, q := ClopperPearson(0, 5, 0.95)
	nearInterval(t, "no disagreement", same, 1, max(-1, 1-q/(2*0.55*0.45)), 1)
	if e := Kappa([][]Pair{{{1, 1}}, {{1, 1}}}, 0.95); e.Known() {
		t.Errorf("all yes is no agreement beyond chance: %+v", e)
	}
}

// Krippendorff's own example (2011, Computing Krippendorff's Alpha-Reliability,
// section D, 4 observers and 12 units): 0.849 on the interval scale. Without the
// unit that one observer alone saw nothing changes.
func TestAlpha(t *testing.T) {
	none := math.NaN()
	observers := [][]float64{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
		{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
	}
	var units [][][]float64
	for u := range 12 {
		var ratings []float64
		for _, o := range observers {
			if !math.IsNaN(o[u]) {
				ratings = append(ratings, o[u])
			}
		}
		units = append(units, [][]float64{ratings})
	}
	e := Alpha(units, 0.95, 999, rand.NewPCG(1, 2))
	near(t, "alpha", known(t, "alpha", e.Value), 0.849, 0.0005)
	if *e.Low >= *e.Value || *e.High <= *e.Value || *e.High > 1 {
		t.Errorf("interval is %v to %v", *e.Low, *e.High)
	}
	units = slices.Delete(units, 11, 12)
	near(t, "alpha without the unit of one rating", *Alpha(units, 0.95, 999, rand.NewPCG(1, 2)).Value, *e.Value, 1e-12)
	// Ratings 0 and 1 of two observers, 10 units: the same paper, section A, 0.095.
	a, b := []float64{0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, []float64{1, 1, 1, 0, 0, 1, 0, 0, 0, 0}
	var binary [][][]float64
	for i := range a {
		binary = append(binary, [][]float64{{a[i], b[i]}})
	}
	near(t, "alpha of 0/1 ratings", *Alpha(binary, 0.95, 999, rand.NewPCG(1, 2)).Value, 0.095, 0.0005)
	agree := Alpha([][][]float64{{{0, 0}}, {{1, 1}}, {{1, 1, 1}}}, 0.95, 99, rand.NewPCG(1, 2))
	if *agree.Value != 1 || *agree.Low >= 1 {
		t.Errorf("three items that agree are %+v, want 1 with an open low end", agree)
	}
}

// numpy.linalg.lstsq on item-demeaned numbers: R² of the first column, what the
// second adds, and the rest.
func TestExplained(t *testing.T) {
	shares, rest := Explained(fiveY, [][][]float64{fiveX, fiveA, fiveX})
	for i, want := range []float64{0.5435434173669468, 0.0007321391676690103, 0} {
		near(t, "share", known(t, "share", shares[i]), want, 1e-9)
	}
	near(t, "rest", known(t, "rest", rest), 0.4557244434653842, 1e-9)
	flat := [][]float64{{1, 1}, {0, 0}}
	if shares, rest := Explained(flat, [][][]float64{{{1, 2}, {3, 4}}}); shares[0] != nil || rest != nil {
		t.Error("rewards that do not vary within items have no shares")
	}
}

// scipy 1.10: stats.beta.ppf(.025, 2, 19), stats.beta.ppf(.975, 3, 18);
// d = stats.beta.ppf(.975, 1, 100), (1-sqrt(1-2*d))/2; Donner & Zou's formula in
// Python.
func TestSharesFlipsAndRatios(t *testing.T) {
	nearInterval(t, "2 of 20", Share(2, 20, 0.95), 0.1, 0.012348527170294808, 0.31698271401908235)
	if e := Share(0, 20, 0.95); e.SE != nil || *e.High < 0.1 {
		t.Errorf("none of 20 is %+v", e)
	}
	steady := make([][]Regrade, 50)
	for i := range steady {
		steady[i] = []Regrade{{0, 1}, {0, 1}}
	}
	flip, consistency := FlipRate(steady, 0.95)
	nearInterval(t, "100 outputs that agree", flip, 0, 0, 0.018448700887006453)
	nearInterval(t, "their consistency", consistency, 1, 1-2*0.018448700887006453, 1)
	steady[0][0].Differ = 1
	if flip, _ := FlipRate(steady, 0.95); math.Abs(*flip.Value-(1-math.Sqrt(0.98))/2) > 1e-12 {
		t.Errorf("1 of 100 that differ is a flip rate of %v", *flip.Value)
	}
	a := Estimate{Value: FiniteOrNil(0.03), Low: FiniteOrNil(0.02), High: FiniteOrNil(0.045)}
	b := Estimate{Value: FiniteOrNil(0.15), Low: FiniteOrNil(0.12), High: FiniteOrNil(0.18)}
	nearInterval(t, "ratio", Ratio(a, b, ""), 0.2, 0.12854774102030517, 0.31857297129435797)
}

// The low end is J minus the hypotenuse of what both shares may lie higher
// (Newcombe 1998, method 10), the two being of different items here.
func TestYouden(t *testing.T) {
	accepts, rejects := make([]Counts, 40), make([]Counts, 40)
	for i := range 40 {
		if i < 20 {
			accepts[i] = Counts{N: 15}
		} else {
			rejects[i] = Counts{N: 9}
		}
	}
	accepts[3].Hits, rejects[25].Hits = 2, 1
	accept, reject, j := Youden(accepts, rejects, 0.95)
	near(t, "false accept", *accept.Value, 2.0/300, 1e-12)
	near(t, "false reject", *reject.Value, 1.0/180, 1e-12)
	near(t, "J", *j.Value, 1-2.0/300-1.0/180, 1e-12)
	up := math.Hypot(*accept.High-*accept.Value, *reject.High-*reject.Value)
	near(t, "low end of J", *j.Low, *j.Value-up, 1e-12)
	if _, _, j := Youden(accepts, make([]Counts, 40), 0.95); j.Known() {
		t.Error("J is known without a single right answer")
	}
}
