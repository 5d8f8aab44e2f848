package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar returns the exact two-sided p-value of McNemar's test (1947, Psychometrika 12:153) for
// pairs of passed and failed: gained pairs failed first and then passed, lost ones the reverse.
// Under no change both are equally likely, so it is the binomial test of the smaller number against
// one half. Pairs that agree do not count; without others it is 1.
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

// exactRanks is the maximum number of differences for which the signed-rank test is exact.
const exactRanks = 25

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test (1945, Biometrics Bull.
// 1:80) of paired differences. Differences of 0 are left out and ties share their mean rank. Up to
// 25 differences the distribution over all sign flips of the given ranks is exact, including ties;
// above, it is normal with the variance Σ rank²/4, which corrects for ties, and without a
// continuity correction. It is nil if nothing differs.
func SignedRank(d []float64) *float64 {
	ranks, positive := signedRanks(d)
	if len(ranks) == 0 {
		return nil
	}
	if len(ranks) <= exactRanks {
		return FiniteOrNil(exactSignedRank(ranks, positive))
	}
	var sum, squares float64
	for _, r := range ranks {
		sum += r
		squares += r * r
	}
	z := (positive - sum/2) / math.Sqrt(squares/4)
	return FiniteOrNil(2 * distuv.UnitNormal.Survival(math.Abs(z)))
}

// signedRanks returns the mean ranks of |d| without zeros, and the sum of the ranks of positive
// differences.
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

// exactSignedRank counts by dynamic programming over twice the ranks, which are whole numbers, how
// many of the 2^m flips give a sum at least as far from the middle.
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

// exactFlips is the maximum number of items for which all sign flips are tried.
const exactFlips = 16

// SignFlip returns the two-sided permutation p-value of paired differences: how often their sum is
// at least as far from 0 if each sign is random. It is exact if the differences are symmetric about
// 0, as they are if base and new may be swapped item by item (Fisher 1935, The Design of
// Experiments, §21). Up to 16 nonzero differences all flips are enumerated; above, p =
// (b+1)/(draws+1) of random ones, which is never 0 (Phipson & Smyth 2010, Stat. Appl. Genet. Mol.
// Biol. 9:39). Without a difference it is 1; without items it is nil. Cost: O(m·draws).
func SignFlip(d []float64, draws int, src rand.Source) *float64 {
	if len(d) == 0 {
		return nil
	}
	var moved []float64
	scale, sum := 0.0, 0.0
	for _, v := range d {
		if v != 0 {
			moved = append(moved, v)
			scale += math.Abs(v)
			sum += v
		}
	}
	far := math.Abs(sum) - 1e-9*scale // sums that differ only by rounding are ties
	if len(moved) <= exactFlips {
		beyond, all := flips(moved, 0, far), 1<<len(moved)
		return FiniteOrNil(float64(beyond) / float64(all))
	}
	beyond := 0
	for range draws {
		if math.Abs(flipped(moved, src)) >= far {
			beyond++
		}
	}
	return FiniteOrNil(float64(beyond+1) / float64(draws+1))
}

// flips counts the sign patterns of d whose sum, added to begun, is far from 0.
func flips(d []float64, begun, far float64) int {
	if len(d) == 0 {
		if math.Abs(begun) >= far {
			return 1
		}
		return 0
	}
	return flips(d[1:], begun+d[0], far) + flips(d[1:], begun-d[0], far)
}

// flipped returns the sum of d with random signs.
func flipped(d []float64, src rand.Source) float64 {
	sum, bits := 0.0, uint64(0)
	for i, v := range d {
		if i%64 == 0 {
			bits = src.Uint64()
		}
		sum += math.Float64frombits(math.Float64bits(v) ^ bits<<63)
		bits >>= 1
	}
	return sum
}
