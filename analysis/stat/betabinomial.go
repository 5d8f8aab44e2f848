package stat

// BetaBinomialFit fits a beta distribution of success probabilities over items
// to successes[i] out of n[i] rollouts by maximum likelihood: FitChances with
// two outcomes.
//
// ok is false when there is nothing to fit: no item with two rollouts, all
// failures or all successes (a and b are then 0), or items so alike that
// 1/(a+b+1) < 1e-3, where a/(a+b) alone may be used. It panics when the slices
// differ in length or a count is impossible.
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
