package grader_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// judge answers with text, over HTTP.
func judge(t *testing.T, status int, text string, see func(r *http.Request, body map[string]any)) grader.Env {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		if see != nil {
			see(r, body)
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
		want        float64
		clipped     bool
	}{
		{"a number", `{"steps":[],"result":7.5}`, 7.5, false},
		{"a number above the range is clipped", `{"steps":[],"result":12}`, 10, true},
		{"a number below the range is clipped", `{"steps":[],"result":-1}`, 2, true},
		{"a bound is not clipped", `{"steps":[],"result":10.0}`, 10, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := open(t, scoreGrader, judge(t, 200, answers(c.answer), nil)).Grade(t.Context(), output("Paris"))
			if err != nil || got.Reward != c.want || got.Clipped != c.clipped || got.JudgeCalls != 1 || got.Usage.Input == nil || *got.Usage.Input != 3 {
				t.Errorf("grade %+v, error %v; want %v, clipped %v", got, err, c.want, c.clipped)
			}
		})
	}
}

const (
	scoreGrader = `{"type":"score_model","name":"n","model":"judge-1","range":[2,10],"input":[{"role":"user","content":"x"}]}`
	labelGrader = `{"type":"label_model","name":"n","model":"judge-1","labels":["right","wrong","unsure <?>"],"passing_labels":["right"],
"input":[{"role":"user","content":"Right is {{item.answer}}. Said: {{sample.output_text}}"}]}`
)

func TestLabelModel(t *testing.T) {
	for _, c := range []struct {
		why, answer string
		want        float64
	}{
		{"a passing label", `{"steps":[{"description":"d","conclusion":"c"}],"result":"right"}`, 1},
		{"another label", `{"steps":[],"result":"wrong"}`, 0},
		{"a label that JSON would escape", `{"steps":[],"result":"unsure <?>"}`, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			var format map[string]any
			g := open(t, labelGrader, judge(t, 200, answers(c.answer), func(_ *http.Request, body map[string]any) {
				format = body["text"].(map[string]any)["format"].(map[string]any)
			}))
			got, err := g.Grade(t.Context(), output("Paris"))
			if err != nil || got.Reward != c.want || got.Clipped || got.JudgeCalls != 1 || got.Usage.Output == nil || *got.Usage.Output != 4 {
				t.Errorf("grade %+v, error %v; want %v", got, err, c.want)
			}
			properties := format["schema"].(map[string]any)["properties"].(map[string]any)
			if enum := properties["result"].(map[string]any)["enum"]; format["strict"] != true || !cmp.Equal(enum, []any{"right", "wrong", "unsure <?>"}) || properties["steps"] == nil {
				t.Errorf("format %v", format)
			}
		})
	}
}

