package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// events streams events, one a line; "hold" keeps the connection open.
func events(all string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for event := range strings.Lines(all) {
			if event = strings.TrimSpace(event); event == "hold" {
				<-r.Context().Done()
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", event)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// A request that the agent's library gave up and made again says nothing new.
func TestARequestThatWasNotWaitedForIsTakenDownOnce(t *testing.T) {
	var n atomic.Int32
	begun, ended := make(chan struct{}), make(chan struct{})
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that its end is noticed
		if n.Add(1) == 1 {
			close(begun)
			<-r.Context().Done()
			close(ended)
			return
		}
		_, _ = io.WriteString(w, says42)
	})
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		<-begun
		giveUp()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.at.BaseURL+"/chat/completions", strings.NewReader(again))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := s.http.Do(req); err == nil {
		t.Fatalf("status %d of a request that was given up", resp.StatusCode)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the model works on what nobody waits for")
	}
	s.send("/chat/completions", again)
	want := []rollout.Message{{Role: "tool", ToolCallID: "c1", Content: "42"}, {Role: "assistant", Content: "42"}}
	if h := s.close(); cmp.Diff(want, h.Messages) != "" || h.Turns != 1 {
		t.Errorf("%d turns (-want +got):\n%s", h.Turns, cmp.Diff(want, h.Messages))
	}
}

// One that failed says nothing new either when it is made otherwise, nor one that is made
// again for another answer, which is another turn.
func TestWhatWasSaidIsTakenDownOnce(t *testing.T) {
	var n atomic.Int32
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, says42)
	})
	s.send("/chat/completions", again)
	other := strings.TrimSuffix(again, "}") + `,"temperature":0}`
	s.send("/chat/completions", other)
	s.send("/chat/completions", other)
	answer := rollout.Message{Role: "assistant", Content: "42"}
	want := []rollout.Message{{Role: "tool", ToolCallID: "c1", Content: "42"}, answer, answer}
	if h := s.close(); cmp.Diff(want, h.Messages) != "" || h.Turns != 2 {
		t.Errorf("%d turns (-want +got):\n%s", h.Turns, cmp.Diff(want, h.Messages))
	}
}

// A connection that breaks behind the end of an answer takes nothing of it away.
func TestAConnectionThatBreaksBehindTheEnd(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		events(`{"choices":[{"delta":{"content":"42"}}]}`+"\n[DONE]")(w, r)
		panic(http.ErrAbortHandler)
	})
	if code, text := s.send("/chat/completions", streams); code != 200 || !strings.Contains(text, "[DONE]") {
		t.Errorf("status %d: %s", code, text)
	}
	if h := s.close(); h.Failed != nil || h.Turns != 1 {
		t.Errorf("heard %+v", h)
	}
}

// A prompt of several turns is the item's own, to the end.
func TestAPromptOfSeveralTurnsIsNotTakenDown(t *testing.T) {
	item := &rollout.Item{ID: "q1", Messages: []rollout.Message{{Role: "user", Content: "6 x 7?"}, {Role: "assistant", Content: "In which base?"}, {Role: "user", Content: "Ten."}}}
	s := newStage(t, sampler.AgentRequest{Item: item}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, says42) })
	s.send("/chat/completions", `{"model":"base","messages":[{"role":"user","content":"6 x 7?"},{"role":"assistant","content":"In which base?"},{"role":"user","content":"Ten."}]}`)
	if d := cmp.Diff([]rollout.Message{{Role: "assistant", Content: "42"}}, s.close().Messages); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What a server reports a failure with status 200 is the model's failure, and no turn.
