package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// errNoGroups says why a grader that compares outputs cannot be audited.
var errNoGroups = errors.New("the grader compares the outputs of an item, and no outputs are recorded: audit a run " +
	"with rollouts")

// groups holds, by item, the recorded outputs that a grader compares answers with.
type groups struct {
	size  int
	items map[rollout.Key][]*rollout.Record
}

// readGroups reads the outputs of the items. size is how many outputs the grader compares; 0: each is
// graded by itself, and there are no groups.
func readGroups(ctx context.Context, size int, wanted func(rollout.Key) bool,
	read func(context.Context, func(*rollout.Record)) error,
) (groups, error) {
	g := groups{size: size, items: map[rollout.Key][]*rollout.Record{}}
	if size == 0 {
		return g, nil
	}
	err := read(ctx, func(r *rollout.Record) {
		key := rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}
		if !wanted(key) {
			return
		}
		list := slices.DeleteFunc(g.items[key], func(o *rollout.Record) bool { return o.Sample == r.Sample })
		if r.Answer != "" && !r.Outcome.Missing() {
			list = append(list, r)
		}
		g.items[key] = list
	})
	for _, list := range g.items {
		slices.SortFunc(list, func(a, b *rollout.Record) int { return cmp.Compare(a.Sample, b.Sample) })
	}
	return g, err
}

// join puts an answer into a group of recorded outputs: in the place of the rollout that it was made
// from, or of one that its trace id chooses. It reports whether the item has a group.
func (g groups) join(t *sampler.Task) bool {
	r := t.Record
	all := g.items[rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}]
	if len(all) == 0 {
		return false
	}
	sample := all[0].Sample
	if base := r.Probe.Base; base != nil &&
		slices.ContainsFunc(all, func(o *rollout.Record) bool { return o.Sample == base.Sample }) {
		sample = base.Sample
	}
	group := slices.DeleteFunc(slices.Clone(all), func(o *rollout.Record) bool { return o.Sample/g.size != sample/g.size })
	place := slices.IndexFunc(group, func(o *rollout.Record) bool {
		return r.Probe.Base != nil && o.Sample == r.Probe.Base.Sample
	})
	if place < 0 {
		place = int(luck(0, r.TraceID) % uint64(len(group)))
	}
	group[place] = r
	t.Group, t.Place, r.Probe.Group = group, place, len(group)
	return true
}

// joinGroups completes the tasks for a grader that compares outputs, and leaves out the items that
// have none.
func (p *Plan) joinGroups(ctx context.Context) (err error) {
	wanted := map[rollout.Key]bool{}
	for _, key := range p.Items {
		wanted[key] = true
	}
	for _, t := range p.tasks {
		r := t.task.Record
		wanted[rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}] = true
	}
	p.groups, err = readGroups(ctx, p.in.GroupSize, func(key rollout.Key) bool { return wanted[key] },
		func(ctx context.Context, visit func(*rollout.Record)) error {
			return p.survey.read(ctx, false, func(_ int, r *rollout.Record) error {
				visit(r)
				return nil
			})
		})
	if err != nil || p.in.GroupSize == 0 {
		return err
	}
	if len(p.groups.items) == 0 {
		return errNoGroups
	}
	all := len(p.tasks)
	p.tasks = slices.DeleteFunc(p.tasks, func(t *planned) bool {
		if t.script == nil && p.groups.join(&t.task) {
			return false
		}
		p.Counts[t.probe].Payloads--
		return true
	})
	for i := range p.Counts {
		items := map[rollout.Key]bool{}
		for _, t := range p.tasks {
			if r := t.task.Record; t.probe == i {
				items[rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}] = true
			}
		}
		p.Counts[i].Items = len(items)
	}
	if left := all - len(p.tasks); left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d gradings were left out: the grader compares the outputs of an item, "+
			"and there are none to compare with, or a policy makes them", left))
	}
	return nil
}
