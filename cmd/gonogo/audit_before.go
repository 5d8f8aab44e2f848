package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// auditing is what an audit needs besides the run. It is made before anything
// is paid, so that a mistake in it is told then.
type auditing struct {
	probes    []audit.Probe
	detectors []audit.Detector
	reference func(*rollout.Item) (audit.Reference, bool)
	labels    []rollout.Label // of audit.labels
}

// prepareAudit reads what the configuration says of the audit.
func (p *project) prepareAudit() error {
	errs := []error{p.checkCore(), p.checkAnswer()}
	var err error
	p.auditing.reference, err = p.references()
	errs = append(errs, err)
	p.auditing.probes, err = p.probes()
	errs = append(errs, err)
	p.auditing.detectors, err = p.detectors()
	errs = append(errs, err)
	p.auditing.labels, err = p.labels()
	return config.Join(append(errs, err))
}

// checkCore refuses a core that is no part of the grader.
func (p *project) checkCore() error {
	core, info := p.cfg.Audit.Core, p.graderInfo()
	switch {
	case core == "" || slices.Contains(info.Parts, core):
		return nil
	case len(info.Parts) == 0:
		return p.cfg.Fault("audit.core", "the job's grader, a %s, has no parts: leave the key out", info.Kind)
	}
	return p.cfg.Fault("audit.core", "the job's grader has no part %q%s; its parts are %s", core, ui.DidYouMean(core, info.Parts), strings.Join(info.Parts, ", "))
}

func (p *project) checkAnswer() error {
	text := p.cfg.Audit.Answer
	if text == "" {
		return nil
	}
	if _, err := audit.AnswerTemplate(text); err != nil {
		return p.cfg.Fault("audit.answer", "%v", err)
	}
	return nil
}

// references finds an item's reference: by audit.reference, else by what the
// grader's templates compare with, else by the usual fields.
func (p *project) references() (func(*rollout.Item) (audit.Reference, bool), error) {
	templates := grader.References(p.bounds.Grader)
	if text := p.cfg.Audit.Reference; text != "" {
		t, err := grader.ParseTemplate(text)
		switch {
		case err != nil:
			return nil, p.cfg.Fault("audit.reference", "%v", err)
		case len(t.Reads()) > 0:
			return nil, p.cfg.Fault("audit.reference", "reads sample.%s: a reference is made of the item alone", t.Reads()[0])
		}
		if err := p.nobodyHas(t); err != nil {
			return nil, p.cfg.Fault("audit.reference", "no item has it: %v", err)
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
func (p *project) nobodyHas(t grader.Template) (first error) {
	for i := range p.items {
		err := t.CheckItem(&p.items[i])
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// probes lists the built-in probes and those of the configuration.
func (p *project) probes() ([]audit.Probe, error) {
	all := audit.Probes()
	var errs []error
	for i, d := range p.cfg.Probes() {
		probe, err := audit.Custom{
			Name: d.Name, Doc: d.Doc, Expect: rollout.Expectation(d.Expect), Limit: d.Limit,
			Template: d.Template, Pattern: d.Pattern, Replace: d.Replace,
		}.New(p.renderProbe)
		if err == nil {
			err = p.readable(d.Template)
		}
		if err == nil && slices.ContainsFunc(all, func(b audit.Probe) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("probe %s stands there twice", d.Name)
		}
		if err != nil {
			errs = append(errs, p.cfg.EntryFault("audit.probes", p.cfg.Audit.Probes, i, err))
			continue
		}
		all = append(all, probe)
	}
	return all, config.Join(errs)
}

// bareReference is the variable of a probe's template that no row has.
var bareReference = regexp.MustCompile(`\{\{\s*reference\s*\}\}`)

// readable refuses a probe's template that names what no item has, or what
// sample never has.
func (p *project) readable(text string) error {
	t, err := grader.ParseTemplate(bareReference.ReplaceAllString(text, ""))
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if err := p.nobodyHas(t); err != nil {
		return fmt.Errorf("template: no item has it: %w", err)
	}
	return nil
}

// detectors makes the detectors of the configuration. Nothing is started yet.
func (p *project) detectors() ([]audit.Detector, error) {
	var out []audit.Detector
	var errs []error
	for i, d := range p.cfg.Detectors() {
		made, err := p.detector(d)
		if err == nil && slices.ContainsFunc(out, func(b audit.Detector) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("detector %s stands there twice", d.Name)
		}
		if err != nil {
			errs = append(errs, p.detectorFault(i, err))
			continue
		}
		out = append(out, made)
	}
	return out, config.Join(errs)
}

func (p *project) detectorFault(i int, err error) error {
	return p.cfg.EntryFault("audit.detectors", p.cfg.Audit.Detectors, i, errors.New(p.redact.String(err.Error())))
}

func (p *project) detector(d config.DetectorValue) (audit.Detector, error) {
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
	g, err := grader.New(grader.Kinds(), raw, p.env)
	if err != nil {
		return audit.Detector{}, fmt.Errorf("detector %s: %w", d.Name, err)
	}
	return audit.Detector{Name: d.Name, Doc: d.Doc, Zero: d.Zero, Hash: grader.Info(raw, g).Hash, Judges: judges, Grader: g}, nil
}

// startDetectors tries what detectors need of this machine.
func (p *project) startDetectors(ctx context.Context) error {
	var errs []error
	for i, d := range p.auditing.detectors {
		if err := grader.Start(ctx, d.Grader); err != nil {
			errs = append(errs, p.detectorFault(i, err))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return exit.AsUsage(config.Join(errs))
}

// labels reads what people said of outputs. Labels of items that are not in
// the run are left out with a word about it, unless all are.
func (p *project) labels() ([]rollout.Label, error) {
	path := p.cfg.Audit.Labels
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, p.cfg.Fault("audit.labels", "%v", err)
	}
	defer f.Close()
	all, err := rollout.ReadLabels(path, f)
	if err != nil {
		return nil, p.cfg.Fault("audit.labels", "%v", err)
	}
	if len(p.items) == 0 {
		return all, nil // imported: the items are known from the rollouts alone
	}
	known := make(map[string]bool)
	for _, it := range p.items {
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
		return nil, p.cfg.Fault("audit.labels", "%s: none of its items is in the run, such as %q", path, strangers[0])
	default:
		p.warnings = append(p.warnings, fmt.Sprintf("%s: %d of its items are not in the run, such as %q; their labels are left out", path, len(strangers), strangers[0]))
	}
	return ours, nil
}
