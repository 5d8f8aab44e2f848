package shift

import (
	"cmp"
	"math"
	"slices"
)

// midranks returns ranks from 1, ties at their mean.
func midranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// areaUnder is the chance that a row with y = 1 scores above one with y = 0,
// ties counted half: the Mann–Whitney U over both sizes.
func areaUnder(scores, y []float64) float64 {
	var ranks, ones float64
	for i, r := range midranks(scores) {
		ranks += y[i] * r
		ones += y[i]
	}
	zeros := float64(len(y)) - ones
	return (ranks - ones*(ones+1)/2) / (ones * zeros)
}

// delong returns the AUC and its standard error by the variance of each row's
// own placement (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; by
// midranks as Sun & Xu 2014, IEEE Signal Process. Lett. 21:1389).
func delong(scores, y []float64) (auc, se float64) {
	var ones, zeros []float64
	for i, s := range scores {
		if y[i] == 1 {
			ones = append(ones, s)
		} else {
			zeros = append(zeros, s)
		}
	}
	n, m := float64(len(ones)), float64(len(zeros))
	all := midranks(append(slices.Clone(ones), zeros...))
	placed := func(own, all []float64, others float64) []float64 {
		out := midranks(own)
		for i := range out {
			out[i] = (all[i] - out[i]) / others
		}
		return out
	}
	of1 := placed(ones, all[:len(ones)], m)
	of0 := placed(zeros, all[len(ones):], n)
	return mean(of1), math.Sqrt(spread(of1)/n + spread(of0)/m)
}
