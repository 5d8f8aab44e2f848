package stat

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// subsets calls visit with every subset of size k of sorted, itself sorted.
func subsets(sorted []float64, k int, visit func([]float64)) {
	for mask := range uint(1) << len(sorted) {
		if bits.OnesCount(mask) != k {
			continue
		}
		subset := make([]float64, 0, k)
		for i, y := range sorted {
			if mask&(1<<i) != 0 {
				subset = append(subset, y)
			}
		}
		visit(subset)
	}
}

// average is the mean of a statistic over all subsets of size k.
func average(sorted []float64, k int, statistic func([]float64) float64) float64 {
	var sum, count float64
	subsets(sorted, k, func(y []float64) {
		sum += statistic(y)
		count++
	})
	return sum / count
}

// sortedRewards draws n rewards with ties, below 0 and above 1, in order.
func sortedRewards(rng *rand.Rand, n int) []float64 {
	levels := []float64{-1.5, 0, 0.25, 1, 7}
	y := make([]float64, n)
	for i := range y {
		if y[i] = levels[rng.IntN(len(levels))]; rng.IntN(3) == 0 {
			y[i] = rng.NormFloat64()
		}
	}
	slices.Sort(y)
	return y
}

// The estimators are averages over all subsets, which can be listed for small n.
func TestOrderStatisticsByEnumeration(t *testing.T) {
	rng := seeded(3)
	span := func(y []float64) float64 { return y[len(y)-1] - y[0] }
	for n := 1; n <= 8; n++ {
		for k := 1; k <= n; k++ {
			for range 20 {
				y := sortedRewards(rng, n)
				about := fmt.Sprintf("of %v, k = %d", y, k)
				near(t, "max "+about, MaxOfK(y, k), average(y, k, func(s []float64) float64 { return s[k-1] }), 1e-12)
				near(t, "min "+about, MinOfK(y, k), average(y, k, func(s []float64) float64 { return s[0] }), 1e-12)
				for _, delta := range []float64{0, 0.3, 1} {
					want := average(y, k, func(s []float64) float64 {
						if span(s) > delta {
							return 1
						}
						return 0
					})
					near(t, fmt.Sprintf("informative %s, delta %g", about, delta), Informative(y, k, delta), want, 1e-12)
				}
			}
		}
	}
}

// The fast jackknives equal the definition: leave each draw out, recompute.
func TestJackknivesByDefinition(t *testing.T) {
	rng := seeded(4)
	define := func(y []float64, statistic func([]float64) float64) float64 {
		left := make([]float64, len(y))
		for i := range y {
			left[i] = statistic(slices.Concat(y[:i], y[i+1:]))
		}
		_, dev := moments(left)
		return dev * float64(len(y)-1) / float64(len(y))
	}
	for n := 2; n <= 12; n++ {
		for k := 1; k < n; k++ {
			for range 10 {
				y := sortedRewards(rng, n)
				about := fmt.Sprintf("of %v, k = %d", y, k)
				near(t, "max "+about, *MaxOfKVar(y, k), define(y, func(s []float64) float64 { return MaxOfK(s, k) }), 1e-11)
				near(t, "min "+about, *MinOfKVar(y, k), define(y, func(s []float64) float64 { return MinOfK(s, k) }), 1e-11)
				near(t, "informative "+about, *InformativeVar(y, k, 0.3), define(y, func(s []float64) float64 { return Informative(s, k, 0.3) }), 1e-11)
				_, within := LiftValues([][]float64{y}, k)
				near(t, "lift "+about, within[0], define(y, func(s []float64) float64 {
					mean, _ := moments(s)
					return MaxOfK(s, k) - mean
				}), 1e-11)
			}
		}
	}
}

func TestJackknifeOfMeanIsTheUsualVariance(t *testing.T) {
	y := []float64{1, 2, 4, 9} // s² = 12.6667, s²/4
	near(t, "variance at k = 1", *MaxOfKVar(y, 1), 38./3/4, 1e-12)
}

