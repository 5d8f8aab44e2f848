package stat

import (
	"math"
	"math/rand/v2"
)

// exactFlips is the number of items up to which all sign flips are tried.
const exactFlips = 16

// SignFlip returns the two-sided permutation p-value of paired differences:
// how often their sum is at least as far from 0 when each sign is drawn by a
// coin. It is exact where the differences are symmetric about 0, as they are
// when base and new may be swapped item by item (Fisher 1935, The Design of
// Experiments, §21). Up to 16 differences that are not 0 all flips are
// enumerated; above, p = (b+1)/(draws+1) of random ones, which never is 0
// (Phipson & Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39). Without a
// difference it is 1; nil without items. Cost: O(m·draws).
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
	far := math.Abs(sum) - 1e-9*scale // sums that differ by rounding alone are ties
	if len(moved) <= exactFlips {
		beyond, all := flips(moved, 0, far), 1<<len(moved)
		return Some(float64(beyond) / float64(all))
	}
	beyond := 0
	for range draws {
		if math.Abs(flipped(moved, src)) >= far {
			beyond++
		}
	}
	return Some(float64(beyond+1) / float64(draws+1))
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

// flipped is the sum of d with random signs.
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
