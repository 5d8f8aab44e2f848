package exporter

import (
	"cmp"
	"encoding/json"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// conversation returns what was said after the item's own messages. A record
// that holds calls or an answer alone, as an import may, gets the messages
// that they stand for.
func conversation(rec *rollout.Record) []rollout.Message {
	if len(rec.Messages) > 0 {
		return rec.Messages
	}
	var said []rollout.Message
	for i := 0; i < len(rec.Calls); {
		asks := rollout.Message{Role: "assistant"}
		var answers []rollout.Message
		for turn := rec.Calls[i].Turn; i < len(rec.Calls) && rec.Calls[i].Turn == turn; i++ {
			c := rec.Calls[i]
			asks.ToolCalls = append(asks.ToolCalls, rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
			if c.Status != rollout.CallFailed {
				answers = append(answers, rollout.Message{
					Role: "tool", ToolCallID: c.ID, Name: c.Name,
					Content: cmp.Or(c.Output, c.Error),
				})
			}
		}
		said = append(append(said, asks), answers...)
	}
	if rec.Answer != "" {
		said = append(said, rollout.Message{Role: "assistant", Content: rec.Answer})
	}
	return said
}

// asked returns the item's own messages.
func (r *Run) asked(rec *rollout.Record) []rollout.Message {
	if it := r.items[rec.Item]; it != nil {
		return it.Messages
	}
	return nil
}

// question returns what the item asks in one text: the last thing a user says.
func question(messages []rollout.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return messages[i].Content
		}
	}
	return ""
}

// isObject reports whether arguments are a JSON object, as some formats want
// them.
func isObject(arguments string) bool {
	var object map[string]json.RawMessage
	return jsontext.Unmarshal([]byte(arguments), &object) == nil && object != nil
}

// cause is what an outcome says where a format wants a text.
func cause(rec *rollout.Record) string {
	text := strings.TrimSpace(rec.Error)
	if text == "" {
		text = "no cause is recorded"
	}
	return string(rec.Outcome) + ": " + text
}
