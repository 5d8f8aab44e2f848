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

// blockSize is the number of permutations that share one pass over the rows, which then stay in the
// cache.
const blockSize = 32

// permuted returns the sums for each set of rows in the role of the small sample. Every sum is
// computed in ascending order of rows, whatever the goroutine. Cost: O(sets · small²/2).
func (t triangle) permuted(sets [][]int32) []sums {
	rowSums := t.rowSums()
	var total float64
	for _, x := range rowSums {
		total += x
	}
	total /= 2
	out := make([]sums, len(sets))
	parallel((len(sets)+blockSize-1)/blockSize, func(block int) {
		from := block * blockSize
		to := min(len(sets), from+blockSize)
		next := make([]int, to-from) // position in each set
		for i, row := range t {
			for k := range next {
				set := sets[from+k]
				p := next[k]
				if p >= len(set) || int(set[p]) != i {
					continue
				}
				next[k]++
				out[from+k].small += gathered(row, set[p+1:], int32(i+1))
			}
		}
		for k := from; k < to; k++ {
			s := &out[k]
			var touching float64
			for _, i := range sets[k] {
				touching += rowSums[i]
			}
			s.between = touching - 2*s.small
			s.large = total - s.small - s.between
			s.nSmall, s.nLarge = float64(len(sets[k])), float64(len(t)-len(sets[k]))
		}
	})
	return out
}

// gathered returns the sum of the row's values at the given columns, whose indices start at offset.
func gathered(row []float64, columns []int32, offset int32) float64 {
	var even, odd float64
	k := 0
	for ; k+1 < len(columns); k += 2 {
		even += row[columns[k]-offset]
		odd += row[columns[k+1]-offset]
	}
	if k < len(columns) {
		even += row[columns[k]-offset]
	}
	return even + odd
}
