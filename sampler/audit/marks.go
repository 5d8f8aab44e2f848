package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// markable is a rollout that detectors can read.
type markable struct {
	item *surveyed
	seen
}

// marks lists the rollouts with an answer or a call that are not missing data.
func (s *survey) marks() []markable {
	var list []markable
	for _, item := range s.items {
		for _, r := range item.rollouts {
			if r.acted && !r.missing {
				list = append(list, markable{item, r})
			}
		}
	}
	return list
}

// drawMarks draws at most most of the rollouts by the seed; all if most is 0.
func (s *survey) drawMarks(list []markable, most int) map[int]*surveyed {
	if most > 0 && len(list) > most {
		sort.Slice(list, func(i, j int) bool {
			a, b := list[i], list[j]
			return a.item.luckOf(a.seen, s.in.Seed) < b.item.luckOf(b.seen, s.in.Seed)
		})
		list = list[:most]
	}
	places := make(map[int]*surveyed, len(list))
	for _, m := range list {
		places[m.place] = m.item
	}
	return places
}

// countMarks counts what a detector reads.
func (p *Plan) countMarks(d Detector, all int) Count {
	return Count{
		Probe: d.probe(), Expect: rollout.Note, Items: len(itemsOf(p.toMark)), Payloads: all,
		Planned: len(p.toMark), Left: all - len(p.toMark),
	}
}

// planned reports whether a detector is part of the plan.
func (p *Plan) planned(d Detector) bool {
	return slices.ContainsFunc(p.Counts, func(c Count) bool { return c.Probe == d.probe() })
}

// unmarked counts the rollouts that a detector has yet to read.
func (p *Plan) unmarked(d Detector) int {
	n := 0
	if !p.planned(d) {
		return 0
	}
	for place, item := range p.toMark {
		if !p.marked[p.markID(d, place, item)] {
			n++
		}
	}
	return n
}

func (p *Plan) markID(d Detector, place int, item *surveyed) ID {
	i := slices.IndexFunc(item.rollouts, func(r seen) bool { return r.place == place })
	return ID{Probe: d.probe(), Split: item.item.Split, Item: item.key().ItemName(), Sample: item.rollouts[i].sample}
}

// Marks yields the rollouts that a detector has yet to read, for a Regrade with the detector's own
// grader. They are read on demand: a run may be larger than memory. A record's Sample is that of
// its rollout.
func (p *Plan) Marks(ctx context.Context, d Detector) iter.Seq2[sampler.Task, error] {
	return func(yield func(sampler.Task, error) bool) {
		if !p.planned(d) {
			return
		}
		stop := errors.New("enough")
		err := p.survey.read(ctx, false, func(place int, r *rollout.Record) error {
			item := p.toMark[place]
			if item == nil || p.marked[p.markID(d, place, item)] {
				return nil
			}
			if !yield(p.mark(d, item.item, r), nil) {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(sampler.Task{}, fmt.Errorf("read the rollouts for detector %s: %w", d.Name, err))
		}
	}
}

// mark returns the task of a detector for one rollout.
func (p *Plan) mark(d Detector, it *rollout.Item, base *rollout.Record) sampler.Task {
	r := &rollout.Record{
		Item: base.Item, Split: base.Split, Step: base.Step, Sample: base.Sample, Source: rollout.Probe,
		Category: base.Category, Family: base.Family, Answer: base.Answer, Outcome: base.Outcome, Error: base.Error,
		Probe: &rollout.ProbeInfo{
			Name: d.probe(), Expect: rollout.Note, Zero: d.Zero,
			Base: &rollout.Base{Sample: base.Sample, Reward: base.Reward},
		},
		TraceID: base.TraceID,
	}
	attach(r, base)
	setHash(r, d.Hash)
	return sampler.Task{Item: it, Record: r, Times: 1}
}

// keepMark reports whether a detector's record is one that it would make again.
func (p *Plan) keepMark(r *rollout.Record) bool {
	i := slices.IndexFunc(p.in.Detectors, func(d Detector) bool { return d.probe() == r.Probe.Name })
	if i < 0 || p.in.Detectors[i].Hash == "" || !p.planned(p.in.Detectors[i]) ||
		!sameHash(r, p.in.Detectors[i].Hash) || r.Probe.Zero != p.in.Detectors[i].Zero {
		return false
	}
	item := p.survey.index[rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}]
	if item == nil || r.Probe.Base == nil {
		return false
	}
	j := slices.IndexFunc(item.rollouts, func(s seen) bool { return s.sample == r.Sample })
	if j < 0 || item.rollouts[j].answer != sum(r.Answer) ||
		!sameNumber(item.rollouts[j].reward, r.Probe.Base.Reward) {
		return false
	}
	p.marked[idOf(r)] = true
	return true
}
