package grader

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

var stringCheck = Kind{
	Name: "string_check",
	Doc:  "Compares two templates as strings: eq and ne exactly, like and ilike by containment. The reward is 1 or 0.",
	New:  newStringCheck,
}

// StringCheck compares two rendered templates.
type StringCheck struct {
	input, reference Template
	operation        string
	tools            string
	neq              bool // so spelt
}

func newStringCheck(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Input     *string `json:"input"`
		Reference *string `json:"reference"`
		Operation string  `json:"operation"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if c.Input == nil || c.Reference == nil {
		return nil, fmt.Errorf("input and reference are both needed")
	}
	g := &StringCheck{operation: c.Operation, tools: env.SampleTools}
	switch c.Operation {
	case "eq", "ne", "like", "ilike":
	case "neq": // the guide's prose says so, the schema says ne
		g.operation, g.neq = "ne", true
	default:
		return nil, fmt.Errorf("operation %q is not one of eq, ne, like, ilike", c.Operation)
	}
	var err error
	if g.input, err = ParseTemplate(*c.Input); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if g.reference, err = ParseTemplate(*c.Reference); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return g, nil
}

// Grade compares. An output that lacks what a template reads, such as a key of
// output_json, fails the check whatever the operation: nothing would else be
// like everything. What the hosted service does then is not documented.
func (g *StringCheck) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	if err := ctx.Err(); err != nil {
		return sampler.Grade{}, err
	}
	s := NewSample(out, g.tools)
	input, lacks, err := g.input.Render(out.Item.Row, s)
	if err != nil {
		return sampler.Grade{}, fmt.Errorf("string_check input: %w", err)
	}
	reference, more, err := g.reference.Render(out.Item.Row, s)
	if err != nil {
		return sampler.Grade{}, fmt.Errorf("string_check reference: %w", err)
	}
	if len(lacks)+len(more) > 0 || !compare(g.operation, input, reference) {
		return sampler.Grade{Reward: 0}, nil
	}
	return sampler.Grade{Reward: 1}, nil
}

func compare(operation, input, reference string) bool {
	switch operation {
	case "eq":
		return input == reference
	case "ne":
		return input != reference
	case "like":
		return strings.Contains(input, reference)
	}
	return strings.Contains(strings.ToLower(input), strings.ToLower(reference))
}

// CheckItem reports a field that the templates read and the row does not have.
func (g *StringCheck) CheckItem(it *rollout.Item) error {
	return checkItem(it, g.input, g.reference)
}

// Reads lists the keys of sample that the templates read.
func (g *StringCheck) Reads() []string { return reads(g.input, g.reference) }

// References returns the template that an output is compared with; none when
// outputs must differ from it.
func (g *StringCheck) References() []Template {
	if g.operation == "ne" {
		return nil
	}
	return references(g.reference, g.input)
}

// Range returns the rewards of a check that fails and of one that passes.
func (g *StringCheck) Range() (low, high float64) { return 0, 1 }

// Warnings reports an operation that only the guide knows.
func (g *StringCheck) Warnings() []string {
	if g.neq {
		return []string{`string_check: the operation "neq" is taken for "ne"; the platform's schema knows only "ne"`}
	}
	return nil
}

// Choices says what an output earns that lacks a field of the template.
func (g *StringCheck) Choices() map[string]string {
	return map[string]string{
		"string_check missing": "an output that lacks what a template reads, such as a key of output_json, fails " +
			"the check, whatever the operation",
	}
}
