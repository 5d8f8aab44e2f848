package shift

import (
	"math"
	"slices"
)

// triangle holds a symmetric function of two rows without its diagonal: row i has the values for j
// > i.
type triangle [][]float64

// pairDistances returns the weighted Euclidean distances of all pairs of rows.
func pairDistances(columns []column, n int) triangle {
	points := matrix(columns, n)
	t := make(triangle, n)
	parallel(n, func(i int) {
		t[i] = make([]float64, n-i-1)
		for j := i + 1; j < n; j++ {
			t[i][j-i-1] = math.Sqrt(squaredDistance(points[i], points[j]))
		}
	})
	return t
}

func squaredDistance(a, b []float64) (sum float64) {
	for c, x := range a {
		d := x - b[c]
		sum += d * d
	}
	return sum
}

// each replaces every value x by f(x).
func (t triangle) each(f func(float64) float64) {
	parallel(len(t), func(i int) {
		for j, x := range t[i] {
			t[i][j] = f(x)
		}
	})
}

// median returns the middle value of at most some 100,000 pairs taken at even steps, or the mean of
// the nonzero ones if most are 0.
func (t triangle) median() float64 {
	total := len(t) * (len(t) - 1) / 2
	step := max(1, total/100_000)
	var some []float64
	offset := 0
	for _, row := range t {
		for ; offset < len(row); offset += step {
			some = append(some, row[offset])
		}
		offset -= len(row)
	}
	slices.Sort(some)
	if m := some[len(some)/2]; m > 0 {
		return m
	}
	some = slices.DeleteFunc(some, func(x float64) bool { return x == 0 })
	if len(some) == 0 {
		return 0
	}
	return mean(some)
}

// sums are the sums for two-sample statistics of pairs: over pairs within the small sample, within
// the large one, and between them.
type sums struct {
	small, large, between float64
	nSmall, nLarge        float64
}

// means returns the means over ordered pairs of distinct rows.
func (s sums) means() (small, large, between float64) {
	return 2 * s.small / (s.nSmall * (s.nSmall - 1)), 2 * s.large / (s.nLarge * (s.nLarge - 1)),
		s.between / (s.nSmall * s.nLarge)
}

// contrast returns 2·between - small - large, without bias: the energy distance if the values are
// distances, minus MMD² if they are kernels.
func (s sums) contrast() float64 {
	small, large, between := s.means()
	return 2*between - small - large
}

// vStatistic is contrast with the zero diagonal included, as Székely & Rizzo define the sample
// energy distance.
func (s sums) vStatistic() float64 {
	_, _, between := s.means()
	return 2*between - 2*s.small/(s.nSmall*s.nSmall) - 2*s.large/(s.nLarge*s.nLarge)
}

// coefficient returns the energy distance as a share of its maximum, contrast/(2·between) (Székely
// & Rizzo 2013, J. Stat. Plan. Inference 143:1249): 0 without any difference, 1 for two different
// points.
func (s sums) coefficient() float64 {
	_, _, between := s.means()
	if between <= 0 {
		return 0
	}
	return s.contrast() / (2 * between)
}

// rowSums returns for every row the sum over all other rows.
func (t triangle) rowSums() []float64 {
	out := make([]float64, len(t))
	for i, row := range t {
		for j, x := range row {
			out[i] += x
			out[i+1+j] += x
		}
	}
	return out
}

// stripe is the number of rows whose sums one goroutine adds up.
const stripe = 64

// permuted returns the sums for each set of rows in the role of the small sample, the actual one
// first. Every sum is computed in the same order of rows, whatever the goroutine.
//
// The actual sample's pairs are added one by one. For the others it takes 32 columns of a row at a
// time and tabulates the sums of all subsets of each 8 of them, in which each set looks up its own:
// 4 additions instead of 32. Cost: O(sets · small · n/16).
func (t triangle) permuted(sets [][]int32) []sums {
	rowSums := t.rowSums()
	var total float64
	for _, x := range rowSums {
		total += x
	}
	total /= 2
	in := members(sets, len(t))
	parts := make([][]float64, (len(t)+stripe-1)/stripe)
	parallel(len(parts), func(p int) {
		parts[p] = make([]float64, len(sets))
		holders := make([]int32, 0, len(sets))
		for i := p * stripe; i < min(len(t), (p+1)*stripe); i++ {
			holders = holders[:0]
			for k, bits := range in[i/32] {
				if bits>>(i%32)&1 == 1 {
					holders = append(holders, int32(k))
				}
			}
			t.addRow(i, in, holders, parts[p])
		}
	})
	out := make([]sums, len(sets))
	for k, set := range sets {
		s := &out[k]
		for _, part := range parts {
			s.small += part[k]
		}
		if k == 0 {
			s.small = t.within(set)
		}
		var touching float64
		for _, i := range set {
			touching += rowSums[i]
		}
		s.between = touching - 2*s.small
		s.large = total - s.small - s.between
		s.nSmall, s.nLarge = float64(len(set)), float64(len(t)-len(set))
	}
	return out
}

// within returns the sum over the pairs of a set of rows.
func (t triangle) within(set []int32) (sum float64) {
	for p, i := range set {
		var even, odd float64
		row, others := t[i], set[p+1:]
		for k, j := range others {
			if x := row[j-i-1]; k%2 == 0 {
				even += x
			} else {
				odd += x
			}
		}
		sum += even + odd
	}
	return sum
}

// members returns, for every 32 of n rows, which of them each set contains, as bits.
func members(sets [][]int32, n int) [][]uint32 {
	in := make([][]uint32, (n+31)/32)
	for g := range in {
		in[g] = make([]uint32, len(sets))
	}
	for k, set := range sets {
		for _, i := range set {
			in[i/32][k] |= 1 << (i % 32)
		}
	}
	return in
}

// addRow adds, for each of the sets that contain row i, the row's values at the set's later rows.
func (t triangle) addRow(i int, in [][]uint32, holders []int32, sum []float64) {
	var subset [4][256]float64
	for g := (i + 1) / 32; g < len(in); g++ {
		for q := range subset {
			s := &subset[q]
			for bit := range 8 {
				x := 0.0
				if j := 32*g + 8*q + bit; j > i && j < len(t) {
					x = t[i][j-i-1]
				}
				for m, y := range s[:1<<bit] {
					s[1<<bit+m] = y + x
				}
			}
		}
		bits := in[g]
		for _, k := range holders {
			b := bits[k]
			sum[k] += subset[0][byte(b)] + subset[1][byte(b>>8)] + (subset[2][byte(b>>16)] + subset[3][byte(b>>24)])
		}
	}
}
