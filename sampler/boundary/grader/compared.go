package grader

import (
	"context"
	"errors"
	"fmt"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// compared holds the two templates that a grader compares.
type compared struct {
	kind             string // for messages
	input, reference Template
	tools            string
}

// rawCompared holds the keys that all such graders share in a job.
type rawCompared struct {
	Input     *string `json:"input"`
	Reference *string `json:"reference"`
}

// check reports a missing template.
func (c rawCompared) check() error {
	if c.Input == nil || c.Reference == nil {
		return errors.New("input and reference are both needed")
	}
	return nil
}

// parse reads the templates for a grader of a kind. Neither may be nil; see check.
func (c rawCompared) parse(kind string, env Env) (g compared, err error) {
	g = compared{kind: kind, tools: env.SampleTools}
	if g.input, err = ParseTemplate(*c.Input); err != nil {
		return g, fmt.Errorf("input: %w", err)
	}
	if g.reference, err = ParseTemplate(*c.Reference); err != nil {
		return g, fmt.Errorf("reference: %w", err)
	}
	return g, nil
}

// render fills in the templates. lacks reports whether one of them reads a value that the output
// does not have.
func (g *compared) render(ctx context.Context, out sampler.Output) (input, reference string, lacks bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", "", false, err
	}
	s := NewSample(out, g.tools)
	input, missing, err := g.input.Render(out.Item.Row, s)
	if err != nil {
		return "", "", false, fmt.Errorf("%s input: %w", g.kind, err)
	}
	reference, missingToo, err := g.reference.Render(out.Item.Row, s)
	if err != nil {
		return "", "", false, fmt.Errorf("%s reference: %w", g.kind, err)
	}
	return input, reference, len(missing)+len(missingToo) > 0, nil
}

// CheckItem reports a field that the templates read and the row does not have.
func (g *compared) CheckItem(it *rollout.Item) error { return checkItem(it, g.input, g.reference) }

// Reads lists the keys of sample that the templates read.
func (g *compared) Reads() []string { return reads(g.input, g.reference) }

// References returns the template that an output is compared with; nil if both or neither read sample.
func (g *compared) References() []Template { return references(g.reference, g.input) }

// Range returns the smallest and the largest reward.
func (g *compared) Range() (low, high float64) { return 0, 1 }
