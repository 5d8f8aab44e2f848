package peers

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// upstream is the server behind LiteLLM: it refuses parameters, and keeps the requests
// that it answers.
type upstream struct {
	sync.Mutex
	refuses  []string
	answered []map[string]any
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in map[string]any
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for _, name := range u.refuses {
		if in[name] != nil {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "Unrecognized request argument supplied: " + name, "type": "invalid_request_error", "param": nil, "code": nil}})
			return
		}
	}
	u.Lock()
	u.answered = append(u.answered, in)
	u.Unlock()
	if strings.HasSuffix(r.URL.Path, "/responses") {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "scripted", "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
			"output": []any{map[string]any{"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "3", "annotations": []any{}}}}},
			"usage":  map[string]any{"input_tokens": 11, "output_tokens": 5, "total_tokens": 16, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}},
		})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": "3"}, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
	})
}

// LiteLLM's proxy hands on both APIs. The parameters that the server behind it refuses
// are left out, whatever LiteLLM makes of its words, and no rollout is lost.
func TestLiteLLM(t *testing.T) {
	p := meet(t, "litellm")
	behind := new(upstream)
	server := httptest.NewServer(behind)
	t.Cleanup(server.Close)
	url := p.litellm(server.URL + "/v1")
	for api, refuses := range map[string][]string{"chat": {"max_completion_tokens", "max_tokens_to_sample"}, "responses": {"include"}} {
		t.Run(api, func(t *testing.T) {
			p := p
			p.T = t
			behind.refuses, behind.answered = refuses, nil
			dir := t.TempDir()
			rows := ""
			for i := range 4 {
				rows += fmt.Sprintf(`{"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"one plus two, try %d?"}],"answer":"3"}`+"\n", i)
			}
			write(t, dir, "rows.jsonl", rows)
			write(t, dir, "gonogo.yaml", `data: {train: rows.jsonl}
model: {name: scripted, base_url: "`+url+`/v1", api: `+api+`, api_key_env: none, max_output_tokens: 64}
job: {grader: {type: string_check, name: same, input: "{{sample.output_text}}", reference: "{{item.answer}}", operation: eq}}
`)
			run := filepath.Join(dir, "run")
			p.gonogo(0, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "2", "--yes", "-o", run)
			records := p.records(run)
			for _, r := range records {
				if r.Reward == nil || *r.Reward != 1 || r.Usage.Output == nil || *r.Usage.Output != 5 {
					t.Errorf("%s/%d is %s, %s: reward %v, tokens %v", r.Item, r.Sample, r.Outcome, r.Error, r.Reward, r.Usage.Output)
				}
			}
			if len(records) != 8 || len(behind.answered) < 8 {
				t.Fatalf("%d rollouts, %d requests answered; want 8 of each", len(records), len(behind.answered))
			}
			last := behind.answered[len(behind.answered)-1]
			if api == "chat" && (last["max_tokens"] != 64.0 || last["messages"].([]any)[0].(map[string]any)["role"] != "system") {
				t.Errorf("the last request was %v", last)
			}
			if sent := slices.ContainsFunc(refuses, func(name string) bool { return last[name] != nil }); sent {
				t.Errorf("what the server refuses was sent: %v", last)
			}
		})
	}
}

// litellm starts the proxy and waits until it answers.
func (p peer) litellm(behind string) (url string) {
	p.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	cmd := p.command("litellm", "--config", filepath.Join(p.scripts, "config.yaml"), "--host", "127.0.0.1", "--port", port, "--telemetry", "False")
	cmd.Env = append(cmd.Env, "SCRIPTED_URL="+behind, "LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true")
	return p.serving("http://127.0.0.1:"+port, "/health/liveliness", cmd)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
