package project

import (
	"maps"
	"testing"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler/grader"
	"gonogo/sampler/grader/metric"
	"gonogo/sampler/python"
)

// TestChoicesAreSaidAgain asks for each choice that a run's manifest keeps in
// English in every other language.
func TestChoicesAreSaidAgain(t *testing.T) {
	kept := map[string]string{"METEOR with nltk": metric.MeteorChoice}
	for _, m := range metric.Metrics() {
		kept[m.Name] = m.Choice
	}
	for _, g := range []interface{ Choices() map[string]string }{
		new(grader.ScoreModel), new(grader.LabelModel), new(grader.StringCheck), new(grader.Endpoint), new(grader.Multi),
	} {
		for name, choice := range g.Choices() {
			kept[name] = choice
		}
	}
	pool, err := python.NewPool(python.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	for _, kind := range []string{"trl", "verifiers", "eval_protocol", "command"} {
		raw := map[string]any{"type": kind, "source": "x"}
		if kind == "command" {
			raw = map[string]any{"type": kind, "command": []string{"true"}}
		}
		g, err := grader.New(grader.Kinds(), config.Marshal(raw), grader.Env{Python: pool})
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(kept, grader.Choices(g))
	}
	for _, shown := range []string{grader.All, grader.Last} {
		p := Bare(new(config.Config))
		p.Config.Sampling.SampleTools = shown
		for name, choice := range choicesOf(p) {
			kept[shown+" "+name] = choice
		}
	}
	for _, l := range message.Languages()[1:] {
		for name, choice := range kept {
			if l.Again(choice) == choice {
				t.Errorf("%s, %s: %q is not said again", l.Tag(), name, choice)
			}
		}
	}
}
