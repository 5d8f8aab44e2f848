package project

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/document"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// AuditInputs holds what an audit needs besides the run. It is made before anything is
// paid for, so that mistakes show early.
type AuditInputs struct {
	p         *Project
	Probes    []audit.Probe
	Detectors []audit.Detector
	Reference func(*rollout.Item) (audit.Reference, bool)
	Labels    []rollout.Label // of audit.labels
}

// prepareAudit reads what the configuration says of the audit.
func (a *AuditInputs) prepareAudit() error {
	errs := []error{a.checkCore()}
	if text := a.p.Config.Audit.Answer; text != "" {
		if _, err := audit.AnswerTemplate(text); err != nil {
			errs = append(errs, a.p.Config.Fault("audit.answer", "%v", err))
		}
	}
	var err error
	a.Reference, err = a.references()
	errs = append(errs, err)
	a.Probes, err = a.loadProbes()
	errs = append(errs, err)
	a.Detectors, err = a.loadDetectors()
	errs = append(errs, err)
	a.Labels, err = a.loadLabels()
	return document.SortErrors(append(errs, err))
}

// checkCore refuses a core that is no part of the grader.
func (a *AuditInputs) checkCore() error {
	core, info := a.p.Config.Audit.Core, a.p.GraderInfo()
	switch {
	case core == "" || slices.Contains(info.Parts, core):
		return nil
	case len(info.Parts) == 0:
		return a.p.Config.Fault("audit.core", "the job's grader, a %s, has no parts: leave the key out", info.Kind)
	}
	return a.p.Config.Fault("audit.core", "the job's grader has no part %q%s; its parts are %s", core, ui.DidYouMean(core, info.Parts), strings.Join(info.Parts, ", "))
}

