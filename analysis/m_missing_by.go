package analysis

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const (
	fewestLost      = 5    // failures below which nothing is tested
	mostOfLost      = 0.8  // share of failures that MissingBy.Items hold
	lossPermutation = 1999 // of each test
)

// lostAttempts counts the attempts at a rollout that the model endpoint or a tool
// failed.
func lostAttempts(r *row) int {
	if !r.valid && (r.outcome == rollout.ModelAPI || r.outcome == rollout.ToolFailed) {
		return r.repeats + 1
	}
	return r.repeats
}

// missingBy is nil where fewer than fewestLost attempts failed.
func (m *measure) missingBy() *MissingBy {
	type loss struct {
		id   string
		lost int
	}
	var by []loss
	var pairs []stat.Pair
	counts, total := make([][]int, len(m.items)), 0
	for i, it := range m.items {
		lost := 0
		for _, r := range it.rows {
			counts[i] = append(counts[i], lostAttempts(r))
			lost += lostAttempts(r)
		}
		total += lost
		by = append(by, loss{it.id, lost})
		if len(it.rewards) > 0 {
			mean, _ := stat.MeanVariance(it.rewards)
			pairs = append(pairs, stat.Pair{X: float64(lost) / float64(lost+len(it.rewards)), Y: mean})
		}
	}
	if total < fewestLost {
		return nil
	}
	out := &MissingBy{
		Lost: total, Items: []string{},
		Item:   PermutationTest{N: len(m.items), Method: "chi-square of failures over items; 1,999 permutations of rollouts"},
		Reward: PermutationTest{N: len(pairs), Method: "Spearman's rank correlation over items with a reward, two-sided; 1,999 permutations of items"},
	}
	slices.SortStableFunc(by, func(a, b loss) int { return b.lost - a.lost })
	held := 0
	for _, l := range by {
		if stat.Fraction(held, total) >= mostOfLost {
			break
		}
		held += l.lost
		out.Most++
		if len(out.Items) < itemsListed {
			out.Items = append(out.Items, l.id)
		}
	}
	out.Share = stat.Some(stat.Fraction(held, total))
	out.Item.Statistic, out.Item.P = stat.CountsByItem(counts, lossPermutation, rand.NewPCG(m.s.Seed, 0x1057))
	out.Reward.Statistic, out.Reward.P = stat.RankPermutation(pairs, lossPermutation, rand.NewPCG(m.s.Seed, 0x1058))
	return out
}
