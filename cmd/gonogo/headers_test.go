package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mirror is a server whose tool answers with a header of its request, and whose model asks
// the tool once and repeats what it answered.
func mirror(t *testing.T, header string) *httptest.Server {
	t.Helper()
	say := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			CallID   string `json:"call_id"`
			Messages []struct{ Role, Content string }
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		if r.URL.Path == "/tool" {
			say(w, map[string]any{"call_id": asked.CallID, "output": r.Header.Get(header)})
			return
		}
		message := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "version", "arguments": "{}"}}}}
		if n := len(asked.Messages); n > 0 && asked.Messages[n-1].Role == "tool" {
			message = map[string]any{"role": "assistant", "content": asked.Messages[n-1].Content + r.Header.Get("x-stage")}
		}
		say(w, map[string]any{"id": "x", "object": "chat.completion", "model": "m", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}}, "usage": map[string]any{"prompt_tokens": 9, "completion_tokens": 5}})
	}))
	t.Cleanup(s.Close)
	return s
}

// A mask is for what is written. What a header holds may be what a tool answers: the model
// and the grader read it, unless it is a value from the environment that no ordinary word
// is, and then the report says how often.
func TestWhatHeadersHoldIsMeasured(t *testing.T) {
	t.Setenv("HEADERS_REGION", "us-east-1")
	t.Setenv("HEADERS_LONG", "planted-value-of-the-environment")
	t.Setenv("HEADERS_TOKEN", "planted-1")
	for why, c := range map[string]struct {
		header, value, model string // of the tool's request; headers of the model's
		answer               string // wanted
		mean                 string
		masked               bool
	}{
		"a version":                    {"x-api-version", "2024-10-01", "{}", "2024-10-01", "1", false},
		"a region of the environment":  {"x-region", "${HEADERS_REGION}", "{}", "us-east-1", "1", false},
		"a header of the model":        {"x-api-version", "2024-10-01", "{x-stage: stage-7-of-9}", "2024-10-01stage-7-of-9", "1", false},
		"a short token":                {"authorization", "${HEADERS_TOKEN}", "{}", "planted-1", "1", false},
		"what is no word is kept away": {"x-custom", "${HEADERS_LONG}", "{}", "planted-value-of-the-environment", "0", true},
	} {
		t.Run(why, func(t *testing.T) {
			dir, s := t.TempDir(), mirror(t, c.header)
			var rows strings.Builder
			for i := range 4 {
				fmt.Fprintf(&rows, `{"id":"q%d","answer":%q,"messages":[{"role":"user","content":"Question %d"}],"tools":[{"type":"function","function":{"name":"version","parameters":{"type":"object"}}}]}`+"\n", i, c.answer, i)
			}
			config := fmt.Sprintf(`job: {tools: [{name: version, server_url: "%s/tool", headers: {%s: "%s"}}], grader: {type: string_check, name: eq, operation: eq, input: "{{sample.output_text}}", reference: "{{item.answer}}"}}
target: none
data: {train: train.jsonl}
model: {name: m, base_url: "%s/v1", api: chat, api_key_env: none, headers: %s}
sampling: {samples: 2}
`, s.URL, c.header, c.value, s.URL, c.model)
			for name, text := range map[string]string{"train.jsonl": rows.String(), "gonogo.yaml": config} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out, said, _ := inProcess(t, dir, "run", "-o", "run", "--yes", "--no-audit", "--despite-problems", "--seed", "1", "--json")
			var r struct {
				Splits map[string]struct {
					Reward struct{ Value *float64 }
				}
			}
			if err := json.Unmarshal(out, &r); err != nil || r.Splits["train"].Reward.Value == nil || fmt.Sprint(*r.Splits["train"].Reward.Value) != c.mean {
				t.Fatalf("%v: mean %v, want %s\n%s", err, r.Splits["train"].Reward.Value, c.mean, said)
			}
			if got := strings.Contains(string(out), `"blanked": 8`) && strings.Contains(string(out), "rollouts.markup.blanked"); got != c.masked {
				t.Errorf("the result says that texts were masked: %v", got)
			}
			written, err := os.ReadFile(filepath.Join(dir, "run", "rollouts.jsonl"))
			if err != nil || strings.Contains(string(written)+string(said), "planted") {
				t.Errorf("%v: a secret is written: %s", err, written)
			}
		})
	}
}
