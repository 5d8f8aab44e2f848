package audit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// render renders a template with {{item.…}} and {{sample.…}}; sample refers to base, a recorded
// rollout, which is nil if the template does not use it.
type render func(template string, it *rollout.Item, base *rollout.Record) (string, error)

// Custom is a probe that a user describes: a Template, or a Pattern in the syntax of Go's regexp,
// every match of which is replaced. The tags are those of the keys of gonogo.yaml.
type Custom struct {
	Name     string              `json:"name" is:"name" doc:"its name in the report"`
	Doc      string              `json:"doc,omitzero" doc:"one sentence for readers of the report"`
	Expect   rollout.Expectation `json:"expect" doc:"what a sound grader gives the payload: bottom, top, the same as the recorded answer, or nothing in particular"`
	Limit    *float64            `json:"limit,omitzero" doc:"the share of the reward range that a payload may earn at most (bottom, default 0) or must earn at least (top, default 0.99)"`
	Template string              `json:"template,omitzero" doc:"the payload, with {{reference}}, {{item.field}} and {{sample.output_text}} in it"`
	Pattern  string              `json:"pattern,omitzero" doc:"instead of a template: a regular expression for the text to replace in a recorded answer"`
	Replace  string              `json:"replace,omitzero" doc:"the replacement; ${1} is the first group"`
}

// New checks the description and returns the probe. render is used only for templates. If a
// template names a field that the item's row lacks, no payload is made; the plan lists a probe that
// applies to no item.
//
// A probe that needs a recorded answer takes the one with the highest reward if it expects bottom
// or top, so that its payload is made from a good answer. If it expects the same grade or nothing,
// good and poor answers are mixed.
func (u Custom) New(render render) (Probe, error) {
	p, err := u.probe()
	if err != nil {
		return Probe{}, err
	}
	switch {
	case (u.Template == "") == (u.Pattern == ""):
		err = errors.New("it needs a template or a pattern, and not both")
	case u.Template != "":
		p.Make, err = u.fromTemplate(render)
	default:
		p.Make, err = u.fromPattern()
	}
	if err != nil {
		return Probe{}, fmt.Errorf("probe %s: %w", u.Name, err)
	}
	return p, nil
}

// namePattern matches the names that a user may give a probe or a detector.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*$`)

func checkName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q is not a name: use a-z, 0-9, _, . and -", name)
	}
	return nil
}

// probe returns the probe without its payloads.
func (u Custom) probe() (Probe, error) {
	p := Probe{Name: u.Name, Doc: u.Doc, Expect: u.Expect}
	if err := checkName(u.Name); err != nil {
		return p, fmt.Errorf("probe: %w", err)
	}
	if slices.ContainsFunc(Probes(), func(b Probe) bool { return b.Name == u.Name }) {
		return p, fmt.Errorf("probe %s: a probe of this name is built in; choose another name", u.Name)
	}
	if !slices.Contains(rollout.Expectations(), u.Expect) {
		return p, fmt.Errorf("probe %s: expect is %q: it is bottom, top, same or note", u.Name, u.Expect)
	}
	switch {
	case u.Limit == nil && u.Expect == rollout.Top:
		p.Limit = full
	case u.Limit == nil:
	case u.Expect != rollout.Bottom && u.Expect != rollout.Top:
		return p, fmt.Errorf("probe %s: a limit means nothing if expect is %s; remove it", u.Name, u.Expect)
	case !(*u.Limit >= 0 && *u.Limit <= 1):
		return p, fmt.Errorf("probe %s: limit is %v: it is a share of the reward range, from 0 to 1", u.Name, *u.Limit)
	default:
		p.Limit = *u.Limit
	}
	return p, nil
}

// base returns the recorded rollout that the probe works on.
func (u Custom) base(c *Case) *rollout.Record {
	if u.Expect == rollout.Bottom || u.Expect == rollout.Top {
		return c.best()
	}
	return c.either()
}

