package stat

import "slices"

// MaxOfK returns the unbiased estimate of the expected maximum of k draws, from n draws sorted in
// ascending order: Σ_{j≥k} y_(j)·C(j-1,k-1)/C(n,k), the mean of the maximum over all subsets of
// size k (a U-statistic: Hoeffding 1948, Ann. Math. Stat. 19:293). For 0/1 rewards it is pass@k of
// Chen et al. (2021, arXiv 2107.03374). Rewards may be any finite numbers, including ties.
//
// It is summed by gaps, y_(n) - Σ_i (y_(i+1)-y_(i))·C(i,k)/C(n,k), with a running product that
// starts at 1 and falls, so that no n overflows and equal rewards give exactly their value. It
// panics unless 1 <= k <= n. Cost: O(n-k).
func MaxOfK(sorted []float64, k int) float64 {
	checkK(sorted, k)
	n := len(sorted)
	below, all := 0.0, 1.0 // the probability that k draws are all among the lowest i
	for i := n - 1; i >= k; i-- {
		all *= float64(i+1-k) / float64(i+1)
		below += all * (sorted[i] - sorted[i-1])
	}
	return sorted[n-1] - below
}

// MinOfK is MaxOfK for the minimum: for 0/1 rewards the unbiased estimate
// that all of k draws succeed (pass^k; Yao et al. 2024, arXiv 2406.12045).
func MinOfK(sorted []float64, k int) float64 {
	checkK(sorted, k)
	n := len(sorted)
	above, all := 0.0, 1.0
	for i := n - 1; i >= k; i-- {
		all *= float64(i+1-k) / float64(i+1)
		above += all * (sorted[n-i] - sorted[n-i-1])
	}
	return sorted[0] + above
}

// MaxOfKVar estimates the sampling variance of MaxOfK for the item by the delete-one jackknife,
// (n-1)/n·Σ(θ_(-i) - θ̄)², which is biased upward (Efron & Stein 1981, Ann. Stat. 9:586). It is nil
// for k = n, because k draws do not fit into n-1. It panics unless 1 <= k <= n. Cost: O(n).
func MaxOfKVar(sorted []float64, k int) *float64 {
	checkK(sorted, k)
	return jackknife(sorted, k, 0)
}

// MinOfKVar is MaxOfKVar for MinOfK.
func MinOfKVar(sorted []float64, k int) *float64 {
	checkK(sorted, k)
	mirrored := make([]float64, len(sorted))
	for i, y := range sorted {
		mirrored[len(sorted)-1-i] = -y
	}
	return jackknife(mirrored, k, 0)
}

// jackknife returns the delete-one variance of MaxOfK minus the given weight times the mean.
//
// The value without y_(i) exceeds that without y_(i+1) by w_i·(y_(i+1)-y_(i)), where w_i is the
// weight of rank i in a maximum over n-1 draws. One pass down the ranks therefore gives all n of
// them, up to a constant that does not affect the variance.
func jackknife(sorted []float64, k int, ofMean float64) *float64 {
	n := len(sorted)
	if k >= n {
		return nil
	}
	var value, mean, dev float64
	weight := float64(k) / float64(n-1)
	for i := n - 1; i >= 1; i-- {
		value += (weight - ofMean/float64(n-1)) * (sorted[i] - sorted[i-1])
		if i > 1 {
			weight *= max(0, float64(i-k)) / float64(i-1)
		}
		delta := value - mean // Welford's update; the first value, 0, is already counted
		mean += delta / float64(n-i+1)
		dev += delta * (value - mean)
	}
	return FiniteOrNil(dev * float64(n-1) / float64(n))
}

// LiftValues returns per item the estimate of E[max of g] - mean, which is what choosing among g
// rollouts could gain, and the jackknife variance of that difference (nil if some item has n = g:
// not estimable). Empty items are left out. It panics if a nonempty item has fewer than g rewards.
func LiftValues(items [][]float64, g int) (values, within []float64) {
	unsure := false
	for _, sorted := range sortedItems(items) {
		mean, _ := moments(sorted)
		values = append(values, max(0, MaxOfK(sorted, g)-mean))
		v := jackknife(sorted, g, 1)
		unsure = unsure || v == nil
		within = append(within, ValueOr(v, 0))
	}
	if unsure {
		within = nil
	}
	return values, within
}

// sortedItems returns sorted copies of the items, without the empty ones.
func sortedItems(items [][]float64) [][]float64 {
	sorted, all := make([][]float64, 0, len(items)), slices.Concat(items...)
	for _, item := range items {
		if n := len(item); n > 0 {
			slices.Sort(all[:n])
			sorted, all = append(sorted, all[:n:n]), all[n:]
		}
	}
	return sorted
}

func checkK(sorted []float64, k int) {
	if k < 1 || k > len(sorted) {
		panic("stat: the size of a group must be between 1 and the number of rewards")
	}
}
