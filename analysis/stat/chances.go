package stat

import (
	"fmt"
	"math"
)

// Chances is a distribution over items of the outcomes of a rollout: Alpha holds the parameters of
// a Dirichlet distribution over outcomes 0, 1, …, and a share Zero of the items always gives
// outcome 0. With two outcomes it is the beta distribution of a success probability, Alpha = (b,
// a): outcome 1 is success.
type Chances struct {
	Alpha []float64
	Zero  float64 // in [0, 1); 0 in a fit without a point mass

	LogLikelihood float64 // of the fitted sequences of outcomes: without multinomial coefficients
}

// leastDispersion is the value of 1/(Σα+1) below which items are too alike to identify the
// parameters, so that only the mean is meaningful.
const leastDispersion = 1e-3

// Alike reports whether items differ so little, 1/(Σα+1) < 1e-3, that only the shares of the
// outcomes are meaningful and nothing may be extrapolated.
func (c Chances) Alike() bool { return 1/(c.precision()+1) < leastDispersion }

func (c Chances) precision() float64 { return sum(c.Alpha) }

// Share returns the mean share of outcome v: a/(a+b) of a beta-binomial's
// successes.
func (c Chances) Share(v int) float64 {
	share := (1 - c.Zero) * c.Alpha[v] / c.precision()
	if v == 0 {
		share += c.Zero
	}
	return share
}

// Below returns the probability that all of k rollouts of an item give outcomes below v, 1 <= v <
// the number of outcomes: Zero + (1-Zero)·Π_{t<k} (s+t)/(Σα+t), where s is the sum of the first v
// parameters. Cost: O(k), bounded.
func (c Chances) Below(v, k int) float64 {
	return c.Zero + (1-c.Zero)*all(sum(c.Alpha[:v]), c.precision(), k)
}

// PassAt returns pass@k, the probability that some of k rollouts is not outcome 0: 1 -
// B(a,b+k)/B(a,b) for the beta-binomial (Kazdan et al. 2025, arXiv 2510.05197), and (1-Zero) times
// that with a point mass.
func (c Chances) PassAt(k int) float64 { return 1 - c.Below(1, k) }

// Informative returns the chance that g rollouts of an item do not all give
// the same outcome.
func (c Chances) Informative(g int) float64 {
	rest := 1.0
	for _, a := range c.Alpha {
		rest -= all(a, c.precision(), g)
	}
	return (1 - c.Zero) * max(0, rest)
}

// BestOf returns E[max of k rewards] if outcome v earns values[v], ascending. It panics unless
// there is one value for each outcome.
func (c Chances) BestOf(k int, values []float64) float64 {
	if len(values) != len(c.Alpha) {
		panic(fmt.Sprintf("stat: %d values for %d outcomes", len(values), len(c.Alpha)))
	}
	best := values[0]
	for v := 1; v < len(values); v++ {
		best += (values[v] - values[v-1]) * (1 - c.Below(v, k))
	}
	return best
}

// manyDraws is the number of draws above which log-gammas are faster than a product, and accurate
// enough.
const manyDraws = 256

// all returns the probability that k draws all fall among outcomes whose parameters sum to part, of
// whole.
func all(part, whole float64, k int) float64 {
	if k > manyDraws && part > 0 {
		return math.Exp(logRising(part, k) - logRising(whole, k))
	}
	chance := 1.0
	for t := range k {
		chance *= (part + float64(t)) / (whole + float64(t))
	}
	return chance
}

// logRising returns the log of x(x+1)…(x+k-1).
func logRising(x float64, k int) float64 {
	above, _ := math.Lgamma(x + float64(k))
	below, _ := math.Lgamma(x)
	return above - below
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// certain returns the fit to data in which every rollout gave outcome v.
func certain(v, outcomes int) Chances {
	c := Chances{Alpha: make([]float64, outcomes)}
	c.Alpha[v] = 1
	return c
}

// finite reports whether the fit can be used in computations.
func (c Chances) finite() bool {
	total := c.precision() + c.Zero + c.LogLikelihood
	return !math.IsNaN(total) && !math.IsInf(total, 0)
}

// BetaBinomialFit fits a beta distribution of success probabilities over items to successes[i] out
// of n[i] rollouts by maximum likelihood: FitChances with two outcomes.
//
// ok is false if there is nothing to fit: no item with two rollouts, all failures or all successes
// (a and b are then 0), or items so alike that 1/(a+b+1) < 1e-3, where only a/(a+b) may be used. It
// panics if the slices differ in length or a count is impossible.
func BetaBinomialFit(successes, n []int) (a, b float64, ok bool) {
	fit, ok := FitChances(Trials(successes, n), false)
	if !ok {
		return 0, 0, false
	}
	return fit.Alpha[1], fit.Alpha[0], !fit.Alike()
}

// Trials turns successes out of n into counts of failures and successes. It
// panics when the slices differ in length or a count is impossible.
func Trials(successes, n []int) [][]int {
	if len(successes) != len(n) {
		panic("stat: as many success counts as trial counts are needed")
	}
	counts := make([][]int, len(n))
	flat := make([]int, 2*len(n))
	for i, trials := range n {
		if successes[i] < 0 || successes[i] > trials {
			panic("stat: successes must be between 0 and the number of trials")
		}
		counts[i] = flat[2*i : 2*i+2]
		counts[i][0], counts[i][1] = trials-successes[i], successes[i]
	}
	return counts
}

// StaysProb returns the posterior predictive probability that the next g rollouts of an item all
// succeed, after count successes in n and with a Beta(a, b) prior fitted to all items: B(a+count+g,
// b+n-count)/B(a+count, b+n-count). With count = n it is the probability that an item with nothing
// but successes would fill a group of g with them; for failures swap a and b and count failures. It
// panics unless a, b > 0, g >= 0, 0 <= count <= n.
func StaysProb(count, n, g int, a, b float64) float64 {
	if !(a > 0 && b > 0) || g < 0 || count < 0 || count > n {
		panic("stat: StaysProb needs a, b > 0, g >= 0 and 0 <= count <= n")
	}
	prob := 1.0
	for t := range g {
		prob *= (a + float64(count+t)) / (a + b + float64(n+t))
	}
	return prob
}

// SamplesToTell returns the smallest number n >= 1 of rollouts after which an item with nothing but
// successes would have StaysProb(n, n, g, a, b) >= want, and false if n would exceed most. It
// panics as StaysProb does.
func SamplesToTell(g int, a, b, want float64, most int) (int, bool) {
	low, high := 1, most // StaysProb grows with n
	for low < high {
		middle := low + (high-low)/2
		if StaysProb(middle, middle, g, a, b) >= want {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if most < 1 || StaysProb(low, low, g, a, b) < want {
		return 0, false
	}
	return low, true
}
