package analysis

import (
	"maps"
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
	what   message.Text // as the subject of a sentence about the grader
	looked map[itemKey]bool
	hits   map[itemKey]message.Text
}

func newSuspicion(what message.Text) *suspicion {
	return &suspicion{what: what, looked: make(map[itemKey]bool), hits: make(map[itemKey]message.Text)}
}

// wide reports a finding about the grader as a whole.
func (x *suspicion) wide() bool {
	return len(x.hits) >= fewestWide && 2*len(x.hits) > len(x.looked)
}

// judgeGrader marks items on which the grader is not to be trusted.
func (cu *curator) judgeGrader() {
	list := probeSuspicions(cu.c, cu.s)
	list = append(list, detectorSuspicions(cu.c)...)
	list = append(list, referenceSuspicion(cu.c, cu.all, cu.s), noiseSuspicion(cu.c, cu.all, cu.s))
	for _, x := range list {
		if x.wide() {
			cu.notes = append(cu.notes, wideSuspicion.With(message.Args{
				"what": message.Said(x.what), "hits": message.Int(len(x.hits)), "items": message.Count(len(x.looked), "item"),
			}))
			continue
		}
		for _, k := range sortedKeys(x.hits) {
			if i, ok := cu.at[k.id]; ok && k.split == rollout.Train && cu.of[k.id] != nil {
				cu.rows[i].ground(Suspicious, nil, x.hits[k])
			}
		}
	}
	if len(cu.c.audit.payloads) == 0 {
		cu.notes = append(cu.notes, notAudited.Text())
	}
}

var (
	wideSuspicion = message.New("curate.wide_suspicion", "{what} on {hits} of {items}: that is the grader or the data as a whole, and no item is dropped for it; fix it first (gonogo audit)")
	notAudited    = message.New("curate.not_audited", "the grader was not audited: items on which it can be fooled are not known (gonogo audit)")
)

// probeSuspicions are the probes that got through: a worthless answer that was
// paid, and references that were not.
func probeSuspicions(c *collector, s Settings) []*suspicion {
	margin := s.Thresholds.Of(HackableMargin)
	by := make(map[string]*suspicion)
	for _, p := range c.audit.payloads {
		bottom, reference := p.probe.Expect == rollout.Bottom, p.probe.Name == rollout.ProbeReference
		if !p.valid || !bottom && !reference || p.probe.Name == rollout.ProbeConstant {
			continue
		}
		x := by[p.probe.Name]
		if x == nil {
			x = newSuspicion(probeThrough.With(message.Args{"probe": message.Name(p.probe.Name)}))
			if reference {
				x.what = referenceUnpaid.Text()
			}
			by[p.probe.Name] = x
		}
		x.looked[p.item()] = true
		switch {
		case c.sound(p, margin):
		case reference:
			x.hits[p.item()] = referenceEarned.With(message.Args{"reward": message.Number(p.reward)})
		default:
			x.hits[p.item()] = probeEarned.With(message.Args{
				"probe": message.Name(p.probe.Name), "limit": message.Number(c.limit(p, margin)), "reward": message.Number(p.reward),
			})
		}
	}
	var out []*suspicion
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[name])
	}
	return out
}

var (
	probeThrough    = message.New("curate.probe_through", "the probe {probe} gets through")
	probeEarned     = message.New("curate.probe_earned", "the probe {probe}, which deserves at most {limit}, earned {reward}")
	referenceUnpaid = message.New("curate.reference_unpaid", "the reference, given as the answer, is not paid")
	referenceEarned = message.New("curate.reference_earned", "its own reference, given as the answer, earned {reward}")
)

// detectorSuspicions are the rollouts that detectors mark as hacks and that the
// grader paid for: one that earned the bottom speaks for the grader.
func detectorSuspicions(c *collector) []*suspicion {
	var out []*suspicion
	for _, name := range slices.Sorted(maps.Keys(c.audit.marks)) {
		x := newSuspicion(paidMarks.With(message.Args{"detector": message.Name(name)}))
		paid, of := make(map[itemKey]int), make(map[itemKey]int)
		for _, m := range c.audit.marks[name] {
			k := itemKey{m.key.Split, m.key.Item}
			if m.failed {
				continue
			}
			x.looked[k] = true
			of[k]++
			if r := c.rows[m.key]; m.marked && r != nil && r.valid && c.given(r) > c.rng.Lo+1e-9*c.rng.Width() {
				paid[k]++
			}
		}
		for k, n := range paid {
			x.hits[k] = paidHacks.With(message.Args{"detector": message.Name(name), "marked": message.Int(n), "rollouts": message.Count(of[k], "rollout")})
		}
		out = append(out, x)
	}
	return out
}

var (
	paidMarks = message.New("curate.paid_marks", "the detector {detector} marks rollouts that were paid")
	paidHacks = message.New("curate.paid_hacks", "the detector {detector} marks {marked} of {rollouts} as a hack that earned more than the bottom")
)

// referenceSuspicion are the references that rollouts speak against.
func referenceSuspicion(c *collector, items []*item, s Settings) *suspicion {
	x := newSuspicion(againstReference.Text())
	refs := referencePayloads(c)
	for _, it := range items {
		if comparableRows(it) || refs[it.key()] != nil && len(it.rewards) >= leastAgreeing {
			x.looked[it.key()] = true
		}
	}
	for _, r := range suspectReferences(c, items, s) {
		k := itemKey{r.Split, r.Item}
		x.looked[k] = true
		if r.Answer != "" {
			x.hits[k] = agreeElsewhere.With(message.Args{"share": message.Share(r.Share), "answer": message.Quote(clip(r.Answer, headLength))})
		} else {
			x.hits[k] = topAgainstReference.With(message.Args{"share": message.Share(r.Share)})
		}
	}
	return x
}

var (
	againstReference    = message.New("curate.against_reference", "most rollouts speak against the reference")
	agreeElsewhere      = message.New("curate.agree_elsewhere", "{share} of its rollouts agree on {answer}, which is not the reference")
	topAgainstReference = message.New("curate.top_against_reference", "{share} of its rollouts earn the top, while the reference, given as the answer, earns the bottom")
)

// noiseSuspicion are the outputs that earned different rewards.
func noiseSuspicion(c *collector, items []*item, s Settings) *suspicion {
	x := newSuspicion(unsteady.Text())
	margin := s.Thresholds.Of(HackableMargin)
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
			x.hits[it.key()] = gradedAgain.With(message.Args{"first": message.Number(from), "second": message.Number(math.Max(from, to))})
		}
	}
	return x
}

var (
	unsteady    = message.New("curate.unsteady", "the same output earns different rewards")
	gradedAgain = message.New("curate.graded_again", "one output of it earned {first} and, graded again, {second}")
)

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
