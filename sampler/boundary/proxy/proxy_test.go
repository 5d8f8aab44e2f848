package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/boundary/proxy"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const runKey = "sk-of-the-run-itself"

// stage is a proxy with a room open, before a model of the test's own.
type stage struct {
	t     *testing.T
	at    sampler.ModelAccess
	close func() sampler.ModelTraffic
	http  *http.Client
	proxy *proxy.Proxy
}

func newStage(t *testing.T, play sampler.AgentRequest, model http.HandlerFunc) *stage {
	t.Helper()
	upstream := httptest.NewServer(model)
	t.Cleanup(upstream.Close)
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	p, err := proxy.New(proxy.Config{BaseURL: upstream.URL + "/v1?api-version=7", Model: "base", API: "chat", APIKey: runKey, Headers: map[string]string{"X-Team": "blue"}, HTTP: client, Secrets: endpoint.Secrets{runKey}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if play.Item == nil {
		play.Item = &rollout.Item{ID: "q1", Messages: []rollout.Message{{Role: "user", Content: "6 x 7?"}}}
	}
	play.TraceID = "trace_1"
	at, shut, err := p.Open(t.Context(), play)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t, at, shut, client, p}
}

// send posts a body below the base URL.
func (s *stage) send(path, body string, header ...string) (int, string) {
	s.t.Helper()
	resp := s.start(s.t.Context(), path, body, header...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (s *stage) start(ctx context.Context, path, body string, header ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.at.BaseURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.http.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

const (
	asks  = `{"model":"base","messages":[{"role":"user","content":"6 x 7?"}]}`
	again = `{"model":"base","messages":[{"role":"user","content":"6 x 7?"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"mul","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"42"}]}`

	callsMul = `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"mul","arguments":"{}"}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`
	says42   = `{"choices":[{"message":{"role":"assistant","content":"42"}}],"usage":{"prompt_tokens":20,"completion_tokens":1}}`
)

// What goes through is forwarded with the run's key and parameters, and taken down
// once.
func TestAConversationIsTakenDown(t *testing.T) {
	var n atomic.Int32
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/v1/chat/completions?api-version=7" || r.Header.Get("Authorization") != "Bearer "+runKey || r.Header.Get("X-Team") != "blue" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		if id := r.Header.Get("X-Client-Request-Id"); id != fmt.Sprintf("trace_1/%d", n.Load()) {
			t.Errorf("request id %s of request %d", id, n.Load())
		}
		_, _ = io.WriteString(w, []string{callsMul, says42}[n.Add(1)-1])
	})
	if code, text := s.send("/chat/completions", asks); code != 200 || text != callsMul {
		t.Errorf("status %d: %s", code, text)
	}
	if code, text := s.send("/chat/completions", again); code != 200 || text != says42 {
		t.Errorf("status %d: %s", code, text)
	}
	h := s.close()
	want := []rollout.Message{
		{Role: "assistant", ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "mul", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "c1", Content: "42"},
		{Role: "assistant", Content: "42"},
	}
	if d := cmp.Diff(want, h.Messages); d != "" {
		t.Errorf("the conversation (-want +got):\n%s", d)
	}
	if len(h.Calls) != 1 || h.Calls[0].Output != "42" || h.Calls[0].Elapsed <= 0 || h.Turns != 2 || *h.Usage.Input != 30 || *h.Usage.Output != 6 || h.Failed != nil {
		t.Errorf("heard %+v", h)
	}
}

// The same by the Responses API.
func TestAConversationByResponses(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"function_call","call_id":"c1","name":"mul","arguments":"{}"}],"usage":{"input_tokens":7,"output_tokens":3}}`)
	})
	s.send("/responses", `{"model":"base","input":"6 x 7?"}`)
	h := s.close()
	if len(h.Messages) != 1 || h.Messages[0].Reasoning != "hm" || len(h.Calls) != 1 || h.Calls[0].Name != "mul" || *h.Usage.Output != 3 {
		t.Errorf("heard %+v", h)
	}
}

// Streams come as they are made, and tell their tokens also where the agent did
// not ask for that; it does not see then what it did not ask for.
func TestAStreamIsNotHeldUp(t *testing.T) {
	next := make(chan struct{})
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Options struct {
				Usage bool `json:"include_usage"`
			} `json:"stream_options"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !body.Options.Usage {
			t.Errorf("the stream's tokens are not asked for: %v", err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		for _, event := range []string{
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"4"}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"2","tool_calls":[{"index":0,"id":"c1","function":{"name":"mul","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}`,
			`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}`,
			`[DONE]`,
		} {
			fmt.Fprintf(w, "data: %s\n\n", event)
			_ = out.Flush()
			<-next
		}
	})
	resp := s.start(t.Context(), "/chat/completions", strings.TrimSuffix(asks, "}")+`,"stream":true}`)
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	var got []string
	for range 3 { // each is there before the model makes the next one
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
		_, _ = lines.ReadString('\n')
		next <- struct{}{}
	}
	close(next)
	rest, err := io.ReadAll(lines)
	if err != nil || string(rest) != "data: [DONE]\n\n" || !strings.Contains(got[0], `"4"`) {
		t.Errorf("%q, then %q, %v", got, rest, err)
	}
	h := s.close()
	want := []rollout.Message{{Role: "assistant", Content: "42", ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "mul", Arguments: "{}"}}}}
	if d := cmp.Diff(want, h.Messages); d != "" || *h.Usage.Output != 4 {
		t.Errorf("%+v (-want +got):\n%s", h.Usage, d)
	}
}

