package compare

import (
	"cmp"

	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// meanOf returns an item's mean reward and the sampling variance of that mean. known is false for a
// single sample, whose variance is unknown.
func meanOf(it *collect.RunItem) (mean, variance float64, known bool) {
	mean, v := stat.MeanVariance(it.Rewards)
	n := len(it.Rewards)
	return mean, v / float64(n), n > 1
}

// share returns the share of an item's recorded rollouts for which f holds.
func share(it *collect.RunItem, f func(*collect.Try) bool) float64 {
	n := 0
	for i := range it.Tries {
		n += one(f(&it.Tries[i]))
	}
	return float64(n) / float64(len(it.Tries))
}

// pair is one item in both runs.
type pair struct{ base, new *collect.RunItem }

// category and family return the item's label in the new run, else in the base.
func (p pair) category() string { return cmp.Or(p.new.Category, p.base.Category) }
func (p pair) family() string   { return cmp.Or(p.new.Family, p.base.Family) }

// pairing holds the items of a split of two runs, matched by pairUp.
type pairing struct {
	pairs       []pair // items with valid rewards in both runs, in natural order of ids
	lost        []pair // items in both runs, without a valid reward in at least one
	base, new   []*collect.RunItem
	common      CommonItems
	otherFields int // pairs with the same conversation whose rows differ in other fields
}

// pairUp finds the items that both runs measured. Two items are the same if their ids and, if both
// runs hold their items, their conversations are equal: ids may be mere line numbers of two files.
func pairUp(base, new *collect.RunItems, split rollout.Split) pairing {
	p := pairing{common: CommonItems{OnlyBase: []string{}, OnlyNew: []string{}, Lost: []string{}, Changed: []string{}}}
	p.base, p.new = base.Items[split], new.Items[split]
	inBase, inNew := byID(p.base), byID(p.new)
	for _, b := range p.base {
		n := inNew[b.ID]
		if n == nil {
			p.common.OnlyBase = append(p.common.OnlyBase, b.ID)
			continue
		}
		talk, row := collect.SameItem(b.Row, n.Row)
		switch {
		case !talk:
			p.common.Changed = append(p.common.Changed, b.ID)
		case len(b.Rewards) == 0 || len(n.Rewards) == 0:
			p.common.Lost, p.lost = append(p.common.Lost, b.ID), append(p.lost, pair{b, n})
		default:
			p.pairs = append(p.pairs, pair{b, n})
			if !row {
				p.otherFields++
			}
		}
	}
	for _, n := range p.new {
		if inBase[n.ID] == nil {
			p.common.OnlyNew = append(p.common.OnlyNew, n.ID)
		}
	}
	p.common.Common = len(p.pairs)
	return p
}

func byID(items []*collect.RunItem) map[string]*collect.RunItem {
	out := make(map[string]*collect.RunItem, len(items))
	for _, it := range items {
		out[it.ID] = it
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
