package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactRanks is the number of differences up to which the signed-rank test is
// exact.
const exactRanks = 25

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test
// (1945, Biometrics Bull. 1:80) of paired differences. Differences of 0 are left
// out and ties share their mean rank. Up to 25 differences the distribution
// over all sign flips of these very ranks is exact, ties included; above it is
// normal with the variance Σ rank²/4, which corrects for ties, and without a
// continuity correction. nil where nothing differs.
func SignedRank(d []float64) *float64 {
	ranks, positive := signedRanks(d)
	if len(ranks) == 0 {
		return nil
	}
	if len(ranks) <= exactRanks {
		return Some(exactSignedRank(ranks, positive))
	}
	var sum, squares float64
	for _, r := range ranks {
		sum += r
		squares += r * r
	}
	z := (positive - sum/2) / math.Sqrt(squares/4)
	return Some(2 * distuv.UnitNormal.Survival(math.Abs(z)))
}

// signedRanks are the mean ranks of |d| without zeros, and the sum of those of
// positive differences.
func signedRanks(d []float64) (ranks []float64, positive float64) {
	var moved []float64
	for _, v := range d {
		if v != 0 {
			moved = append(moved, v)
		}
	}
	slices.SortFunc(moved, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks = make([]float64, len(moved))
	for i := 0; i < len(moved); {
		end := i + 1
		for end < len(moved) && math.Abs(moved[end])-math.Abs(moved[i]) <= rounding*math.Abs(moved[end]) {
			end++
		}
		for j := i; j < end; j++ {
			ranks[j] = float64(i+1+end) / 2
			if moved[j] > 0 {
				positive += ranks[j]
			}
		}
		i = end
	}
	return ranks, positive
}

// exactSignedRank counts by dynamic programming over twice the ranks, which are
// whole numbers, how many of the 2^m flips give a sum as far from its middle.
func exactSignedRank(ranks []float64, positive float64) float64 {
	total := 0
	for _, r := range ranks {
		total += int(2 * r)
	}
	ways := make([]float64, total+1)
	ways[0] = 1
	reach := 0
	for _, r := range ranks {
		step := int(2 * r)
		reach += step
		for s := reach; s >= step; s-- {
			ways[s] += ways[s-step]
		}
	}
	far := math.Abs(2*2*positive - float64(total))
	beyond := 0.0
	for s, n := range ways {
		if math.Abs(float64(2*s-total)) >= far {
			beyond += n
		}
	}
	return beyond / math.Ldexp(1, len(ranks))
}