func TestAFailureWithStatus200IsNoTurn(t *testing.T) {
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
	}
	const input, streamed = `{"model":"base","input":"6 x 7?"}`, `{"model":"base","stream":true,"input":"6 x 7?"}`
	for _, c := range []struct {
		why, path, body string
		model           http.HandlerFunc
		says            string
		hidden          int
	}{
		{"an error in the place of choices", "/chat/completions", asks, text(`{"error":{"code":503,"message":"no provider"}}`), "no provider", 503},
		{"an error of the choice", "/chat/completions", asks, text(`{"choices":[{"error":{"code":502,"message":"upstream"},"message":{"role":"assistant","content":""}}]}`), "upstream", 502},
		{"a web page", "/chat/completions", asks, text(`<html>welcome</html>`), "web page", 0},
		{"no choices", "/chat/completions", asks, text(`{"choices":[]}`), "cannot be used", 0},
		{"a stream that ends with an error", "/chat/completions", streams, events(`{"choices":[{"delta":{"content":"4"}}]}` + "\n" + `{"error":{"message":"the engine died, key ` + runKey + `"}}` + "\n[DONE]"), "the engine died", 0},
		{"a stream of nothing", "/chat/completions", streams, events("[DONE]"), "no answer", 0},
		{"a response that failed", "/responses", input, text(`{"status":"failed","error":{"code":"server_error","message":"sorry"},"output":[]}`), "server_error sorry", 0},
		{"no output", "/responses", input, text(`{}`), "cannot be used", 0},
		{"a stream of a response that failed", "/responses", streamed, events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"sorry"},"output":[]}}`), "sorry", 0},
		{"an error event", "/responses", streamed, events(`{"type":"error","code":"rate_limit_exceeded","message":"slower"}`), "slower", 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newStage(t, sampler.AgentRequest{}, c.model)
			if code, _ := s.send(c.path, c.body); code != 200 {
				t.Errorf("status %d: the agent is shown what the model answered", code)
			}
			h := s.close()
			f, ok := endpoint.AsFailure(h.Failed)
			if !ok || h.Turns != 0 || h.Retries != 0 || !strings.Contains(f.Error(), c.says) || f.Hidden != c.hidden || strings.Contains(f.Error(), runKey) || strings.Contains(f.URL, "?") {
				t.Errorf("%d turns, failed %v; want …%s…, status %d", h.Turns, h.Failed, c.says, c.hidden)
			}
		})
	}
}

// A refusal is told from a failure as the loop here does: a conversation that
// outgrew the model is the rollout's own doing, a quota that is used up everybody's end.
func TestRefusalsOfTheModel(t *testing.T) {
	for _, c := range []struct {
		why, body, cutOff string
		status            int
		fatal             bool
	}{
		{"too long", `{"error":{"code":"context_length_exceeded","message":"too long"}}`, "context_length_exceeded: too long", 400, false},
		{"not let through", `{"error":{"code":"content_filter","message":"no"}}`, "content_filter: no", 400, false},
		{"no quota is left", `{"error":{"code":"insufficient_quota","message":"pay"}}`, "", 429, true},
		{"a parameter it does not know", `{"error":{"message":"unknown parameter"}}`, "", 400, false},
		{"overloaded", `{"error":{"message":"maximum context length"}}`, "", 503, false},
	} {
		s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		s.send("/chat/completions", asks)
		h := s.close()
		if f, ok := endpoint.AsFailure(h.Failed); !ok || h.CutOff != c.cutOff || f.Fatal != c.fatal {
			t.Errorf("%s: cut off %q, failed %+v", c.why, h.CutOff, h.Failed)
		}
	}
}

// A stream that the agent does not hear to its end was said all the same. Its tokens
// are counted where they were reported by then.
func TestAStreamThatIsNotHeardToItsEnd(t *testing.T) {
	for _, c := range []struct{ why, path, body, all, until string }{
		{"the first word will do", "/chat/completions", streams, `{"choices":[{"delta":{"content":"42"}}]}` + "\nhold", "42"},
		{"all but the end of the connection", "/chat/completions", streams, `{"choices":[{"delta":{"content":"42"}}]}` + "\n" + `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n[DONE]\nhold", "[DONE]"},
		{"a response's first word", "/responses", `{"model":"base","stream":true,"input":"6 x 7?"}`, `{"type":"response.output_text.delta","delta":"42"}` + "\nhold", "42"},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newStage(t, sampler.AgentRequest{}, events(c.all))
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			resp := s.start(ctx, c.path, c.body)
			heard := ""
			for buf := make([]byte, 1024); !strings.Contains(heard, c.until); {
				n, err := resp.Body.Read(buf)
				if heard += string(buf[:n]); err != nil {
					t.Fatal(err)
				}
			}
			hangUp()
			_ = resp.Body.Close()
			h := s.close()
			if len(h.Messages) != 1 || h.Messages[0].Content != "42" || h.Turns != 1 || h.Failed != nil || (h.Usage.Output != nil) != (c.until == "[DONE]") {
				t.Errorf("heard %+v", h)
			}
		})
	}
}

