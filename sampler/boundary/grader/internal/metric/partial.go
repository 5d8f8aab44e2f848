package metric

import "strings"

// partialRatio returns rapidfuzz's partial_ratio: the best ratio of the shorter text with any part
// of the longer one that has the same length, or that is shorter and touches an end. Texts of the
// same length are compared in both directions.
func partialRatio(a, b []rune) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(b) == 0:
		return 1
	case len(a) == 0:
		return 0
	case strings.Contains(string(b), string(a)):
		return 1
	}
	x, y, _ := numbered(a, b)
	best := bestPart(x, y)
	if len(a) == len(b) {
		best = max(best, bestPart(y, x))
	}
	return best
}

// bestPart compares the needle with all parts of the text at once. For each column k of the text it
// computes from[k] such that the length of the longest common subsequence of the needle and
// text[i:j] is the number of columns i <= k < j with from[k] <= i (Alves, Cáceres and Song 2008,
// "An all-substrings common subsequence algorithm", Discrete Applied Mathematics 156:1025). This
// takes len(needle)·len(text) steps, whatever the number of parts.
//
// rapidfuzz tries one part after the other and skips those that cannot win; the best ratio is the
// same.
func bestPart(needle, text []int32) float64 {
	from := make([]int32, len(text))
	for k := range from {
		from[k] = int32(k) + 1
	}
	for _, c := range needle {
		left := int32(0)
		for k, d := range text {
			if up := from[k]; c == d || left > up {
				from[k], left = left, up
			}
		}
	}
	best := bestPrefix(from, len(needle))
	steps := make([]int, len(text)+1) // differences of common, by start of the part
	for k, f := range from {
		// Column k is in the parts that start after k-len(needle), up to k.
		if first := max(int(f), k+1-len(needle)); first <= k {
			steps[first]++
			steps[k+1]--
		}
	}
	common := 0
	for i := range text {
		common += steps[i]
		best = max(best, coverage(common, len(needle)+min(len(needle), len(text)-i)))
	}
	return best
}

// bestPrefix returns the best ratio of a needle of length needle with a shorter part at the beginning
// of the text.
func bestPrefix(from []int32, needle int) float64 {
	best, common := 0.0, 0
	for k, f := range from[:min(needle-1, len(from))] {
		if f == 0 {
			common++
		}
		best = max(best, coverage(common, needle+k+1))
	}
	return best
}
