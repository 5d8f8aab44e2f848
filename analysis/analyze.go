package analysis

import (
	"context"
	"time"

	"gonogo/sampler/rollout"
)

// Analyze reads a run and judges it: every split measured, every gate asked,
// one verdict. Memory grows with items x samples, not with text; transcripts
// are dropped as they pass. An unreadable record, a reward outside the range
// or a setting that cannot be used is an error.
func Analyze(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s Settings, gates []Gate) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	read.Lean = true
	c := newCollector(s.RewardRange)
	input, err := run.Records(ctx, read, c.add)
	if err != nil {
		return nil, err
	}
	r := newResult(run, input, s)
	c.fill(r, run, s)
	Judge(r, s.Thresholds, gates)
	return r, nil
}

func newResult(run *rollout.Run, input rollout.Input, s Settings) *Result {
	r := &Result{
		Schema:        Schema,
		Confidence:    s.Confidence,
		RewardRange:   [2]float64{s.RewardRange.Lo, s.RewardRange.Hi},
		Ceiling:       s.ceiling(),
		GroupSize:     s.GroupSize,
		PassThreshold: s.PassThreshold,
		Thresholds:    s.Thresholds.All(),
		Input:         input,
		Splits:        make(map[rollout.Split]*SplitResult),
		Problems:      []rollout.Problem{},
	}
	if r.Input.Bad == nil {
		r.Input.Bad = []rollout.BadLine{}
	}
	m := run.Manifest
	if m == nil {
		r.Run.Source = string(rollout.Import)
		return r
	}
	seed := m.Seed
	r.Run = RunInfo{
		ID: m.ID, Name: m.Name, Source: string(m.Source), ToolVersion: m.ToolVersion,
		Model: m.Model, Data: m.Data, Choices: m.Choices, Notes: m.Notes,
	}
	if m.Source == rollout.Live {
		r.Run.Seed = &seed
	}
	if m.Problems != nil {
		r.Problems = m.Problems
	}
	if !m.Started.IsZero() {
		r.Timing.Started = m.Started.UTC().Format(time.RFC3339)
	}
	if !m.Ended.IsZero() {
		r.Timing.Ended = m.Ended.UTC().Format(time.RFC3339)
	}
	return r
}

// fill measures every split that has a record or was planned.
func (c *collector) fill(r *Result, run *rollout.Run, s Settings) {
	known := make(map[rollout.Split]map[string]labels)
	for _, it := range run.Items {
		if known[it.Split] == nil {
			known[it.Split] = make(map[string]labels)
		}
		known[it.Split][it.ID] = labels{it.Category, it.Family}
	}
	for _, split := range rollout.Splits() {
		m := measure{s: s, c: c, items: c.items(split, known[split])}
		m.plan(run.Manifest, split)
		if len(m.items) > 0 || m.planned != nil && *m.planned > 0 {
			r.Splits[split] = m.split()
		}
	}
	r.Grader = c.grader(s)
	if split, ok := trainingSplit(r); ok {
		r.Plan = plan(r.Splits[split], c.items(split, known[split]), c, s)
	}
}

// trainingSplit is the split that the gates about training judge: train, else
// the only split. An evaluation set by itself says nothing about training.
func trainingSplit(r *Result) (rollout.Split, bool) {
	if r.Splits[rollout.Train] != nil {
		return rollout.Train, true
	}
	if len(r.Splits) == 1 && r.Splits[rollout.Production] != nil {
		return rollout.Production, true
	}
	return "", false
}
