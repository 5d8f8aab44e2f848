package grader

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
		g.operation = "ne"
	default:
		return nil, fmt.Errorf("operation %q is none of eq, ne, like, ilike", c.Operation)
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
func (g *StringCheck) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
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
	if err := g.input.CheckItem(it); err != nil {
		return err
	}
	return g.reference.CheckItem(it)
}

// Reads lists the keys of sample that the templates read.
func (g *StringCheck) Reads() []string { return union(g.input.Reads(), g.reference.Reads()) }

// union merges lists of names, sorted, each once.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
