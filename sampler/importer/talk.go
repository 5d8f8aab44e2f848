package importer

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/rollout"
)

// talk makes messages and calls of a list of events, as the Responses API and
// traces of it have them: what the model says and calls before the next result
// is one turn.
type talk struct {
	messages []rollout.Message
	calls    []rollout.Call
	turns    int
	reasoned string // waits for the turn it belongs to
	open     bool   // the last message is the model's, and its turn goes on
}

// turn returns the message of the model's turn.
func (t *talk) turn() *rollout.Message {
	if !t.open {
		t.messages = append(t.messages, rollout.Message{Role: "assistant"})
		t.turns++
		t.open = true
	}
	m := &t.messages[len(t.messages)-1]
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

func (t *talk) reason(text string) {
	if text != "" {
		t.open = t.open && t.reasoned == "" && len(t.messages[len(t.messages)-1].ToolCalls) == 0
		t.reasoned = joined(t.reasoned, text)
	}
}

func (t *talk) say(text string) {
	m := t.turn()
	m.Content = joined(m.Content, text)
}

// hear takes what somebody else says.
func (t *talk) hear(role, text string) {
	t.open = false
	t.messages = append(t.messages, rollout.Message{Role: role, Content: text})
}

func (t *talk) call(id, name, arguments string) {
	m := t.turn()
	m.ToolCalls = append(m.ToolCalls, rollout.ToolCall{ID: id, Name: name, Arguments: arguments})
	c := rollout.Call{Turn: t.turns - 1, ID: id, Name: name, Arguments: arguments, Status: rollout.CallOK}
	if !json.Valid([]byte(arguments)) {
		c.Status = rollout.CallMalformed
	}
	t.calls = append(t.calls, c)
}

func (t *talk) result(id, output string) {
	t.open = false
	m := rollout.Message{Role: "tool", ToolCallID: id, Content: output}
	if c := t.callOf(id, ""); c != nil {
		c.Output, c.OutputBytes, m.Name = output, len(output), c.Name
	}
	t.messages = append(t.messages, m)
}

// failure marks the last call of a tool that has no result as failed.
func (t *talk) failure(name, cause string) {
	t.open = false
	if c := t.callOf("", name); c != nil {
		c.Status, c.Error = rollout.CallFailed, firstLine(cause)
	}
}

// callOf finds the last call by its id or, where there is none, by its name or
// its place.
func (t *talk) callOf(id, name string) *rollout.Call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if c := &t.calls[i]; id != "" && c.ID == id || id == "" && (name == "" || c.Name == name) {
			return c
		}
	}
	return nil
}

// summaryText reads a summary of reasoning: a text, or a list of parts with
// texts.
func summaryText(v json.RawMessage) string {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(v, &parts) != nil {
		return rollout.TextOrJSON(v)
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}
