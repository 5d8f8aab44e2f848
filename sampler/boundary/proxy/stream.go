package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// stream assembles a streamed answer.
type stream interface {
	// event adds the data of one event. usageOnly reports that the event has nothing but the usage, which
	// the agent must not get if it did not ask for it.
	event(data []byte) (usageOnly bool)
	over() bool // the answer is complete, even if the connection breaks now
	reply() reply
}

// errBrokeOff reports that a stream broke off after a part of it may have been forwarded.
var errBrokeOff = errors.New("the stream of the answer broke off")

// pass forwards a stream event by event, as the events arrive, and stores the answer.
func (p *Proxy) pass(w http.ResponseWriter, resp *http.Response, body io.Reader, r *room, q asked,
	answer *reply,
) error {
	copyHeader(w, resp)
	w.WriteHeader(resp.StatusCode)
	out := http.NewResponseController(w)
	assembled := q.dialect.stream()
	lines := bufio.NewReaderSize(body, 32<<10)
	for {
		event, err := readEvent(lines)
		event = r.blank(event, p.cfg.Secrets)
		usageOnly := assembled.event(dataOf(event))
		if current := assembled.reply(); current.broken {
			*answer = current
			return fmt.Errorf("%w: %w", errBrokeOff, p.failed(resp.Request.URL.String(), current))
		}
		if len(event) > 0 && (!usageOnly || !q.injected) {
			_, _ = w.Write(event) // fails if the agent is gone, which is noticed elsewhere
			_ = out.Flush()
		}
		if err == nil {
			continue
		}
		address := resp.Request.URL.String()
		*answer = assembled.reply()
		if errors.Is(err, io.EOF) || assembled.over() {
			return p.failed(address, *answer)
		}
		return endpoint.TransportFailure(address, fmt.Errorf("%w: %w", errBrokeOff, err))
	}
}

// readEvent reads lines up to the next blank one. With an error it returns what it has read.
func readEvent(lines *bufio.Reader) (event []byte, err error) {
	for lineStart := 0; ; {
		part, err := lines.ReadSlice('\n')
		event = append(event, part...)
		switch {
		case len(event) > largest:
			return nil, errors.New("an event of the stream is too long")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil || len(bytes.TrimSpace(event[lineStart:])) == 0:
			return event, err
		}
		lineStart = len(event)
	}
}

// dataOf returns the data of a server-sent event.
func dataOf(event []byte) []byte {
	var data []byte
	for line := range bytes.Lines(event) {
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimSpace(text)...)
		}
	}
	return data
}

// chatStream assembles the chunks of Chat Completions.
type chatStream struct {
	content, refusal, reasoning strings.Builder
	calls                       []rollout.ToolCall
	position                    map[int]int // maps a call's index in chunks to its position in calls
	began, done                 bool
	finish                      json.RawMessage // the finish reason in the last chunk
	usage                       rollout.Usage
	served                      string
	failed                      *endpoint.Failure
}

// delta is the part of the message in one chunk.
type delta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          string          `json:"refusal"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	ToolCalls        []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (s *chatStream) event(data []byte) (usageOnly bool) {
	var chunk struct {
		Error   json.RawMessage `json:"error"`
		Choices []struct {
			Index  int             `json:"index"`
			Delta  delta           `json:"delta"`
			Finish json.RawMessage `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
		transcript.Server
	}
	s.done = s.done || string(data) == "[DONE]"
	if jsontext.Unmarshal(data, &chunk) != nil {
		return false
	}
	s.failed, s.served = cmp.Or(s.failed, failureOf(chunk.Error)), cmp.Or(chunk.String(), s.served)
	if u := transcript.UsageOf(chunk.Usage); u != (rollout.Usage{}) {
		s.usage = u
	}
	for _, c := range chunk.Choices {
		if c.Index == 0 {
			s.add(c.Delta)
			if text := jsontext.TextOrJSON(c.Finish); text != "" { // null or "" before the last chunk
				s.finish = c.Finish
			}
		}
	}
	return len(chunk.Choices) == 0 && len(chunk.Usage) > 0 && string(chunk.Usage) != "null"
}

func (s *chatStream) add(d delta) {
	s.began = true
	content, _ := transcript.Text(d.Content) // other content is forwarded but not recorded
	s.content.WriteString(content)
	s.refusal.WriteString(d.Refusal)
	reasoning := jsontext.TextOrJSON(d.ReasoningContent)
	s.reasoning.WriteString(cmp.Or(reasoning, jsontext.TextOrJSON(d.Reasoning)))
	for _, c := range d.ToolCalls {
		if call := s.call(c.Index, c.ID); call != nil {
			call.Name += c.Function.Name
			call.Arguments += jsontext.TextOrJSON(c.Function.Arguments)
		}
	}
}

// call returns the call that a chunk belongs to; nil if there are already 1,024 calls. Some servers send
// the id with each chunk, and some give every call the index 0.
func (s *chatStream) call(index int, id string) *rollout.ToolCall {
	i, known := s.position[index]
	if known && (id == "" || s.calls[i].ID == "" || s.calls[i].ID == id) {
		s.calls[i].ID = cmp.Or(s.calls[i].ID, id)
		return &s.calls[i]
	}
	const most = 1024
	if len(s.calls) == most {
		return nil
	}
	if s.position == nil {
		s.position = make(map[int]int)
	}
	s.position[index] = len(s.calls)
	s.calls = append(s.calls, rollout.ToolCall{ID: id})
	return &s.calls[len(s.calls)-1]
}

func (s *chatStream) over() bool { return s.done }

func (s *chatStream) reply() reply {
	out := reply{usage: s.usage, served: s.served, failed: s.failed}
	if s.began {
		out.message = &rollout.Message{
			Role: "assistant", Content: s.content.String(), Refusal: s.refusal.String(),
			Reasoning: s.reasoning.String(), ToolCalls: s.calls,
		}
	} else {
		out.failed = cmp.Or(out.failed, unusable("the stream has no answer"))
	}
	if out.failed == nil {
		out.setFinish(transcript.FinishOfReply(s.finish, true))
	}
	return out
}

// responsesStream waits for the event with the complete response.
type responsesStream struct {
	complete reply
	done     bool
	text     strings.Builder // the text so far, in case the stream breaks off
}

func (s *responsesStream) event(data []byte) (usageOnly bool) {
	var e struct {
		Type     string          `json:"type"`
		Delta    json.RawMessage `json:"delta"`
		Response json.RawMessage `json:"response"`
	}
	if jsontext.Unmarshal(data, &e) != nil {
		return false
	}
	switch e.Type {
	case "response.completed", "response.incomplete", "response.failed":
		s.complete, s.done = responsesAnswer(e.Response), true
	case "response.output_text.delta":
		s.text.WriteString(jsontext.TextOrJSON(e.Delta))
	case "error":
		s.complete.failed = failureOf(data)
	}
	return false
}

func (s *responsesStream) over() bool { return s.done }

func (s *responsesStream) reply() reply {
	out := s.complete
	if !s.done && s.text.Len() > 0 {
		out.message = &rollout.Message{Role: "assistant", Content: s.text.String()}
	} else if !s.done {
		out.failed = cmp.Or(out.failed, unusable("the stream has no answer"))
	}
	return out
}
