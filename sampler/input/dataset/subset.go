package dataset

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	"gonogo/sampler/rollout"
)

// Subset draws k items at random from the seed, each category in proportion to its share, by
// Sainte-Laguë's method (divisors 1, 3, 5, …). The items are in the order in which they were drawn,
// and Subset(k) is a prefix of Subset(k+1): raising k keeps the items already drawn. k ≤ 0 returns
// all items in their original order. The argument is not changed; the cost is n log n.
func Subset(items []rollout.Item, k int, seed uint64) []rollout.Item {
	if k <= 0 {
		return slices.Clone(items)
	}
	byCategory := map[string][]int{}
	for i, it := range items {
		byCategory[it.Category] = append(byCategory[it.Category], i)
	}
	type place struct {
		position float64 // position of the item within its category, in (0, 1)
		tie      uint64  // breaks ties between categories of one size
		index    int
	}
	var order []place
	for _, category := range slices.Sorted(maps.Keys(byCategory)) {
		indexes := byCategory[category]
		rng := rand.New(rand.NewPCG(seed, hash(category)))
		tie := rng.Uint64()
		rng.Shuffle(len(indexes), func(a, b int) { indexes[a], indexes[b] = indexes[b], indexes[a] })
		for i, index := range indexes {
			order = append(order, place{(float64(i) + 0.5) / float64(len(indexes)), tie, index})
		}
	}
	sort.Slice(order, func(i, j int) bool {
		a, b := &order[i], &order[j]
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.tie, b.tie), cmp.Compare(a.index, b.index)) < 0
	})
	taken := make([]rollout.Item, 0, min(k, len(order)))
	for _, p := range order[:min(k, len(order))] {
		taken = append(taken, items[p.index])
	}
	return taken
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
