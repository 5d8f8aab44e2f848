package stage

import (
	"context"
	"fmt"

	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// auditPlan plans the audit of a run.
func auditPlan(ctx context.Context, p *project.Project, run *rollout.Run) (*audit.Plan, error) {
	labels, err := run.Labels()
	if err != nil {
		return nil, err
	}
	seed := p.Inputs.Seed
	if run.Manifest != nil && run.Manifest.ItemsSeed != nil {
		seed = *run.Manifest.ItemsSeed // the audits of all nights draw the same items
	}
	a := p.Config.Audit
	in := audit.Input{
		Seed: seed, Items: run.Items, Records: run.Records, Range: *p.Config.RewardRange,
		Probes: p.Audit.Probes, Detectors: p.Audit.Detectors, Labels: labels, Answer: a.Answer, Reference: p.Audit.Reference,
		Grader: p.GraderInfo().Hash, Judges: len(p.Config.Body.Judges()),
	}
	return audit.NewPlan(ctx, audit.Config{
		Items: a.Items, Regrades: a.Regrades, MaxGradings: a.MaxGradings, MaxMarks: a.MaxMarks,
		Skip: a.Skip, Unordered: a.Unordered != nil && *a.Unordered,
	}, in)
}

// auditEstimate says what the audit after sampling may take; "" when there is
// none.
func auditEstimate(p *project.Project, c *project.Call) string {
	if !project.Audits(p, c) {
		return ""
	}
	a := p.Config.Audit
	text := fmt.Sprintf(" Then an audit of the grader: at most %s", ui.Count(a.MaxGradings, "grading"))
	if n := len(p.Config.Body.Judges()); n > 0 {
		text += fmt.Sprintf(", that is %s to a model that grades", ui.Count(n*a.MaxGradings, "request"))
	}
	if n := len(p.Audit.Detectors); n > 0 {
		marks := len(sampler.Plan(p.Inputs.Items, p.Samples(), nil))
		if a.MaxMarks > 0 {
			marks = min(marks, a.MaxMarks)
		}
		asked := 0
		for _, d := range p.Audit.Detectors {
			asked += d.Judges
		}
		text += fmt.Sprintf("; %s read by %s", ui.Count(marks, "rollout"), ui.Count(n, "detector"))
		if asked > 0 {
			text += fmt.Sprintf(", that is %s to a model", ui.Count(asked*marks, "request"))
		}
	}
	return text + " (audit.max_gradings; --no-audit leaves it out)."
}
