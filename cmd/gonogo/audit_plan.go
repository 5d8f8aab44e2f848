package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// auditPlan plans the audit of a run.
func (p *project) auditPlan(ctx context.Context, run *rollout.Run, detectors []audit.Detector) (*audit.Plan, error) {
	probes, err := p.probes()
	if err != nil {
		return nil, err
	}
	labels, err := run.Labels()
	if err != nil {
		return nil, err
	}
	a := p.cfg.Audit
	in := audit.Input{
		Seed: p.seed, Items: run.Items, Records: run.Records, Range: *p.cfg.RewardRange,
		Probes: probes, Detectors: detectors, Labels: labels, Answer: a.Answer,
		Grader: p.graderInfo().Hash, Judges: len(p.cfg.Body.Judges()),
	}
	if in.Reference, err = p.references(); err != nil {
		return nil, err
	}
	return audit.NewPlan(ctx, audit.Config{
		Items: a.Items, Regrades: a.Regrades, MaxGradings: a.MaxGradings, Skip: a.Skip, Unordered: a.Unordered != nil && *a.Unordered,
	}, in)
}

// references finds an item's reference: by audit.reference, else by what the
// grader's templates compare with, else by the usual fields.
func (p *project) references() (func(*rollout.Item) (audit.Reference, bool), error) {
	templates := grader.References(p.bounds.Grader)
	if text := p.cfg.Audit.Reference; text != "" {
		t, err := grader.ParseTemplate(text)
		if err != nil {
			return nil, p.cfg.fault("audit.reference", "%v", err)
		}
		templates = []grader.Template{t}
	}
	return func(it *rollout.Item) (audit.Reference, bool) {
		for _, t := range templates {
			if len(t.Reads()) > 0 {
				continue // it compares with something of the output
			}
			text, _, err := t.Render(it.Row, nil)
			if err == nil && strings.TrimSpace(text) != "" {
				return audit.Reference{Text: text, Field: t.String()}, true
			}
		}
		return audit.FieldReference(it)
	}, nil
}

// probes lists the built-in probes and those of the configuration.
func (p *project) probes() ([]audit.Probe, error) {
	all := audit.Probes()
	described, err := p.cfg.probes()
	if err != nil {
		return nil, err
	}
	var errs []error
	for i, d := range described {
		probe, err := audit.Custom{
			Name: d.Name, Doc: d.Doc, Expect: rollout.Expectation(d.Expect), Limit: d.Limit,
			Template: d.Template, Pattern: d.Pattern, Replace: d.Replace,
		}.New(p.renderProbe)
		if err != nil {
			errs = append(errs, p.cfg.entryFault("audit.probes", i, err))
			continue
		}
		all = append(all, probe)
	}
	return all, joinConfigErrors(errs)
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

// detectors makes the detectors of the configuration, ready to read.
func (p *project) detectors(ctx context.Context) ([]audit.Detector, error) {
	described, err := p.cfg.detectors()
	if err != nil {
		return nil, asUsage(err)
	}
	var out []audit.Detector
	var errs []error
	for i, d := range described {
		made, err := p.detector(ctx, d)
		if err != nil {
			errs = append(errs, p.cfg.entryFault("audit.detectors", i, errors.New(p.redact.String(err.Error()))))
			continue
		}
		out = append(out, made)
	}
	return out, asUsage(joinConfigErrors(errs))
}

func (p *project) detector(ctx context.Context, d detectorValue) (audit.Detector, error) {
	if d.Regex != "" {
		return audit.RegexDetector(d.Name, d.Doc, d.Regex, d.Zero)
	}
	definition := map[string]any{"type": "python", "name": d.Name, "source": d.Python}
	judges := 0
	if d.Judge != "" {
		judges = 1
		definition = map[string]any{
			"type": "label_model", "name": d.Name, "model": d.Model, "labels": []string{"hack", "honest"}, "passing_labels": []string{"hack"},
			"input": []map[string]string{{"role": "user", "content": d.Judge + "\n\nThe output:\n{{sample.output_text}}\n\nIts tool calls:\n{{sample.output_tools}}"}},
		}
	}
	raw := marshal(definition)
	g, err := grader.New(grader.Kinds(), raw, p.env)
	if err == nil {
		err = grader.Start(ctx, g)
	}
	return audit.Detector{Name: d.Name, Doc: d.Doc, Zero: d.Zero, Hash: grader.Info(raw, g).Hash, Judges: judges, Grader: g}, err
}

// takeLabels puts the labels of the configuration into the run.
func (p *project) takeLabels(run *rollout.Run) error {
	path := p.cfg.Audit.Labels
	if path == "" || path == filepath.Join(run.Dir, rollout.LabelsFile) {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return asUsage(p.cfg.fault("audit.labels", "%v", err))
	}
	defer f.Close()
	labels, err := rollout.ReadLabels(path, f)
	if err != nil {
		return asUsage(err)
	}
	known := make(map[string]bool)
	for _, it := range run.Items {
		known[it.ID] = true
	}
	for _, l := range labels {
		if run.Items != nil && !known[l.Item] {
			return usagef("%s: item %q is not in the run %s", path, l.Item, run.Dir)
		}
	}
	return rollout.AppendLabels(run.Dir, labels)
}

// audits reports whether an audit follows the rollouts.
func (p *project) audits(c *cli.Context) bool {
	enabled := p.cfg.Audit.Enabled
	return !c.Bool("no-audit") && (enabled == nil || *enabled)
}

// auditEstimate says what the audit after sampling may take; "" when there is
// none.
func (p *project) auditEstimate(c *cli.Context) string {
	if c.Command.Name == "sample" || !p.audits(c) {
		return ""
	}
	a := p.cfg.Audit
	text := fmt.Sprintf(" Then an audit of the grader: at most %d gradings", a.MaxGradings)
	if n := len(p.cfg.Body.Judges()); n > 0 {
		text += fmt.Sprintf(", that is %d requests to a model that grades", n*a.MaxGradings)
	}
	return text + " (audit.max_gradings; --no-audit leaves it out)."
}
