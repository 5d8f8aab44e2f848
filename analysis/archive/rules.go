package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// SameRules reports whether a result was judged by these gates, at the same default thresholds.
func SameRules(r *analysis.Result, gates analysis.Gates) bool {
	was, err := json.Marshal(r.Gates) // what a result records of its gates
	if err != nil {
		return false
	}
	is, err := json.Marshal(gates)
	if err != nil || !bytes.Equal(was, is) {
		return false
	}
	values := r.Thresholds.ByName()
	for _, c := range r.Changed {
		values[c.Name] = c.Default
	}
	for name, value := range gates.Values(nil).ByName() {
		if was, ok := values[name]; !ok || was != value {
			return false
		}
	}
	return true
}

// JudgedBy returns the version of gonogo that gave a stored verdict: the one that made the run if the
// result does not say.
func JudgedBy(r *analysis.Result) string { return cmp.Or(r.Run.JudgedBy, r.Run.ToolVersion, "unknown") }

// Change is the finding of a gate that another version of gonogo gave otherwise.
type Change struct {
	Gate     string
	Split    rollout.Split
	Severity analysis.Severity
	Was, Is  *analysis.Status // nil: there was, or is, no such finding
}

// Rejudged returns the findings of the same records that differ only because the rules do. ok is
// false if the settings differ, which may be the cause instead.
func Rejudged(was, is *analysis.Result) (changes []Change, ok bool) {
	if !sameSettings(was, is) {
		return nil, false
	}
	find := func(r *analysis.Result, c Change) *analysis.Status {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Gate == c.Gate && f.Split == c.Split && f.Severity == c.Severity {
				return &f.Status
			}
		}
		return nil
	}
	for _, f := range slices.Concat(is.Findings, was.Findings) {
		c := Change{Gate: f.Gate, Split: f.Split, Severity: f.Severity}
		c.Was, c.Is = find(was, c), find(is, c)
		if c.Was != nil && c.Is != nil && *c.Was == *c.Is ||
			slices.ContainsFunc(changes, func(x Change) bool {
				return x.Gate == c.Gate && x.Split == c.Split && x.Severity == c.Severity
			}) {
			continue
		}
		changes = append(changes, c)
	}
	return changes, true
}

// plannedEpochs is the assumption of a plan that names the epochs, in results of all versions.
const plannedEpochs = "plan.job_plans"

// sameSettings reports whether two results were judged at the same settings, whatever the defaults
// of their thresholds; those that b lacks were of other rules.
func sameSettings(a, b *analysis.Result) bool {
	known := b.Thresholds.ByName()
	set := func(r *analysis.Result) any {
		changed := map[string]float64{}
		for _, c := range r.Changed {
			if _, ok := known[c.Name]; ok {
				changed[c.Name] = c.Value
			}
		}
		var batch *int
		var epochs message.Args
		if r.Plan != nil {
			batch = r.Plan.BatchSize
			for _, t := range r.Plan.Assumptions {
				if t.ID == plannedEpochs {
					epochs = t.Args
				}
			}
		}
		return []any{
			r.Confidence, r.RewardRange, r.Ceiling, r.GroupSize, r.Normalize, r.Epsilon, r.PassThreshold, r.ToolErrors, changed,
			batch, epochs,
		}
	}
	x, errX := json.Marshal(set(a))
	y, errY := json.Marshal(set(b))
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