// references finds an item's reference: by audit.reference, else by what the
// grader's templates compare with, else by the usual fields.
func (a *AuditInputs) references() (func(*rollout.Item) (audit.Reference, bool), error) {
	templates := grader.References(a.p.Bounds.Grader)
	if text := a.p.Config.Audit.Reference; text != "" {
		t, err := grader.ParseTemplate(text)
		switch {
		case err != nil:
			return nil, a.p.Config.Fault("audit.reference", "%v", err)
		case len(t.Reads()) > 0:
			return nil, a.p.Config.Fault("audit.reference", "reads sample.%s: a reference is made of the item alone", t.Reads()[0])
		}
		if err := a.nobodyHas(t); err != nil {
			return nil, a.p.Config.Fault("audit.reference", "no item has it: %v", err)
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

// nobodyHas returns why a template can be written for none of the items.
func (a *AuditInputs) nobodyHas(t grader.Template) (first error) {
	for i := range a.p.Inputs.Items {
		err := t.CheckItem(&a.p.Inputs.Items[i])
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// loadProbes lists the built-in probes and those of the configuration.
func (a *AuditInputs) loadProbes() ([]audit.Probe, error) {
	all := audit.Probes()
	var errs []error
	for i, d := range a.p.Config.Audit.Probes {
		probe, err := d.New(func(text string, it *rollout.Item, base *rollout.Record) (string, error) {
			return renderProbe(a.p.Config.Sampling.SampleTools, text, it, base)
		})
		if err == nil {
			err = a.readable(d.Template)
		}
		if err == nil && slices.ContainsFunc(all, func(b audit.Probe) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("probe %s is listed twice", d.Name)
		}
		if err != nil {
			errs = append(errs, a.p.Config.Fault(fmt.Sprintf("audit.probes[%d]", i), "%v", err))
			continue
		}
		all = append(all, probe)
	}
	return all, document.SortErrors(errs)
}

// bareReference is the variable of a probe's template that no row has.
var bareReference = regexp.MustCompile(`\{\{\s*reference\s*\}\}`)

// readable refuses a probe's template that names what no item has, or what
// sample never has.
func (a *AuditInputs) readable(text string) error {
	t, err := grader.ParseTemplate(bareReference.ReplaceAllString(text, ""))
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if err := a.nobodyHas(t); err != nil {
		return fmt.Errorf("template: no item has it: %w", err)
	}
	return nil
}

// loadDetectors makes the detectors of the configuration. Nothing is started yet.
func (a *AuditInputs) loadDetectors() ([]audit.Detector, error) {
	var out []audit.Detector
	var errs []error
	for i, d := range a.p.Config.Audit.Detectors {
		made, err := a.detector(d)
		if err == nil && slices.ContainsFunc(out, func(b audit.Detector) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("detector %s is listed twice", d.Name)
		}
		if err != nil {
			errs = append(errs, a.detectorFault(i, err))
			continue
		}
		out = append(out, made)
	}
	return out, document.SortErrors(errs)
}

func (a *AuditInputs) detectorFault(i int, err error) error {
	return a.p.Config.Fault(fmt.Sprintf("audit.detectors[%d]", i), "%s", a.p.Redact.String(err.Error()))
}

func (a *AuditInputs) detector(d audit.CustomDetector) (audit.Detector, error) {
	if err := d.Check(); err != nil {
		return audit.Detector{}, err
	}
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
	raw := config.Marshal(definition)
	g, err := grader.New(grader.Kinds(), raw, a.p.Env)
	if err != nil {
		return audit.Detector{}, fmt.Errorf("detector %s: %w", d.Name, err)
	}
	return audit.Detector{Name: d.Name, Doc: d.Doc, Zero: d.Zero, Hash: grader.Info(raw, g).Hash, Judges: judges, Grader: g}, nil
}

// StartDetectors checks that detectors can run on this machine.
func (a *AuditInputs) StartDetectors(ctx context.Context) error {
	var errs []error
	for i, d := range a.Detectors {
		if err := grader.Start(ctx, d.Grader); err != nil {
			errs = append(errs, a.detectorFault(i, err))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return exit.AsUsage(document.SortErrors(errs))
}

// loadLabels reads what people said of outputs. Labels of items that are not in
// the run are left out with a word about it, unless all are.
func (a *AuditInputs) loadLabels() ([]rollout.Label, error) {
	path := a.p.Config.Audit.Labels
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, a.p.Config.Fault("audit.labels", "%v", err)
	}
	defer f.Close()
	all, err := rollout.ReadLabels(path, f)
	if err != nil {
		return nil, a.p.Config.Fault("audit.labels", "%v", err)
	}
	if len(a.p.Inputs.Items) == 0 {
		return all, nil // imported: the items are known from the rollouts alone
	}
	known := make(map[string]bool)
	for _, it := range a.p.Inputs.Items {
		known[it.ID] = true
	}
	var strangers []string
	ours := slices.DeleteFunc(slices.Clone(all), func(l rollout.Label) bool {
		if !known[l.Item] && !slices.Contains(strangers, l.Item) {
			strangers = append(strangers, l.Item)
		}
		return !known[l.Item]
	})
	switch {
	case len(strangers) == 0:
	case len(ours) == 0:
		return nil, a.p.Config.Fault("audit.labels", "%s: none of its items is in the run, such as %q", path, strangers[0])
	default:
		a.p.Warnings = append(a.p.Warnings, fmt.Sprintf("%s: %d of its items are not in the run, such as %q; their labels are left out", path, len(strangers), strangers[0]))
	}
	return ours, nil
}

// renderProbe writes a probe's template.
func renderProbe(tools string, text string, it *rollout.Item, base *rollout.Record) (string, error) {
	t, err := grader.ParseTemplate(text)
	if err != nil {
		return "", err
	}
	var out sampler.Output
	if base != nil {
		out = sampler.OutputOf(it, base)
	}
	text, missing, err := t.Render(it.Row, grader.NewSample(out, tools))
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("the output has no %s", strings.Join(missing, ", "))
	}
	return text, err
}

// Audits reports whether the grader is audited after the rollouts.
func Audits(p *Project, c *Call) bool {
	enabled := p.Config.Audit.Enabled
	return c.Command != "sample" && !c.Sampling.NoAudit && (enabled == nil || *enabled)
}
