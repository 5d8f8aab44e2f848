package main

import (
	"context"
	"fmt"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// auditPlan plans the audit of a run.
func (p *project) auditPlan(ctx context.Context, run *rollout.Run) (*audit.Plan, error) {
	labels, err := run.Labels()
	if err != nil {
		return nil, err
	}
	a := p.cfg.Audit
	in := audit.Input{
		Seed: p.seed, Items: run.Items, Records: run.Records, Range: *p.cfg.RewardRange,
		Probes: p.auditing.probes, Detectors: p.auditing.detectors, Labels: labels, Answer: a.Answer, Reference: p.auditing.reference,
		Grader: p.graderInfo().Hash, Judges: len(p.cfg.Body.Judges()),
	}
	return audit.NewPlan(ctx, audit.Config{
		Items: a.Items, Regrades: a.Regrades, MaxGradings: a.MaxGradings, MaxMarks: a.MaxMarks,
		Skip: a.Skip, Unordered: a.Unordered != nil && *a.Unordered,
	}, in)
}

// renderProbe writes a probe's template.
func (p *project) renderProbe(text string, it *rollout.Item, base *rollout.Record) (string, error) {
	t, err := grader.ParseTemplate(text)
	if err != nil {
		return "", err
	}
	var out sampler.Output
	if base != nil {
		out = sampler.OutputOf(it, base)
	}
	text, missing, err := t.Render(it.Row, grader.NewSample(out, p.cfg.Sampling.SampleTools))
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("the output has no %s", strings.Join(missing, ", "))
	}
	return text, err
}

// audits reports whether an audit follows the rollouts.
func (p *project) audits(c *call) bool {
	enabled := p.cfg.Audit.Enabled
	return c.Command != "sample" && !c.NoAudit && (enabled == nil || *enabled)
}

// auditEstimate says what the audit after sampling may take; "" when there is
// none.
func (p *project) auditEstimate(c *call) string {
	if !p.audits(c) {
		return ""
	}
	a := p.cfg.Audit
	text := fmt.Sprintf(" Then an audit of the grader: at most %s", ui.Counted(a.MaxGradings, "grading"))
	if n := len(p.cfg.Body.Judges()); n > 0 {
		text += fmt.Sprintf(", that is %s to a model that grades", ui.Counted(n*a.MaxGradings, "request"))
	}
	if n := len(p.auditing.detectors); n > 0 {
		marks := len(sampler.Plan(p.items, p.samples(), nil))
		if a.MaxMarks > 0 {
			marks = min(marks, a.MaxMarks)
		}
		asked := 0
		for _, d := range p.auditing.detectors {
			asked += d.Judges
		}
		text += fmt.Sprintf("; %s read by %s", ui.Counted(marks, "rollout"), ui.Counted(n, "detector"))
		if asked > 0 {
			text += fmt.Sprintf(", that is %s to a model", ui.Counted(asked*marks, "request"))
		}
	}
	return text + " (audit.max_gradings; --no-audit leaves it out)."
}
