package shift

import (
	"math"
	"testing"
)

// math.Exp is within 1 unit in the last place, 2.2e-16.
func TestExpIsThatOfMath(t *testing.T) {
	rng := seeded(1)
	for range 100_000 {
		x := -rng.ExpFloat64() * math.Exp(12*rng.Float64()-6)
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 6e-16*want {
			t.Fatalf("e^%g is %g, want %g", x, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), -5e-324, -700, -745, -1000, math.Inf(-1)} {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 6e-16*want {
			t.Errorf("e^%g is %g, want %g", x, got, want)
		}
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("e^NaN is %g", got)
	}
}
