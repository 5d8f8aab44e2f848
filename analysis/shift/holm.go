package shift

import (
	"cmp"
	"slices"
)

// Holm returns the p values adjusted for their number: p_(i)·(m-i+1), made
// monotone and cut at 1, in the order they came in (Holm 1979, Scand. J. Stat.
// 6:65). Rejecting those at or below α errs in at most α of all families,
// however the tests depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}

// Adjust sets PHolm of every primary result with a P: hand it the results of
// all comparisons that one decision rests on.
func Adjust(results []*Result) {
	var p []float64
	var of []*Result
	for _, r := range results {
		if r.Primary && r.P != nil {
			p, of = append(p, *r.P), append(of, r)
		}
	}
	for i, adjusted := range Holm(p) {
		of[i].PHolm = &adjusted
	}
}
