package stat

import (
	"math"
	"math/rand/v2"
)

// CountsByItem tests whether the frequency of some event in rollouts depends on the item: counts
// holds one number per rollout, by item. The statistic is chi-square, the sum over items of (count
// - expected)²/expected, where the expected count of an item is in proportion to its rollouts. P is
// from random reassignments of the counts to the rollouts, (b+1)/(draws+1) (Phipson & Smyth 2010,
// Stat. Appl. Genet. Mol. Biol. 9:39). Whole rollouts are reassigned, so that consecutive failed
// attempts of one rollout count as one piece of evidence. Both are nil if nothing was counted or
// there are fewer than 2 items. Cost: O(rollouts + draws · rollouts with a count).
func CountsByItem(counts [][]int, draws int, src rand.Source) (statistic, p *float64) {
	var item, hits, owner []int // the item of each rollout; the nonzero counts, and their items
	items, total := 0, 0.0
	for i, list := range counts {
		items += min(1, len(list))
		for _, n := range list {
			item = append(item, i)
			if n > 0 {
				hits, owner = append(hits, n), append(owner, i)
				total += float64(n)
			}
		}
	}
	if items < 2 || total == 0 {
		return nil, nil
	}
	// Σ (count - expected)²/expected = rollouts/total · Σ count²/(rollouts of the item) - total.
	sums := make([]float64, len(counts))
	chiSquare := func(owner []int) float64 {
		clear(sums)
		for j, n := range hits {
			sums[owner[j]] += float64(n)
		}
		sum := 0.0
		for i, n := range sums {
			if n > 0 {
				sum += n * n / float64(len(counts[i]))
			}
		}
		return float64(len(item))/total*sum - total
	}
	seen := chiSquare(owner)
	rng, beyond := rand.New(src), 0
	for range draws {
		for j := range hits { // the first elements of a shuffle
			k := j + rng.IntN(len(item)-j)
			item[j], item[k] = item[k], item[j]
		}
		if chiSquare(item) >= seen-1e-9*(1+total) { // a difference by rounding alone is a tie
			beyond++
		}
	}
	return FiniteOrNil(seen), FiniteOrNil(float64(beyond+1) / float64(draws+1))
}

// RankPermutation tests whether X and Y are correlated: Spearman's rank correlation of single
// pairs, and how often it is at least as far from 0 if the Y are randomly reassigned to the X,
// (b+1)/(draws+1). Both are nil if either side does not vary. Cost: O(pairs · draws).
func RankPermutation(pairs []Pair, draws int, src rand.Source) (rho, p *float64) {
	items := make([][]Pair, len(pairs))
	for i, pair := range pairs {
		items[i] = []Pair{pair}
	}
	r := newRanking(items, len(pairs))
	seen := r.correlation(-1)
	if math.IsNaN(seen) {
		return nil, nil
	}
	mean, xx, yy := float64(len(pairs)+1)/2, 0.0, 0.0
	x, y := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i := range pairs {
		x[i], y[i] = r.rx[i]-mean, r.ry[i]-mean
		xx, yy = xx+x[i]*x[i], yy+y[i]*y[i]
	}
	far := (math.Abs(seen) - 1e-9) * math.Sqrt(xx*yy) // correlations that differ only by rounding are ties
	rng, beyond := rand.New(src), 0
	for range draws {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		sum := 0.0
		for i := range x {
			sum += x[i] * y[i]
		}
		if math.Abs(sum) >= far {
			beyond++
		}
	}
	return FiniteOrNil(seen), FiniteOrNil(float64(beyond+1) / float64(draws+1))
}
