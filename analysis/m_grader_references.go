package analysis

import (
	"cmp"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// leastAgreeing is how many rollouts of an item must agree, or earn a reward,
// before it is held against the item's reference.
const leastAgreeing = 3

// suspectReferences lists the items on which most rollouts agree on an answer that is
// not the reference, most agreed first, and those on which most rollouts earn the
// top while the reference, given as the answer, earns the bottom. An answer that
// the grader scores at the top where it does not score the reference at the bottom
// is the reference in other words, and is left out. So is an item that any of its
// rollouts solves: its reference can be reached, and the item is hard.
func suspectReferences(c *collector, items []*item, s Settings) []SuspectReference {
	margin := s.Thresholds.Of(HackableMargin) * c.rng.Width()
	refs := referencePayloads(c)
	out := []SuspectReference{}
	seen, solved := make(map[itemKey]bool), make(map[itemKey]bool)
	for _, it := range items {
		solved[it.key()] = slices.ContainsFunc(it.rows, func(r *row) bool { return r.valid && c.given(r) >= c.rng.Hi-margin })
	}
	for _, p := range c.audit.of(rollout.ProbeConsensus) {
		ref := refs[p.item()]
		worthless := ref != nil && ref.reward <= c.rng.Lo+margin
		if !worthless && (p.valid && p.reward >= c.rng.Hi-margin || solved[p.item()]) {
			continue
		}
		r := SuspectReference{Split: p.key.Split, Item: p.key.Item, Answer: p.text, Share: stat.Or(p.probe.Share, 1)}
		if p.valid {
			r.Reward = stat.Some(p.reward)
		}
		if r.Share > 0.5 {
			out = append(out, setAgainst(r, ref))
			seen[p.item()] = true
		}
	}
	for _, it := range items {
		ref := refs[it.key()]
		if ref == nil || seen[it.key()] || ref.reward > c.rng.Lo+margin {
			continue
		}
		if top := topShare(c, it, margin); top > 0.5 {
			mean, _ := stat.MeanVariance(it.rewards)
			r := SuspectReference{Split: it.key().split, Item: it.id, Share: top, Reward: stat.Some(mean)}
			out = append(out, setAgainst(r, ref))
		}
	}
	slices.SortStableFunc(out, func(a, b SuspectReference) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// setAgainst adds the reference and what it earned, where it is known.
func setAgainst(r SuspectReference, ref *payload) SuspectReference {
	if ref != nil {
		r.Reference, r.ReferenceReward = ref.text, stat.Some(ref.reward)
	}
	return r
}

// referencePayloads are the items' own references as the audit had them graded.
func referencePayloads(c *collector) map[itemKey]*payload {
	refs := make(map[itemKey]*payload)
	for _, p := range c.audit.of(rollout.ProbeReference) {
		if had := refs[p.item()]; p.valid && (had == nil || p.reward > had.reward) {
			refs[p.item()] = p
		}
	}
	return refs
}

// topShare is the share of an item's rollouts that the grader gave the top; 0
// where too few have a reward.
func topShare(c *collector, it *item, margin float64) float64 {
	top, n := 0, 0
	for _, r := range it.rows {
		if r.valid {
			n++
			if c.given(r) >= c.rng.Hi-margin {
				top++
			}
		}
	}
	if n < leastAgreeing {
		return 0
	}
	return stat.Fraction(top, n)
}

// compared counts the items on which suspects could show: by answers that can be
// compared with each other, and by the rewards of reference and rollouts.
func (c *evidence) compared(items []*item) (answers, rewards int) {
	agreed := make(map[itemKey]bool)
	for _, p := range c.audit.of(rollout.ProbeConsensus) {
		agreed[p.item()] = true
	}
	refs := referencePayloads(c.collector)
	for _, it := range items {
		if agreed[it.key()] || comparableRows(it) {
			answers++
			delete(agreed, it.key())
		}
		if refs[it.key()] != nil && len(it.rewards) >= leastAgreeing {
			rewards++
		}
	}
	return answers + len(agreed), rewards
}

// comparableRows reports whether answers to the item can be told to be the same:
// two are, word for word, or most hold the same last number. Free sentences never
// are.
func comparableRows(it *item) bool {
	texts, numbers := make(map[uint64]int), make(map[uint64]int)
	answered, words, figures := 0, 0, 0
	for _, r := range it.rows {
		if r.says[0] == 0 {
			continue
		}
		answered++
		texts[r.says[0]]++
		words = max(words, texts[r.says[0]])
		if r.says[1] != 0 {
			numbers[r.says[1]]++
			figures = max(figures, numbers[r.says[1]])
		}
	}
	return words >= 2 || figures >= leastAgreeing && 2*figures > answered
}
