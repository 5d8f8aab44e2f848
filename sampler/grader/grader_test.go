package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/model"
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
		{"an unknown operation", `{"type":"string_check","input":"a","reference":"b","operation":"equals"}`, "none of eq, ne, like, ilike"},
		{"a bad template", `{"type":"string_check","input":"{{sample.txt}}","reference":"b","operation":"eq"}`, "sample has no"},
		{"an endpoint without a URL", `{"type":"endpoint"}`, "url"},
		{"a rate limit of nothing", `{"type":"endpoint","url":"http://x","rate_limit":0}`, "rate_limit"},
		{"a score_model without a judge", `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}]}`, "no judge"},
		{"a field of the wrong type", `{"type":"endpoint","url":5}`, "url"},
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

func TestEndpoint(t *testing.T) {
	type request struct {
		Sample  map[string]any
		Item    json.RawMessage
		TraceID string `json:"trace_id"`
	}
	for _, c := range []struct {
		why       string
		status    int
		body      string
		want      float64
		says      string
		temporary bool
		fatal     bool
	}{
		{"a score", 200, `{"score":0.5}`, 0.5, "", false, false},
		{"a reward", 200, `{"reward":-2,"why":"x"}`, -2, "", false, false},
		{"score comes before reward", 200, `{"reward":1,"score":0}`, 0, "", false, false},
		{"null is no score", 200, `{"score":null}`, 0, "no \"score\"", true, false},
		{"a string is no score", 200, `{"score":"0.5"}`, 0, "not a number", true, false},
		{"bare NaN is no JSON", 200, `{"score":NaN}`, 0, "no JSON object", true, false},
		{"a number too large is none", 200, `{"score":1e999}`, 0, "not a number", true, false},
		{"an error with status 200", 200, `{"error":"oops planted-key"}`, 0, "oops **********", true, false},
		{"a server error", 500, `{"error":"boom"}`, 0, "status 500: boom", true, false},
		{"too many", 429, ``, 0, "status 429", true, false},
		{"a bad request", 400, `{"detail":"no"}`, 0, "status 400: no", false, false},
		{"a wrong key", 401, ``, 0, "status 401", false, true},
		{"a wrong path", 404, ``, 0, "status 404", false, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			var got request
			var key string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				key = r.Header.Get("X-Key")
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Errorf("request: %v", err)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			client := sampler.HTTPClient(nil, 1)
			defer client.CloseIdleConnections()
			g := open(t, `{"type":"endpoint","url":"https://example.com/grade?k=planted","headers":{"X-Key":"planted-key"}}`, grader.Env{
				HTTP:    client,
				Rewrite: func(u string) string { return strings.Replace(u, "https://example.com", server.URL, 1) },
			})
			grade, err := g.Grade(t.Context(), output("Paris"))
			if got.TraceID != "trace_x" || string(got.Item) != row || got.Sample["output_text"] != "Paris" || key != "planted-key" {
				t.Errorf("request %+v with key %q", got, key)
			}
			if c.says == "" {
				if err != nil || grade.Reward != c.want {
					t.Errorf("reward %v, error %v; want %v", grade.Reward, err, c.want)
				}
				return
			}
			f, ok := sampler.AsFailure(err)
			if !ok || f.Temporary != c.temporary || f.Fatal != c.fatal || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "planted") {
				t.Errorf("error %v; want temporary %v, fatal %v, %q", err, c.temporary, c.fatal, c.says)
			}
		})
	}
}

func TestEndpointRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			limit string
			want  time.Duration // of six requests
		}{
			{`,"rate_limit":0.1`, 50 * time.Second},
			{`,"rate_limit":2`, 2 * time.Second}, // two at once, then one each half second
			{``, 0},
		} {
			g := open(t, `{"type":"endpoint","url":"http://x"`+c.limit+`}`, grader.Env{}).(sampler.Pacer)
			begin := time.Now()
			for range 6 {
				if err := g.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(begin); took < c.want || took > c.want+time.Millisecond {
				t.Errorf("limit %q: six requests waited %v, want %v", c.limit, took, c.want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := open(t, `{"type":"endpoint","url":"http://x","rate_limit":1}`, grader.Env{}).(sampler.Pacer).Wait(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "rate_limit of 1 ") {
			t.Errorf("a canceled wait: error %v", err)
		}
	})
}

// judge answers with text, over HTTP.
func judge(t *testing.T, status int, text string, see func(body map[string]any)) grader.Env {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		if see != nil {
			see(body)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	j, err := model.NewJudge(model.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return grader.Env{Judge: j}
}

func answers(text string) string {
	q, _ := json.Marshal(text)
	return `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":` + string(q) + `}]}],"usage":{"input_tokens":3,"output_tokens":4}}`
}

func TestScoreModel(t *testing.T) {
	for _, c := range []struct {
		why, answer string
		status      int
		want        float64
		clipped     bool
		says        string
	}{
		{"a number", answers(`{"steps":[],"result":7.5}`), 200, 7.5, false, ""},
		{"a number above the range is clipped", answers(`{"steps":[],"result":12}`), 200, 10, true, ""},
		{"a number below the range is clipped", answers(`{"steps":[],"result":-1}`), 200, 2, true, ""},
		{"no number", answers(`{"steps":[],"result":"high"}`), 200, 0, false, "no number"},
		{"null", answers(`{"result":null}`), 200, 0, false, "no number"},
		{"prose", answers(`I'd say 7`), 200, 0, false, "I'd say 7"},
		{"a refusal", `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`, 200, 0, false, "the judge refused"},
		{"the token cap", `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, 200, 0, false, "cut off: max_output_tokens"},
		{"a failure", `{"error":"down"}`, 503, 0, false, "status 503: down"},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := open(t, `{"type":"score_model","name":"n","model":"judge-1","range":[2,10],"input":[{"role":"user","content":"x"}]}`, judge(t, c.status, c.answer, nil))
			got, err := g.Grade(t.Context(), output("Paris"))
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v, want one that says %q", err, c.says)
				}
				return
			}
			if err != nil || got.Reward != c.want || got.Clipped != c.clipped || got.Usage.Input == nil || *got.Usage.Input != 3 {
				t.Errorf("grade %+v, error %v; want %v, clipped %v", got, err, c.want, c.clipped)
			}
		})
	}
}

func TestScoreModelRequest(t *testing.T) {
	var body map[string]any
	env := judge(t, 200, answers(`{"result":1}`), func(b map[string]any) { body = b })
	g := open(t, `{"type":"score_model","name":"n","model":"judge-1","range":[0,5],"pass_threshold":0.5,
"sampling_params":{"seed":1,"top_p":0.9,"temperature":0.1,"max_completions_tokens":77,"reasoning_effort":"low"},
"input":[{"type":"message","role":"developer","content":"Right is {{item.answer}}."},
{"role":"user","content":{"type":"input_text","text":"Said: {{ sample.output_text }}"}},
{"role":"user","content":[{"type":"input_text","text":"{{sample.output_json.x}}!"},{"type":"input_image","image_url":"data:x"}]}]}`, env)
	if _, err := g.Grade(t.Context(), output(`Say "Paris"`)); err != nil {
		t.Fatal(err)
	}
	format := body["text"].(map[string]any)["format"].(map[string]any)
	delete(body, "text")
	want := map[string]any{
		"model": "judge-1", "store": false, "temperature": 0.1, "top_p": 0.9, "max_output_tokens": 77.0, "reasoning": map[string]any{"effort": "low"},
		"input": []any{
			map[string]any{"role": "developer", "content": "Right is Paris."},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": `Said: Say "Paris"`}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": "!"}, map[string]any{"type": "input_image", "image_url": "data:x"}}},
		},
	}
	if d := cmp.Diff(want, body); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	schema, _ := json.Marshal(format["schema"])
	if format["name"] != "float_score_classification" || format["strict"] != true || !strings.Contains(string(schema), "inclusive range 0 to 5") {
		t.Errorf("format %v", format)
	}
	if got := g.(grader.Reader).Reads(); !cmp.Equal(got, []string{"output_json", "output_text"}) {
		t.Errorf("Reads() = %v", got)
	}
}

func TestAJudgeThatCannotBeReachedIsAFailure(t *testing.T) {
	j, err := model.NewJudge(model.Config{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	g := open(t, `{"type":"score_model","model":"m","input":[{"role":"user","content":"x"}]}`, grader.Env{Judge: j})
	_, err = g.Grade(t.Context(), output(""))
	var f *sampler.Failure
	if !errors.As(err, &f) || !sampler.Unreachable(err) {
		t.Errorf("error %v", err)
	}
}
