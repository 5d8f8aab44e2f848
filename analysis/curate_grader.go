package analysis

import (
	"fmt"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// A finding about the grader that holds of more than half of the items it was
// looked for on, and of this many, is about the grader and not about the items:
// dropping those that happened to be in the audit's sample would mend nothing.
const fewestWide = 3

// suspicion is one thing that may speak against the grader on an item.
type suspicion struct {
	what   string // as the subject of a sentence about the grader
	looked map[itemKey]bool
	hits   map[itemKey]string
}

func newSuspicion(what string) *suspicion {
	return &suspicion{what: what, looked: make(map[itemKey]bool), hits: make(map[itemKey]string)}
}

// wide reports a finding about the grader as a whole.
func (x *suspicion) wide() bool {
	return len(x.hits) >= fewestWide && 2*len(x.hits) > len(x.looked)
}

// judgeGrader marks items on which the grader is not to be trusted.
func (cu *curator) judgeGrader() {
	list := cu.c.probeSuspicions(cu.s)
	list = append(list, cu.c.detectorSuspicions()...)
	list = append(list, cu.c.referenceSuspicion(cu.all, cu.s), cu.c.noiseSuspicion(cu.all, cu.s))
	for _, x := range list {
		if x.wide() {
			cu.notes = append(cu.notes, fmt.Sprintf("%s on %d of %d items: that is the grader or the data as a whole, and no item is dropped for it; mend it first (gonogo audit)", x.what, len(x.hits), len(x.looked)))
			continue
		}
		for _, k := range sortedKeys(x.hits) {
			if i, ok := cu.at[k.id]; ok && k.split == rollout.Train && cu.of[k.id] != nil {
				cu.rows[i].ground(Suspicious, nil, "%s", x.hits[k])
			}
		}
	}
	if len(cu.c.audit.payloads) == 0 {
		cu.notes = append(cu.notes, "the grader was not audited: items on which it can be fooled are not known (gonogo audit)")
	}
}

// probeSuspicions are the probes that got through: a worthless answer that was
// paid, and references that were not.
func (c *collector) probeSuspicions(s Settings) []*suspicion {
	margin := s.Thresholds.At(hackableMargin)
	by := make(map[string]*suspicion)
	for _, p := range c.audit.payloads {
		bottom, reference := p.probe.Expect == rollout.Bottom, p.probe.Name == rollout.ProbeReference
		if !p.valid || !bottom && !reference || p.probe.Name == rollout.ProbeConstant {
			continue
		}
		x := by[p.probe.Name]
		if x == nil {
			x = newSuspicion("the probe " + p.probe.Name + " gets through")
			if reference {
				x.what = "the reference, given as the answer, is not paid"
			}
			by[p.probe.Name] = x
		}
		x.looked[p.item()] = true
		switch {
		case c.sound(p, margin):
		case reference:
			x.hits[p.item()] = fmt.Sprintf("its own reference, given as the answer, earned %s", message.Digits(p.reward))
		default:
			x.hits[p.item()] = fmt.Sprintf("the probe %s, which deserves at most %s, earned %s", p.probe.Name, message.Digits(c.limit(p, margin)), message.Digits(p.reward))
		}
	}
	var out []*suspicion
	for _, name := range sortedNames(by) {
		out = append(out, by[name])
	}
	return out
}

// detectorSuspicions are the rollouts that detectors mark as hacks and that the
// grader paid for: one that earned the bottom speaks for the grader.
func (c *collector) detectorSuspicions() []*suspicion {
	var out []*suspicion
	for _, name := range sortedNames(c.audit.marks) {
		x := newSuspicion("the detector " + name + " marks rollouts that were paid")
		paid, of := make(map[itemKey]int), make(map[itemKey]int)
		for _, m := range c.audit.marks[name] {
			k := itemKey{m.key.Split, m.key.Item}
			if m.failed {
				continue
			}
			x.looked[k] = true
			of[k]++
			if r := c.rows[m.key]; m.marked && r != nil && r.valid && c.given(r) > c.rng.Lo+hair*c.rng.Width() {
				paid[k]++
			}
		}
		for k, n := range paid {
			x.hits[k] = fmt.Sprintf("the detector %s marks %d of %s as a hack that earned more than the bottom", name, n, plain.Count(of[k], "rollout"))
		}
		out = append(out, x)
	}
	return out
}

// referenceSuspicion are the references that rollouts speak against.
func (c *collector) referenceSuspicion(items []*item, s Settings) *suspicion {
	x := newSuspicion("most rollouts speak against the reference")
	refs := c.references()
	for _, it := range items {
		if it.comparable() || refs[it.key()] != nil && len(it.rewards) >= leastAgreeing {
			x.looked[it.key()] = true
		}
	}
	for _, r := range c.suspects(items, s) {
		k := itemKey{r.Split, r.Item}
		x.looked[k] = true
		if r.Answer != "" {
			x.hits[k] = fmt.Sprintf("%s of its rollouts agree on %q, which is not the reference", message.Percent(r.Share), clip(r.Answer, headLength))
		} else {
			x.hits[k] = fmt.Sprintf("%s of its rollouts earn the top, while the reference, given as the answer, earns the bottom", message.Percent(r.Share))
		}
	}
	return x
}

// noiseSuspicion are the outputs that earned different rewards.
func (c *collector) noiseSuspicion(items []*item, s Settings) *suspicion {
	x := newSuspicion("the same output earns different rewards")
	margin := s.Thresholds.At(hackableMargin)
	for _, it := range items {
		widest, from, to := 0.0, 0.0, 0.0
		for _, r := range it.rows {
			if len(r.grades) < 2 {
				continue
			}
			x.looked[it.key()] = true
			low, high := r.grades[0], r.grades[len(r.grades)-1]
			if high-low > (margin+1e-9)*c.rng.Width() && high-low > widest {
				widest, from, to = high-low, low, high
			}
		}
		if widest > 0 {
			x.hits[it.key()] = fmt.Sprintf("one output of it earned %s and, graded again, %s", message.Digits(from), message.Digits(math.Max(from, to)))
		}
	}
	return x
}

// sortedKeys returns the items of a map in order.
func sortedKeys[V any](m map[itemKey]V) []itemKey {
	keys := make([]itemKey, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b itemKey) int {
		return compareKeys(rollout.Key{Split: a.split, Item: a.id}, rollout.Key{Split: b.split, Item: b.id})
	})
	return keys
}
