package viewer

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// part is one text of a rollout, what kind it is, and where the page shows it: m and the index of a
// message, c and the index of a call, a for the answer, e for the error, x for other keys.
type part struct{ place, what, text string }

// texts calls visit with every text of a record that can be searched, in the order of the page,
// until visit returns false. A message that repeats the output of its call is skipped.
func texts(rec *rollout.Record, visit func(part) bool) {
	more := true
	add := func(place, what, text string) {
		if more && text != "" {
			more = visit(part{place, what, text})
		}
	}
	outputs := make(map[string]string, len(rec.Calls))
	for _, c := range rec.Calls {
		outputs[c.ID] = c.Output
	}
	for i, m := range rec.Messages {
		place := "m" + strconv.Itoa(i)
		add(place, "reasoning", m.Reasoning)
		if out, known := outputs[m.ToolCallID]; m.ToolCallID == "" || !known || out != m.Content {
			add(place, m.Role, m.Content)
		}
		add(place, "refusal", m.Refusal)
		for _, c := range m.ToolCalls {
			if _, known := outputs[c.ID]; !known { // else it is among the calls
				add(place, "call of "+c.Name, c.Arguments)
			}
		}
	}
	for i, c := range rec.Calls {
		place := "c" + strconv.Itoa(i)
		add(place, "tool", c.Name)
		add(place, "arguments of "+c.Name, c.Arguments)
		add(place, "output of "+c.Name, c.Output)
		add(place, "error of "+c.Name, c.Error)
	}
	if last := lastText(rec); last != rec.Answer {
		add("a", "answer", rec.Answer)
	}
	add("e", "error", rec.Error)
	for _, e := range rec.Earlier {
		add("e", "error of an earlier grade", e.Error)
	}
	for _, key := range slices.Sorted(maps.Keys(rec.Extra)) {
		add("x", key, plain(rec.Extra[key]))
	}
}

// lastText returns the text of the last message, which usually is the answer.
func lastText(rec *rollout.Record) string {
	if len(rec.Messages) == 0 {
		return ""
	}
	return rec.Messages[len(rec.Messages)-1].Content
}

// plain returns the text of a JSON string, and the JSON of any other value.
func plain(raw json.RawMessage) string { return jsontext.TextOrJSON(raw) }
