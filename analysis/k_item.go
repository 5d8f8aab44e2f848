package analysis

import (
	"cmp"
	"slices"

	"gonogo/sampler/rollout"
)

// item is the rollouts of one item, in order of sample.
type item struct {
	id      string
	rows    []*row
	rewards []float64 // valid ones, ascending: no sum hangs on the order of lines
	seen    []float64 // rewards and those of targeted samples, ascending: for the class alone
	extra   int       // targeted rollouts
	labels  labels
}

type labels struct{ category, family string }

// items returns the items of a split by natural order of their ids, whatever
// the order in which records came.
func (c *collector) items(split rollout.Split, known map[string]labels) []*item {
	byID := make(map[string]*item)
	for key, r := range c.rows {
		if key.Split != split {
			continue
		}
		it := byID[key.Item]
		if it == nil {
			it = &item{id: key.Item, labels: known[key.Item]}
			byID[key.Item] = it
		}
		it.rows = append(it.rows, r)
	}
	for key, r := range c.extra {
		if it := byID[key.Item]; it != nil && key.Split == split {
			it.extra++
			if r.valid {
				it.seen = append(it.seen, r.reward)
			}
		}
	}
	items := make([]*item, 0, len(byID))
	for _, it := range byID {
		items = append(items, it)
	}
	slices.SortFunc(items, func(a, b *item) int { return CompareIDs(a.id, b.id) })
	for _, it := range items {
		it.settle()
	}
	return items
}

func (it *item) settle() {
	slices.SortFunc(it.rows, func(a, b *row) int { return cmp.Compare(a.key.Sample, b.key.Sample) })
	for _, r := range it.rows {
		if r.valid {
			it.rewards = append(it.rewards, r.reward)
		}
		it.labels.category = cmp.Or(it.labels.category, r.category)
		it.labels.family = cmp.Or(it.labels.family, r.family)
	}
	slices.Sort(it.rewards)
	if it.seen == nil {
		it.seen = it.rewards
		return
	}
	it.seen = append(it.seen, it.rewards...)
	slices.Sort(it.seen)
}

func (it *item) key() itemKey { return itemKey{it.rows[0].key.Split, it.id} }

// CompareIDs orders q2 before q10.
func CompareIDs(a, b string) int {
	for x, y := a, b; ; {
		dx, rx := leadingNumber(x)
		dy, ry := leadingNumber(y)
		if dx != "" && dy != "" {
			if c := cmp.Or(cmp.Compare(len(dx), len(dy)), cmp.Compare(dx, dy)); c != 0 {
				return c
			}
			x, y = rx, ry
			continue
		}
		if x == "" || y == "" || x[0] != y[0] {
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		}
		x, y = x[1:], y[1:]
	}
}

// leadingNumber splits off the digits in front, without leading zeros.
func leadingNumber(s string) (digits, rest string) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == 0 {
		return "", s
	}
	start := 0
	for start < end-1 && s[start] == '0' {
		start++
	}
	return s[start:end], s[end:]
}
