package stat

// Informative returns the unbiased estimate of the probability that g draws
// span more than delta, from n >= g draws sorted in ascending order: one minus
// the share of subsets of size g whose largest and smallest reward differ by
// at most delta, 1 - Σ_j C(#{i after j: y_i-y_j <= delta}, g-1)/C(n,g). Groups
// that span less give a group-relative trainer no advantage to learn from
// (Shao et al. 2024, arXiv 2402.03300; Yu et al. 2025, arXiv 2503.14476).
//
// With delta = 0 it is 1 - Σ_v C(n_v,g)/C(n,g) over distinct values v. A group
// of one is never informative. It panics unless 1 <= g <= n. Cost: O(n).
func Informative(sorted []float64, g int, delta float64) float64 {
	checkK(sorted, g)
	n := len(sorted)
	if sorted[n-1]-sorted[0] <= delta || g == 1 {
		return 0
	}
	chance := flatChances(n, g)
	var flat float64
	for _, c := range followers(sorted, delta) {
		flat += chance[c]
	}
	return min(max(1-flat, 0), 1)
}

// InformativeVar estimates the sampling variance of Informative for the item
// at hand by the delete-one jackknife (Efron & Stein 1981, Ann. Stat. 9:586).
// It is nil for g = n and panics unless 1 <= g <= n. Cost: O(n).
func InformativeVar(sorted []float64, g int, delta float64) *float64 {
	checkK(sorted, g)
	n := len(sorted)
	if g == n {
		return nil
	}
	if sorted[n-1]-sorted[0] <= delta || g == 1 {
		return FiniteOrNil(0)
	}
	// Without draw i the sum over j loses i's own term, and each j that has i among its followers
	// has one follower less. Those j are a run that ends at i, so prefix sums of the change for one
	// follower less give all n values.
	chance := flatChances(n-1, g) // no draw has n-1 followers: the extremes differ
	follow := followers(sorted, delta)
	costs := make([]float64, n+1)
	for j, c := range follow {
		costs[j+1] = costs[j]
		if c > 0 {
			costs[j+1] += chance[c] - chance[c-1]
		}
	}
	lost := make([]float64, n)
	first := 0
	for i := range sorted {
		for first+follow[first] < i {
			first++
		}
		lost[i] = chance[follow[i]] + costs[i] - costs[first]
	}
	_, dev := moments(lost)
	return FiniteOrNil(dev * float64(n-1) / float64(n))
}

// followers counts, for each j of a sorted slice, the draws after j within delta of it.
func followers(sorted []float64, delta float64) []int {
	counts := make([]int, len(sorted))
	end := 0
	for j, y := range sorted {
		for end+1 < len(sorted) && sorted[end+1]-y <= delta {
			end++
		}
		end = max(end, j)
		counts[j] = end - j
	}
	return counts
}

// flatChances returns C(c,g-1)/C(n,g) for c = 0..n-1, by a running product
// down from C(n-1,g-1)/C(n,g) = g/n that cannot overflow.
func flatChances(n, g int) []float64 {
	chance := make([]float64, n)
	value := float64(g) / float64(n)
	for c := n - 1; c >= g-1; c-- {
		chance[c] = value
		value *= float64(c-g+1) / float64(max(c, 1))
	}
	return chance
}
