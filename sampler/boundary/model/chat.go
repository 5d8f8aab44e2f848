package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"gonogo/sampler"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// chat is the Chat Completions wire format. It sends the model's reasoning back in the field in which
// it came; otherwise the next turn would not see it.
type chat struct{ frame }

func newChat(cfg Config) *chat {
	w := &chat{frame{list: "messages", seeds: true, kind: `"role":"tool"`, call: "tool_call_id", text: "content"}}
	w.setParallel(cfg.ParallelToolCalls)
	head := object(nil)
	head.text("model", cfg.Name)
	if cfg.ReasoningEffort != "" {
		head.text("reasoning_effort", cfg.ReasoningEffort)
	}
	head.number("temperature", cfg.Temperature)
	head.number("top_p", cfg.TopP)
	head.extra(cfg.Extra)
	if len(cfg.ResponseFormat) > 0 {
		head.raw("response_format", string(cfg.ResponseFormat))
	}
	w.head, w.limit = head.buf, cfg.MaxOutputTokens
	return w
}

// prefix copies an item's messages and tools. Both are already in chat format, except for content
// parts, which may be in the format of Responses, and for the role developer.
func (w *chat) prefix(it *rollout.Item) (prefix, error) {
	var p prefix
	for i, m := range it.Messages {
		m.Reasoning = "" // not a field of a request
		m.Role = chatRole(m.Role)
		if m.Parts != nil {
			var err error
			if m.Parts, err = eachPart(m.Parts, chatPart); err != nil {
				return prefix{}, fmt.Errorf("convert message %d of item %q: %w", i+1, it.ID, err)
			}
		}
		b, err := json.Marshal(m)
		if err != nil {
			return prefix{}, fmt.Errorf("convert message %d of item %q: %w", i+1, it.ID, err)
		}
		if i > 0 {
			p.messages = append(p.messages, ',')
		}
		p.messages = append(p.messages, b...)
	}
	if t := bytes.TrimSpace(it.Tools); len(t) > 0 && !bytes.Equal(t, []byte("[]")) {
		p.tools = t
	}
	return p, nil
}

// chatRole returns system for developer and any other role unchanged. The templates of many open
// models drop or refuse the role developer, and OpenAI treats system as developer.
func chatRole(role string) string {
	if role == "developer" {
		return "system"
	}
	return role
}

func (w *chat) prompt(messages json.RawMessage, seed *int64, without omitted) ([]byte, error) {
	messages, err := eachMessage(messages, chatRole, func(p part, _ string) { chatPart(p) })
	return w.frame.prompt(messages, seed, without), err
}

type chatAnswer struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		FinishReason json.RawMessage `json:"finish_reason"`
		NativeReason json.RawMessage `json:"native_finish_reason"` // OpenRouter: the provider's own reason
		Error        json.RawMessage `json:"error"`
		Message      *chatMessage    `json:"message"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
	transcript.Server
}

type chatMessage struct {
	Content          json.RawMessage    `json:"content"`
	Refusal          string             `json:"refusal"`
	Reasoning        json.RawMessage    `json:"reasoning"`
	ReasoningContent json.RawMessage    `json:"reasoning_content"`
	ReasoningDetails json.RawMessage    `json:"reasoning_details"`
	ToolCalls        []rollout.ToolCall `json:"tool_calls"`
}

// parse reads the first choice of a completion; requests ask for only one.
func (w *chat) parse(body []byte, ids *ids) (sampler.Reply, error) {
	var a chatAnswer
	if err := jsontext.Unmarshal(body, &a); err != nil {
		return sampler.Reply{}, &fault{}
	}
	if f := faultOf(a.Error); f != nil {
		return sampler.Reply{}, f
	}
	if len(a.Choices) == 0 || a.Choices[0].Message == nil {
		return sampler.Reply{}, &fault{message: "the answer has no choices"}
	}
	choice := a.Choices[0]
	if f := faultOf(choice.Error); f != nil {
		return sampler.Reply{}, f
	}
	m := choice.Message
	reply := sampler.Reply{
		Text: contentText(m.Content), Refusal: m.Refusal, Served: a.Server.String(),
		Usage: transcript.UsageOf(a.Usage),
	}
	if reply.Reasoning = jsontext.TextOrJSON(m.ReasoningContent); reply.Reasoning == "" {
		reply.Reasoning = jsontext.TextOrJSON(m.Reasoning)
	}
	for i, c := range m.ToolCalls {
		c.ID = ids.pick(c.ID, i)
		m.ToolCalls[i] = c
	}
	reply.Calls = m.ToolCalls
	reply.Final = len(reply.Calls) == 0 && reply.Text != ""
	finish, err := transcript.FinishOfReply(choice.FinishReason, reply.Text != "" || reply.Refusal != "" ||
		len(reply.Calls) > 0)
	if err != nil {
		return sampler.Reply{}, &fault{message: err.Error()}
	}
	if finish == rollout.FinishStop && len(reply.Calls) == 0 &&
		rollout.FinishOf(jsontext.TextOrJSON(choice.NativeReason)) == rollout.FinishLength {
		finish = rollout.FinishLength
	}
	setFinish(&reply, finish)
	reply.Carry = m.carry()
	return reply, nil
}

// setFinish sets Finish and, depending on it, CutOff or Refusal.
func setFinish(reply *sampler.Reply, finish rollout.Finish) {
	switch reply.Finish = finish; finish {
	case rollout.FinishLength:
		reply.CutOff = "max_output_tokens"
	case rollout.FinishFilter:
		reply.CutOff = "content_filter"
	case rollout.FinishRefusal:
		reply.Refusal = cmp.Or(reply.Refusal, reply.Text, "the server says so, without a text")
	}
}

// carry returns the message as the next request must contain it; nil if it has no tool calls.
func (m *chatMessage) carry() json.RawMessage {
	if len(m.ToolCalls) == 0 {
		return nil
	}
	b := object(nil)
	b.raw("role", `"assistant"`)
	content := "null"
	if len(m.Content) > 0 {
		content = string(m.Content)
	}
	b.raw("content", content)
	for _, f := range []struct {
		name  string
		value json.RawMessage
	}{
		{"reasoning_content", m.ReasoningContent},
		{"reasoning", m.Reasoning},
		{"reasoning_details", m.ReasoningDetails},
	} {
		if len(f.value) > 0 && string(f.value) != "null" {
			b.raw(f.name, string(f.value))
		}
	}
	b.key("tool_calls")
	b.buf = append(b.buf, '[')
	for _, c := range m.ToolCalls {
		b.element()
		call := object(b.buf)
		call.text("id", c.ID)
		call.raw("type", `"function"`)
		call.key("function")
		function := object(call.buf)
		function.text("name", c.Name)
		function.text("arguments", c.Arguments)
		call.buf = function.end()
		b.buf = call.end()
	}
	b.buf = append(b.buf, ']')
	return b.end()
}

// contentText returns a string content, or the text parts of an array.
func contentText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return jsontext.TextOrJSON(raw)
	}
	var parts []struct {
		Text json.RawMessage `json:"text"`
	}
	if jsontext.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var text string
	for _, p := range parts {
		text += jsontext.TextOrJSON(p.Text)
	}
	return text
}
