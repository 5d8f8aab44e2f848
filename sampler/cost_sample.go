package sampler

import (
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// The rollouts that the rest is judged by: that many at first, then twice as many
// again and again, at most that many.
const (
	leastFirsts = 20
	mostFirsts  = leastFirsts << 10
)

// itemKey names an item: the same one may be read twice.
type itemKey struct {
	split rollout.Split
	id    string
}

func keyOf(it *rollout.Item) itemKey { return itemKey{it.Split, it.ID} }

// costSample sums the cost of the rollouts that began first. The first to end are
// short and cheap: with 64 in flight the first ten may cost a seventh of the mean.
// The size of the sample is therefore fixed before they begin, and all of it is
// waited for.
type costSample struct {
	judged limit.Sum // of leastFirsts, or twice as many and so on

	next  int               // the first that has not ended
	ended map[int]firstCost // later ones that have
	sum   limit.Sum         // of those before next
	items map[itemKey]*limit.Part
	until int         // that many are waited for
	full  []limit.Sum // of as many as were waited for, not judged by yet
}

type firstCost struct {
	usd  *float64 // nil when it is not known
	item itemKey
}

// end notes that the rollout which began as number n, from 0, has ended.
func (f *costSample) end(n int, usd *float64, item itemKey) {
	if n < mostFirsts {
		f.note(n, firstCost{usd, item})
	}
	// One after the other: where one rollout was waited for by many, those that had
	// ended before it are the short ones again.
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
		cost, there := f.ended[f.next]
		if !there {
			return
		}
		delete(f.ended, f.next)
		if cost.usd != nil {
			of := f.items[cost.item]
			if of == nil {
				of = new(limit.Part)
				f.items[cost.item] = of
			}
			f.sum.Add(*cost.usd, of)
		}
		if f.next++; f.next == f.until {
			f.full, f.until = append(f.full, f.sum), 2*f.until
		}
	}
}
