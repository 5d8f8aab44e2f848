package measure

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const (
	fewestLost      = 5    // failures below which nothing is tested
	mostOfLost      = 0.8  // share of failures covered by MissingBy.Items
	lossPermutation = 1999 // of each test
)

// lostAttempts counts the attempts at a rollout that failed at the model endpoint or a tool, or had
// too long a prompt.
func lostAttempts(r *collect.Row) int {
	if !r.Valid && (r.Outcome().Missing() && r.Outcome() != rollout.GraderFailed) {
		return r.Repeats() + 1
	}
	return r.Repeats()
}

// missingBy is nil if fewer than fewestLost attempts failed.
func (m *Split) missingBy() *analysis.MissingBy {
	type loss struct {
		id   string
		lost int
	}
	var by []loss
	var pairs []stat.Pair
	counts, total := make([][]int, len(m.Items)), 0
	for i, it := range m.Items {
		lost := 0
		for _, r := range it.Rows {
			counts[i] = append(counts[i], lostAttempts(r))
			lost += lostAttempts(r)
		}
		total += lost
		by = append(by, loss{it.ID, lost})
		if len(it.Rewards) > 0 {
			mean, _ := stat.MeanVariance(it.Rewards)
			pairs = append(pairs, stat.Pair{X: float64(lost) / float64(lost+len(it.Rewards)), Y: mean})
		}
	}
	if total < fewestLost {
		return nil
	}
	out := &analysis.MissingBy{
		Lost: total, Items: []string{},
		Item: analysis.PermutationTest{
			N:      len(m.Items),
			Method: "chi-square of failures over items; 1,999 permutations of rollouts",
		},
		Reward: analysis.PermutationTest{
			N:      len(pairs),
			Method: "Spearman's rank correlation over items with a reward, two-sided; 1,999 permutations of items",
		},
	}
	slices.SortStableFunc(by, func(a, b loss) int { return b.lost - a.lost })
	held := 0
	for _, l := range by {
		if stat.Fraction(held, total) >= mostOfLost {
			break
		}
		held += l.lost
		out.Most++
		if len(out.Items) < analysis.MaxItemsListed {
			out.Items = append(out.Items, l.id)
		}
	}
	out.Share = stat.FiniteOrNil(stat.Fraction(held, total))
	out.Item.Statistic, out.Item.P = stat.CountsByItem(counts, lossPermutation, rand.NewPCG(m.s.Seed, 0x1057))
	out.Reward.Statistic, out.Reward.P = stat.RankPermutation(pairs, lossPermutation, rand.NewPCG(m.s.Seed, 0x1058))
	return out
}
