package peers

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// streamed answers chat requests in a stream where they ask for one, as a model's server does.
func streamed(answer func(chatRequest) reply) http.Handler {
	plain := script(answer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body, _ := json.Marshal(all)
		inner, err := http.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), strings.NewReader(string(body)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if string(all["stream"]) != "true" {
			plain.ServeHTTP(w, inner)
			return
		}
		whole := httptest.NewRecorder()
		plain.ServeHTTP(whole, inner)
		var reply struct {
			ID      string
			Choices []struct {
				Message map[string]any
				Finish  string `json:"finish_reason"`
			}
			Usage json.RawMessage
		}
		if err := json.Unmarshal(whole.Body.Bytes(), &reply); err != nil || len(reply.Choices) == 0 {
			w.WriteHeader(whole.Code)
			_, _ = w.Write(whole.Body.Bytes())
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(choices []any, usage json.RawMessage) {
			chunk := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": choices}
			if usage != nil {
				chunk["usage"] = usage
			}
			text, _ := json.Marshal(chunk)
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
		message := reply.Choices[0].Message
		if calls, ok := message["tool_calls"].([]any); ok {
			for i, c := range calls {
				c.(map[string]any)["index"] = i
			}
		}
		send([]any{map[string]any{"index": 0, "delta": message, "finish_reason": nil}}, nil)
		send([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reply.Choices[0].Finish}}, nil)
		send([]any{}, reply.Usage)
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
}

// An agent written for SageMaker with the packages that its documentation names is measured unchanged:
// behind AgentCore's server, with the decorator, with Strands, openai and boto3.
func TestAnAgentWrittenForSageMaker(t *testing.T) {
	p := meet(t, "sagemaker")
	model := httptest.NewServer(streamed(func(in chatRequest) reply {
		switch asked := in.asked(); {
		case strings.Contains(asked, "model fails"):
			return reply{status: 400, content: "the model is gone"}
		case strings.Contains(asked, "tool") && len(in.Tools) != 1:
			return reply{status: 400, content: "there is no tool"}
		case strings.Contains(asked, "tool") && !in.answered():
			return reply{call: `multiply{"a": 17, "b": 23}`}
		}
		return reply{content: "391"}
	}))
	defer model.Close()
	dir := t.TempDir()
	agent, runtime := freePort(t), freePort(t)
	cmd := p.command("python", filepath.Join(p.scripts, "agent.py"), agent)
	cmd.Env = append(cmd.Env, "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=the-secret-of-no-account", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ENDPOINT_URL_SAGEMAKERJOBRUNTIME=http://127.0.0.1:"+runtime)
	log, err := os.Create(filepath.Join(dir, "agent.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	waitForPort(t, agent, log.Name())
	want := map[string]string{
		"strands and its tool":         "graded, reward 1, 2 turns, 1 calls, [1]",
		"strands alone":                "graded, reward 1, 1 turns, 0 calls, [1]",
		"openai":                       "graded, reward 1, 1 turns, 0 calls, [1]",
		"openai raises":                "tool agent_error, 1 turns, 0 calls: failed): it answered with status 500",
		"openai says error":            "tool agent_error, 1 turns, 0 calls: failed): the shop is closed",
		"openai no reward":             "tool agent_timeout, 1 turns, 0 calls: completed the rollout but reported no reward (UpdateReward)",
		"openai model fails":           "model_api, 0 turns, 0 calls: the model is gone",
		"boto3":                        "graded, reward 0.25, 1 turns, 0 calls, [0.25]",
		"boto3 stream":                 "graded, reward 0.25, 1 turns, 0 calls, [0.25]",
		"boto3 twice":                  "graded, reward 0.75, 2 turns, 0 calls, [0.25,0.5]",
		"boto3 nan":                    "tool agent_crashed, 1 turns, 0 calls: status 500",
		"boto3 model fails":            "model_api, 0 turns, 0 calls: the model is gone",
		"feedback":                     "graded, reward 0.5, 1 turns, 0 calls, [0.5]",
		"feedback reports an error":    "tool agent_error, 1 turns, 0 calls: failed): out of stock",
		"strands, and the model fails": "model_api, 0 turns, 0 calls: the model is gone",
	}
	rows := ""
	for how := range want {
		rows += fmt.Sprintf(`{"id":%q,"prompt":%[1]q}`+"\n", how)
	}
	write(t, dir, "rows.jsonl", rows)
	write(t, dir, "gonogo.yaml", `data: {train: rows.jsonl}
model: {name: scripted, base_url: "`+model.URL+`/v1", api: chat, api_key_env: none}
agent: {dialect: sagemaker, url: "http://127.0.0.1:`+agent+`/invocations", listen: "127.0.0.1:`+runtime+`", timeout: 20s}
sampling: {retries: 0, breaker: 0}
`)
	run := filepath.Join(dir, "run")
	p.gonogo(3, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "1", "--yes", "-o", run)
	records := p.records(run)
	if len(records) != len(want) {
		t.Errorf("%d rollouts, want %d", len(records), len(want))
	}
	for _, r := range records {
		got := string(r.Outcome)
		if r.Reward != nil {
			got += fmt.Sprintf(", reward %v", *r.Reward)
		}
		if r.Kind != "" {
			got += " " + r.Kind
		}
		got += fmt.Sprintf(", %d turns, %d calls", r.Turns, len(r.Calls))
		if r.Reward != nil {
			got += ", " + string(r.Extra["agent_rewards"])
		}
		is, says, _ := strings.Cut(want[r.Item], ": ")
		if got != is || !strings.Contains(r.Error, says) {
			t.Errorf("%s: %s: %s; want %s", r.Item, got, r.Error, want[r.Item])
		}
	}
	for _, name := range []string{"rollouts.jsonl", "run.json"} {
		if strings.Contains(string(read(t, filepath.Join(run, name))), "sagemaker-api-key-") {
			t.Errorf("%s has the agent's token", name)
		}
	}
	if t.Failed() {
		t.Logf("%s", tail(read(t, log.Name())))
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func waitForPort(t *testing.T, port, log string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		c, err := net.Dial("tcp4", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the agent does not answer: %v\n%s", err, tail(read(t, log)))
		}
	}
}
