package sampler

import (
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// The sample whose cost predicts that of the other rollouts: leastFirsts at first, then doubled
// again and again, up to mostFirsts.
const (
	leastFirsts = 20
	mostFirsts  = leastFirsts << 10
)

// itemKey identifies an item: the same item may be read twice.
type itemKey struct {
	split rollout.Split
	id    string
}

func keyOf(it *rollout.Item) itemKey { return itemKey{it.Split, it.ID} }

// costSample sums the cost of the rollouts that started first. The first to end are short and
// cheap: with 64 in flight the first ten may cost a seventh of the mean. The size of the sample is
// therefore fixed before they start, and the sum waits for all of them.
type costSample struct {
	judged limit.Sum // of leastFirsts rollouts, or of twice as many and so on

	next  int               // the first rollout that has not ended
	ended map[int]firstCost // later ones that have ended
	sum   limit.Sum         // of the rollouts before next
	items map[itemKey]*limit.Part
	until int         // size of the sample that is being summed
	full  []limit.Sum // of samples that are complete but not in judged yet
}

type firstCost struct {
	usd  *float64 // nil if unknown
	item itemKey
}

// end notes that rollout number n, in order of start from 0, has ended.
func (f *costSample) end(n int, usd *float64, item itemKey) {
	if n < mostFirsts {
		f.note(n, firstCost{usd, item})
	}
	// Only one step per rollout: if many had to wait for one slow rollout, those that ended before
	// it are again the short ones.
	if len(f.full) > 0 {
		f.judged, f.full = f.full[0], f.full[1:]
	}
}

func (f *costSample) note(n int, cost firstCost) {
	if f.ended == nil {
		f.ended, f.items, f.until = make(map[int]firstCost), make(map[itemKey]*limit.Part), leastFirsts
	}
	f.ended[n] = cost
	for {
		cost, ok := f.ended[f.next]
		if !ok {
			return
		}
		delete(f.ended, f.next)
		if cost.usd != nil {
			part := f.items[cost.item]
			if part == nil {
				part = new(limit.Part)
				f.items[cost.item] = part
			}
			f.sum.Add(*cost.usd, part)
		}
		if f.next++; f.next == f.until {
			f.full, f.until = append(f.full, f.sum), 2*f.until
		}
	}
}
