package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Unjudged is a blocking gate that had nothing to judge in a run, or sampling that is not complete.
type Unjudged struct {
	Gate string       `json:"gate"`
	Why  message.Text `json:"why"`
	// the command that would give it something to judge, as words, with RUN for the run directory;
	// null if there is none
	Command []string `json:"command"`
}

// Stage is a part of a run that a verdict can require.
type Stage struct {
	Name  string
	Doc   string
	Gates []string
	Asked bool // not required by default; if required, it must be judged whatever the run holds
}

// Sampling is the stage that is complete when no planned rollout is missing. It is not a
// gate: Result.Required and Result.NotJudged name it separately.
const Sampling = "sampling"

// Stages lists what a verdict can require besides single gates.
func Stages() []Stage {
	return []Stage{
		{"data", "the data files and enough items", []string{"data.valid", "data.conflicts", "data.enough"}, false},
		{Sampling, "no planned rollout is missing", nil, false},
		{"audit", "the grader was audited", []string{"grader.truth", "grader.hackable", "grader.noise"}, false},
		{"leakage", "the splits were searched for copies", []string{"leakage"}, false},
		{"shift", "the splits were compared", []string{"shift"}, true},
		{"burst", "the load of a training step was rehearsed", []string{"endpoint.burst"}, true},
	}
}

// DefaultRequire returns what a verdict on the run requires if nothing is configured: all stages
// but shift and burst for a live run, and only data for an import or for rollouts without a
// manifest, since a log holds no more.
func DefaultRequire(m *rollout.Manifest) []string {
	if m == nil || m.Source != rollout.Live {
		return []string{"data"}
	}
	return []string{"data", Sampling, "audit", "leakage"}
}

// Missing lists what the verdict requires but had nothing to judge in this run.
func (r *Result) Missing() []Unjudged {
	var missing []Unjudged
	for _, u := range r.NotJudged {
		if slices.Contains(r.Required, u.Gate) {
			missing = append(missing, u)
		}
	}
	return missing
}

// Coverage lists the blocking gates that passed and all that count: those that judged something,
// those that could have, and those that are required. endpoint.burst, which judges only what a burst
// was asked for, does not count otherwise.
func (r *Result) Coverage() (passed, all []string) {
	judged := make(map[string]Status)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != Blocking ||
			f.Status == Skipped && (f.IsMoot() || isAsked(f.Gate)) && !slices.Contains(r.Required, f.Gate) {
			continue
		}
		was, seen := judged[f.Gate]
		if !seen {
			all = append(all, f.Gate)
		}
		if !seen || was == Skipped || was == Pass && f.Status != Skipped {
			judged[f.Gate] = f.Status
		}
	}
	for _, gate := range all {
		if judged[gate] == Pass {
			passed = append(passed, gate)
		}
	}
	return passed, all
}

// isAsked reports whether a gate judges only what was asked for.
func isAsked(gate string) bool { return gate == "endpoint.burst" }
