package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

type inspectMessage struct {
	Role       string             `json:"role"`
	Content    transcript.Content `json:"content"`
	ToolCallID string             `json:"tool_call_id"`
	Function   string             `json:"function"`
	ToolCalls  []struct {
		ID         string          `json:"id"`
		Function   string          `json:"function"`
		Arguments  json.RawMessage `json:"arguments"`
		ParseError string          `json:"parse_error"`
	} `json:"tool_calls"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// inspectTalk is the conversation of a sample.
type inspectTalk struct {
	messages []rollout.Message
	failed   map[*rollout.Message]string // tool messages that report an error, as type: message
}

func decodeInspectMessages(text json.RawMessage) (talk inspectTalk, err error) {
	var all []inspectMessage
	if len(text) > 0 {
		if err := jsontext.Unmarshal(text, &all); err != nil {
			return talk, err
		}
	}
	talk.messages = make([]rollout.Message, len(all))
	talk.failed = make(map[*rollout.Message]string)
	for i, m := range all {
		out := &talk.messages[i]
		if *out, err = m.message(); err != nil {
			return talk, fmt.Errorf("message %d: %w", i+1, err)
		}
		if m.Error != nil {
			talk.failed[out] = m.Error.Type + ": " + m.Error.Message
			out.Content = cmp.Or(out.Content, m.Error.Message)
		}
	}
	return talk, nil
}

func (m *inspectMessage) message() (rollout.Message, error) {
	content, reasoning, err := inspectContent(m.Content)
	out := rollout.Message{
		Role: m.Role, Content: content, Reasoning: reasoning, ToolCallID: m.ToolCallID,
		Name: m.Function,
	}
	for _, c := range m.ToolCalls {
		args := jsontext.TextOrJSON(c.Arguments)
		if c.ParseError != "" && json.Valid([]byte(args)) {
			args = "unparsable: " + c.ParseError
		}
		out.ToolCalls = append(out.ToolCalls, rollout.ToolCall{ID: c.ID, Name: c.Function, Arguments: args})
	}
	return out, err
}

// inspectContent returns the text of a message and the reasoning in it.
func inspectContent(c transcript.Content) (content, reasoning string, err error) {
	if len(c.Raw) == 0 || c.Raw[0] != '[' {
		return cmp.Or(c.Text, jsontext.TextOrJSON(c.Raw)), "", nil
	}
	var parts []struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Reasoning string `json:"reasoning"`
		Summary   string `json:"summary"`
		Redacted  bool   `json:"redacted"`
	}
	if err := jsontext.Unmarshal(c.Raw, &parts); err != nil {
		return "", "", err
	}
	var said, thought []string
	for _, p := range parts {
		switch {
		case p.Type == "reasoning" && p.Redacted: // its text is encrypted
			thought = append(thought, p.Summary)
		case p.Type == "reasoning":
			thought = append(thought, p.Reasoning)
		case p.Type == "text":
			said = append(said, p.Text)
		default:
			said = append(said, "["+p.Type+"]")
		}
	}
	return strings.Join(said, "\n"), strings.TrimSpace(strings.Join(thought, "\n")), nil
}

// inspectPrompt returns how many of the messages belong to the item: the system message and the
// input, which may itself contain turns of the model.
func inspectPrompt(talk []rollout.Message, input json.RawMessage) int {
	var inputs []json.RawMessage
	if len(input) > 0 && input[0] == '[' && jsontext.Unmarshal(input, &inputs) != nil {
		inputs = nil
	}
	return min(max(len(inputs), transcript.UntilAnswer(talk)), len(talk))
}

// status returns the status of a tool call. The model saw a timeout or a refusal like any other
// result.
func (t *inspectTalk) status(answer *rollout.Message) (rollout.CallStatus, string) {
	text, failed := t.failed[answer]
	switch {
	case !failed:
		return rollout.CallOK, ""
	case strings.HasPrefix(text, "parsing: "):
		return rollout.CallMalformed, transcript.FirstLine(text)
	}
	return rollout.CallError, transcript.FirstLine(text)
}

// inspectAnswer returns the model's last reply.
func inspectAnswer(output json.RawMessage) string {
	var out struct {
		Choices []struct {
			Message inspectMessage `json:"message"`
		} `json:"choices"`
		Completion string `json:"completion"`
	}
	if len(output) == 0 || jsontext.Unmarshal(output, &out) != nil {
		return ""
	}
	if len(out.Choices) > 0 {
		if text, _, err := inspectContent(out.Choices[0].Message.Content); err == nil {
			return text
		}
	}
	return out.Completion
}

// time sets when the tool calls began, how long they took, and which of them raised an error that
// ended the sample, from the sample's events.
func (s *inspectSample) time(calls []rollout.Call) {
	if len(calls) == 0 || len(s.Events) == 0 {
		return
	}
	begin, err := time.Parse(time.RFC3339Nano, s.Started)
	known := err == nil
	index := make(map[string]int, len(calls))
	for i, c := range calls {
		if c.ID != "" {
			index[c.ID] = i
		}
	}
	_ = rollout.Elements(s.Events, func(event []byte) error { // unreadable events have no time
		if !bytes.Contains(event[:min(len(event), 4<<10)], []byte(`"tool"`)) {
			return nil
		}
		var e struct {
			Event     string   `json:"event"`
			ID        string   `json:"id"`
			Timestamp string   `json:"timestamp"`
			Working   *float64 `json:"working_time"`
			Failed    bool     `json:"failed"`
		}
		if jsontext.Unmarshal(event, &e) != nil || e.Event != "tool" {
			return nil
		}
		i, ok := index[e.ID]
		if !ok {
			return nil
		}
		calls[i].Elapsed = seconds(e.Working)
		if e.Failed && calls[i].Status == rollout.CallOK {
			calls[i].Status = rollout.CallFailed
		}
		if t, err := time.Parse(time.RFC3339Nano, e.Timestamp); err == nil && known && t.After(begin) {
			calls[i].Offset = rollout.Seconds(t.Sub(begin))
		}
		return nil
	})
}

// offered returns the tools that the first model call offered, from the sample's events; nil if
// they do not say.
func (s *inspectSample) offered() json.RawMessage {
	var tools json.RawMessage
	_ = rollout.Elements(s.Events, func(event []byte) error { // unreadable events have no tools
		var e struct {
			Event string          `json:"event"`
			Tools json.RawMessage `json:"tools"`
		}
		if jsontext.Unmarshal(event, &e) == nil && e.Event == "model" {
			tools = offered(e.Tools)
			return errEnough
		}
		return nil
	})
	return tools
}

// errEnough stops a read that has found what it was looking for.
var errEnough = errors.New("enough")
