package project

import (
	"fmt"
	"regexp"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

// customReference returns the function that finds an item's reference for an audit of g. It uses
// the configured template if there is one, else the templates with which g compares; if they give
// nothing, the usual fields. The error says why the template cannot be a reference.
func customReference(g sampler.Grader, template string,
	items []rollout.Item,
) (func(*rollout.Item) (audit.Reference, bool), error) {
	templates := grader.References(g)
	if template != "" {
		if !strings.Contains(template, "{{") { // the name of a field
			template = "{{item." + template + "}}"
		}
		t, err := grader.ParseTemplate(template)
		if err != nil {
			return nil, err
		}
		if reads := t.Reads(); len(reads) > 0 {
			return nil, fmt.Errorf("reads sample.%s: a reference may use only the item", reads[0])
		}
		if err := fitsNone(t, items); err != nil {
			return nil, fmt.Errorf("no item has it: %w", err)
		}
		templates = []grader.Template{t}
	}
	return func(it *rollout.Item) (audit.Reference, bool) {
		for _, t := range templates {
			if len(t.Reads()) > 0 {
				continue // it depends on the output
			}
			text, _, err := t.Render(it.Row, nil)
			if err == nil && strings.TrimSpace(text) != "" {
				return audit.Reference{Text: text, Field: t.String()}, true
			}
		}
		return audit.FieldReference(it)
	}, nil
}

// fitsNone returns why a template can be rendered for none of the items.
func fitsNone(t grader.Template, items []rollout.Item) (first error) {
	for i := range items {
		err := t.CheckItem(&items[i])
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// customProbe makes a configured probe. Its template may name an item's fields, the reference and
// the recorded output; tools selects which calls of the output are shown (see
// grader.Env.SampleTools). It refuses a template if no item has the fields that it names.
func customProbe(d audit.Custom, tools string, items []rollout.Item) (audit.Probe, error) {
	probe, err := d.New(func(text string, it *rollout.Item, base *rollout.Record) (string, error) {
		return renderProbe(tools, text, it, base)
	})
	if err != nil {
		return probe, err
	}
	t, err := grader.ParseTemplate(bareReference.ReplaceAllString(d.Template, ""))
	if err != nil {
		return probe, fmt.Errorf("template: %w", err)
	}
	if err := fitsNone(t, items); err != nil {
		return probe, fmt.Errorf("template: no item has it: %w", err)
	}
	return probe, nil
}

// bareReference matches the variable of a probe's template that is not a field of a row.
var bareReference = regexp.MustCompile(`\{\{\s*reference\s*\}\}`)

// renderProbe renders a probe's template.
func renderProbe(tools, text string, it *rollout.Item, base *rollout.Record) (string, error) {
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

// customDetector makes a configured detector: a regular expression, Python, or a model that reads
// rollouts. It starts nothing.
func customDetector(d audit.CustomDetector, env grader.Env) (audit.Detector, error) {
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
			"type": "label_model", "name": d.Name, "model": d.Model, "labels": []string{"hack", "honest"},
			"passing_labels": []string{"hack"},
			"input": []map[string]string{{"role": "user", "content": d.Judge +
				"\n\nThe output:\n{{sample.output_text}}\n\nIts tool calls:\n{{sample.output_tools}}"}},
		}
	}
	raw := document.Marshal(definition)
	g, err := grader.New(grader.Kinds(), raw, env)
	if err != nil {
		return audit.Detector{}, fmt.Errorf("detector %s: %w", d.Name, err)
	}
	return audit.Detector{
		Name: d.Name, Doc: d.Doc, Zero: d.Zero, Hash: grader.Info(raw, g).Hash, Judges: judges,
		Grader: g,
	}, nil
}
