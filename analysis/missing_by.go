package analysis

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// MissingBy says whether what the model endpoint and the tools failed is missing at
// random: whether it depends on the item, and whether it goes with the reward. What
// is left of a run is a biased sample otherwise.
type MissingBy struct {
	Lost   int             `json:"lost"`   // attempts that the model endpoint or a tool failed, those made again included
	Most   int             `json:"most"`   // the fewest items that hold at least 80 % of them
	Share  *float64        `json:"share"`  // of them that these items hold
	Items  []string        `json:"items"`  // these items, most failures first; 20 at most
	Item   PermutationTest `json:"item"`   // failures by item: chi-square
	Reward PermutationTest `json:"reward"` // an item's share of failed attempts and its mean reward: rank correlation
}

// PermutationTest is a test by random permutations; null where there is nothing to
// tell apart.
type PermutationTest struct {
	N         int      `json:"n"` // items
	Statistic *float64 `json:"statistic"`
	P         *float64 `json:"p"`
	Method    string   `json:"method"`
}

const (
	fewestLost      = 5    // failures below which nothing is tested
	leastLost       = 0.01 // share of rollouts that failed at least once, below which that is no caution
	mostOfLost      = 0.8  // share of failures that MissingBy.Items hold
	lossPermutation = 1999 // of each test
	lossLevel       = 0.01 // of each of the two tests: 2 % together (Bonferroni)
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
		if share(held, total) >= mostOfLost {
			break
		}
		held += l.lost
		out.Most++
		if len(out.Items) < itemsListed {
			out.Items = append(out.Items, l.id)
		}
	}
	out.Share = stat.Some(share(held, total))
	out.Item.Statistic, out.Item.P = stat.CountsByItem(counts, lossPermutation, rand.NewPCG(m.s.Seed, 0x1057))
	out.Reward.Statistic, out.Reward.P = stat.RankPermutation(pairs, lossPermutation, rand.NewPCG(m.s.Seed, 0x1058))
	return out
}

// showsDependence reports whether the test finds something, at the level of each of the two.
func showsDependence(t PermutationTest) bool {
	return t.P != nil && t.Statistic != nil && *t.P < lossLevel
}

// missingWords says what the tests find; "" where they find nothing.
func missingWords(b *MissingBy) message.Text {
	var found []message.Text
	if showsDependence(b.Item) {
		found = append(found, dependOnItem.With(message.Args{"p": pText(b.Item.P), "n": message.Int(b.Most), "items": message.Count(b.Item.N, "item"), "share": message.Share(stat.Or(b.Share, 1))}))
	}
	if showsDependence(b.Reward) {
		rho, p := message.Number(*b.Reward.Statistic), pText(b.Reward.P)
		if *b.Reward.Statistic < 0 {
			found = append(found, failEarnLess.With(message.Args{"rho": rho, "p": p}))
		} else {
			found = append(found, failEarnMore.With(message.Args{"rho": rho, "p": p}))
		}
	}
	return message.Clauses(found...)
}

var (
	dependOnItem = message.New("infra.failures.item", "they depend on the item ({p}): {n} of {items} had {share} of them")
	failEarnLess = message.New("infra.failures.less", "items that fail more earn less (rank correlation {rho}, {p}), so the mean is likely too high")
	failEarnMore = message.New("infra.failures.more", "items that fail more earn more (rank correlation {rho}, {p}), so the mean is likely too low")
)