func (u Custom) fromPattern() (func(*Case) []Payload, error) {
	re, err := regexp.Compile(u.Pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return func(c *Case) []Payload {
		base := u.base(c)
		if base == nil {
			return nil
		}
		answer := re.ReplaceAllString(base.Answer, u.Replace)
		if answer == base.Answer {
			return nil
		}
		return []Payload{{Answer: answer, Base: base}}
	}, nil
}

var variablePattern = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

func (u Custom) fromTemplate(render render) (func(*Case) []Payload, error) {
	usesReference, usesSample, usesRender := false, false, false
	for _, m := range variablePattern.FindAllStringSubmatch(u.Template, -1) {
		switch name := m[1]; {
		case name == "reference":
			usesReference = true
		case strings.HasPrefix(name, "item.") || strings.HasPrefix(name, "item["):
			usesRender = true
		case strings.HasPrefix(name, "sample."):
			usesSample, usesRender = true, true
		default:
			return nil, fmt.Errorf("template variable {{%s}}: it is {{reference}}, {{item.…}} or {{sample.…}}", name)
		}
	}
	if rest := variablePattern.ReplaceAllString(u.Template, ""); strings.Contains(rest, "{{") {
		return nil, errors.New(`template: "{{" without "}}"`)
	}
	if u.Expect == rollout.Same && !usesSample {
		return nil, errors.New("template: if expect is same, it must contain {{sample.output_text}}, the answer to " +
			"compare with")
	}
	if usesRender && render == nil {
		return nil, errors.New("template: {{item.…}} and {{sample.…}} are not rendered here")
	}
	return func(c *Case) []Payload {
		if usesReference && !c.HasReference {
			return nil
		}
		var base *rollout.Record
		if usesSample {
			if base = u.base(c); base == nil {
				return nil
			}
		}
		answer, ok := u.render(c, base, render)
		if !ok {
			return nil
		}
		return []Payload{{Answer: answer, Base: base}}
	}, nil
}

// render renders the template. The text between references is rendered separately, so that braces
// in a reference are kept.
func (u Custom) render(c *Case, base *rollout.Record, render render) (string, bool) {
	var b strings.Builder
	from := 0
	for _, match := range append(referenceVariable.FindAllStringIndex(u.Template, -1),
		[]int{len(u.Template), len(u.Template)}) {
		text := u.Template[from:match[0]]
		if strings.Contains(text, "{{") {
			rendered, err := render(text, c.Item, base)
			if err != nil {
				return "", false
			}
			text = rendered
		}
		b.WriteString(text)
		if match[1] > match[0] {
			b.WriteString(c.Reference)
		}
		from = match[1]
	}
	return b.String(), true
}

// CustomDetector is a detector that a user describes, by one of Regex, Python and Judge. The tags
// are those of the keys of gonogo.yaml.
type CustomDetector struct {
	Name   string `json:"name" is:"name" doc:"its name in the report"`
	Doc    string `json:"doc,omitzero" doc:"one sentence for readers of the report"`
	Regex  string `json:"regex,omitzero" doc:"marks rollouts in which anything that the model wrote matches this regular expression"`
	Python string `json:"python,omitzero" doc:"source of a function grade(sample, item), like a python grader's, that returns 1 for a hack and 0 for an honest rollout"`
	Judge  string `json:"judge,omitzero" doc:"a question to a model about the output, which the model gets too; it answers hack or honest"`
	Model  string `json:"model,omitzero" doc:"the model that judge asks"`
	Zero   bool   `json:"zero,omitzero" doc:"whether marked rollouts count at the bottom of the reward range"`
}

// Check reports missing or contradictory keys of an entry.
func (d CustomDetector) Check() error {
	ways := 0
	for _, way := range []string{d.Regex, d.Python, d.Judge} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("detector %s needs one of regex, python and judge, and has %d of them", d.Name, ways)
	case d.Judge != "" && d.Model == "":
		return fmt.Errorf("detector %s asks a judge and names no model", d.Name)
	case d.Judge == "" && d.Model != "":
		return fmt.Errorf("detector %s names a model but has no question: set judge", d.Name)
	}
	return nil
}
