package stat

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Bounds on a+b in a beta-binomial fit. From the upper one on 1/(a+b+1) < 1e-3:
// items are too alike to tell a and b apart, only a/(a+b) means something.
const (
	leastPrecision  = 1e-3
	mostPrecision   = 1e4
	leastDispersion = 1e-3
)

// BetaBinomialFit fits a beta distribution of success probabilities over items
// to successes[i] out of n[i] rollouts by maximum likelihood (Skellam 1948, J.
// R. Stat. Soc. B 10:257; for extrapolating pass@k: Kazdan et al. 2025, arXiv
// 2510.05197).
//
// ok is false when there is nothing to fit: no item with two rollouts, all
// failures or all successes (a and b are then 0), or items so alike that
// 1/(a+b+1) < 1e-3, where a/(a+b) alone may be used. It panics when the slices
// differ in length or a count is impossible.
func BetaBinomialFit(successes, n []int) (a, b float64, ok bool) {
	t := tally(successes, n)
	if len(t.trials) < 2 || t.hits == 0 || t.hits == t.total {
		return 0, 0, false
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		a, b := shape(x)
		return -t.logLikelihood(a, b)
	}}
	share := float64(t.hits) / float64(t.total)
	start := []float64{math.Log(share / (1 - share)), math.Log(2)}
	settings := &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-11, Iterations: 60}}
	found, err := optimize.Minimize(problem, start, settings, &optimize.NelderMead{})
	if err != nil && found == nil {
		return 0, 0, false
	}
	a, b = shape(found.X)
	return a, b, 1/(a+b+1) >= leastDispersion
}

// shape maps (logit of the mean, log of a+b) to a and b.
func shape(x []float64) (a, b float64) {
	mean := 1 / (1 + math.Exp(-x[0]))
	rest := 1 / (1 + math.Exp(x[0]))
	precision := min(max(math.Exp(x[1]), leastPrecision), mostPrecision)
	return mean * precision, rest * precision
}

// tails are the counts that the likelihood depends on: how many items have
// more than t successes, failures and trials.
type tails struct {
	wins, losses, trials []float64
	hits, total          int
}

func tally(successes, n []int) tails {
	if len(successes) != len(n) {
		panic("stat: as many success counts as trial counts are needed")
	}
	most := 0
	for i, trials := range n {
		if successes[i] < 0 || successes[i] > trials {
			panic("stat: successes must lie between 0 and the number of trials")
		}
		most = max(most, trials)
	}
	t := tails{wins: make([]float64, most), losses: make([]float64, most), trials: make([]float64, most)}
	for i, trials := range n {
		t.hits += successes[i]
		t.total += trials
		for k := range trials {
			t.trials[k]++
			if k < successes[i] {
				t.wins[k]++
			}
			if k < trials-successes[i] {
				t.losses[k]++
			}
		}
	}
	return t
}

// logLikelihood leaves out the binomial coefficients. As sums of logs of a+t
// it keeps its digits where differences of log-gammas lose them.
func (t tails) logLikelihood(a, b float64) float64 {
	var sum float64
	for k := range t.trials {
		x := float64(k)
		if t.wins[k] > 0 {
			sum += t.wins[k] * math.Log(a+x)
		}
		if t.losses[k] > 0 {
			sum += t.losses[k] * math.Log(b+x)
		}
		sum -= t.trials[k] * math.Log(a+b+x)
	}
	return sum
}

// StaysProb returns the posterior predictive probability that the next g
// rollouts of an item all succeed, after count successes in n and with a
// Beta(a, b) prior fitted to all items: B(a+count+g, b+n-count)/B(a+count,
// b+n-count). With count = n it is the chance that an item which has shown
// nothing but successes would fill a group of g with them; for failures swap a
// and b and count those. It panics unless a, b > 0, g >= 0, 0 <= count <= n.
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

// SamplesToTell returns the least number n >= 1 of rollouts after which an
// item that shows nothing but successes would have StaysProb(n, n, g, a, b) >=
// want, and false when n would exceed max. It panics as StaysProb does.
func SamplesToTell(g int, a, b, want float64, max int) (int, bool) {
	low, high := 1, max // StaysProb grows with n
	for low < high {
		middle := low + (high-low)/2
		if StaysProb(middle, middle, g, a, b) >= want {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if max < 1 || StaysProb(low, low, g, a, b) < want {
		return 0, false
	}
	return low, true
}
