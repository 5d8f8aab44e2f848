package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
)

var labelModel = Kind{
	Name: "label_model",
	Doc: "Asks a judge model for steps and one of the labels. The reward is 1 when it is among the passing " +
		"labels, else 0.",
	New:    newLabelModel,
	Remote: true,
}

// LabelModel is a grader whose judge model chooses a label.
type LabelModel struct {
	judged
	labels, passing []string
}

func newLabelModel(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rawJudged
		Labels  []string `json:"labels"`
		Passing []string `json:"passing_labels"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	j, err := newJudged(c.rawJudged, env)
	if err != nil {
		return nil, err
	}
	if err := checkLabels(c.Labels, c.Passing); err != nil {
		return nil, err
	}
	g := &LabelModel{judged: j, labels: c.Labels, passing: c.Passing}
	g.prompt.SchemaName, g.prompt.Schema = "label_classification", labelSchema(c.Labels)
	return g, nil
}

func checkLabels(labels, passing []string) error {
	if len(labels) == 0 {
		return errors.New("labels is missing: list what the judge may choose from")
	}
	for _, list := range []struct {
		name   string
		labels []string
	}{{"labels", labels}, {"passing_labels", passing}} {
		for i, l := range list.labels {
			switch {
			case l == "":
				return fmt.Errorf("%s has an empty label", list.name)
			case slices.Contains(list.labels[:i], l):
				return fmt.Errorf("%s lists %q twice", list.name, l)
			case !slices.Contains(labels, l):
				return fmt.Errorf("the passing label %q is not one of the labels", l)
			}
		}
	}
	if len(passing) == 0 {
		return errors.New("passing_labels is missing: no output could earn a reward")
	}
	return nil
}

// labelSchema returns the schema of an answer with one of the labels.
func labelSchema(labels []string) json.RawMessage {
	b := []byte(`{"type":"string","description":"The label assigned from the evaluation.","enum":[`)
	for i, l := range labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendQuoted(b, l)
	}
	return stepsSchema(string(append(b, "]}"...)))
}

// Grade calls the judge once. The reward is 1 for a passing label and 0 for any other. The wire
// contract does not define the rewards of labels; only this function decides them. A result that is
// not exactly one of the labels is an error, as are a refusal and an answer that was cut off. A
// Grade returned with an error still has the judge's usage.
func (g *LabelModel) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	var answer struct {
		Result string `json:"result"`
	}
	grade, text, err := g.ask(ctx, out, "label", &answer)
	switch {
	case err != nil:
		return grade, err
	case !slices.Contains(g.labels, answer.Result):
		return grade, lacks("label", text)
	case slices.Contains(g.passing, answer.Result):
		grade.Reward = 1
	}
	return grade, nil
}

// Range returns the rewards of a failing and of a passing label.
func (g *LabelModel) Range() (low, high float64) { return 0, 1 }

// Warnings reports that all labels pass, and that the grader is outside of a multi grader, where
// the platform does not accept it.
func (g *LabelModel) Warnings() []string {
	var warn []string
	if len(g.passing) == len(g.labels) {
		warn = append(warn, "label_model: every label passes, so every output earns 1")
	}
	if g.part == "" {
		warn = append(warn, "label_model: the platform's schema allows it only as a part of a multi grader, and "+
			"its guide does not list it for training")
	}
	return warn
}

// Choices says which reward a label earns.
func (g *LabelModel) Choices() map[string]string {
	return map[string]string{
		"label_model reward": "1 for a passing label, 0 for another; an answer that is not one of the labels leaves " +
			"the output without a grade",
	}
}
