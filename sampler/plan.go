package sampler

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Rollout names a rollout to make.
type Rollout struct {
	Item    *rollout.Item
	Sample  int
	Attempt int
}

// Blocks returns the order in which a run takes its items: shuffled by the seed, each split spread
// evenly, and cut into blocks of at most size items whose sizes differ by at most one. A size of 0
// or less makes one block. However many blocks are sampled, they are a random choice of each
// split's items, no matter how the files are sorted.
//
// A block of 32, the default, is large enough that its items represent all, that the second
// rollout of an item starts only after the first has filled the server's prefix cache, and that a
// faulty grader soon meets different items. It is small enough that a server with 64 requests in
// flight has two of each item, so that it keeps their common prefix.
//
// The order depends only on the arguments, and on the order of the items only if two of a split
// share an id. Added items do not change the relative order of the items of their split that were
// already there. Among the first k items, each of S splits has its proportional share to within
// (S+1)/2 + 1. The blocks point into items. The cost is O(n log n).
func Blocks(items []rollout.Item, seed uint64, size int) [][]*rollout.Item {
	order := drawn(items, seed)
	if size <= 0 || size >= len(order) {
		size = max(1, len(order))
	}
	n := (len(order) + size - 1) / size
	blocks := make([][]*rollout.Item, n)
	for i := range blocks {
		blocks[i] = order[i*len(order)/n : (i+1)*len(order)/n]
	}
	return blocks
}

// drawn shuffles the items of each split and merges the splits, placing the i-th of n items at
// (i+1/2)/n.
func drawn(items []rollout.Item, seed uint64) []*rollout.Item {
	type place struct {
		item *rollout.Item
		lot  uint64
		pos  float64
	}
	bySplit := make(map[rollout.Split][]place)
	for i := range items {
		it := &items[i]
		bySplit[it.Split] = append(bySplit[it.Split], place{item: it, lot: lot(seed, it)})
	}
	all := make([]place, 0, len(items))
	for _, places := range bySplit {
		slices.SortStableFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.lot, b.lot), cmp.Compare(a.item.ID, b.item.ID))
		})
		for i := range places {
			places[i].pos = (float64(i) + 0.5) / float64(len(places))
		}
		all = append(all, places...)
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.item.Split, b.item.Split))
	})
	order := make([]*rollout.Item, len(all))
	for i, p := range all {
		order[i] = p.item
	}
	return order
}

// lot returns the random sort key of an item.
func lot(seed uint64, it *rollout.Item) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "order\x00%d\x00%s\x00%s", seed, it.Split, it.ID)
	return limit.Mix(h.Sum64())
}

// Plan lists the rollouts that a run still lacks: samples of every item of each split, minus what
// is recorded. state returns what is recorded of a rollout, with ok false if nothing is. A rollout
// whose record is missing data, because a boundary failed, is planned again as its next attempt.
// One that lacks only its grade is not planned: its output is graded (Ungraded).
//
// The items keep their order and form one round: sample 0 of every item, then sample 1. The rollouts
// point into items.
func Plan(items []rollout.Item, samples map[rollout.Split]int, state func(rollout.Key) (done rollout.RolloutState,
	ok bool),
) []Rollout {
	all := make([]*rollout.Item, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return PlanBlocks([][]*rollout.Item{all}, func(it *rollout.Item) int { return samples[it.Split] }, state)
}

// PlanBlocks is Plan for blocks of items, one after the other, each in a round of its own; samples
// returns how many samples of an item to make. The samples of an item are then close together,
// while a server still has their common prefix in its cache; and a run that is stopped early has
// some items completely and the others not at all, rather than a sample or two of each.
func PlanBlocks(blocks [][]*rollout.Item, samples func(*rollout.Item) int,
	state func(rollout.Key) (done rollout.RolloutState, ok bool),
) []Rollout {
	var rollouts []Rollout
	for _, block := range blocks {
		rollouts = planRound(rollouts, block, samples, state)
	}
	return rollouts
}

// PlanRun is PlanBlocks for what a run directory lacks, which need not exist yet: rollouts that are
// not recorded, or that failed at a boundary. regrade says that an answer recorded without a grade
// is graded later, not sampled again.
func PlanRun(ctx context.Context, dir string, blocks [][]*rollout.Item, samples func(*rollout.Item) int,
	regrade bool,
) ([]Rollout, error) {
	state := make(map[rollout.Key]rollout.RolloutState)
	if _, err := os.Stat(dir); err == nil {
		run, err := rollout.OpenManifest(dir)
		if err != nil {
			return nil, err
		}
		if state, _, err = run.State(ctx); err != nil {
			return nil, err
		}
	}
	return PlanBlocks(blocks, samples, func(k rollout.Key) (rollout.RolloutState, bool) {
		done, ok := state[k]
		done.Output = done.Output && regrade
		return done, ok
	}), nil
}

// planRound appends the rollouts of one block.
func planRound(rollouts []Rollout, block []*rollout.Item, samples func(*rollout.Item) int,
	state func(rollout.Key) (done rollout.RolloutState, ok bool),
) []Rollout {
	want, most := make([]int, len(block)), 0
	for i, it := range block {
		want[i] = samples(it)
		most = max(most, want[i])
	}
	for sample := range most {
		for i, it := range block {
			if sample >= want[i] {
				continue
			}
			todo := Rollout{Item: it, Sample: sample}
			if state != nil {
				done, ok := state(rollout.Key{Split: it.Split, Item: it.ID, Sample: sample})
				if ok && (!done.Outcome.Missing() || done.Ungraded()) {
					continue
				}
				if ok {
					todo.Attempt = done.Attempt + 1
				}
			}
			rollouts = append(rollouts, todo)
		}
	}
	return rollouts
}
