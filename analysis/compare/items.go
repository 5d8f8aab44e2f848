package compare

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Limits on the lists of a comparison.
const (
	groupsListed   = 40
	movedListed    = 20
	rolloutsOfItem = 3
	causesListed   = 12
)

// Holm names the correction of the p-values of a Breakdown.
var Holm = message.New("compare.holm", "Holm over the groups listed")

// breakdown compares the reward within groups of items, for the largest groups, and corrects their
// p-values. It returns nil if there are fewer than two named groups.
func (c *comparer) breakdown(groupOf func(pair) string) *Breakdown {
	members := make(map[string][]pair)
	for _, p := range c.pairs {
		if name := groupOf(p); name != "" {
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
		return cmp.Or(len(members[b])-len(members[a]), collect.CompareIDs(a, b))
	})
	b := &Breakdown{Correction: Holm.English, Groups: []GroupDifference{}}
	var ps []*float64
	for _, name := range names {
		if len(members[name]) < 2 || len(b.Groups) == groupsListed {
			b.LeftOut++
			continue
		}
		one := comparer{s: c.s, pairs: members[name], paired: true}
		d, _ := one.rewards()
		b.Groups = append(b.Groups, GroupDifference{
			Estimate: d.Estimate, Group: name, Base: d.Base, New: d.New,
			P: d.P,
		})
		ps = append(ps, d.P)
	}
	for i, p := range holm(ps) {
		g := &b.Groups[i]
		g.PHolm, g.Direction = p, direction(g.Estimate, p, true, 0, c.s.Confidence)
	}
	slices.SortStableFunc(b.Groups, func(x, y GroupDifference) int { return cmp.Compare(*x.Value, *y.Value) })
	return b
}

// changes lists the changes of all common items.
func (c *comparer) changes() []ItemChange {
	out := make([]ItemChange, 0, len(c.pairs))
	for _, p := range c.pairs {
		b, _, _ := meanOf(p.base)
		n, _, _ := meanOf(p.new)
		ic := ItemChange{
			Item: p.base.ID, Change: (values{base: []float64{b}, new: []float64{n}}).deltas()[0], Base: b, New: n,
			BaseN: len(p.base.Rewards), NewN: len(p.new.Rewards), Category: p.category(), Family: p.family(),
		}
		if from, to := p.base.Of[collect.ToolCalls], p.new.Of[collect.ToolCalls]; from.N > 0 && to.N > 0 {
			ic.CallsChange = stat.FiniteOrNil(to.Mean() - from.Mean())
		}
		out = append(out, ic)
	}
	return out
}

// quadrants counts items by the signs of their changes. It returns nil if no item records its tool
// calls in both runs, or if none made any.
func (c *comparer) quadrants() *Quadrants {
	q := &Quadrants{Cells: []Quadrant{}}
	counts, called := [3][3]int{}, false
	for i, ic := range c.changes() {
		if ic.CallsChange == nil {
			continue
		}
		called = called || c.pairs[i].base.Of[collect.ToolCalls].Sum+c.pairs[i].new.Of[collect.ToolCalls].Sum > 0
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

// moved lists the items that changed most, with rollouts to read. There is no threshold: some items
// always change by chance.
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
			BaseRollouts: samples(c.pairs[i].base, down),
			NewRollouts:  samples(c.pairs[i].new, !down),
		})
	}
	return out
}

// samples lists the best or the worst rollouts of an item.
func samples(it *collect.RunItem, best bool) []SampleRef {
	var valid []*collect.Try
	for i := range it.Tries {
		if it.Tries[i].Valid {
			valid = append(valid, &it.Tries[i])
		}
	}
	slices.SortStableFunc(valid, func(a, b *collect.Try) int {
		if best {
			return cmp.Compare(b.Reward, a.Reward)
		}
		return cmp.Compare(a.Reward, b.Reward)
	})
	out := []SampleRef{}
	for _, t := range valid[:min(len(valid), rolloutsOfItem)] {
		out = append(out, SampleRef{t.Sample, t.Attempt, t.Line, t.Trace, t.Reward, t.Outcome})
	}
	return out
}

// end is how a rollout without a grade ended.
type end struct {
	outcome rollout.Outcome
	text    string // the kind of a grader's failure, or the cause
}

// countEnds counts how the rollouts of both runs without a grade ended.
func countEnds(p pairing, endOf func(*collect.Try) end) map[end]*analysis.SidesOf[int] {
	counts := make(map[end]*analysis.SidesOf[int])
	count := func(items []*collect.RunItem, side func(*analysis.SidesOf[int]) *int) {
		for _, it := range items {
			for i := range it.Tries {
				if it.Tries[i].Outcome == rollout.Graded {
					continue
				}
				k := endOf(&it.Tries[i])
				if counts[k] == nil {
					counts[k] = new(analysis.SidesOf[int])
				}
				*side(counts[k])++
			}
		}
	}
	count(p.base, func(s *analysis.SidesOf[int]) *int { return &s.Base })
	count(p.new, func(s *analysis.SidesOf[int]) *int { return &s.New })
	return counts
}

// outcomes compares how often rollouts ended without a grade, by the way they ended. Only ways that
// occurred on either side are listed.
func (c *comparer) outcomes(p pairing) []OutcomeDrift {
	kind := func(t *collect.Try) end { return end{t.Outcome, t.Kind} }
	out := []OutcomeDrift{}
	for k, n := range countEnds(p, kind) {
		v := c.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
			return share(it, func(t *collect.Try) bool { return kind(t) == k }), 0, len(it.Tries), false
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
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(rank(a.Outcome)-rank(b.Outcome), cmp.Compare(a.Kind, b.Kind)) < 0
	})
	return out
}

// causes counts rollouts by their error text; the largest changes come first.
func causes(p pairing) []CauseDrift {
	out := []CauseDrift{}
	for k, n := range countEnds(p, func(t *collect.Try) end { return end{t.Outcome, t.Cause} }) {
		out = append(out, CauseDrift{Outcome: k.outcome, Error: k.text, Base: n.Base, New: n.New})
	}
	moved := func(d CauseDrift) int { return max(d.New-d.Base, d.Base-d.New) }
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(moved(*b)-moved(*a), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Error, b.Error)) < 0
	})
	return out[:min(len(out), causesListed)]
}