// Nothing but what a rollout is for goes through, and no one else gets in.
func TestTheDoorIsNarrow(t *testing.T) {
	asked := false
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		_, _ = io.WriteString(w, says42)
	})
	root, _, _ := strings.Cut(s.at.BaseURL, "/r/")
	if !strings.HasPrefix(root, "http://127.0.0.1:") {
		t.Errorf("it listens at %s, where others than this machine may ask", root)
	}
	for _, c := range []struct {
		why, base, path, body string
		header                []string
		status                int
		says                  string
	}{
		{"another model", s.at.BaseURL, "/chat/completions", `{"model":"other","messages":[]}`, nil, 400, "this run measures the model"},
		{"no JSON", s.at.BaseURL, "/chat/completions", `hello`, nil, 400, "JSON object"},
		{"messages that are none", s.at.BaseURL, "/chat/completions", `{"model":"base","messages":5}`, nil, 400, "cannot be read"},
		{"the files of the account", s.at.BaseURL, "/files", `{}`, nil, 404, "is not forwarded"},
		{"a way up", s.at.BaseURL, "/../../v1/fine_tuning/jobs", `{}`, nil, 404, ""},
		{"no key", root + "/v1", "/chat/completions", asks, nil, 401, "base_url"},
		{"the run's own key", root + "/v1", "/chat/completions", asks, []string{"Authorization", "Bearer " + runKey}, 401, ""},
	} {
		asked = false
		s := *s
		s.at.BaseURL = c.base
		code, text := s.send(c.path, c.body, c.header...)
		if code != c.status || !strings.Contains(text, c.says) || asked || strings.Contains(text, runKey) {
			t.Errorf("%s: status %d, the model was asked: %v: %s", c.why, code, asked, text)
		}
	}
	byKey := *s
	byKey.at.BaseURL = root + "/v1"
	if code, text := byKey.send("/chat/completions", asks, "Authorization", "Bearer "+s.at.Key); code != 200 {
		t.Errorf("by its key alone: status %d: %s", code, text)
	}
	s.close()
	if code, _ := s.send("/chat/completions", asks); code != 401 {
		t.Errorf("after the rollout: status %d", code)
	}
}

// A model that echoes the key shows none of it to the agent.
func TestTheKeyStaysHere(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"wrong key %s"}}`, r.Header.Get("Authorization"))
	})
	if code, text := s.send("/chat/completions", asks); code != 401 || strings.Contains(text, runKey) {
		t.Errorf("status %d: %s", code, text)
	}
	if h := s.close(); h.Failed == nil || strings.Contains(h.Failed.Error(), runKey) {
		t.Errorf("heard %+v", h)
	}
	s = newStage(t, sampler.AgentRequest{}, events(`{"choices":[{"delta":{"content":"it is `+runKey+`"}}]}`+"\n[DONE]"))
	if _, text := s.send("/chat/completions", streams); !strings.Contains(text, "it is") || strings.Contains(text, runKey) {
		t.Errorf("the stream shows %s", text)
	}
	if h := s.close(); len(h.Messages) != 1 || strings.Contains(h.Messages[0].Content, runKey) || h.Blanked != 1 {
		t.Errorf("heard %+v", h)
	}
}

// A limit ends the requests, and what the last tool said is known all the same.
func TestALimitEndsTheRequests(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{MaxSteps: 2}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, callsMul) })
	s.send("/chat/completions", asks)
	if code, text := s.send("/chat/completions", again); code != 400 || !strings.Contains(text, "max_steps of 2 reached") {
		t.Errorf("status %d: %s", code, text)
	}
	if h := s.close(); h.Limit != "max_steps of 2" || len(h.Calls) != 1 || h.Calls[0].Output != "42" {
		t.Errorf("heard %+v", h)
	}
	s = newStage(t, sampler.AgentRequest{MaxToolCalls: 1}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, callsMul) })
	for i, want := range []int{200, 200, 400} { // the second call is made, so the agent may answer; the third turn would be one of more
		if code, text := s.send("/chat/completions", again); code != want {
			t.Errorf("request %d: status %d: %s", i, code, text)
		}
	}
	if h := s.close(); h.Limit != "max_tool_calls of 1" || h.Turns != 2 {
		t.Errorf("heard %+v", h)
	}
}

// Failures of the model reach the agent as they are, with what its library waits
// by, and are counted; a request that is made again is taken down once.
func TestFailuresAreHandedOn(t *testing.T) {
	var n atomic.Int32
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) <= 2 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, says42)
	})
	for range 2 {
		resp := s.start(t.Context(), "/chat/completions", again)
		_ = resp.Body.Close()
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" {
			t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
		}
	}
	s.send("/chat/completions", again)
	if h := s.close(); h.Retries != 2 || h.Failed != nil || len(h.Messages) != 2 || h.Turns != 1 {
		t.Errorf("heard %+v", h)
	}
}

// What an agent leaves under way is broken off with its rollout.
func TestClosingBreaksOff(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	s := newStage(t, sampler.AgentRequest{}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(begun)
		<-r.Context().Done()
		close(ended)
	})
	go func() { // its answer is no one's any more
		req, err := http.NewRequest(http.MethodPost, s.at.BaseURL+"/chat/completions", strings.NewReader(asks))
		if err != nil {
			return
		}
		if resp, err := s.http.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	s.close()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the model still works on it")
	}
}
