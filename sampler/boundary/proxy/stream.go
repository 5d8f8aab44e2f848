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

// stream puts a streamed answer together.
type stream interface {
	// event takes the data of one event. own says that it is there for us alone: the
	// agent did not ask for it.
	event(data []byte) (own bool)
	over() bool // the answer is complete, whatever happens to the connection
	reply() reply
}

// errBrokeOff is a stream of which a part was already forwarded.
var errBrokeOff = errors.New("the stream of the answer broke off")

// pass hands a stream on, event by event, as soon as each is there.
func (p *Proxy) pass(w http.ResponseWriter, resp *http.Response, from io.Reader, r *room, q asked, said *reply) error {
	copyHeader(w, resp)
	w.WriteHeader(resp.StatusCode)
	out := http.NewResponseController(w)
	whole := q.dialect.stream()
	lines := bufio.NewReaderSize(from, 32<<10)
	for {
		event, err := readEvent(lines)
		event = r.blank(event, p.cfg.Secrets)
		own := whole.event(dataOf(event))
		if so := whole.reply(); so.broken {
			*said = so
			return fmt.Errorf("%w: %w", errBrokeOff, p.failed(resp.Request.URL.String(), so))
		}
		if len(event) > 0 && (!own || !q.injected) {
			_, _ = w.Write(event) // an agent that is gone is found out by its own end
			_ = out.Flush()
		}
		if err == nil {
			continue
		}
		address := resp.Request.URL.String()
		*said = whole.reply()
		if errors.Is(err, io.EOF) || whole.over() {
			return p.failed(address, *said)
		}
		return endpoint.TransportFailure(address, fmt.Errorf("%w: %w", errBrokeOff, err))
	}
}

// readEvent reads lines to the next one that is blank. In addition to an error it returns what
// there was.
func readEvent(lines *bufio.Reader) (event []byte, err error) {
	for begun := 0; ; {
		part, err := lines.ReadSlice('\n')
		event = append(event, part...)
		switch {
		case len(event) > largest:
			return nil, errors.New("an event of the stream is too long")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil || len(bytes.TrimSpace(event[begun:])) == 0:
			return event, err
		}
		begun = len(event)
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
	at                          map[int]int // where in calls the call of an index is
	began, done                 bool
	finish                      json.RawMessage // the reason that the last chunk gives
	usage                       rollout.Usage
	served                      string
	failed                      *endpoint.Failure
}

// delta is what a chunk adds to the message.
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

func (s *chatStream) event(data []byte) (own bool) {
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
			if text := jsontext.TextOrJSON(c.Finish); text != "" { // until the end it is null, or empty
				s.finish = c.Finish
			}
		}
	}
	return len(chunk.Choices) == 0 && len(chunk.Usage) > 0 && string(chunk.Usage) != "null"
}

func (s *chatStream) add(d delta) {
	s.began = true
	content, _ := transcript.Text(d.Content) // what is not text is not recorded; the agent has it
	s.content.WriteString(content)
	s.refusal.WriteString(d.Refusal)
	reasoning := jsontext.TextOrJSON(d.ReasoningContent)
	s.reasoning.WriteString(cmp.Or(reasoning, jsontext.TextOrJSON(d.Reasoning)))
	for _, c := range d.ToolCalls {
		if to := s.call(c.Index, c.ID); to != nil {
			to.Name += c.Function.Name
			to.Arguments += jsontext.TextOrJSON(c.Function.Arguments)
		}
	}
}

// call is the one that a chunk adds to. Some servers send the id with each chunk, and
// some give every call the index 0.
func (s *chatStream) call(index int, id string) *rollout.ToolCall {
	i, known := s.at[index]
	if known && (id == "" || s.calls[i].ID == "" || s.calls[i].ID == id) {
		s.calls[i].ID = cmp.Or(s.calls[i].ID, id)
		return &s.calls[i]
	}
	const most = 1024
	if len(s.calls) == most {
		return nil
	}
	if s.at == nil {
		s.at = make(map[int]int)
	}
	s.at[index] = len(s.calls)
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
		out.failed = cmp.Or(out.failed, useless("the stream has no answer"))
	}
	if out.failed == nil {
		out.ends(transcript.FinishOfReply(s.finish, true))
	}
	return out
}

// responsesStream waits for the event that holds the whole response.
type responsesStream struct {
	whole reply
	done  bool
	said  strings.Builder // until then
}

func (s *responsesStream) event(data []byte) (own bool) {
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
		s.whole, s.done = responsesAnswer(e.Response), true
	case "response.output_text.delta":
		s.said.WriteString(jsontext.TextOrJSON(e.Delta))
	case "error":
		s.whole.failed = failureOf(data)
	}
	return false
}

func (s *responsesStream) over() bool { return s.done }

func (s *responsesStream) reply() reply {
	out := s.whole
	if !s.done && s.said.Len() > 0 {
		out.message = &rollout.Message{Role: "assistant", Content: s.said.String()}
	} else if !s.done {
		out.failed = cmp.Or(out.failed, useless("the stream has no answer"))
	}
	return out
}
