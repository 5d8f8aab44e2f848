package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/transcript"
)

// stream puts a streamed answer together.
type stream interface {
	// event takes the data of one event. own says that it is there for us alone: the
	// agent did not ask for it.
	event(data []byte) (own bool)
	reply() reply
}

// errBrokeOff is a stream of which a part was handed on.
var errBrokeOff = errors.New("the stream of the answer broke off")

// pass hands a stream on, event by event, as soon as each is there.
func (p *Proxy) pass(w http.ResponseWriter, resp *http.Response, from io.Reader, q asked, said *reply) error {
	copyHeader(w, resp)
	w.WriteHeader(resp.StatusCode)
	out := http.NewResponseController(w)
	whole := q.dialect.stream()
	lines := bufio.NewReaderSize(from, 32<<10)
	var event []byte
	for {
		line, err := lines.ReadBytes('\n')
		event = append(event, line...)
		if len(event) > largest {
			err = errors.New("an event of the stream is too long")
		}
		if blank := len(bytes.TrimSpace(line)) == 0; blank && len(line) > 0 || err != nil && len(event) > 0 {
			if own := whole.event(dataOf(event)); !own || !q.injected {
				_, _ = w.Write([]byte(p.secrets.Mask(string(event)))) // an agent that is gone is found out by its own end
				_ = out.Flush()
			}
			event = event[:0]
		}
		if errors.Is(err, io.EOF) {
			*said = whole.reply()
			return nil
		}
		if err != nil {
			return sampler.TransportFailure(resp.Request.URL.String(), fmt.Errorf("%w: %w", errBrokeOff, err))
		}
	}
}

// dataOf is the data of a server-sent event.
func dataOf(event []byte) []byte {
	var data []byte
	for line := range bytes.Lines(event) {
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimSpace(text)...)
		}
	}
	return data
}

// chatStream puts the chunks of Chat Completions together.
type chatStream struct {
	content, refusal, reasoning strings.Builder
	calls                       []rollout.ToolCall
	began                       bool
	usage                       rollout.Usage
}

func (s *chatStream) event(data []byte) (own bool) {
	var chunk struct {
		Choices []struct {
			Index int `json:"index"`
			Delta struct {
				Content   string `json:"content"`
				Refusal   string `json:"refusal"`
				Reasoning string `json:"reasoning_content"`
				ToolCalls []struct {
					Index    int    `json:"index"`
					ID       string `json:"id"`
					Function struct {
						Name      string `json:"name"`
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(data, &chunk) != nil { // such as [DONE]
		return false
	}
	if u := transcript.UsageOf(chunk.Usage); u != (rollout.Usage{}) {
		s.usage = u
	}
	for _, c := range chunk.Choices {
		if c.Index != 0 {
			continue
		}
		s.began = true
		s.content.WriteString(c.Delta.Content)
		s.refusal.WriteString(c.Delta.Refusal)
		s.reasoning.WriteString(c.Delta.Reasoning)
		for _, call := range c.Delta.ToolCalls {
			for len(s.calls) <= call.Index && call.Index < 1024 {
				s.calls = append(s.calls, rollout.ToolCall{})
			}
			if call.Index < 0 || call.Index >= len(s.calls) {
				continue
			}
			at := &s.calls[call.Index]
			at.ID += call.ID
			at.Name += call.Function.Name
			at.Arguments += call.Function.Arguments
		}
	}
	return len(chunk.Choices) == 0 && len(chunk.Usage) > 0
}

func (s *chatStream) reply() reply {
	out := reply{usage: s.usage}
	if s.began {
		out.message = &rollout.Message{Role: "assistant", Content: s.content.String(), Refusal: s.refusal.String(), Reasoning: s.reasoning.String(), ToolCalls: s.calls}
	}
	return out
}

// responsesStream waits for the event that holds the whole response.
type responsesStream struct{ whole reply }

func (s *responsesStream) event(data []byte) (own bool) {
	var e struct {
		Type     string          `json:"type"`
		Response json.RawMessage `json:"response"`
	}
	if json.Unmarshal(data, &e) == nil && (e.Type == "response.completed" || e.Type == "response.incomplete" || e.Type == "response.failed") {
		s.whole = responsesAnswer(e.Response)
	}
	return false
}

func (s *responsesStream) reply() reply { return s.whole }
