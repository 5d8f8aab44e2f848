package transcript

import (
	"cmp"
	"encoding/json"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Item is an item of the Responses API, of an input or an output.
type Item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Status    string          `json:"status"`
	Summary   json.RawMessage `json:"summary"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// Items decodes the input or the output of a Responses request: a text, which becomes a user
// message, or a list of items. Items of other kinds, such as those of hosted tools, are left out.
func Items(raw json.RawMessage) ([]rollout.Message, error) {
	if text := jsontext.TextOrJSON(raw); len(raw) == 0 || raw[0] != '[' {
		if text == "" {
			return nil, nil
		}
		return []rollout.Message{{Role: "user", Content: text}}, nil
	}
	var items []Item
	if err := jsontext.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	var t Builder
	for _, it := range items {
		text, err := Text(it.Content)
		if err != nil {
			return nil, err
		}
		t.AddItem(it, text)
	}
	return t.Messages, nil
}

// AddItem adds an item of the Responses API; text is the text of its content.
func (t *Builder) AddItem(it Item, text string) {
	switch {
	case it.Type == "function_call":
		t.AddCall(it.CallID, it.Name, jsontext.TextOrJSON(it.Arguments))
	case it.Type == "function_call_output":
		t.AddResult(it.CallID, jsontext.TextOrJSON(it.Output))
	case it.Type == "reasoning":
		t.AddReasoning(cmp.Or(Summary(it.Summary), Summary(it.Content)))
	case it.Role == "assistant":
		t.AddReply(text)
	case it.Role != "":
		t.AddPrompt(it.Role, text)
	}
}
