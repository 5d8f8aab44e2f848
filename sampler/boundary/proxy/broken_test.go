package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// A reply that the server ended is a failure for the agent, too: its library asks
// again, and what was cut off is never taken for an answer.
func TestAReplyThatTheServerEndedIsNotHandedOn(t *testing.T) {
	const (
		aborted = `{"choices":[{"finish_reason":"abort","message":{"role":"assistant","content":"The answer is 4"}}]}`
		broken  = `{"status":"incomplete","incomplete_details":{"reason":"aborted"},"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The answer is 4"}]}]}`
	)
	for _, c := range []struct{ path, request, answer, stream string }{
		{"/chat/completions", asks, aborted, ""},
		{"/responses", `{"model":"base","input":"6 x 7?"}`, broken, ""},
		{"/chat/completions", strings.Replace(asks, `{`, `{"stream":true,`, 1), "", "data: {\"choices\":[{\"delta\":{\"content\":\"4\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"abort\"}]}\n\ndata: [DONE]\n\n"},
		{"/responses", `{"model":"base","input":"6 x 7?","stream":true}`, "", "data: {\"type\":\"response.incomplete\",\"response\":" + broken + "}\n\n"},
	} {
		s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
			if c.stream != "" {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			_, _ = io.WriteString(w, c.answer+c.stream)
		})
		status, text, err := 0, []byte(nil), error(nil)
		resp, err := s.http.Post(s.at.BaseURL+c.path, "application/json", strings.NewReader(c.request))
		if err == nil {
			status = resp.StatusCode
			text, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if c.stream == "" && status != http.StatusBadGateway || c.stream != "" && err == nil {
			t.Errorf("%s: status %d, error %v: %s", c.path, status, err, text)
		}
		if strings.Contains(string(text), "abort\"") && c.stream != "" {
			t.Errorf("%s: the end was handed on: %s", c.path, text)
		}
		h := s.close()
		if f, ok := endpoint.AsFailure(h.Failed); !ok || !f.Temporary || h.Turns != 0 {
			t.Errorf("%s: %d turns, failed %v; want none, and a failure worth another try", c.path, h.Turns, h.Failed)
		}
	}
}

// How the last reply ended is known as far as the server says so.
func TestHowTheLastReplyEnded(t *testing.T) {
	for answer, want := range map[string]rollout.Finish{
		says42: "",
		`{"choices":[{"finish_reason":"stop","message":{"content":"42"}}]}`:                                                                                                     rollout.FinishStop,
		`{"choices":[{"finish_reason":"length","message":{"content":"4"}}]}`:                                                                                                    rollout.FinishLength,
		`{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]}`:                                                                                      rollout.FinishRefusal,
		"data: {\"choices\":[{\"delta\":{\"content\":\"4\"},\"finish_reason\":\"\"}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n": rollout.FinishLength,
	} {
		s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(answer, "data") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			_, _ = io.WriteString(w, answer)
		})
		s.send("/chat/completions", asks)
		if h := s.close(); h.Finish != want || h.Turns != 1 || h.Failed != nil {
			t.Errorf("%s: %d turns, failed %v, ended with %q, want %q", answer, h.Turns, h.Failed, h.Finish, want)
		}
	}
}
