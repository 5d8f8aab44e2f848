package stat

import "gonum.org/v1/gonum/mathext"

// McNemar returns the exact two-sided p-value of McNemar's test (1947,
// Psychometrika 12:153) for pairs of passed and failed: gained pairs failed
// first and passed then, lost ones the reverse. Under no change each is as
// likely, so that it is the binomial test of the smaller against a half. Pairs
// that agree do not count; without others it is 1.
func McNemar(gained, lost int) float64 {
	n := gained + lost
	if n == 0 || gained == lost {
		return 1
	}
	few := min(gained, lost)
	// P(X <= few) of Binomial(n, 1/2) by the incomplete beta function.
	tail := mathext.RegIncBeta(float64(n-few), float64(few+1), 0.5)
	return min(1, 2*tail)
}
