package judge

import (
	"context"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/sampler/rollout"
)

// Analyze reads a run and judges it: it measures every split, runs every gate and reaches one
// verdict. Memory grows with items x samples, not with text: transcripts are dropped as they are
// read. It fails on an unreadable record, a reward outside the range, and a gate or a setting that
// cannot be used.
func Analyze(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	gates analysis.Gates,
) (*analysis.Result, error) {
	if err := gates.Validate(s); err != nil {
		return nil, err
	}
	r, err := measure.Run(ctx, run, read, s)
	if err != nil {
		return nil, err
	}
	r.Thresholds = gates.Values(s.Thresholds)
	Judge(r, s.Thresholds, gates)
	return r, nil
}

// AnalyzeAudit judges only the grader, from a run's probes.jsonl and labels.jsonl; the run may have
// no rollouts yet. The result holds the findings of the grader's gates and no verdict. Grader is
// never nil; without probes and labels it is empty and the gates are skipped. A threshold that no gate has
// is an error.
func AnalyzeAudit(ctx context.Context, run *rollout.Run, s analysis.Settings) (*analysis.Result, error) {
	if err := gate.All().Validate(s); err != nil {
		return nil, err
	}
	r, err := measure.Audit(ctx, run, s)
	if err != nil {
		return nil, err
	}
	r.Thresholds, r.Findings = gate.All().Values(s.Thresholds), findings(r, s.Thresholds, gate.OfGrader())
	if r.Grader == nil {
		r.Grader = measure.EmptyGrader(s)
	}
	return r, nil
}

// AnalyzeBurst judges only the endpoints, from a run's burst; the run may have no rollouts. The
// result holds the findings of the endpoint gates and no verdict. Without a burst, Burst is nil and
// the gates are skipped. A threshold that no gate has is an error.
func AnalyzeBurst(ctx context.Context, run *rollout.Run, s analysis.Settings) (*analysis.Result, error) {
	if err := gate.All().Validate(s); err != nil {
		return nil, err
	}
	r, err := measure.Burst(ctx, run, s)
	if err != nil {
		return nil, err
	}
	r.Thresholds, r.Findings = gate.All().Values(s.Thresholds), findings(r, s.Thresholds, gate.OfEndpoints())
	return r, nil
}

// CheckItems judges only the items, before any rollout: copies between and within splits,
// conflicts, degenerate rows, and whether the splits' texts and fields are alike. It ignores items
// without a row. It returns the measurements and the gates' findings about them.
func CheckItems(items []rollout.Item, s analysis.Settings) (*analysis.Shift, []analysis.Finding) {
	r := &analysis.Result{
		RewardRange: [2]float64{s.RewardRange.Lo, s.RewardRange.Hi}, Confidence: s.Confidence,
		Shift: measure.Items(items, s),
	}
	return r.Shift, findings(r, s.Thresholds, gate.OfItems())
}
