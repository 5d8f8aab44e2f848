package analysis

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Limits on what a comparison lists.
const (
	groupsListed   = 40
	movedListed    = 20
	rolloutsOfItem = 3
)

// breakdown compares the reward within groups of items; nil where fewer than
// two groups are named. The largest groups are tested; p-values are corrected
// over them.
func (c *comparer) breakdown(of func(labels) string) *Breakdown {
	members := make(map[string][]pair)
	for _, p := range c.pairs {
		if name := of(p.label()); name != "" {
			members[name] = append(members[name], p)
		}
	}
	var names []string
	for name := range members {
		names = append(names, name)
	}
	if len(names) < 2 {
		return nil
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(len(members[b])-len(members[a]), naturalCompare(a, b))
	})
	b := &Breakdown{Correction: "Holm over the groups listed", Groups: []GroupDifference{}}
	var ps []*float64
	for _, name := range names {
		if len(members[name]) < 2 || len(b.Groups) == groupsListed {
			b.LeftOut++
			continue
		}
		one := comparer{s: c.s, pairs: members[name], paired: true}
		d, _ := one.rewards()
		b.Groups = append(b.Groups, GroupDifference{Estimate: d.Estimate, Group: name, Base: d.Base, New: d.New, P: d.P})
		ps = append(ps, d.P)
	}
	for i, p := range holm(ps) {
		g := &b.Groups[i]
		g.PHolm, g.Direction = p, direction(g.Estimate, p, true, 0, c.s.Confidence)
	}
	slices.SortStableFunc(b.Groups, func(x, y GroupDifference) int { return cmp.Compare(*x.Value, *y.Value) })
	return b
}

// changes are all common items.
func (c *comparer) changes() []ItemChange {
	out := make([]ItemChange, 0, len(c.pairs))
	for _, p := range c.pairs {
		b, _, _ := p.base.mean()
		n, _, _ := p.new.mean()
		l := p.label()
		ic := ItemChange{
			Item: p.base.id, Change: (values{base: []float64{b}, new: []float64{n}}).deltas()[0], Base: b, New: n,
			BaseN: len(p.base.rewards), NewN: len(p.new.rewards), Category: l.category, Family: l.family,
		}
		if from, ok := p.base.calls.mean(); ok {
			if to, ok := p.new.calls.mean(); ok {
				ic.CallsChange = stat.Some(to - from)
			}
		}
		out = append(out, ic)
	}
	return out
}

// quadrants counts items by the signs of their changes; nil where no item tells
// its tool calls in both runs, or none made any.
func (c *comparer) quadrants() *Quadrants {
	q := &Quadrants{Cells: []Quadrant{}}
	counts, called := [3][3]int{}, false
	for i, ic := range c.changes() {
		if ic.CallsChange == nil {
			continue
		}
		called = called || c.pairs[i].base.calls.sum+c.pairs[i].new.calls.sum > 0
		q.Items++
		counts[1-sign(ic.Change)][1+sign(*ic.CallsChange)]++
	}
	if !called {
		return nil
	}
	for i, reward := range []string{"better", "same", "worse"} {
		for j, calls := range []string{"fewer", "same", "more"} {
			q.Cells = append(q.Cells, Quadrant{reward, calls, counts[i][j]})
		}
	}
	return q
}

func sign(x float64) int {
	switch {
	case x > 1e-9:
		return 1
	case x < -1e-9:
		return -1
	}
	return 0
}

// moved lists the items that changed most, with rollouts to read. No threshold
// is set: some always move by chance.
func (c *comparer) moved(changes []ItemChange) []MovedItem {
	var order []int
	for i, ic := range changes {
		if math.Abs(ic.Change) > 1e-9*c.s.RewardRange.Width() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(changes[b].Change), math.Abs(changes[a].Change))
	})
	out := []MovedItem{}
	for _, i := range order[:min(len(order), movedListed)] {
		down := changes[i].Change < 0
		out = append(out, MovedItem{
			ItemChange:   changes[i],
			BaseRollouts: c.pairs[i].base.samples(down),
			NewRollouts:  c.pairs[i].new.samples(!down),
		})
	}
	return out
}

// samples refers to the best or the worst rollouts of an item.
func (it *sideItem) samples(best bool) []SampleRef {
	var valid []*try
	for i := range it.tries {
		if it.tries[i].valid {
			valid = append(valid, &it.tries[i])
		}
	}
	slices.SortStableFunc(valid, func(a, b *try) int {
		if best {
			return cmp.Compare(b.reward, a.reward)
		}
		return cmp.Compare(a.reward, b.reward)
	})
	out := []SampleRef{}
	for _, t := range valid[:min(len(valid), rolloutsOfItem)] {
		out = append(out, SampleRef{int(t.sample), int(t.attempt), int(t.line), t.trace, t.reward, t.outcome})
	}
	return out
}

// end is how a rollout ended otherwise than with a grade.
type end struct {
	outcome rollout.Outcome
	text    string // the kind of a grader's failure, or the cause
}

// countEnds counts how all rollouts of both runs ended that have no grade.
func countEnds(p pairing, of func(*try) end) map[end]*SidesOf[int] {
	counts := make(map[end]*SidesOf[int])
	count := func(items []*sideItem, at func(*SidesOf[int]) *int) {
		for _, it := range items {
			for i := range it.tries {
				if it.tries[i].outcome == rollout.Graded {
					continue
				}
				k := of(&it.tries[i])
				if counts[k] == nil {
					counts[k] = new(SidesOf[int])
				}
				*at(counts[k])++
			}
		}
	}
	count(p.base, func(s *SidesOf[int]) *int { return &s.Base })
	count(p.new, func(s *SidesOf[int]) *int { return &s.New })
	return counts
}

// outcomes compares how often rollouts ended otherwise than with a grade. Only
// what happened on either side is listed.
func (c *comparer) outcomes(p pairing) []OutcomeDrift {
	kind := func(t *try) end { return end{t.outcome, t.kind} }
	out := []OutcomeDrift{}
	for k, n := range countEnds(p, kind) {
		v := c.collect(func(it *sideItem) (float64, float64, int, bool) {
			return it.share(func(t *try) bool { return kind(t) == k }), 0, len(it.tries), false
		})
		d := OutcomeDrift{Outcome: k.outcome, Kind: k.text, Base: n.Base, New: n.New}
		unit := unitRange
		if c.paired {
			d.Difference = stat.PairedMean(v.deltas(), nil, v.n, spanOf(&unit), c.s.Confidence)
		} else {
			d.Difference, _ = stat.Welch(v.base, v.new, v.n, &unit, c.s.Confidence)
		}
		out = append(out, d)
	}
	rank := func(o rollout.Outcome) int { return slices.Index(rollout.Outcomes(), o) }
	slices.SortFunc(out, func(a, b OutcomeDrift) int {
		return cmp.Or(rank(a.Outcome)-rank(b.Outcome), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// causes counts the error texts, those whose number changed most first.
func causes(p pairing) []CauseDrift {
	out := []CauseDrift{}
	for k, n := range countEnds(p, func(t *try) end { return end{t.outcome, t.cause} }) {
		out = append(out, CauseDrift{Outcome: k.outcome, Error: k.text, Base: n.Base, New: n.New})
	}
	moved := func(d CauseDrift) int { return max(d.New-d.Base, d.Base-d.New) }
	slices.SortFunc(out, func(a, b CauseDrift) int {
		return cmp.Or(moved(b)-moved(a), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Error, b.Error))
	})
	return out[:min(len(out), causesListed)]
}
