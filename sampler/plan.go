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

// Job is one rollout to make.
type Job struct {
	Item    *rollout.Item
	Sample  int
	Attempt int
}

// Blocks is the order in which the items of a run come: drawn by the seed, each
// split spread evenly over it, and cut into blocks of at most size items, none
// larger than another by more than one. A size of 0 or less is one block of all.
// However many blocks are sampled, they are a random choice of each split's
// items, whatever their files are sorted by.
//
// A block of 32, the default, has enough items that they stand for all, that the first
// rollout of each does not teach a server's cache of prefixes what the second one begins
// before it knows, and that a faulty grader meets different items soon; few enough that a
// server which is asked for 64 rollouts at a time has two of each item in flight, so it
// holds what they begin with.
//
// It depends only on its arguments, and on the order of the items only where two of a
// split have one id. Items that are added leave those of their split that were
// there in the same order among each other. Among the first k items there are, of S
// splits, those of one in proportion to within (S+1)/2 + 1. The blocks point into
// items; cost n log n.
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

// drawn shuffles the items of each split and merges the splits, the i-th of n
// items at (i+1/2)/n of the way.
func drawn(items []rollout.Item, seed uint64) []*rollout.Item {
	type place struct {
		item *rollout.Item
		lot  uint64
		at   float64
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
			places[i].at = (float64(i) + 0.5) / float64(len(places))
		}
		all = append(all, places...)
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item.Split, b.item.Split))
	})
	order := make([]*rollout.Item, len(all))
	for i, p := range all {
		order[i] = p.item
	}
	return order
}

// lot is what an item draws.
func lot(seed uint64, it *rollout.Item) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "order\x00%d\x00%s\x00%s", seed, it.Split, it.ID)
	return limit.Mix(h.Sum64())
}

// Plan lists the rollouts that a run still lacks: samples of every item of
// each split, minus what is recorded. state returns what is recorded of
// a rollout, nil if nothing is; one whose record is missing data, because a
// boundary failed, comes again as its next attempt. One that lacks nothing but its
// grade does not come: its output is graded (Ungraded).
//
// The items come as they are given and in one round: sample 0 of every item,
// then sample 1. The jobs point into items.
func Plan(items []rollout.Item, samples map[rollout.Split]int, state func(rollout.Key) (done rollout.RolloutState,
	ok bool),
) []Job {
	all := make([]*rollout.Item, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return PlanBlocks([][]*rollout.Item{all}, func(it *rollout.Item) int { return samples[it.Split] }, state)
}

// PlanBlocks is Plan for blocks of items, one after the other, each in a round
// of its own, and for as many samples of each item as samples tells. The samples
// of an item then lie near each other, where a server still has in its prefix
// cache what they begin with; and a run that is stopped early knows some items
// whole, and of the others nothing, rather than a sample or two of all of them.
func PlanBlocks(blocks [][]*rollout.Item, samples func(*rollout.Item) int,
	state func(rollout.Key) (done rollout.RolloutState, ok bool),
) []Job {
	var jobs []Job
	for _, block := range blocks {
		jobs = planRound(jobs, block, samples, state)
	}
	return jobs
}

// PlanRun is PlanBlocks for what a run directory lacks, which may not be there yet: rollouts
// that are not recorded, or that a boundary failed. regrade says that an answer recorded
// without a grade is graded later, not sampled again.
func PlanRun(ctx context.Context, dir string, blocks [][]*rollout.Item, samples func(*rollout.Item) int,
	regrade bool,
) ([]Job, error) {
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

// planRound appends the jobs of one block.
func planRound(jobs []Job, block []*rollout.Item, samples func(*rollout.Item) int,
	state func(rollout.Key) (done rollout.RolloutState, ok bool),
) []Job {
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
			job := Job{Item: it, Sample: sample}
			if state != nil {
				done, ok := state(rollout.Key{Split: it.Split, Item: it.ID, Sample: sample})
				if ok && (!done.Outcome.Missing() || done.Ungraded()) {
					continue
				}
				if ok {
					job.Attempt = done.Attempt + 1
				}
			}
			jobs = append(jobs, job)
		}
	}
	return jobs
}
