package exporter

import (
	"encoding/json"
	"reflect"
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// onlyStamped ends a note on what the other tool does not see, and our own importer does.
const onlyStamped = ": only under the key gonogo, which gonogo itself reads back"

// pictureNote says what becomes of prompts that are not text alone.
const pictureNote = "rollout[ has|s have] a prompt with pictures or other parts: the messages hold its text, and the " +
	"item's row under the key gonogo holds all of it"

// stamp is what our own importer reads back from a log that gonogo wrote: everything that the format
// has no words for.
type stamp struct {
	Item    string          `json:"item"`
	Split   rollout.Split   `json:"split"`
	Sample  int             `json:"sample"`
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error,omitempty"`
	Kind    string          `json:"error_kind,omitempty"`
	None    bool            `json:"unscored,omitempty"` // there is no reward, whatever the log has in its place
	Finish  rollout.Finish  `json:"finish,omitempty"`

	Asked int `json:"asked,omitempty"` // number of messages before the model's first
	// messages after those that the format changes or leaves out, by index
	Said map[int]rollout.Message `json:"messages,omitempty"`
	// the record has no messages: those of the log were made from its calls and its answer
	Bare   bool    `json:"no_messages,omitempty"`
	Answer *string `json:"answer,omitempty"` // unless it is the model's last text
	// Shown has for each tool call of the record the index, among the calls in the log's messages, of
	// the one that holds its arguments and its output; -1 if the record below holds them.
	Shown  []int           `json:"shown,omitempty"`
	Row    json.RawMessage `json:"row,omitempty"` // the item's row, without messages that the log holds
	Record rollout.Record  `json:"record"`        // the other fields
}

// stampOf returns the stamp of a record. holds reports whether the format holds a message
// unchanged.
func (r *Run) stampOf(rec *rollout.Record, holds func(*rollout.Message) bool) stamp {
	talk := conversation(rec)
	s := stamp{
		Item: rec.Item, Split: rec.Split, Sample: rec.Sample, Outcome: rec.Outcome, Error: rec.Error, Kind: rec.Kind,
		None: rec.Reward == nil, Finish: rec.Finish, Asked: len(r.prompt(rec)),
		Bare: len(rec.Messages) == 0 && len(talk) > 0, Row: r.row(rec.Item, holds),
	}
	if transcript.LastAnswer(talk) != rec.Answer {
		s.Answer = &rec.Answer
	}
	for i := range rec.Messages {
		if !holds(&rec.Messages[i]) {
			if s.Said == nil {
				s.Said = make(map[int]rollout.Message)
			}
			s.Said[i] = rec.Messages[i]
		}
	}
	s.Record = *rec
	s.Record.Error, s.Record.Kind, s.Record.Reward = "", "", nil
	s.Record.Answer, s.Record.Messages = "", nil
	if rec.Reward != nil {
		s.Record.Parts = nil // the log has them next to the reward
	}
	shows := talk
	if s.Bare && slices.ContainsFunc(talk, func(m rollout.Message) bool { return !holds(&m) }) {
		shows = nil
	}
	s.Record.Calls, s.Shown = shownCalls(rec.Calls, shows)
	return s
}

// shownCalls returns the calls without the arguments and the outputs that the conversation holds,
// and where it holds them.
func shownCalls(calls []rollout.Call, talk []rollout.Message) (short []rollout.Call, shown []int) {
	asked, _ := transcript.CallsOf(talk, transcript.UnreportedStatus)
	next := 0
	for _, c := range calls {
		at := -1
		for i := next; i < len(asked) && at < 0; i++ {
			a := asked[i]
			if a.ID == c.ID && a.Name == c.Name && a.Arguments == c.Arguments && a.Output == c.Output {
				at, next = i, i+1
				c.Arguments, c.Output = "", ""
			}
		}
		short, shown = append(short, c), append(shown, at)
	}
	return short, shown
}

// row returns the row of an item, without its messages if the format holds them.
func (r *Run) row(id string, holds func(*rollout.Message) bool) json.RawMessage {
	it := r.items[id]
	if it == nil || len(it.Row) == 0 {
		return nil
	}
	for i := range it.Messages {
		if !holds(&it.Messages[i]) {
			return it.Row
		}
	}
	var row map[string]json.RawMessage
	if jsontext.Unmarshal(it.Row, &row) != nil || !same(row["messages"], it.Messages) {
		return it.Row
	}
	delete(row, "messages")
	short, err := json.Marshal(row)
	if err != nil || len(row) == 0 {
		return nil
	}
	return short
}

// same reports whether a JSON text says what v says when it is encoded.
func same(text json.RawMessage, v any) bool {
	encoded, err := json.Marshal(v)
	if err != nil {
		return false
	}
	var a, b any
	return jsontext.Unmarshal(text, &a) == nil && jsontext.Unmarshal(encoded, &b) == nil && reflect.DeepEqual(a, b)
}

// chatRole returns the role of a message in formats that have only the four of a chat.
func chatRole(role string) string {
	switch role {
	case "system", "user", "assistant", "tool":
		return role
	case "developer":
		return "system"
	}
	return "user"
}

// plain reports whether a message has only what every chat format has: one of the four roles, a
// text, and what belongs to the role.
func plain(m *rollout.Message) bool {
	tool, assistant := m.Role == "tool", m.Role == "assistant"
	return m.Role == chatRole(m.Role) && len(m.Parts) == 0 && m.Refusal == "" &&
		(tool || m.Name == "" && m.ToolCallID == "") && (assistant || m.Reasoning == "" && len(m.ToolCalls) == 0)
}
