package measure

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// LeastAgreeing is the number of an item's rollouts that must agree, or have a reward, before they
// count against the item's reference.
const LeastAgreeing = 3

// SuspectReferences lists the items on which most rollouts agree on an answer that is not the
// reference, most agreed first, and those on which most rollouts earn the top while the reference,
// submitted as the answer, earns the bottom. It leaves out an answer that the grader scores at the
// top if it does not score the reference at the bottom: it is the reference in other words. It also
// leaves out an item that any of its rollouts solves: its reference can be reached, and the item is
// merely hard.
func SuspectReferences(c *collect.Collector, items []*collect.Item, s analysis.Settings) []analysis.SuspectReference {
	margin := s.Thresholds.At(analysis.HackableMargin) * c.Range.Width()
	refs := References(c)
	out := []analysis.SuspectReference{}
	seen, solved := make(map[collect.ItemKey]bool), make(map[collect.ItemKey]bool)
	for _, it := range items {
		solved[it.Key()] = slices.ContainsFunc(it.Rows,
			func(r *collect.Row) bool { return r.Valid && c.GraderReward(r) >= c.Range.Hi-margin })
	}
	for _, p := range c.Audit.Of(rollout.ProbeConsensus) {
		ref := refs[p.Item()]
		worthless := ref != nil && ref.Reward <= c.Range.Lo+margin
		if !worthless && (p.Valid && p.Reward >= c.Range.Hi-margin || solved[p.Item()]) {
			continue
		}
		r := analysis.SuspectReference{
			Split: p.Key.Split, Item: p.Key.Item, Answer: p.Text,
			Share: stat.ValueOr(p.Probe.Share, 1),
		}
		if p.Valid {
			r.Reward = stat.FiniteOrNil(p.Reward)
		}
		if r.Share > 0.5 {
			out = append(out, setAgainst(r, ref))
			seen[p.Item()] = true
		}
	}
	for _, it := range items {
		ref := refs[it.Key()]
		if ref == nil || seen[it.Key()] || ref.Reward > c.Range.Lo+margin {
			continue
		}
		if top := topShare(c, it, margin); top > 0.5 {
			mean, _ := stat.MeanVariance(it.Rewards)
			r := analysis.SuspectReference{Split: it.Key().Split, Item: it.ID, Share: top, Reward: stat.FiniteOrNil(mean)}
			out = append(out, setAgainst(r, ref))
		}
	}
	slices.SortStableFunc(out, func(a, b analysis.SuspectReference) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// setAgainst adds the reference and its reward, if known.
func setAgainst(r analysis.SuspectReference, ref *collect.Payload) analysis.SuspectReference {
	if ref != nil {
		r.Reference, r.ReferenceReward = ref.Text, stat.FiniteOrNil(ref.Reward)
	}
	return r
}

// References returns the items' own references as graded by the audit.
func References(c *collect.Collector) map[collect.ItemKey]*collect.Payload {
	refs := make(map[collect.ItemKey]*collect.Payload)
	for _, p := range c.Audit.Of(rollout.ProbeReference) {
		if had := refs[p.Item()]; p.Valid && (had == nil || p.Reward > had.Reward) {
			refs[p.Item()] = p
		}
	}
	return refs
}

// topShare returns the share of an item's rollouts that the grader put at the top; 0 if too few
// have a reward.
func topShare(c *collect.Collector, it *collect.Item, margin float64) float64 {
	top, n := 0, 0
	for _, r := range it.Rows {
		if r.Valid {
			n++
			if c.GraderReward(r) >= c.Range.Hi-margin {
				top++
			}
		}
	}
	if n < LeastAgreeing {
		return 0
	}
	return stat.Fraction(top, n)
}

// compared counts the items on which suspect references could show: by answers that can be compared
// with each other, and by the rewards of reference and rollouts.
func (c *evidence) compared(items []*collect.Item) (answers, rewards int) {
	agreed := make(map[collect.ItemKey]bool)
	for _, p := range c.Audit.Of(rollout.ProbeConsensus) {
		agreed[p.Item()] = true
	}
	refs := References(c.Collector)
	for _, it := range items {
		if agreed[it.Key()] || Comparable(it) {
			answers++
			delete(agreed, it.Key())
		}
		if refs[it.Key()] != nil && len(it.Rewards) >= LeastAgreeing {
			rewards++
		}
	}
	return answers + len(agreed), rewards
}

// Comparable reports whether the answers to the item can be compared for equality: two are equal
// word for word, or most contain the same last number. Free sentences never are.
func Comparable(it *collect.Item) bool {
	texts, numbers := make(map[uint32]int), make(map[uint32]int)
	answered, words, figures := 0, 0, 0
	for _, r := range it.Rows {
		if r.Says[0] == 0 {
			continue
		}
		answered++
		texts[r.Says[0]]++
		words = max(words, texts[r.Says[0]])
		if r.Says[1] != 0 {
			numbers[r.Says[1]]++
			figures = max(figures, numbers[r.Says[1]])
		}
	}
	return words >= 2 || figures >= LeastAgreeing && 2*figures > answered
}
