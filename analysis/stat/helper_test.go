package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near fails the test unless got is within tol of want, relatively for large
// numbers.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// known returns the number behind p and stops the test when there is none.
func known(t *testing.T, what string, p *float64) float64 {
	t.Helper()
	if p == nil {
		t.Fatalf("%s is nil", what)
	}
	return *p
}

// nearEstimate compares value, se, low and high.
func nearEstimate(t *testing.T, e Estimate, value, se, low, high, tol float64) {
	t.Helper()
	near(t, "value", known(t, "value", e.Value), value, tol)
	near(t, "se", known(t, "se", e.SE), se, tol)
	near(t, "low", known(t, "low", e.Low), low, tol)
	near(t, "high", known(t, "high", e.High), high, tol)
}

// seeded returns the random numbers of one test.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// coins draws m items of n rewards 0 or 1, item i with a probability that p
// returns.
func coins(rng *rand.Rand, m, n int, p func() float64) [][]float64 {
	items := make([][]float64, m)
	for i := range items {
		q := p()
		items[i] = make([]float64, n)
		for j := range items[i] {
			if rng.Float64() < q {
				items[i][j] = 1
			}
		}
	}
	return items
}
