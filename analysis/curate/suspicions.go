package curate

import (
	"maps"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// fewestWide is the fewest items for a finding to concern the grader as a whole. A finding on
// that many items, and on more than half of those checked, is not about the items: dropping
// the ones that happened to be in the audit's sample would fix nothing.
const fewestWide = 3

// suspicion is one kind of evidence against the grader, with the items checked and those with a hit.
type suspicion struct {
	what   message.Text // as the subject of a sentence about the grader
	looked map[collect.ItemKey]bool
	hits   map[collect.ItemKey]message.Text
}

func newSuspicion(what message.Text) *suspicion {
	return &suspicion{what: what, looked: make(map[collect.ItemKey]bool), hits: make(map[collect.ItemKey]message.Text)}
}

// wide reports whether the finding concerns the grader as a whole.
func (x *suspicion) wide() bool {
	return len(x.hits) >= fewestWide && 2*len(x.hits) > len(x.looked)
}

// judgeGrader marks the items on which the grader cannot be trusted.
func (cu *curator) judgeGrader() {
	list := probeSuspicions(cu.c, cu.s)
	list = append(list, detectorSuspicions(cu.c)...)
	list = append(list, referenceSuspicion(cu.c, cu.all, cu.s), noiseSuspicion(cu.c, cu.all, cu.s))
	for _, x := range list {
		if x.wide() {
			cu.notes = append(cu.notes, wideSuspicion.With(message.Args{
				"what": message.Nested(x.what), "hits": message.Int(len(x.hits)),
				"items": message.Count(len(x.looked), "item"),
			}))
			continue
		}
		for _, k := range slices.SortedFunc(maps.Keys(x.hits), byItem) {
			if i, ok := cu.rowOf[k.ID]; ok && k.Split == rollout.Train && cu.itemOf[k.ID] != nil {
				cu.rows[i].ground(Suspicious, nil, x.hits[k])
			}
		}
	}
	if len(cu.c.Audit.Payloads) == 0 {
		cu.notes = append(cu.notes, notAudited.Text())
	}
}

func byItem(a, b collect.ItemKey) int {
	return collect.CompareKeys(rollout.Key{Split: a.Split, Item: a.ID}, rollout.Key{Split: b.Split, Item: b.ID})
}

var (
	wideSuspicion = message.New("curate.wide_suspicion", "{what} on {hits} of {items}: that points to the grader or "+
		"the data as a whole, so no item is dropped for it; fix it first (gonogo audit)")
	notAudited = message.New("curate.not_audited",
		"the grader was not audited: items on which it can be fooled are not known (gonogo audit)")
)

// probeSuspicions returns the probes that got through: worthless answers that were paid, and
// references that were not.
func probeSuspicions(c *collect.Collector, s analysis.Settings) []*suspicion {
	margin := s.Thresholds.At(analysis.HackableMargin)
	by := make(map[string]*suspicion)
	for _, p := range c.Audit.Payloads {
		bottom, reference := p.Probe.Expect == rollout.Bottom, p.Probe.Name == rollout.ProbeReference
		if !p.Valid || !bottom && !reference || p.Probe.Name == rollout.ProbeConstant {
			continue
		}
		x := by[p.Probe.Name]
		if x == nil {
			x = newSuspicion(probeThrough.With(message.Args{"probe": message.Name(p.Probe.Name)}))
			if reference {
				x.what = referenceUnpaid.Text()
			}
			by[p.Probe.Name] = x
		}
		x.looked[p.Item()] = true
		switch {
		case c.Sound(p, margin):
		case reference:
			x.hits[p.Item()] = referenceEarned.With(message.Args{"reward": message.Number(p.Reward)})
		default:
			x.hits[p.Item()] = probeEarned.With(message.Args{
				"probe": message.Name(p.Probe.Name), "limit": message.Number(c.Limit(p, margin)),
				"reward": message.Number(p.Reward),
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
	probeThrough = message.New("curate.probe_through", "the probe {probe} gets through")
	probeEarned  = message.New("curate.probe_earned",
		"the probe {probe}, which deserves at most {limit}, earned {reward}")
	referenceUnpaid = message.New("curate.reference_unpaid", "the reference, given as the answer, is not paid")
	referenceEarned = message.New("curate.reference_earned", "its own reference, given as the answer, earned {reward}")
)

// detectorSuspicions returns the rollouts that detectors mark as hacks and that the grader
// paid for. A marked one that earned the bottom of the range speaks for the grader.
func detectorSuspicions(c *collect.Collector) []*suspicion {
	var out []*suspicion
	for _, name := range slices.Sorted(maps.Keys(c.Audit.Marks)) {
		x := newSuspicion(paidMarks.With(message.Args{"detector": message.Name(name)}))
		paid, checked := make(map[collect.ItemKey]int), make(map[collect.ItemKey]int)
		for _, m := range c.Audit.Marks[name] {
			k := collect.ItemOf(m.Key)
			if m.Failed {
				continue
			}
			x.looked[k] = true
			checked[k]++
			if r := c.Row(m.Key); m.Marked && r != nil && r.Valid &&
				c.GraderReward(r) > c.Range.Lo+1e-9*c.Range.Width() {
				paid[k]++
			}
		}
		for k, n := range paid {
			x.hits[k] = paidHacks.With(message.Args{
				"detector": message.Name(name), "marked": message.Int(n),
				"rollouts": message.Count(checked[k], "rollout"),
			})
		}
		out = append(out, x)
	}
	return out
}

var (
	paidMarks = message.New("curate.paid_marks", "the detector {detector} marks rollouts that were paid")
	paidHacks = message.New("curate.paid_hacks",
		"the detector {detector} marks {marked} of {rollouts} as a hack that earned more than the bottom")
)

// referenceSuspicion returns the references that rollouts contradict.
func referenceSuspicion(c *collect.Collector, items []*collect.Item, s analysis.Settings) *suspicion {
	x := newSuspicion(againstReference.Text())
	refs := measure.References(c)
	for _, it := range items {
		if measure.Comparable(it) || refs[it.Key()] != nil && len(it.Rewards) >= measure.LeastAgreeing {
			x.looked[it.Key().WithoutStep()] = true
		}
	}
	for _, r := range measure.SuspectReferences(c, items, s) {
		k := collect.ItemKey{Split: r.Split, ID: r.Item}
		x.looked[k] = true
		if r.Answer != "" {
			x.hits[k] = agreeElsewhere.With(message.Args{
				"share":  message.Share(r.Share),
				"answer": message.Quote(wording.ClipBytes(r.Answer, analysis.ExcerptLength)),
			})
		} else {
			x.hits[k] = topAgainstReference.With(message.Args{"share": message.Share(r.Share)})
		}
	}
	return x
}

var (
	againstReference = message.New("curate.against_reference", "most rollouts contradict the reference")
	agreeElsewhere   = message.New("curate.agree_elsewhere",
		"{share} of its rollouts agree on {answer}, which is not the reference")
	topAgainstReference = message.New("curate.top_against_reference",
		"{share} of its rollouts earn the top, while the reference, given as the answer, earns the bottom")
)

// noiseSuspicion returns the items with an output that earned different rewards.
func noiseSuspicion(c *collect.Collector, items []*collect.Item, s analysis.Settings) *suspicion {
	x := newSuspicion(unsteady.Text())
	margin := s.Thresholds.At(analysis.HackableMargin)
	for _, it := range items {
		widest, from, to := 0.0, 0.0, 0.0
		for _, r := range it.Rows {
			grades := r.Rare().Grades
			if len(grades) < 2 {
				continue
			}
			x.looked[it.Key()] = true
			low, high := grades[0], grades[len(grades)-1]
			if high-low > (margin+1e-9)*c.Range.Width() && high-low > widest {
				widest, from, to = high-low, low, high
			}
		}
		if widest > 0 {
			x.hits[it.Key()] = gradedAgain.With(message.Args{
				"first":  message.Number(from),
				"second": message.Number(math.Max(from, to)),
			})
		}
	}
	return x
}

var (
	unsteady    = message.New("curate.unsteady", "the same output earns different rewards")
	gradedAgain = message.New("curate.graded_again", "one of its outputs earned {first} and, graded again, {second}")
)
