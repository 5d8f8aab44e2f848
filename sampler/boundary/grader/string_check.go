package grader

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler"
)

var stringCheck = Kind{
	Name: "string_check",
	Doc:  "Compares two templates as strings: eq and ne exactly, like and ilike by containment. The reward is 1 or 0.",
	New:  newStringCheck,
}

// StringCheck compares two rendered templates.
type StringCheck struct {
	compared
	operation string
	neq       bool // the definition spells ne as neq
}

func newStringCheck(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rawCompared
		Operation string `json:"operation"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	g := &StringCheck{operation: c.Operation}
	switch c.Operation {
	case "eq", "ne", "like", "ilike":
	case "neq": // the guide's prose says neq, the schema says ne
		g.operation, g.neq = "ne", true
	default:
		return nil, fmt.Errorf("operation %q is not one of eq, ne, like, ilike", c.Operation)
	}
	var err error
	if g.compared, err = c.parse("string_check", env); err != nil {
		return nil, err
	}
	return g, nil
}

// Grade compares the templates. An output that lacks a value that a template reads, such as a key
// of output_json, fails the check whatever the operation; otherwise the empty text would match
// everything under like. What the hosted service does in this case is not documented.
func (g *StringCheck) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	input, reference, lacks, err := g.render(ctx, out)
	if err != nil || lacks || !compare(g.operation, input, reference) {
		return sampler.Grade{Reward: 0}, err
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

// References returns the template that an output is compared with; nil if outputs must differ
// from it.
func (g *StringCheck) References() []Template {
	if g.operation == "ne" {
		return nil
	}
	return g.compared.References()
}

// Warnings reports the operation neq, which only the guide mentions.
func (g *StringCheck) Warnings() []string {
	if g.neq {
		return []string{`string_check: the operation "neq" is read as "ne"; the platform's schema knows only "ne"`}
	}
	return nil
}

// Choices says how an output counts that lacks a value that a template reads.
func (g *StringCheck) Choices() map[string]string {
	return map[string]string{
		"string_check missing": "an output that lacks what a template reads, such as a key of output_json, fails " +
			"the check, whatever the operation",
	}
}
