package viewer

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// part is one text of a rollout, and where the page shows it: m and the number
// of a message, c and that of a call, a the answer, e the error, x what other
// keys hold.
type part struct{ at, what, text string }

// texts calls visit with every text of a record that can be searched, in the
// order of the page, until visit returns false. What a message of a tool says
// again of the output of its call is one text.
func texts(rec *rollout.Record, visit func(part) bool) {
	more := true
	say := func(at, what, text string) {
		if more && text != "" {
			more = visit(part{at, what, text})
		}
	}
	outputs := make(map[string]string, len(rec.Calls))
	for _, c := range rec.Calls {
		outputs[c.ID] = c.Output
	}
	for i, m := range rec.Messages {
		at := "m" + strconv.Itoa(i)
		say(at, "reasoning", m.Reasoning)
		if out, known := outputs[m.ToolCallID]; m.ToolCallID == "" || !known || out != m.Content {
			say(at, m.Role, m.Content)
		}
		say(at, "refusal", m.Refusal)
		for _, c := range m.ToolCalls {
			if _, known := outputs[c.ID]; !known { // Calls has it
				say(at, "call of "+c.Name, c.Arguments)
			}
		}
	}
	for i, c := range rec.Calls {
		at := "c" + strconv.Itoa(i)
		say(at, "tool", c.Name)
		say(at, "arguments of "+c.Name, c.Arguments)
		say(at, "output of "+c.Name, c.Output)
		say(at, "error of "+c.Name, c.Error)
	}
	if said := lastSaid(rec); said != rec.Answer {
		say("a", "answer", rec.Answer)
	}
	say("e", "error", rec.Error)
	for _, e := range rec.Earlier {
		say("e", "error of an earlier grade", e.Error)
	}
	for _, key := range slices.Sorted(maps.Keys(rec.Extra)) {
		say("x", key, plain(rec.Extra[key]))
	}
}

// lastSaid is the text of the last message, which mostly is the answer.
func lastSaid(rec *rollout.Record) string {
	if len(rec.Messages) == 0 {
		return ""
	}
	return rec.Messages[len(rec.Messages)-1].Content
}

// plain is the text of a JSON string, and the source of any other value.
func plain(raw json.RawMessage) string { return jsontext.TextOrJSON(raw) }