func TestVariancesAreUnknownAtFullSize(t *testing.T) {
	y := []float64{0, 1, 2}
	if MaxOfKVar(y, 3) != nil || MinOfKVar(y, 3) != nil || InformativeVar(y, 3, 0) != nil {
		t.Error("a variance at k = n, where no draw can be left out")
	}
	if _, within := LiftValues([][]float64{{0, 1, 2, 3}, y}, 3); within != nil {
		t.Errorf("within = %v, want nil: an item has no more than g rewards", within)
	}
}

// pass@k = 1 - Π_{i=n-c+1..n}(1 - k/i), the numerically stable form printed in
// figure 3 of Chen et al. (2021, arXiv 2107.03374).
func TestMaxOfKIsPassAtK(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100, 200} {
		for c := 0; c <= n; c += max(1, n/7) {
			y := make([]float64, n)
			for i := range c {
				y[n-1-i] = 1
			}
			for k := 1; k <= n; k += max(1, n/9) {
				fail := 1.0
				for i := n - c + 1; i <= n; i++ {
					fail *= 1 - float64(k)/float64(i)
				}
				if n-c < k {
					fail = 0
				}
				near(t, fmt.Sprintf("pass@%d with %d of %d", k, c, n), MaxOfK(y, k), 1-fail, 1e-12)
			}
		}
	}
}

func TestOrderStatisticsProperties(t *testing.T) {
	rng := seeded(5)
	for _, n := range []int{1, 2, 3, 10, 64, 1000} {
		y := sortedRewards(rng, n)
		negated := make([]float64, n)
		for i, v := range y {
			negated[n-1-i] = -v
		}
		mean, _ := moments(y)
		near(t, "max of 1 is the mean", MaxOfK(y, 1), mean, 1e-12)
		near(t, "min of 1 is the mean", MinOfK(y, 1), mean, 1e-12)
		if MaxOfK(y, n) != y[n-1] || MinOfK(y, n) != y[0] {
			t.Errorf("n = %d: of all draws the extremes are %g and %g", n, MaxOfK(y, n), MinOfK(y, n))
		}
		lastMax, lastMin, lastShare := math.Inf(-1), math.Inf(1), -1.0
		for k := 1; k <= n; k++ {
			hi, lo, share := MaxOfK(y, k), MinOfK(y, k), Informative(y, k, 0.1)
			if !(hi >= lastMax-1e-12 && lo <= lastMin+1e-12 && share >= lastShare-1e-12) {
				t.Fatalf("n = %d, k = %d: not monotone: max %g, min %g, informative %g", n, k, hi, lo, share)
			}
			near(t, "max mirrors min", MaxOfK(negated, k), -lo, 1e-12)
			near(t, "informative mirrors itself", Informative(negated, k, 0.1), share, 1e-12)
			lastMax, lastMin, lastShare = hi, lo, share
			if k < n {
				for _, v := range []*float64{MaxOfKVar(y, k), MinOfKVar(y, k), InformativeVar(y, k, 0.1)} {
					if v == nil || !(*v >= 0) {
						t.Fatalf("n = %d, k = %d: variance %v", n, k, v)
					}
				}
			}
		}
	}
}

func TestEqualRewardsComeBackExactly(t *testing.T) {
	for _, n := range []int{1, 3, 7, 1000} {
		y := repeatValue(0.1, n)
		for k := 1; k <= n; k += max(1, n/5) {
			if MaxOfK(y, k) != 0.1 || MinOfK(y, k) != 0.1 || Informative(y, k, 0) != 0 {
				t.Errorf("n = %d, k = %d: %v %v %v", n, k, MaxOfK(y, k), MinOfK(y, k), Informative(y, k, 0))
			}
		}
	}
}

func repeatValue(y float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = y
	}
	return values
}

// By hand: rewards 0 0 1, pairs 00 01 01: lift at 2 is 2/3 - 1/3.
func TestLiftValues(t *testing.T) {
	values, _ := LiftValues([][]float64{{1, 0, 0}, {}, {2, 2}}, 2)
	if len(values) != 2 || values[1] != 0 {
		t.Fatalf("values = %v, want two, the second 0", values)
	}
	near(t, "lift", values[0], 1./3, 1e-12)
}
