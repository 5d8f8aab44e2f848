package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// WithoutCopies returns a sink that drops the messages and calls of payloads that were made from a
// recorded rollout, so that probes.jsonl does not repeat rollouts.jsonl: Find takes them from the
// rollout again.
func WithoutCopies(sink sampler.Sink) sampler.Sink { return slim{sink} }

type slim struct{ sampler.Sink }

// Append passes on a record without the parts that its base has.
func (s slim) Append(r *rollout.Record) error {
	if r.Probe != nil && r.Probe.Base != nil {
		lean := *r
		lean.Messages, lean.Calls = nil, nil
		r = &lean
	}
	return s.Sink.Append(r)
}

// Find returns the payload with that id as a task, to be graded again with the same answer,
// messages and calls, and the record with its grade. groupSize is how many outputs of an item the
// grader compares; 0: each is graded by itself.
func Find(ctx context.Context, run *rollout.Run, id ID, groupSize int,
) (task sampler.Task, recorded *rollout.Record, err error) {
	_, err = run.Probes(ctx, func(r *rollout.Record) error {
		if r.Probe != nil && idOf(r) == id {
			recorded = r
		}
		return nil
	})
	if err != nil {
		return sampler.Task{}, nil, err
	}
	if recorded == nil {
		return sampler.Task{}, nil, fmt.Errorf("the run has no payload %s: the page and result.json name those that "+
			"show a hole", id)
	}
	fresh := *recorded
	fresh.Outcome, fresh.Error, fresh.Kind, fresh.Reward, fresh.Grades, fresh.Parts, fresh.Clipped = "", "", "", nil,
		nil, nil, false
	if err := restore(ctx, run, &fresh); err != nil {
		return sampler.Task{}, nil, fmt.Errorf("replay %s: %w", id, err)
	}
	task = sampler.Task{Record: &fresh, Times: 1}
	if i := slices.IndexFunc(run.Items, func(it rollout.Item) bool {
		return it.ID == recorded.Item &&
			it.Split == recorded.Split
	}); i >= 0 {
		task.Item = &run.Items[i]
	}
	g, err := readGroups(ctx, groupSize, func(key rollout.Key) bool {
		return key == rollout.Key{Split: fresh.Split, Item: fresh.Item, Step: fresh.Step}
	}, func(ctx context.Context, visit func(*rollout.Record)) error {
		_, err := run.Records(ctx, rollout.ReadOptions{OnConflict: rollout.Last}, func(r *rollout.Record) error {
			visit(r)
			return nil
		})
		return err
	})
	if err == nil && groupSize > 0 && !g.join(&task) {
		err = errNoGroups
	}
	return task, recorded, err
}

// restore gives a payload the messages and calls of its base.
func restore(ctx context.Context, run *rollout.Run, r *rollout.Record) error {
	if r.Probe.Base == nil || len(r.Messages)+len(r.Calls) > 0 {
		return nil
	}
	var base *rollout.Record
	_, err := run.Records(ctx, rollout.ReadOptions{OnConflict: rollout.Last}, func(rec *rollout.Record) error {
		if rec.Key() == (rollout.Key{Split: r.Split, Item: r.Item, Sample: r.Probe.Base.Sample, Step: r.Step}) {
			base = rec
		}
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return err
	}
	if base == nil {
		return fmt.Errorf("the run no longer has rollout %s/%s/%d, which the payload was made from", r.Split,
			r.Key().ItemName(), r.Probe.Base.Sample)
	}
	if strings.HasPrefix(r.Probe.Name, rollout.ProbeDetector) {
		r.Outcome, r.Error = base.Outcome, base.Error
	}
	attach(r, base)
	return nil
}
