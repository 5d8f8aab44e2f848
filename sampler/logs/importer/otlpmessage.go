package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// conversation returns the messages of a call of the model, its reply included; none if the span does
// not hold them.
func (s *otlpSpan) conversation() ([]rollout.Message, error) {
	list := s.Attributes.genAIMessages()
	if list == nil {
		list = slices.Concat(s.Attributes.numbered("llm.input_messages."),
			first(s.Attributes.numbered("llm.output_messages.")))
	}
	if list == nil { // OpenLLMetry before the conventions had messages
		list = slices.Concat(s.Attributes.numbered("gen_ai.prompt."), first(s.Attributes.numbered("gen_ai.completion.")))
	}
	if len(list) == 0 {
		return s.Attributes.bodies(), nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return transcript.Messages(text, "user")
}

// first returns the first of several choices.
func first(choices []chatMessage) []chatMessage { return choices[:min(1, len(choices))] }

// tools returns the tools that the model was offered.
func (a otlpAttributes) tools() json.RawMessage {
	if list := a.structured("gen_ai.tool.definitions"); list != nil {
		return list
	}
	for _, key := range otlpInputs {
		if list := member(a.structured(key), "tools"); !isNone(list) {
			return list
		}
	}
	var list []json.RawMessage
	for i := 0; ; i++ {
		schema := a.structured(fmt.Sprintf("llm.tools.%d.tool.json_schema", i))
		if schema == nil {
			break
		}
		list = append(list, schema)
	}
	text, err := json.Marshal(list)
	if err != nil || len(list) == 0 {
		return nil
	}
	return text
}

// chatMessage is a message in the form of a chat.
type chatMessage struct {
	Role      string        `json:"role,omitempty"`
	Content   any           `json:"content,omitempty"`
	Reasoning string        `json:"reasoning,omitempty"`
	Calls     []messageCall `json:"tool_calls,omitempty"`
	CallID    string        `json:"tool_call_id,omitempty"`
}

type messageCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// genAIMessage is a message of gen_ai.input.messages and gen_ai.output.messages (the JSON schemas of the
// GenAI semantic conventions).
type genAIMessage struct {
	Role  string      `json:"role"`
	Parts []genAIPart `json:"parts"`
}

type genAIPart struct {
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Response  json.RawMessage `json:"response"`
	Result    json.RawMessage `json:"result"` // the same in older versions
}

// genAIMessages returns the messages in the form of the GenAI conventions; nil if there are none.
func (a otlpAttributes) genAIMessages() (list []chatMessage) {
	var system []genAIPart
	if jsontext.Unmarshal(a.structured("gen_ai.system_instructions"), &system) == nil {
		list = append(list, genAIMessage{"system", system}.chat()...)
	}
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
		var messages []genAIMessage
		if jsontext.Unmarshal(a.structured(key), &messages) != nil {
			continue
		}
		for i, m := range messages {
			if key == "gen_ai.output.messages" && i > 0 {
				break // another choice
			}
			list = append(list, m.chat()...)
		}
	}
	return list
}

// chat returns the message in the form of a chat: each result of a tool is a message.
func (m genAIMessage) chat() (list []chatMessage) {
	own := chatMessage{Role: m.Role}
	var texts []string
	for _, p := range m.Parts {
		switch p.Type {
		case "text", "refusal":
			texts = append(texts, jsontext.TextOrJSON(p.Content))
		case "reasoning", "thinking":
			own.Reasoning += jsontext.TextOrJSON(p.Content)
		case "tool_call":
			own.Calls = append(own.Calls, messageCall{p.ID, p.Name, jsontext.TextOrJSON(p.Arguments)})
		case "tool_call_response":
			output := p.Response
			if isNone(output) {
				output = p.Result
			}
			list = append(list, chatMessage{Role: "tool", CallID: p.ID, Content: jsontext.TextOrJSON(output)})
		}
	}
	if len(texts) > 0 {
		own.Content = strings.Join(texts, "\n")
	}
	if own.Content != nil || own.Reasoning != "" || own.Calls != nil || len(list) == 0 {
		list = append(list, own)
	}
	return list
}

// numbered returns the messages that attributes spell out with numbers, such as
// llm.input_messages.0.message.role or gen_ai.prompt.0.role.
func (a otlpAttributes) numbered(prefix string) []chatMessage {
	type numberedMessage struct {
		chatMessage
		texts map[int]string
		calls map[int]*messageCall
	}
	found := make(map[int]*numberedMessage)
	for key, value := range a {
		rest, ours := strings.CutPrefix(key, prefix)
		place, path, _ := strings.Cut(rest, ".")
		i, err := strconv.Atoi(place)
		if !ours || err != nil {
			continue
		}
		m := found[i]
		if m == nil {
			m = &numberedMessage{texts: make(map[int]string), calls: make(map[int]*messageCall)}
			found[i] = m
		}
		path, text := strings.TrimPrefix(path, "message."), jsontext.TextOrJSON(value)
		field, rest, _ := strings.Cut(path, ".")
		place, inner, _ := strings.Cut(rest, ".")
		n, _ := strconv.Atoi(place)
		switch field {
		case "role":
			m.Role = text
		case "content":
			m.Content = text
		case "reasoning", "reasoning_content":
			m.Reasoning = text
		case "tool_call_id":
			m.CallID = text
		case "contents":
			if inner == "message_content.text" {
				m.texts[n] = text
			}
		case "tool_calls":
			c := m.calls[n]
			if c == nil {
				c = new(messageCall)
				m.calls[n] = c
			}
			switch strings.TrimPrefix(strings.TrimPrefix(inner, "tool_call."), "function.") {
			case "id":
				c.ID = text
			case "name":
				c.Name = text
			case "arguments":
				c.Arguments = text
			}
		}
	}
	var list []chatMessage
	for _, i := range slices.Sorted(maps.Keys(found)) {
		m := found[i]
		if m.Content == nil && len(m.texts) > 0 {
			var texts []string
			for _, n := range slices.Sorted(maps.Keys(m.texts)) {
				texts = append(texts, m.texts[n])
			}
			m.Content = strings.Join(texts, "\n")
		}
		for _, n := range slices.Sorted(maps.Keys(m.calls)) {
			m.Calls = append(m.Calls, *m.calls[n])
		}
		if m.Role == "" && prefix == "gen_ai.completion." {
			m.Role = "assistant"
		}
		list = append(list, m.chatMessage)
	}
	return list
}