// Streams differ from server to server.
func TestStreamsOfOtherServers(t *testing.T) {
	for _, c := range []struct {
		why, all string
		want     rollout.Message
		shown    string // to the agent, whatever is left out
	}{
		{"reasoning by its short name", `{"choices":[{"delta":{"reasoning":"h"}}]}` + "\n" + `{"choices":[{"delta":{"reasoning":"m","content":"42"}}]}`, rollout.Message{Reasoning: "hm", Content: "42"}, "42"},
		{"content in parts", `{"choices":[{"delta":{"content":[{"type":"text","text":"42"}]}}]}`, rollout.Message{Content: "42"}, "42"},
		{
			"the id in each chunk", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"mul","arguments":"{"}}]}}]}` + "\n" + `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"arguments":"}"}}]}}]}`,
			rollout.Message{ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "mul", Arguments: "{}"}}},
			"c1",
		},
		{
			"two calls of one index", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"mul","arguments":"{}"}}]}}]}` + "\n" + `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c2","function":{"name":"add","arguments":"{}"}}]}}]}`,
			rollout.Message{ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "mul", Arguments: "{}"}, {ID: "c2", Name: "add", Arguments: "{}"}}},
			"c2",
		},
		{"indices from 1", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c1","function":{"name":"mul","arguments":"{}"}}]}}]}`, rollout.Message{ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "mul", Arguments: "{}"}}}, "c1"},
		{"the first of several choices", `{"choices":[{"index":1,"delta":{"content":"41"}},{"index":0,"delta":{"content":"42"}}]}`, rollout.Message{Content: "42"}, "41"},
		{"a first chunk about the prompt", `{"choices":[],"prompt_filter_results":[{}],"usage":null}` + "\n" + `{"choices":[{"delta":{"content":"42"}}]}`, rollout.Message{Content: "42"}, "prompt_filter_results"},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newStage(t, sampler.AgentRequest{}, events(c.all+"\n"+`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`+"\n[DONE]"))
			_, text := s.send("/chat/completions", streams)
			if !strings.Contains(text, c.shown) || strings.Contains(text, "prompt_tokens") {
				t.Errorf("the agent is shown %s", text)
			}
			c.want.Role = "assistant"
			h := s.close()
			if d := cmp.Diff([]rollout.Message{c.want}, h.Messages); d != "" || h.Usage.Output == nil {
				t.Errorf("%+v (-want +got):\n%s", h.Usage, d)
			}
		})
	}
}

// A call whose arguments cannot be read is the model's mistake, whoever makes the
// rollout; one without arguments is none.
func TestMalformedCallsAreCounted(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"mul","arguments":"{\"x\":"}},{"id":"b","function":{"name":"list","arguments":""}}]}}]}`)
	})
	s.send("/chat/completions", asks)
	if h := s.close(); len(h.Calls) != 2 || h.Calls[0].Status != rollout.CallMalformed || h.Calls[1].Status != rollout.CallOK {
		t.Errorf("calls %+v", h.Calls)
	}
}

// An embedding is neither written nor thought: it hides nothing of what the turns told.
func TestEmbeddingsHideNoTokens(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/embeddings") {
			_, _ = io.WriteString(w, `{"data":[],"usage":{"prompt_tokens":4,"total_tokens":4}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"42"}}],"usage":{"prompt_tokens":20,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":7}}}`)
	})
	s.send("/embeddings", `{"model":"small","input":"6 x 7?"}`)
	s.send("/chat/completions", asks)
	u := s.close().Usage
	if u.Input == nil || *u.Input != 24 || u.Output == nil || *u.Output != 9 || u.Cached == nil || *u.Cached != 16 || u.Reasoning == nil || *u.Reasoning != 7 {
		t.Errorf("usage %+v", u)
	}
}

// An event that does not end is broken off, and not kept to its end.
func TestAnEventWithoutEndIsBrokenOff(t *testing.T) {
	const most = 256 << 20
	wrote := make(chan int, 1)
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		n, block := 0, []byte(strings.Repeat("x", 1<<20))
		for n < most {
			k, err := w.Write(block)
			if n += k; err != nil {
				break
			}
		}
		wrote <- n
	})
	if resp, err := s.http.Post(s.at.BaseURL+"/chat/completions", "application/json", strings.NewReader(streams)); err == nil {
		t.Errorf("status %d of an answer that never came", resp.StatusCode)
		_ = resp.Body.Close()
	}
	if h := s.close(); h.Failed == nil || !strings.Contains(h.Failed.Error(), "too long") {
		t.Errorf("heard %+v", h)
	}
	select {
	case n := <-wrote:
		if n >= most/2 {
			t.Errorf("%d MB were read", n>>20)
		}
	case <-time.After(time.Minute):
		t.Error("the model still writes")
	}
}
