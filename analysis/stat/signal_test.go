package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestInformative(t *testing.T) {
	tests := []struct {
		about  string
		sorted []float64
		g      int
		delta  float64
		want   float64
	}{
		{"2 of 4 succeed, pairs: 4 of 6 differ", []float64{0, 0, 1, 1}, 2, 0, 4. / 6},
		{"1 of 8 succeeds, groups of 4 that hold it", []float64{0, 0, 0, 0, 0, 0, 0, 1}, 4, 0, 0.5},
		{"a group of one", []float64{0, 1}, 1, 0, 0},
		{"all draws differ", []float64{0, 1, 2}, 2, 0, 1},
		{"differences within the tolerance do not count", []float64{0, 0.04, 0.08}, 2, 0.05, 1. / 3},
		{"a difference of exactly delta does not count", []float64{0, 0.5}, 2, 0.5, 0},
		{"a chain of small steps spans more than one", []float64{0, 0.04, 0.08}, 3, 0.05, 1},
		{"float noise is not a signal", []float64{0.3, 0.1 + 0.2}, 2, 1e-6, 0},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			near(t, "informative", Informative(test.sorted, test.g, test.delta), test.want, 1e-12)
		})
	}
}

func TestSignal(t *testing.T) {
	items := [][]float64{{0, 1, 0, 1}, {0, 0, 0, 0}, {1, 0, 0, 0}, {}}
	e := Signal(items, 2, 0, 0.95)
	near(t, "value", *e.Value, (4./6+0+0.5)/3, 1e-12)
	if e.FixedSE == nil || e.Items != 3 || e.N != 12 {
		t.Errorf("estimate %+v", e)
	}
	if e := Signal(items, 5, 0, 0.95); e.Known() || e.Low != nil || len(e.Warnings) != 1 {
		t.Errorf("groups larger than the samples: %+v, want unknown", e)
	}
	if e := Signal(nil, 2, 0, 0.95); e.Known() {
		t.Errorf("no items: %+v", e)
	}
	flat := Signal(repeat([]float64{1, 1}, 20), 2, 0, 0.95)
	_, high := ClopperPearson(0, 20, 0.95)
	near(t, "high where no group is informative", *flat.High, high, 1e-12)
}

func TestSignalBracket(t *testing.T) {
	items := [][]float64{{0, 1, 0, 1}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0}}
	at4 := Signal(items, 4, 0, 0.95)
	lower, upper := SignalBracket(items, 4, 0, 0, 0.95)
	same(t, "a group that fits: lower", lower, at4, 0)
	same(t, "a group that fits: upper", upper, at4, 0)

	lower, upper = SignalBracket(items, 7, 0, 0, 0.95) // (7-1)/(4-1) = 2
	same(t, "the lower bracket is the share at n", lower, at4, 0)
	near(t, "upper value", *upper.Value, 0.8, 1e-12)
	near(t, "upper low", *upper.Low, 2**at4.Low, 1e-12)
	near(t, "upper high", *upper.High, min(1, 2**at4.High), 1e-12)

	_, upper = SignalBracket(repeat([]float64{0, 1}, 30), 16, 0, 0, 0.95)
	if *upper.Value != 1 || !(*upper.Low < 1) || *upper.High != 1 || len(upper.Warnings) < 2 {
		t.Errorf("a bracket cut at 1: [%g, %g], warnings %q", *upper.Low, *upper.High, upper.Warnings)
	}
	lower, upper = SignalBracket([][]float64{{1}, {0, 1}}, 8, 0, 0, 0.95)
	if lower.Known() || upper.Known() || len(lower.Warnings) != 1 {
		t.Errorf("one sample: %+v, want unknown", lower)
	}
}

// Without a model, s_n <= s_G <= s_n·(G-1)/(n-1) and E[max_n] <= E[max_G] <=
// (G/n)·E[max_n]. For success probabilities from a beta distribution both
// curves are known: 1 - E[p^g] - E[(1-p)^g] and 1 - E[(1-p)^g].
func TestConcavityBracketsHoldForBetaMixtures(t *testing.T) {
	power := func(a, b float64, g int) float64 { // E[p^g]
		return math.Exp(mathext.Lbeta(a+float64(g), b) - mathext.Lbeta(a, b))
	}
	for _, ab := range [][2]float64{{0.05, 2}, {0.3, 0.3}, {1, 1}, {2, 8}, {0.1, 0.05}, {30, 30}} {
		a, b := ab[0], ab[1]
		signal := func(g int) float64 { return 1 - power(a, b, g) - power(b, a, g) }
		best := func(g int) float64 { return 1 - power(b, a, g) }
		for n := 2; n <= 16; n++ {
			for g := n + 1; g <= 128; g *= 2 {
				factor := float64(g-1) / float64(n-1)
				if s, at := signal(n), signal(g); s > at+1e-12 || at > min(1, s*factor)+1e-12 {
					t.Errorf("Beta(%g, %g): s_%d = %g, s_%d = %g outside its bracket", a, b, n, s, g, at)
				}
				if s, at := best(n), best(g); s > at+1e-12 || at > s*float64(g)/float64(n)+1e-12 {
					t.Errorf("Beta(%g, %g): best of %d = %g, best of %d = %g outside its bracket", a, b, n, s, g, at)
				}
			}
		}
	}
}
