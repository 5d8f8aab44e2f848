package grader

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader/internal/metric"
)

var textSimilarity = Kind{
	Name: "text_similarity",
	Doc: "Compares two templates by a text metric: " + strings.Join(metricNames(), ", ") +
		". The reward is between 0 and 1.",
	New: newTextSimilarity,
}

// Chooser is a grader that had to decide something that the wire contract leaves open. Choices
// returns one sentence for each decision, for the report. A choice may depend on this machine, so
// call Choices after Start.
type Chooser interface {
	Choices() map[string]string
}

// Choices returns the grader's choices; nil if there are none.
func Choices(g sampler.Grader) map[string]string {
	if c, ok := g.(Chooser); ok {
		return c.Choices()
	}
	return nil
}

// TextSimilarity compares two rendered templates by a metric.
type TextSimilarity struct {
	compared
	metric metric.Metric
	nltk   *nltkMeteor // nil if the metric is not meteor or no python is available
}

func newTextSimilarity(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rawCompared
		Metric string `json:"evaluation_metric"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	g := &TextSimilarity{}
	var err error
	if g.metric, err = metricNamed(c.Metric); err != nil {
		return nil, err
	}
	if g.metric.Name == "meteor" && env.Python != nil {
		g.nltk = &nltkMeteor{pool: env.Python}
	}
	if g.compared, err = c.parse("text_similarity", env); err != nil {
		return nil, err
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
		return metric.Metric{}, fmt.Errorf("evaluation_metric cosine compares embeddings of a hosted model "+
			"(text-embedding-3-large), "+
			"and the service offers it for evals only, not for training: use one of %s", names)
	}
	return metric.Metric{}, fmt.Errorf("evaluation_metric %q is not one of %s", name, names)
}

// Grade compares the templates. An output that lacks a value that a template reads, such as a key
// of output_json, scores 0: the rest of the template alone would be slightly similar to anything.
// What the hosted service does in this case is not documented.
func (g *TextSimilarity) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	input, reference, lacks, err := g.render(ctx, out)
	if err != nil || lacks {
		return sampler.Grade{Reward: 0}, err
	}
	if g.metric.Steps != nil && g.metric.Steps(input, reference) > metric.Affordable {
		return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindOther, Err: fmt.Errorf(
			"texts of %d and %d bytes are too long for %s, which compares every character with every other: use "+
				"bleu, gleu or a rouge",
			len(input), len(reference), g.metric.Name)}
	}
	if g.nltk != nil && g.nltk.function != nil {
		reward, err := g.nltk.score(ctx, out.Caller, input, reference)
		return sampler.Grade{Reward: reward}, err
	}
	return sampler.Grade{Reward: g.metric.Score(input, reference)}, nil
}

// Start checks whether nltk can compute METEOR on this machine. Before Start, and where nltk
// cannot, METEOR is the approximation of package metric.
func (g *TextSimilarity) Start(ctx context.Context) error {
	if g.nltk == nil {
		return nil
	}
	return g.nltk.start(ctx)
}

// Choices names the scorer, its settings and their surprises, and says how an output counts that
// lacks a value that a template reads.
func (g *TextSimilarity) Choices() map[string]string {
	choice := g.metric.Choice
	switch {
	case g.nltk == nil:
	case g.nltk.function != nil:
		choice = metric.MeteorChoice
	case g.nltk.lacking != "":
		choice += " (" + g.nltk.lacking + ")"
	}
	choices := map[string]string{"text_similarity " + g.metric.Name: choice}
	if slices.ContainsFunc(g.Reads(), func(key string) bool { return key != "output_text" }) {
		choices["text_similarity missing"] = "an output that lacks what a template reads, such as a key of " +
			"output_json, scores 0"
	}
	return choices
}

// Warnings reports that METEOR is an approximation, and why.
func (g *TextSimilarity) Warnings() []string {
	switch {
	case g.metric.Name != "meteor" || g.nltk != nil && g.nltk.function != nil:
		return nil
	case g.nltk != nil && g.nltk.lacking != "":
		return []string{meteorWarning + ": " + g.nltk.lacking}
	}
	return []string{meteorWarning + ": a python interpreter with nltk and WordNet would compute it"}
}

const meteorWarning = "text_similarity: meteor is an approximation here, without synonyms"
