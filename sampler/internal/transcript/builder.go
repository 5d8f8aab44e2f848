package transcript

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Builder builds messages and calls from a list of events, as in the Responses API and its traces:
// everything that the model says and calls before the next result is one turn.
type Builder struct {
	Messages []rollout.Message
	Calls    []rollout.Call
	Turns    int
	reasoned string // not yet part of a turn
	open     bool   // the last message is the model's, and its turn continues
}

// turn returns the message of the model's current turn.
func (t *Builder) turn() *rollout.Message {
	if !t.open {
		t.Messages = append(t.Messages, rollout.Message{Role: "assistant"})
		t.Turns++
		t.open = true
	}
	m := &t.Messages[len(t.Messages)-1]
	if t.reasoned != "" {
		m.Reasoning, t.reasoned = joined(m.Reasoning, t.reasoned), ""
	}
	return m
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

// AddReasoning adds reasoning of the model.
func (t *Builder) AddReasoning(text string) {
	if text != "" {
		t.open = t.open && t.reasoned == "" && len(t.Messages[len(t.Messages)-1].ToolCalls) == 0
		t.reasoned = joined(t.reasoned, text)
	}
}

// EndTurn ends the model's turn: its next text begins another.
func (t *Builder) EndTurn() { t.open = false }

// Close adds reasoning without a reply after it, for example because a token limit cut the model
// off, as its own turn.
func (t *Builder) Close() {
	if t.reasoned != "" {
		t.open = false
		t.turn()
	}
}

// AddReply adds text of the model.
func (t *Builder) AddReply(text string) {
	m := t.turn()
	m.Content = joined(m.Content, text)
}

// AddPrompt adds a message of any other role.
func (t *Builder) AddPrompt(role, text string) {
	t.open = false
	t.Messages = append(t.Messages, rollout.Message{Role: role, Content: text})
}

// AddCall adds a tool call of the model.
func (t *Builder) AddCall(id, name, arguments string) {
	m := t.turn()
	m.ToolCalls = append(m.ToolCalls, rollout.ToolCall{ID: id, Name: name, Arguments: arguments})
	t.Calls = append(t.Calls, rollout.Call{
		Turn: t.Turns - 1, ID: id, Name: name, Arguments: arguments,
		Status: CallStatus(arguments),
	})
}

// AddResult adds the tool's result of the call with that id.
func (t *Builder) AddResult(id, output string) {
	t.open = false
	m := rollout.Message{Role: "tool", ToolCallID: id, Content: output}
	if c := t.FindCall(id, ""); c != nil {
		c.Output, c.OutputBytes, m.Name = output, len(output), c.Name
	}
	t.Messages = append(t.Messages, m)
}

// FailCall marks the last call of a tool as failed.
func (t *Builder) FailCall(name, cause string) {
	t.open = false
	if c := t.FindCall("", name); c != nil {
		c.Status, c.Error = rollout.CallFailed, FirstLine(cause)
	}
}

// FindCall returns the last call with the id or, if id is "", with the name; the last call of all
// if both are ""; nil if there is none.
func (t *Builder) FindCall(id, name string) *rollout.Call {
	for i := len(t.Calls) - 1; i >= 0; i-- {
		if c := &t.Calls[i]; id != "" && c.ID == id || id == "" && (name == "" || c.Name == name) {
			return c
		}
	}
	return nil
}

// Summary reads a summary of reasoning: a text, or a list of parts with texts.
func Summary(v json.RawMessage) string {
	var parts []struct {
		Text string `json:"text"`
	}
	if text := len(v) > 0 && v[0] == '"'; text || jsontext.Unmarshal(v, &parts) != nil {
		return jsontext.TextOrJSON(v)
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// FirstLine returns the first line of a message that is not blank, cut to at most 500 bytes.
func FirstLine(s string) string {
	const most = 500
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.TrimSpace(line)
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "")
	}
	return line
}
