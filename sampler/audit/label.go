package audit

import (
	"cmp"
	"fmt"
	"slices"

	"gonogo/sampler/rollout"
)

var label = Probe{
	Name: rollout.ProbeLabel, Expect: rollout.Note,
	Doc: "An output that a person scored but no rollout produced, graded so that the two scores can be compared.",
}

// labels plans the outputs that people scored, each once, no matter how many people scored it.
func (b *builder) labels(p Probe) {
	seen := make(map[*surveyed][]string)
	unknown := 0
	for _, l := range b.survey.in.Labels {
		if l.Output == "" || l.Sample != nil {
			continue
		}
		item := b.survey.itemOf(l)
		if item == nil {
			unknown++
			continue
		}
		if slices.Contains(seen[item], l.Output) {
			continue
		}
		b.plan.task(p, item, len(seen[item]), Payload{Answer: l.Output}, len(b.plan.Counts)-1)
		seen[item] = append(seen[item], l.Output)
		b.count().Payloads++
	}
	b.count().Items = len(seen)
	if unknown > 0 {
		b.plan.Notes = append(b.plan.Notes, fmt.Sprintf("%d labels are for items that the run does not have", unknown))
	}
}

// itemOf finds the item of a label. A label without a split applies to the first split that has the
// item, and one without a step also to the item's only step.
func (s *survey) itemOf(l rollout.Label) *surveyed {
	for _, split := range rollout.Splits() {
		key := rollout.Key{Split: cmp.Or(l.Split, split), Item: l.Item, Step: l.Step}
		if item := s.index[key]; item != nil {
			return item
		}
		if steps := s.steps[key]; len(steps) == 1 {
			return steps[0]
		}
	}
	return nil
}

// LabelsOf returns the labels of the items, and the ids in the other labels, each once.
func LabelsOf(all []rollout.Label, items []rollout.Item) (ours []rollout.Label, strangers []string) {
	known := make(map[string]bool)
	for _, it := range items {
		known[it.ID] = true
	}
	for _, l := range all {
		switch {
		case known[l.Item]:
			ours = append(ours, l)
		case !slices.Contains(strangers, l.Item):
			strangers = append(strangers, l.Item)
		}
	}
	return ours, strangers
}
