package collect

import (
	"cmp"
	"math"
	"slices"

	"gonogo/sampler/rollout"
)

// Item holds the rollouts of one item, in order of sample.
type Item struct {
	ID string // including its step if rollouts have several
	// two different prompts of its rollouts, in words; empty if all prompts are equal, as far as is
	// known
	Prompts [2]string
	Rows    []*Row
	Rewards []float64 // valid rewards, ascending, so that no sum depends on the order of lines
	Seen    []float64 // Rewards and those of targeted samples, ascending: only for the class
	Extra   int       // targeted rollouts
	Labels  Labels
}

// Labels are what a run records about an item in addition to its id.
type Labels struct {
	Category, Family string
	Tools            bool // whether its row offers tools
}

// Items returns the items of a split in natural order of their ids, independent of the order of
// records.
func (c *Collector) Items(split rollout.Split, known map[string]Labels) []*Item {
	var items []*Item
	several := c.severalSteps()
	for _, entry := range c.rows.order {
		if entry.key.Split != split || len(entry.rows) == 0 {
			continue
		}
		labels, held := known[entry.key.ID]
		it := &Item{ID: entry.key.ID, Labels: labels, Rows: slices.Clip(entry.rows), Extra: len(entry.extra)}
		if !held { // if the run holds the item, its rollouts begin after the prompt
			it.Prompts = entry.differ
		}
		if several {
			it.ID = entry.key.Shown()
			it.Labels.Family = cmp.Or(it.Labels.Family, entry.key.ID)
		}
		for _, r := range entry.extra {
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

// unround makes rewards equal that differ only by rounding, such as 0.3 and 0.1 + 0.2, because
// every statistic of their spread would count the difference. It does not depend on the order of
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
	for _, entry := range c.rows.order {
		if was, seen := first[entry.key.WithoutStep()]; seen && was != entry.key.Step {
			return true
		}
		first[entry.key.WithoutStep()] = entry.key.Step
	}
	return false
}

// Settle sorts the rows by sample and gathers their rewards and labels.
func (it *Item) Settle() {
	slices.SortFunc(it.Rows, func(a, b *Row) int { return cmp.Compare(a.Sample, b.Sample) })
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

// Key returns the key of the item.
func (it *Item) Key() ItemKey { return *it.Rows[0].Of }

// CompareIDs compares ids in natural order: q2 before q10.
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

// leadingNumber splits off the leading digits, without leading zeros.
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
