package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/grader/metric"
	"gonogo/sampler/rollout"
)

var textSimilarity = Kind{
	Name: "text_similarity",
	Doc:  "Compares two templates by a text metric: " + strings.Join(metricNames(), ", ") + ". The reward is between 0 and 1.",
	New:  newTextSimilarity,
}

// Chooser is a grader that had to choose where the wire contract is silent: a
// sentence for each question, for the report to name. What was chosen may
// depend on this machine, so it is asked after Start.
type Chooser interface {
	Choices() map[string]string
}

// Choices returns what the grader had to choose; nil when it had nothing to.
func Choices(g sampler.Grader) map[string]string {
	if c, ok := g.(Chooser); ok {
		return c.Choices()
	}
	return nil
}

// TextSimilarity compares two rendered templates by a metric.
type TextSimilarity struct {
	input, reference Template
	metric           metric.Metric
	tools            string
}

func newTextSimilarity(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Input     *string `json:"input"`
		Reference *string `json:"reference"`
		Metric    string  `json:"evaluation_metric"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if c.Input == nil || c.Reference == nil {
		return nil, errors.New("input and reference are both needed")
	}
	g := &TextSimilarity{tools: env.SampleTools}
	var err error
	if g.metric, err = metricNamed(c.Metric); err != nil {
		return nil, err
	}
	if g.input, err = ParseTemplate(*c.Input); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if g.reference, err = ParseTemplate(*c.Reference); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return g, nil
}

func metricNames() []string {
	var names []string
	for _, m := range metric.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

func metricNamed(name string) (metric.Metric, error) {
	for _, m := range metric.Metrics() {
		if m.Name == name {
			return m, nil
		}
	}
	names := strings.Join(metricNames(), ", ")
	switch name {
	case "":
		return metric.Metric{}, fmt.Errorf("evaluation_metric is missing: it is one of %s", names)
	case "cosine":
		return metric.Metric{}, fmt.Errorf("evaluation_metric cosine compares embeddings of a hosted model (text-embedding-3-large), "+
			"and the service offers it for evals only, not for training: take one of %s", names)
	}
	return metric.Metric{}, fmt.Errorf("evaluation_metric %q is none of %s", name, names)
}

// Grade compares. An output that lacks what a template reads, such as a key of
// output_json, scores 0: the rest of the template alone would be a little like
// anything. What the hosted service does then is not documented.
func (g *TextSimilarity) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	s := NewSample(out, g.tools)
	input, lacks, err := g.input.Render(out.Item.Row, s)
	if err != nil {
		return sampler.Grade{}, fmt.Errorf("text_similarity input: %w", err)
	}
	reference, more, err := g.reference.Render(out.Item.Row, s)
	if err != nil {
		return sampler.Grade{}, fmt.Errorf("text_similarity reference: %w", err)
	}
	if len(lacks)+len(more) > 0 {
		return sampler.Grade{Reward: 0}, nil
	}
	if limit := g.metric.Limit; limit > 0 && len(input) > limit/max(len(reference), 1) {
		return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindOther, Err: fmt.Errorf(
			"texts of %d and %d bytes are too long for %s, which compares each character with each: take bleu, gleu or a rouge",
			len(input), len(reference), g.metric.Name)}
	}
	return sampler.Grade{Reward: g.metric.Score(input, reference)}, nil
}

// CheckItem reports a field that the templates read and the row does not have.
func (g *TextSimilarity) CheckItem(it *rollout.Item) error {
	if err := g.input.CheckItem(it); err != nil {
		return err
	}
	return g.reference.CheckItem(it)
}

// Reads lists the keys of sample that the templates read.
func (g *TextSimilarity) Reads() []string { return union(g.input.Reads(), g.reference.Reads()) }

// References returns the side that reads nothing of sample, most often the
// reference.
func (g *TextSimilarity) References() []Template {
	var sides []Template
	for _, t := range []Template{g.reference, g.input} {
		if len(t.Reads()) == 0 {
			sides = append(sides, t)
		}
	}
	return sides
}

// Range returns the bounds of every metric.
func (g *TextSimilarity) Range() (low, high float64) { return 0, 1 }

// Choices names the scorer, its settings and what surprises in them.
func (g *TextSimilarity) Choices() map[string]string {
	return map[string]string{"text_similarity " + g.metric.Name: g.metric.Choice}
}
