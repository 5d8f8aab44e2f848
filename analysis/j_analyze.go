package analysis

import (
	"context"
	"strings"

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
	r, err := measured(ctx, run, read, s, false)
	if err != nil {
		return nil, err
	}
	Judge(r, s.Thresholds, gates)
	return r, nil
}

// Audited judges the grader alone, from what probes.jsonl and labels.jsonl hold
// of a run that may not have a single rollout yet: its findings are those of
// the gates about the grader, it has no verdict, and Grader is never nil. Without
// probes and labels the section is empty and the gates are skipped.
func Audited(ctx context.Context, run *rollout.Run, s Settings) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r, err := measured(ctx, run, rollout.ReadOptions{}, s, true)
	if err != nil {
		return nil, err
	}
	r.Findings = []Finding{}
	for _, g := range Gates() {
		if ofGrader(g.Name) {
			r.Findings = append(r.Findings, g.judge(r, s.Thresholds)...)
		}
	}
	if r.Grader == nil {
		r.Grader = newGrader(s)
	}
	return r, nil
}

// Bursted judges the endpoints alone, by the burst that a run holds, which may
// have no rollout: its findings are those of the gates about endpoints, and it
// has no verdict. Burst is nil where there was none; then the gates are skipped.
func Bursted(ctx context.Context, run *rollout.Run, s Settings) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b, err := burstOf(ctx, run, s.Confidence)
	if err != nil {
		return nil, err
	}
	r := newResult(run, rollout.Input{}, s)
	r.Burst, r.Findings = b, []Finding{}
	for _, g := range Gates() {
		if strings.HasPrefix(g.Name, "endpoint.") {
			r.Findings = append(r.Findings, g.judge(r, s.Thresholds)...)
		}
	}
	return r, nil
}

// CheckItems judges items alone, before any rollout: copies between and within
// splits, conflicts, degenerate rows, and whether the splits' texts and fields
// are alike. Items without a row say nothing. It returns what was found, and the
// findings of the gates about it.
func CheckItems(items []rollout.Item, s Settings) (*Shift, []Finding) {
	r := &Result{RewardRange: [2]float64{s.RewardRange.Lo, s.RewardRange.Hi}, Confidence: s.Confidence, Shift: shiftOf(items, s, nil)}
	findings := []Finding{}
	for _, g := range itemGates() {
		findings = append(findings, g.judge(r, s.Thresholds)...)
	}
	return r.Shift, findings
}
