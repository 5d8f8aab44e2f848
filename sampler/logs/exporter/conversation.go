package exporter

import (
	"cmp"
	"encoding/json"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// conversation returns the messages after the item's own. For a record with only calls or an
// answer, as an import may have, it builds the messages from them.
func conversation(rec *rollout.Record) []rollout.Message {
	if len(rec.Messages) > 0 {
		return rec.Messages
	}
	var talk []rollout.Message
	for i := 0; i < len(rec.Calls); {
		call := rollout.Message{Role: "assistant"}
		var results []rollout.Message
		for turn := rec.Calls[i].Turn; i < len(rec.Calls) && rec.Calls[i].Turn == turn; i++ {
			c := rec.Calls[i]
			call.ToolCalls = append(call.ToolCalls, rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
			if c.Status != rollout.CallFailed {
				results = append(results, rollout.Message{
					Role: "tool", ToolCallID: c.ID, Name: c.Name,
					Content: cmp.Or(c.Output, c.Error),
				})
			}
		}
		talk = append(append(talk, call), results...)
	}
	if rec.Answer != "" {
		talk = append(talk, rollout.Message{Role: "assistant", Content: rec.Answer})
	}
	return talk
}

// prompt returns the item's own messages.
func (r *Run) prompt(rec *rollout.Record) []rollout.Message {
	if it := r.items[rec.Item]; it != nil {
		return it.Messages
	}
	return nil
}

// question returns what the item asks as one text: the last user message.
func question(messages []rollout.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return messages[i].Content
		}
	}
	return ""
}

// isObject reports whether arguments are a JSON object, which some formats require.
func isObject(arguments string) bool {
	var object map[string]json.RawMessage
	return jsontext.Unmarshal([]byte(arguments), &object) == nil && object != nil
}

// cause returns the outcome and its cause, for formats that require a text.
func cause(rec *rollout.Record) string {
	text := strings.TrimSpace(rec.Error)
	if text == "" {
		text = "no cause is recorded"
	}
	return string(rec.Outcome) + ": " + text
}
