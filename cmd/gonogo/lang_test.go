package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/history"
	"gonogo/analysis/message"
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
		g, err := grader.New(grader.Kinds(), marshal(raw), grader.Env{Python: pool})
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(kept, grader.Choices(g))
	}
	for _, shown := range []string{grader.All, grader.Last} {
		p := &project{cfg: new(config)}
		p.cfg.Sampling.SampleTools = shown
		for name, choice := range p.choices() {
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

func TestANightIsAnsweredInItsLanguage(t *testing.T) {
	compared := &analysis.Comparison{Sentence: "On eval the mean reward fell."}
	fell := fmt.Sprintf(" Against the trend it regressed: the mean reward was %.3g, fell around night %s and is %.3g, and no single night since shows it; --accept takes that for the new normal.", 0.5, "2026-11-09", 0.4)
	for _, c := range []struct {
		about    string
		n        history.Night
		compared *analysis.Comparison
		in       message.Language
		want     string
	}{
		{"English", history.Night{Sentence: compared.Sentence + fell}, compared, message.Language{}, compared.Sentence + fell},
		{"by the trend", history.Night{Sentence: compared.Sentence + fell}, compared, message.Chinese, "平均奖励原为 0.5，在夜间运行 2026-11-09 前后下降，现为 0.4，"},
		{"compared with none", history.Night{Sentence: "The night holds no rollout with a reward."}, nil, message.Chinese, "这次夜间运行没有任何带奖励的轨迹。"},
	} {
		if got := nightSentence(c.n, c.compared, c.in); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}
