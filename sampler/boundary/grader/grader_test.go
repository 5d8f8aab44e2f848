package grader_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const row = `{"answer":  "Paris","messages":[]}`

func output(text string) sampler.Output {
	return sampler.Output{Item: &rollout.Item{ID: "q", Row: json.RawMessage(row)}, TraceID: "trace_x", Text: text, FinishReason: "stop"}
}

func open(t *testing.T, raw string, env grader.Env) sampler.Grader {
	t.Helper()
	g, err := grader.New(grader.Kinds(), json.RawMessage(raw), env)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestKindsAreListedOnceWithTheirDocs(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range grader.Kinds() {
		if k.Name == "" || k.Doc == "" || k.New == nil || seen[k.Name] {
			t.Errorf("kind %+v is incomplete or listed twice", k)
		}
		seen[k.Name] = true
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct{ why, raw, says string }{
		{"an unknown type names the known ones", `{"type":"pyhton"}`, "the types are string_check, "},
		{"no type", `{"name":"x"}`, "no type"},
		{"not an object", `[]`, "read the grader"},
		{"string_check without a reference", `{"type":"string_check","input":"a","operation":"eq"}`, "reference"},
		{"an unknown operation", `{"type":"string_check","input":"a","reference":"b","operation":"equals"}`, "not one of eq, ne, like, ilike"},
		{"a bad template", `{"type":"string_check","input":"{{sample.txt}}","reference":"b","operation":"eq"}`, "sample has no"},
		{"an endpoint without a URL", `{"type":"endpoint"}`, "url"},
		{"a rate limit of nothing", `{"type":"endpoint","url":"http://x","rate_limit":0}`, "rate_limit"},
		{"a score_model without a judge", `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}]}`, "no judge"},
		{"a field of the wrong type", `{"type":"endpoint","url":5}`, "url"},
		{"a template of the wrong type", `{"type":"string_check","input":5}`, `"input" cannot be a number`},
		{"a judge's setting of the wrong type", `{"type":"score_model","sampling_params":{"seed":"1"}}`, `"sampling_params.seed" cannot be a string`},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
	judge := grader.Env{Judge: &model.Judge{}}
	for _, c := range []struct{ why, raw, says string }{
		{"no model", `{"type":"score_model","input":[{"role":"user","content":"x"}]}`, "model"},
		{"no input", `{"type":"score_model","model":"m"}`, "input"},
		{"an empty range", `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}],"range":[1,1]}`, "range"},
		{"no role", `{"type":"score_model","model":"m","input":[{"content":"x"}]}`, "role"},
		{"content of another kind", `{"type":"score_model","model":"m","input":[{"role":"user","content":5}]}`, "content"},
		{"a range of three", `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}],"range":[0,1,2]}`, "range"},
		{"a range that is no list", `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}],"range":1}`, "range"},
		{"content that is missing", `{"type":"score_model","model":"m","input":[{"role":"user"}]}`, "content"},
		{"content of no blocks", `{"type":"score_model","model":"m","input":[{"role":"user","content":[]}]}`, "content"},
		{"no labels", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"passing_labels":["a"]}`, "labels is missing"},
		{"no passing labels", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"labels":["a"]}`, "passing_labels is missing"},
		{"an empty label", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"labels":["a",""],"passing_labels":["a"]}`, "labels has an empty label"},
		{"a label twice", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"labels":["a","b","a"],"passing_labels":["a"]}`, "labels lists \"a\" twice"},
		{"a passing label that is none", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"labels":["a","b"],"passing_labels":["A"]}`, "the passing label \"A\" is not one of the labels"},
		{"labels that are no texts", `{"type":"label_model","model":"m","input":[{"role":"user","content":"x"}],"labels":[1,2],"passing_labels":[1]}`, "labels"},
		{"a label_model without a model", `{"type":"label_model","input":[{"role":"user","content":"x"}],"labels":["a"],"passing_labels":["a"]}`, "model"},
		{"a bad template within a block", `{"type":"score_model","model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"{{x}}"}]}]}`, "item or sample"},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), judge); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
	if _, err := grader.New(grader.Kinds(), json.RawMessage(`{"type":"endpoint","url":"http://x"}`), grader.Env{SampleTools: "some"}); err == nil {
		t.Error("sample_tools of another kind is accepted")
	}
}

func TestStringCheck(t *testing.T) {
	for _, c := range []struct {
		why, operation, input, text string
		want                        float64
	}{
		{"eq", "eq", "{{sample.output_text}}", "Paris", 1},
		{"eq minds case", "eq", "{{sample.output_text}}", "paris", 0},
		{"eq minds spaces", "eq", "{{sample.output_text}}", "Paris ", 0},
		{"ne", "ne", "{{sample.output_text}}", "Rome", 1},
		{"neq is the guide's spelling of ne", "neq", "{{sample.output_text}}", "Paris", 0},
		{"like: the input contains the reference", "like", "{{sample.output_text}}", "It is Paris.", 1},
		{"like minds case", "like", "{{sample.output_text}}", "It is paris.", 0},
		{"like is not the other way round", "like", "{{sample.output_text}}", "Par", 0},
		{"ilike does not mind case", "ilike", "{{sample.output_text}}", "IT IS PARIS.", 1},
		{"a key of the answer", "eq", "{{sample.output_json.city}}", `{"city":"Paris"}`, 1},
		{"an answer without the key earns nothing", "eq", "{{sample.output_json.city}}", "Paris", 0},
		{"not even where it need only differ", "ne", "{{sample.output_json.city}}", "Rome", 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := open(t, fmt.Sprintf(`{"type":"string_check","name":"n","input":%q,"reference":"{{item.answer}}","operation":%q}`, c.input, c.operation), grader.Env{})
			got, err := g.Grade(t.Context(), output(c.text))
			if err != nil || got.Reward != c.want {
				t.Errorf("reward %v, error %v; want %v", got.Reward, err, c.want)
			}
		})
	}
	g := open(t, `{"type":"string_check","input":"{{sample.output_text}}","reference":"{{item.anwser}}","operation":"eq"}`, grader.Env{})
	if err := g.(grader.Checker).CheckItem(output("").Item); err == nil {
		t.Error("a field that the row does not have is not noticed")
	}
	if _, err := g.Grade(t.Context(), output("Paris")); err == nil {
		t.Error("a field that the row does not have gives a grade")
	}
	if got := g.(grader.Reader).Reads(); !cmp.Equal(got, []string{"output_text"}) {
		t.Errorf("Reads() = %v", got)
	}
}
