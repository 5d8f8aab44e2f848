package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Unjudged is a blocking gate that a run gave nothing to judge, or sampling that
// is not complete.
type Unjudged struct {
	Gate    string       `json:"gate"`
	Why     message.Text `json:"why"`
	Command *string      `json:"command"` // what would judge it; null where no command would
}

// Stage is a part of a run that a verdict can require.
type Stage struct {
	Name  string
	Doc   string
	gates []string
}

// Sampling is the stage that is complete when no planned rollout is missing. It
// is no gate, and stands in Result.Required and Result.NotJudged for itself.
const Sampling = "sampling"

// Stages lists what a verdict can require besides single gates.
func Stages() []Stage {
	return []Stage{
		{"data", "the data files and enough items", []string{"data.valid", "data.conflicts", "data.enough"}},
		{Sampling, "no planned rollout is missing", nil},
		{"audit", "the grader was audited", []string{"grader.truth", "grader.hackable", "grader.noise"}},
		{"leakage", "the splits were searched for copies", []string{"leakage"}},
		{"shift", "the splits were compared", []string{"shift"}},
		{"burst", "the load of a training step was rehearsed", []string{"endpoint.burst"}},
	}
}

// Requirable lists the names that Settings.Require takes.
func Requirable() []string {
	var names []string
	for _, s := range Stages() {
		names = append(names, s.Name)
	}
	for _, g := range Gates() {
		if !slices.Contains(names, g.Name) {
			names = append(names, g.Name)
		}
	}
	return names
}

// DefaultRequire is what a verdict on the run requires where nothing is
// configured: of a run made here all of its stages but the burst; of an import,
// and of rollouts without a manifest, what a log can hold.
func DefaultRequire(m *rollout.Manifest) []string {
	if m == nil || m.Source != rollout.Live {
		return []string{"data"}
	}
	return []string{"data", Sampling, "audit", "leakage"}
}

// lacking names the command that a gate's reason for being skipped asks for; ""
// where there is nothing to judge.
func lacking(why message.Text) string {
	switch why.ID {
	case noAudit.ID:
		return "gonogo audit RUN"
	case noAuditImport.ID:
		return "gonogo audit RUN --grader FILE"
	case noBurst.ID:
		return "gonogo burst RUN"
	}
	return ""
}

// cover says which blocking gates judged the run, which did not and why, and
// which of them the verdict requires.
func cover(r *Result) {
	r.Judged, r.NotJudged, r.Required = nil, nil, nil
	lacks := make(map[string]bool)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != Blocking || f.Status == Skipped || slices.Contains(r.Judged, f.Gate) {
			continue
		}
		r.Judged = append(r.Judged, f.Gate)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != Blocking || slices.Contains(r.Judged, f.Gate) || slices.ContainsFunc(r.NotJudged, func(u Unjudged) bool { return u.Gate == f.Gate }) {
			continue
		}
		u := Unjudged{Gate: f.Gate}
		if why := f.Title.Args["reason"].Text; why != nil {
			u.Why = *why
		}
		if lacks[f.Gate] = f.lacks != ""; lacks[f.Gate] {
			u.Command = &f.lacks
		}
		r.NotJudged = append(r.NotJudged, u)
	}
	if left, _ := notRun(r); left > 0 {
		command := "gonogo run -o RUN"
		r.NotJudged = append(r.NotJudged, Unjudged{Sampling, notMadeYet.With(message.Args{"rollouts": message.Count(left, "planned rollout")}), &command})
	}
	for _, name := range r.require {
		i := slices.IndexFunc(Stages(), func(s Stage) bool { return s.Name == name })
		if i < 0 || name == Sampling {
			require(r, name)
			continue
		}
		for _, gate := range Stages()[i].gates {
			if slices.Contains(r.Judged, gate) || lacks[gate] {
				require(r, gate)
			}
		}
	}
}

func require(r *Result, name string) {
	if !slices.Contains(r.Required, name) {
		r.Required = append(r.Required, name)
	}
}

// Missing lists what the verdict requires and the run gave nothing to judge.
func (r *Result) Missing() []Unjudged {
	var missing []Unjudged
	for _, u := range r.NotJudged {
		if slices.Contains(r.Required, u.Gate) {
			missing = append(missing, u)
		}
	}
	return missing
}

// Coverage counts the blocking gates that passed and all that there are.
func (r *Result) Coverage() (passed, all int) {
	judged := make(map[string]Status)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != Blocking {
			continue
		}
		was, seen := judged[f.Gate]
		if !seen || was == Skipped || was == Pass && f.Status != Skipped {
			judged[f.Gate] = f.Status
		}
	}
	for _, status := range judged {
		passed += one(status == Pass)
	}
	return passed, len(judged)
}

// notRun counts the planned rollouts that have no record, and the items that have
// none at all.
func notRun(r *Result) (rollouts, items int) {
	for _, split := range rollout.Splits() {
		if sr := r.Splits[split]; sr != nil && sr.Missing.NotRun != nil {
			rollouts += *sr.Missing.NotRun
			items += sr.Items.NotRun
		}
	}
	return rollouts, items
}

// Changed is a threshold that is not at its default.
type Changed struct {
	Name           string
	Default, Value float64
}

// ChangedThresholds lists the thresholds that are not at their default, in the
// order of the table.
func (r *Result) ChangedThresholds() []Changed {
	var changed []Changed
	for _, t := range ThresholdTable() {
		if v, ok := r.Thresholds[t.Name]; ok && v != t.Default {
			changed = append(changed, Changed{t.Name, t.Default, v})
		}
	}
	return changed
}
