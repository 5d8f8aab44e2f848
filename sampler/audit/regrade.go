package audit

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"gonogo/sampler/rollout"
)

var regrade = Probe{
	Name: rollout.ProbeRegrade, Expect: rollout.Same,
	Doc: "A recorded output graded once more, unchanged, from items and rewards of every level. Any change in the " +
		"grade is grader noise.",
}

// regrades chooses n recorded outputs with a grade: one per item while there are items left, and
// within an item its distinct rewards in turn.
func regrades(order []*surveyed, n int, seed uint64) map[int]*surveyed {
	chosen := make(map[int]*surveyed)
	for round, more := 0, true; more && len(chosen) < n; round++ {
		more = false
		for _, item := range order {
			if len(chosen) == n {
				break
			}
			if r, ok := item.toRegrade(round, seed); ok {
				chosen[r.place] = item
				more = true
			}
		}
	}
	return chosen
}

// toRegrade returns the item's rollout for a round: its distinct rewards in turn, starting with one
// that the seed chooses, and within a reward in the seed's order.
func (item *surveyed) toRegrade(round int, seed uint64) (seen, bool) {
	byReward := make(map[float64][]seen)
	var rewards []float64
	for _, r := range item.rollouts {
		if r.reward == nil || !r.text || !r.graded {
			continue
		}
		if len(byReward[*r.reward]) == 0 {
			rewards = append(rewards, *r.reward)
		}
		byReward[*r.reward] = append(byReward[*r.reward], r)
	}
	slices.Sort(rewards)
	slices.Reverse(rewards)
	first := int(luck(seed, "height", string(item.item.Split), item.key().ItemName()) % 1024)
	lists := make([][]seen, len(rewards))
	for i := range rewards {
		lists[i] = byReward[rewards[(i+first)%len(rewards)]]
		sort.Slice(lists[i], func(a, b int) bool {
			return item.luckOf(lists[i][a], seed) < item.luckOf(lists[i][b], seed)
		})
	}
	all := interleave(lists)
	if round >= len(all) {
		return seen{}, false
	}
	return all[round], true
}

func (item *surveyed) luckOf(r seen, seed uint64) uint64 {
	return luck(seed, "rollout", string(item.item.Split), item.key().ItemName(), strconv.Itoa(r.sample))
}

// regrade plans the chosen outputs. Unlike other payloads they keep the trace id of their rollout:
// a grader that looks up what the rollout did must find it.
func (b *builder) regrade(p Probe) {
	for place, item := range b.again {
		base := b.texts[place]
		t := b.plan.task(p, item, base.Sample, Payload{Answer: base.Answer, Base: base}, len(b.plan.Counts)-1)
		t.task.Record.TraceID = cmp.Or(base.TraceID, t.task.Record.TraceID)
		t.task.Record.Grades = slices.Clone(base.Grades)
		if len(base.Grades) == 0 {
			t.task.Record.Grades = []float64{*base.Reward}
		}
		b.count().Payloads++
	}
	b.count().Items = len(itemsOf(b.again))
}

func itemsOf(places map[int]*surveyed) map[rollout.Key]bool {
	keys := make(map[rollout.Key]bool)
	for _, item := range places {
		keys[item.key()] = true
	}
	return keys
}
