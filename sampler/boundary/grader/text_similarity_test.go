package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/grader/internal/metric"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/rollout"
)

func similarity(name string) string {
	return `{"type":"text_similarity","name":"s","input":"{{sample.output_text}}","reference":"{{item.answer}}","evaluation_metric":"` + name + `"}`
}

func TestTextSimilarity(t *testing.T) {
	answer := "The revenue of the company rose to 42 million."
	for _, m := range metric.Metrics() {
		g := open(t, similarity(m.Name), grader.Env{})
		for _, text := range []string{answer, "The company's revenue fell.", "", "巴黎"} {
			out := output(text)
			out.Item = &rollout.Item{ID: "q", Row: json.RawMessage(`{"answer":"` + answer + `"}`)}
			grade, err := g.Grade(t.Context(), out)
			if want := m.Score(text, answer); err != nil || grade.Reward != want {
				t.Errorf("%s of %q: %v, %v, want %v: the input comes first", m.Name, text, grade.Reward, err, want)
			}
		}
	}
}

func TestTextSimilarityRefuses(t *testing.T) {
	for _, c := range []struct{ why, raw, says string }{
		{"cosine, with the reason", similarity("cosine"), "evals only, not for training"},
		{"an unknown metric names the known ones", similarity("rouge_6"), "rouge_5, rouge_l"},
		{"no metric", similarity(""), "evaluation_metric is missing"},
		{"no reference", `{"type":"text_similarity","input":"a","evaluation_metric":"bleu"}`, "reference are both needed"},
		{"a bad template", strings.Replace(similarity("bleu"), "output_text", "txt", 1), "sample has no"},
		{"a metric of another type", `{"type":"text_similarity","input":"a","reference":"b","evaluation_metric":1}`, "evaluation_metric"},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
}

func TestTextSimilarityTemplates(t *testing.T) {
	g := open(t, `{"type":"text_similarity","input":"It is {{sample.output_json.city}}.","reference":"It is {{item.answer}}.","evaluation_metric":"fuzzy_match"}`, grader.Env{})
	for _, c := range []struct {
		why, text string
		want      float64
	}{
		{"a key of the output", `{"city":"Paris"}`, 1},
		{"an output without the key scores nothing, however alike the rest is", `{"town":"Paris"}`, 0},
		{"an output that is no JSON", `Paris`, 0},
	} {
		if grade, err := g.Grade(t.Context(), output(c.text)); err != nil || grade.Reward != c.want {
			t.Errorf("%s: %v, %v, want %v", c.why, grade.Reward, err, c.want)
		}
	}
	if err := g.(grader.Checker).CheckItem(&rollout.Item{Row: json.RawMessage(`{"question":"?"}`)}); err == nil || !strings.Contains(err.Error(), "item.answer") {
		t.Errorf("a row without the field: %v", err)
	}
	if reads := g.(grader.Reader).Reads(); !slices.Equal(reads, []string{"output_json"}) {
		t.Errorf("it reads %v", reads)
	}
	if choices := grader.Choices(g); len(choices) != 2 || choices["text_similarity missing"] == "" {
		t.Errorf("it does not name what a missing key earns: %v", choices)
	}
	refs := grader.References(g)
	if len(refs) != 1 {
		t.Fatalf("%d references, want 1", len(refs))
	}
	if text, _, err := refs[0].Render(json.RawMessage(row), nil); err != nil || text != "It is Paris." {
		t.Errorf("the reference is %q, %v", text, err)
	}
}

func TestTextSimilarityRefusesWhatWouldNotEnd(t *testing.T) {
	g := open(t, similarity("fuzzy_match"), grader.Env{})
	out := output(strings.Repeat("a ", 2_000_000))
	out.Item.Row = json.RawMessage(`{"answer":"` + strings.Repeat("b ", 20_000) + `"}`)
	_, err := g.Grade(t.Context(), out)
	var failed *sampler.GradeError
	if !errors.As(err, &failed) || failed.Kind != sampler.KindOther || !strings.Contains(err.Error(), "too long") {
		t.Errorf("error %v, want one of kind %s", err, sampler.KindOther)
	}
}

func TestTextSimilarityNamesItsChoices(t *testing.T) {
	for _, m := range metric.Metrics() {
		choices := grader.Choices(open(t, similarity(m.Name), grader.Env{}))
		if choices["text_similarity "+m.Name] != m.Choice || m.Choice == "" || len(choices) != 1 {
			t.Errorf("%s names %v", m.Name, choices)
		}
		warned := len(grader.Warnings(open(t, similarity(m.Name), grader.Env{}))) > 0
		if warned != (m.Name == "meteor") {
			t.Errorf("%s warns: %v; the approximation alone should", m.Name, warned)
		}
	}
}

func pool(t *testing.T, interpreter string) *python.Pool {
	t.Helper()
	cfg := python.DefaultConfig()
	cfg.Workers, cfg.Interpreter = 1, interpreter
	p, err := python.NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestMeteorIsApproximatedWithoutNLTK(t *testing.T) {
	g := open(t, similarity("meteor"), grader.Env{Python: pool(t, "no-such-interpreter")})
	if err := grader.Start(t.Context(), g); err != nil {
		t.Fatalf("a missing interpreter stops a grader that can do without: %v", err)
	}
	grade, err := g.Grade(t.Context(), output("Paris"))
	if err != nil || grade.Reward != 0.5 {
		t.Errorf("%v, %v, want 0.5", grade.Reward, err)
	}
	for what, text := range map[string]string{
		"choice":  strings.Join(slices.Collect(maps.Values(grader.Choices(g))), ""),
		"warning": strings.Join(grader.Warnings(g), ""),
	} {
		if !strings.Contains(text, "approximation") || !strings.Contains(text, "no-such-interpreter") {
			t.Errorf("the %s does not say that it is an approximation, and why: %q", what, text)
		}
	}
}

func TestMeteorStartsNothingOnceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := open(t, similarity("meteor"), grader.Env{Python: pool(t, "python3")})
	if err := grader.Start(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestMeteorByNLTK(t *testing.T) {
	interpreter := "python3"
	if name := os.Getenv("GONOGO_TEST_PYTHON"); name != "" {
		interpreter = name
	}
	g := open(t, similarity("meteor"), grader.Env{Python: pool(t, interpreter)})
	if err := grader.Start(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	choice := grader.Choices(g)["text_similarity meteor"]
	if strings.Contains(choice, "approximation") {
		t.Skipf("%s computes no METEOR here (GONOGO_TEST_PYTHON names another interpreter): %s", interpreter, choice)
	}
	if w := grader.Warnings(g); len(w) > 0 {
		t.Errorf("nltk's own METEOR is warned of: %v", w)
	}
	for _, c := range []struct {
		why, text, reference string
		want                 float64
	}{
		{
			"nltk's docstring", "It is a guide to action which ensures that the military always obeys the commands of the party",
			"It is a guide to action that ensures that the military will forever heed Party commands", 0.6944,
		},
		{"a synonym by WordNet, where the approximation gives 0", "auto", "car", 0.5},
		{"nothing", "", "car", 0},
	} {
		out := output(c.text)
		out.Item = &rollout.Item{ID: "q", Row: json.RawMessage(`{"answer":"` + c.reference + `"}`)}
		grade, err := g.Grade(t.Context(), out)
		if err != nil || math.Abs(grade.Reward-c.want) > 1e-4 {
			t.Errorf("%s: %v, %v, want %v", c.why, grade.Reward, err, c.want)
		}
	}
}
