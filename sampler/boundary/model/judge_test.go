package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestJudge(t *testing.T) {
	prompt := sampler.Prompt{
		Model: "judge-1", Messages: json.RawMessage(`[{"role":"user","content":"rate"}]`), SchemaName: "s", Schema: json.RawMessage(`{"type":"object"}`),
		Seed: ptr[int64](7), Temperature: ptr(0.0), TopP: ptr(1.0), MaxTokens: ptr(50), ReasoningEffort: "low", RequestID: "trace_1/judge",
	}
	for _, c := range []struct{ api, answer, want string }{
		{
			model.Responses, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{}"}]}],"usage":{"input_tokens":1,"output_tokens":2}}`,
			`{"model":"judge-1","store":false,"input":[{"role":"user","content":"rate"}],"reasoning":{"effort":"low"},"temperature":0,"top_p":1,"max_output_tokens":50,
"text":{"format":{"type":"json_schema","name":"s","strict":true,"schema":{"type":"object"}}}}`,
		},
		{
			model.Chat, `{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
			`{"model":"judge-1","messages":[{"role":"user","content":"rate"}],"reasoning_effort":"low","temperature":0,"top_p":1,"max_completion_tokens":50,"seed":7,
"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"type":"object"}}}}`,
		},
	} {
		t.Run(c.api, func(t *testing.T) {
			f := serve(t, 200, c.answer)
			j, err := model.NewJudge(model.Config{BaseURL: f.URL + "/v1", API: c.api})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			got, err := j.Complete(t.Context(), prompt)
			if err != nil {
				t.Fatal(err)
			}
			want := sampler.Completion{Text: "{}", Usage: rollout.Usage{Input: ptr[int64](1), Output: ptr[int64](2)}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("completion (-want +got):\n%s", d)
			}
			same(t, "request", f.last(t), c.want)
			if id := f.headers[0].Get("X-Client-Request-Id"); id != "trace_1/judge" {
				t.Errorf("request id %q", id)
			}
		})
	}
}

func TestJudgeFailures(t *testing.T) {
	f := serve(t, 404, `{"error":{"message":"the model is retired","code":"model_not_found"}}`)
	j, err := model.NewJudge(model.Config{BaseURL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err = j.Complete(t.Context(), sampler.Prompt{Model: "old"}); err == nil {
		t.Fatal("a retired judge answers")
	}
	if got, ok := endpoint.AsFailure(err); !ok || !got.Fatal {
		t.Errorf("error %v: a retired judge must end the run", err)
	}
}

// The blocks of a judge's input are written in the form of either API; each API
// takes its own alone.
func TestBlocksInTheFormOfTheAPI(t *testing.T) {
	const (
		chat      = `[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}},{"type":"file","file":{"file_id":"f1"}}]}]`
		responses = `[{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:x","detail":"low"},{"type":"input_file","file_id":"f1"}]}]`
	)
	for _, c := range []struct{ api, list, answer, want string }{
		{model.Chat, "messages", `{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}]}`, chat},
		{model.Responses, "input", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{}"}]}]}`, responses},
	} {
		f := serve(t, 200, c.answer)
		j, err := model.NewJudge(model.Config{BaseURL: f.URL + "/v1", API: c.api})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		m := f.open(t, model.Config{API: c.api})
		for _, written := range []string{chat, responses} {
			if _, err := j.Complete(t.Context(), sampler.Prompt{Model: "judge-1", Messages: json.RawMessage(written)}); err != nil {
				t.Fatal(err)
			}
			same(t, c.api+", a judge's prompt", f.last(t).(map[string]any)[c.list], c.want)
			if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, `{"messages":`+written+`}`)}); err != nil {
				t.Fatal(err)
			}
			same(t, c.api+", a row's prompt", f.last(t).(map[string]any)[c.list], c.want)
		}
	}
}

// A judge behind the chat API meets the same servers as the model: its role developer
// is system, and a limit's new name that is refused goes by its old one from then on.
func TestAJudgeWithAnOlderServer(t *testing.T) {
	f := serveFunc(t, func(_ int, body string) (int, map[string]string, string) {
		if strings.Contains(body, `"max_completion_tokens"`) {
			return 400, nil, `{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens","param":"None"}}`
		}
		return 200, nil, `{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}]}`
	})
	j, err := model.NewJudge(model.Config{BaseURL: f.URL + "/v1", API: model.Chat})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	prompt := sampler.Prompt{Model: "judge-1", Messages: json.RawMessage(`[{"role":"developer","content":"rate"},{"role":"user","content":"x"}]`), MaxTokens: ptr(50)}
	for range 2 {
		if got, err := j.Complete(t.Context(), prompt); err != nil || got.Text != "{}" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	same(t, "request", f.last(t), `{"model":"judge-1","messages":[{"role":"system","content":"rate"},{"role":"user","content":"x"}],"max_tokens":50}`)
	if len(f.bodies) != 3 {
		t.Errorf("%d requests for 2 answers, want 3: one refusal, remembered", len(f.bodies))
	}
}

func TestAJudgeLeavesOutWhatItIsAsked(t *testing.T) {
	f := serve(t, 200, `{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}]}`)
	j, err := model.NewJudge(model.Config{BaseURL: f.URL + "/v1", API: model.Chat, LeaveOut: []string{"seed", "temperature", "top_p", "reasoning_effort", "response_format", "max_output_tokens"}})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	_, err = j.Complete(t.Context(), sampler.Prompt{
		Model: "judge-1", Messages: json.RawMessage(`[{"role":"user","content":"rate"}]`), SchemaName: "s", Schema: json.RawMessage(`{"type":"object"}`),
		Seed: ptr[int64](7), Temperature: ptr(0.0), TopP: ptr(1.0), MaxTokens: ptr(50), ReasoningEffort: "low",
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "request", f.last(t), `{"model":"judge-1","messages":[{"role":"user","content":"rate"}]}`)
}
