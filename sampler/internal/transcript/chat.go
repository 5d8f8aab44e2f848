package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// ChatMessage is a chat message as written by OpenAI-compatible tools, with their variations: tool
// calls may be objects, nested or flat, or JSON strings of these.
type ChatMessage struct {
	Role             string            `json:"role"`
	Content          json.RawMessage   `json:"content"`
	Reasoning        json.RawMessage   `json:"reasoning"`
	ReasoningContent json.RawMessage   `json:"reasoning_content"`
	ToolCalls        []json.RawMessage `json:"tool_calls"`
	ToolCallID       string            `json:"tool_call_id"`
	Name             json.RawMessage   `json:"name"`
}

// Messages decodes a list of messages, or a text, which becomes one message of the given role.
func Messages(text json.RawMessage, role string) ([]rollout.Message, error) {
	if text = bytes.TrimSpace(text); len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	if text[0] == '"' {
		return []rollout.Message{{Role: role, Content: jsontext.TextOrJSON(text)}}, nil
	}
	var all []struct {
		ChatMessage
		Content Content `json:"content"` // in place of that of ChatMessage
	}
	if err := jsontext.Unmarshal(text, &all); err != nil {
		// the first error names the field of ChatMessage
		return nil, cmp.Or(jsontext.Unmarshal(text, new([]ChatMessage)), err)
	}
	out := make([]rollout.Message, len(all))
	for i := range all {
		m := &all[i]
		var err error
		m.ChatMessage.Content = m.Content.Raw
		if out[i], err = m.Message(); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if m.Content.Raw == nil {
			out[i].Content = m.Content.Text
		}
	}
	return out, nil
}

// Content is a content that is decoded at once if it is a text.
type Content struct {
	Text string
	Raw  json.RawMessage // of any other content; nil if it is a text
}

// UnmarshalJSON never fails.
func (c *Content) UnmarshalJSON(value []byte) error {
	if value[0] == '"' {
		*c = Content{Text: jsontext.Text(value)}
	} else {
		*c = Content{Raw: bytes.Clone(value)}
	}
	return nil
}

// Message returns the message in the form in which a rollout records it.
func (m *ChatMessage) Message() (rollout.Message, error) {
	content, err := Text(m.Content)
	out := rollout.Message{Role: m.Role, Content: content, ToolCallID: m.ToolCallID, Name: jsontext.TextOrJSON(m.Name)}
	if out.Reasoning = jsontext.TextOrJSON(m.ReasoningContent); out.Reasoning == "" {
		out.Reasoning = jsontext.TextOrJSON(m.Reasoning)
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, ToolCall(c))
	}
	return out, err
}

// Text returns the text of a content, which may be a list of parts; parts without text are
// represented by their type in brackets.
func Text(content json.RawMessage) (string, error) {
	if len(content) == 0 || content[0] != '[' {
		return jsontext.TextOrJSON(content), nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := jsontext.Unmarshal(content, &parts); err != nil {
		return "", err
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text == "" && p.Type != "text" {
			p.Text = "[" + p.Type + "]"
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n"), nil
}

// ToolCall decodes a call in any of its shapes. Anything else becomes the arguments of a malformed
// call.
func ToolCall(text json.RawMessage) rollout.ToolCall {
	raw := text
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(jsontext.TextOrJSON(raw))
	}
	var c struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Function  struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if err := jsontext.Unmarshal(raw, &c); err != nil {
		return rollout.ToolCall{Arguments: jsontext.TextOrJSON(text)}
	}
	if c.Name == "" {
		c.Name, c.Arguments = c.Function.Name, c.Function.Arguments
	}
	return rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: jsontext.TextOrJSON(c.Arguments)}
}

// UnreportedStatus is the status of a tool call in a log that does not record how tool calls ended.
func UnreportedStatus(*rollout.Message) (rollout.CallStatus, string) { return rollout.CallOK, "" }

// UntilAnswer returns the number of messages before the model's first.
func UntilAnswer(messages []rollout.Message) int {
	for i, m := range messages {
		if m.Role == "assistant" {
			return i
		}
	}
	return len(messages)
}

// LastAnswer returns the text of the model's last message.
func LastAnswer(messages []rollout.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "assistant" {
			return messages[i].Content
		}
	}
	return ""
}
