package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// prefix converts an item's messages to input items and its tools to flat format. Messages remain
// unchanged, except that tool calls and their outputs become separate items, and content parts get
// their names in Responses.
func (w *responses) prefix(it *rollout.Item) (prefix, error) {
	b := fields{buf: []byte{'['}}
	var calls rowCalls
	for i, m := range it.Messages {
		if err := inputItems(&b, m, &calls); err != nil {
			return prefix{}, fmt.Errorf("convert message %d of item %q: %w", i+1, it.ID, err)
		}
	}
	tools, err := w.tools.get(it.Tools)
	if err != nil {
		return prefix{}, fmt.Errorf("convert the tools of item %q: %w", it.ID, err)
	}
	return prefix{messages: b.buf[1:], tools: tools}, nil
}

// rowCalls makes ids for the calls of a data row that have none, and pairs them in order with outputs
// without id.
type rowCalls struct {
	made    int
	waiting []string
}

func (r *rowCalls) call(id string) string {
	if id == "" {
		id = fmt.Sprintf("call_row_%d", r.made)
		r.made++
		r.waiting = append(r.waiting, id)
	}
	return id
}

func (r *rowCalls) output(id string) string {
	if id == "" && len(r.waiting) > 0 {
		id, r.waiting = r.waiting[0], r.waiting[1:]
	}
	return id
}

// inputItems writes one message as input items.
func inputItems(b *fields, m rollout.Message, calls *rowCalls) error {
	if m.Role == "tool" {
		b.element()
		out := object(b.buf)
		out.raw("type", `"function_call_output"`)
		out.text("call_id", calls.output(m.ToolCallID))
		out.text("output", m.Content)
		b.buf = out.end()
		return nil
	}
	if m.Content == "" && m.Parts == nil {
		m.Content = m.Refusal
	}
	if m.Content != "" || m.Parts != nil || len(m.ToolCalls) == 0 {
		content, err := inputContent(m)
		if err != nil {
			return err
		}
		b.element()
		msg := object(b.buf)
		if m.Role == "assistant" { // llama.cpp refuses an assistant message without a type
			msg.raw("type", `"message"`)
		}
		msg.text("role", m.Role)
		msg.raw("content", string(content))
		b.buf = msg.end()
	}
	for _, c := range m.ToolCalls {
		b.element()
		call := object(b.buf)
		call.raw("type", `"function_call"`)
		call.text("call_id", calls.call(c.ID))
		call.text("name", c.Name)
		call.text("arguments", c.Arguments)
		b.buf = call.end()
	}
	return nil
}

// inputContent returns a message's content in the format of Responses.
func inputContent(m rollout.Message) ([]byte, error) {
	if m.Parts == nil {
		return jsontext.AppendQuoted(nil, m.Content), nil
	}
	return eachPart(m.Parts, func(p part) { responsesPart(p, m.Role) })
}

// flatTools converts tools from chat format, where name, description, parameters and strict are nested
// in "function", to the flat format of Responses. Tools that are already flat remain unchanged. A
// missing strict is not filled in.
func flatTools(raw json.RawMessage) ([]byte, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	var tools []map[string]json.RawMessage
	if err := jsontext.Unmarshal(raw, &tools); err != nil {
		return nil, err
	}
	if len(tools) == 0 {
		return nil, nil
	}
	for i, t := range tools {
		if t["function"] == nil {
			continue
		}
		var flat map[string]json.RawMessage
		if err := jsontext.Unmarshal(t["function"], &flat); err != nil {
			return nil, err
		}
		if flat == nil {
			return nil, fmt.Errorf("tool %d has no function", i+1)
		}
		flat["type"] = json.RawMessage(`"function"`)
		tools[i] = flat
	}
	return json.Marshal(tools)
}