// TestFailedJudgements: whatever a judge does instead of its work, there is no
// number, and what it used is reported.
func TestFailedJudgements(t *testing.T) {
	for _, c := range []struct {
		why, answer string
		status      int
		says, kind  string
		calls       int // requests that the judge worked on
	}{
		{"a text for a number, or a label that is none", answers(`{"steps":[],"result":"high"}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"a label of another case, or no number", answers(`{"steps":[],"result":"Right"}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"null", answers(`{"result":null}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"a list", answers(`{"result":[1,"right"]}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"a number too large", answers(`{"result":1e999}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"no result", answers(`{"steps":[]}`), 200, "as \"result\"", sampler.KindParse, 1},
		{"prose", answers(`I'd say 7, it is right`), 200, "I'd say 7, it is right", sampler.KindParse, 1},
		{"JSON behind prose", answers(`Sure! {"steps":[],"result":7}`), 200, "Sure!", sampler.KindParse, 1},
		{"a number next to an error", answers(`{"steps":[],"result":1,"error":"the image cannot be read"}`), 200, "the judge reports an error: the image cannot be read", sampler.KindReported, 1},
		{"nothing", answers(``), 200, "as \"result\"", sampler.KindParse, 1},
		{"a refusal", `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`, 200, "the judge refused: no", sampler.KindRefusal, 1},
		{"a content filter", `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, 200, "cut off: content_filter", sampler.KindRefusal, 1},
		{"the token cap", `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, 200, "cut off: max_output_tokens", sampler.KindCutOff, 1},
		{"a server error", `{"error":"down"}`, 503, "status 503: down", "", 0},
		{"a web page", `<html>`, 200, "", "", 1},
		{"a retired judge", `{"error":{"message":"gone","code":"model_not_found"}}`, 404, "gone", "", 0},
	} {
		for _, raw := range []string{scoreGrader, labelGrader} {
			t.Run(c.why, func(t *testing.T) {
				got, err := open(t, raw, judge(t, c.status, c.answer, nil)).Grade(t.Context(), output("Paris"))
				if err == nil || !strings.Contains(err.Error(), c.says) || kindOf(err) != c.kind {
					t.Errorf("error of kind %q: %v; want %q, %q", kindOf(err), err, c.kind, c.says)
				}
				if got.Reward != 0 || got.JudgeCalls != c.calls {
					t.Errorf("grade %+v beside the error; want %d judge calls", got, c.calls)
				}
				if _, ok := endpoint.AsFailure(err); ok != (c.kind == "") {
					t.Errorf("error %v: an endpoint's failure %v", err, ok)
				}
			})
		}
	}
}

func TestEveryJudgementHasARequestIDOfItsOwn(t *testing.T) {
	var ids []string
	env := judge(t, 200, answers(`{"steps":[],"result":5}`), func(r *http.Request, _ map[string]any) {
		ids = append(ids, r.Header.Get("X-Client-Request-Id"))
	})
	for _, raw := range []string{scoreGrader, `{"type":"multi","graders":{"style":` + scoreGrader + `},"calculate_output":"style"}`} {
		g := open(t, raw, env)
		for _, n := range []int{0, 1, 12} {
			out := output("Paris")
			out.Regrade = n
			if _, err := g.Grade(t.Context(), out); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{"trace_x/judge", "trace_x/judge/1", "trace_x/judge/12", "trace_x/judge/style", "trace_x/judge/style/1", "trace_x/judge/style/12"}
	if d := cmp.Diff(want, ids); d != "" {
		t.Errorf("request ids (-want +got):\n%s", d)
	}
}

func TestScoreModelRequest(t *testing.T) {
	var body map[string]any
	env := judge(t, 200, answers(`{"result":1}`), func(_ *http.Request, b map[string]any) { body = b })
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
	var f *endpoint.Failure
	if !errors.As(err, &f) || !endpoint.Unreachable(err) {
		t.Errorf("error %v", err)
	}
}

// Every text of a block is a template, however deep it is; a field that a row does
// not have is named.
func TestImagesOfAJudgeAreTemplates(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answers(`{"steps":[],"result":7}`))
	}))
	defer server.Close()
	j, err := model.NewJudge(model.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	g := open(t, `{"type":"score_model","name":"n","model":"judge-1","range":[2,10],"input":[{"role":"user","content":[
{"type":"input_text","text":"Said: {{sample.output_text}}"},{"type":"input_image","image_url":"data:image/png;base64,{{item.picture}}"},{"type":"image_url","image_url":{"url":"{{item.picture}}"}}]}]}`, grader.Env{Judge: j})
	out := output("Paris")
	out.Item.Row = json.RawMessage(`{"picture":"QUJD"}`)
	if _, err := g.Grade(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Said: Paris"`, `"image_url":"data:image/png;base64,QUJD"`, `"image_url":"QUJD"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in the request: %s", want, got)
		}
	}
	if strings.Contains(got, "{{") {
		t.Errorf("a template was sent as it is: %s", got)
	}
	check, ok := g.(interface{ CheckItem(*rollout.Item) error })
	if !ok {
		t.Fatal("a judge does not check items")
	}
	if err := check.CheckItem(&rollout.Item{ID: "q", Row: json.RawMessage(`{}`)}); err == nil || !strings.Contains(err.Error(), "picture") {
		t.Errorf("a row without a picture: %v", err)
	}
}
