package collect

import (
	"cmp"
	"math"
	"slices"

	"gonogo/sampler/rollout"
)

// Item is the rollouts of one item, in order of sample.
type Item struct {
	ID string // with its step where rollouts are of several
	// in words: two that its rollouts were asked; empty if all were asked the same, as far as is known
	Prompts [2]string
	Rows    []*Row
	Rewards []float64 // valid ones, ascending: no sum depends on the order of lines
	Seen    []float64 // rewards and those of targeted samples, ascending: for the class alone
	Extra   int       // targeted rollouts
	Labels  Labels
}

// Labels are what a run records about an item in addition to its id.
type Labels struct {
	Category, Family string
	Tools            bool // its row offers some
}

// Items returns the items of a split in natural order of their ids, independent of
// the order of records.
func (c *Collector) Items(split rollout.Split, known map[string]Labels) []*Item {
	var items []*Item
	several := c.severalSteps()
	for _, of := range c.rows.order {
		if of.key.Split != split || len(of.rows) == 0 {
			continue
		}
		labels, held := known[of.key.ID]
		it := &Item{ID: of.key.ID, Labels: labels, Rows: slices.Clip(of.rows), Extra: len(of.extra)}
		if !held { // where the run holds the item, its rollouts begin after the prompt
			it.Prompts = of.differ
		}
		if several {
			it.ID = of.key.Shown()
			it.Labels.Family = cmp.Or(it.Labels.Family, of.key.ID)
		}
		for _, r := range of.extra {
			if r.Valid {
				it.Seen = append(it.Seen, r.Reward)
			}
		}
		items = append(items, it)
	}
	slices.SortFunc(items, func(a, b *Item) int { return CompareIDs(a.ID, b.ID) })
	c.unround(items)
	for _, it := range items {
		it.Settle()
	}
	return items
}

// unround makes equal the rewards that differ by rounding alone, such as 0.3 and 0.1 + 0.2,
// which every statistic of their spread would count. It does not depend on the order of
// the records.
func (c *Collector) unround(items []*Item) {
	var rows []*Row
	for _, it := range items {
		for _, r := range it.Rows {
			if !r.Valid {
				continue
			}
			if c.AtTop(r.Reward) {
				r.Reward = c.Range.Hi
			}
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *Row) int { return cmp.Compare(a.Reward, b.Reward) })
	from := math.Inf(-1)
	for _, r := range rows {
		if r.Reward-from > RewardNoise*c.Range.Width() {
			from = r.Reward
		}
		r.Reward = from
	}
}

// severalSteps reports whether some item has rollouts of several policies.
func (c *Collector) severalSteps() bool {
	first := make(map[ItemKey]int)
	for _, of := range c.rows.order {
		if was, there := first[of.key.WithoutStep()]; there && was != of.key.Step {
			return true
		}
		first[of.key.WithoutStep()] = of.key.Step
	}
	return false
}

// Settle sorts the rows by sample and gathers their rewards and labels.
func (it *Item) Settle() {
	slices.SortFunc(it.Rows, func(a, b *Row) int { return cmp.Compare(a.Key.Sample, b.Key.Sample) })
	for _, r := range it.Rows {
		if r.Valid {
			it.Rewards = append(it.Rewards, r.Reward)
		}
		if r.labels != nil {
			it.Labels.Category = cmp.Or(it.Labels.Category, r.labels.Category)
			it.Labels.Family = cmp.Or(it.Labels.Family, r.labels.Family)
		}
	}
	slices.Sort(it.Rewards)
	if it.Seen == nil {
		it.Seen = it.Rewards
		return
	}
	it.Seen = append(it.Seen, it.Rewards...)
	slices.Sort(it.Seen)
}

// Key names the item.
func (it *Item) Key() ItemKey { return ItemOf(it.Rows[0].Key) }

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
