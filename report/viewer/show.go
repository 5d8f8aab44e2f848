package viewer

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// shown is a rollout with all of its texts, as the page shows it.
type shown struct {
	brief
	Split    string             `json:"split"`
	Item     string             `json:"item"`
	Error    string             `json:"error,omitempty"` // untruncated
	Kind     string             `json:"error_kind,omitempty"`
	Answer   string             `json:"answer,omitempty"`
	Messages []message          `json:"messages"`
	Calls    []call             `json:"calls"`
	Parts    map[string]float64 `json:"parts,omitempty"`
	Grades   []float64          `json:"grades,omitempty"`
	Clipped  bool               `json:"clipped,omitempty"`
	Earlier  []earlier          `json:"earlier,omitempty"`
	Usage    rollout.Usage      `json:"usage"`
	Judge    rollout.Usage      `json:"judge"`
	Retries  int                `json:"retries,omitempty"`
	Leaks    []leak             `json:"leaks,omitempty"`
	TraceID  string             `json:"trace_id,omitempty"`
	Started  *time.Time         `json:"started_at,omitempty"`
	Extra    []pair             `json:"extra,omitempty"`
}

// message is one message. Text is its text parts, Other the source of its other parts.
type message struct {
	Role      string  `json:"role"`
	Name      string  `json:"name,omitempty"`
	Text      string  `json:"text,omitempty"`
	Other     string  `json:"other,omitempty"`
	Refusal   string  `json:"refusal,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"`
	Asks      []asked `json:"asks,omitempty"`
	Answers   int     `json:"answers"` // index of the call whose output it is; -1 if none
}

// asked is a call that a message asks for. Call is its index in Calls, or -1 if it was not
// recorded; Arguments are set only then.
type asked struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"`
	Call      int    `json:"call"`
}

type call struct {
	Turn      int     `json:"turn"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    string  `json:"output"`
	Chars     int     `json:"output_chars"` // length of the recorded output
	Bytes     int     `json:"output_bytes"` // size of the output before it was cut
	Cut       bool    `json:"cut,omitempty"`
	Status    string  `json:"status"`
	Error     string  `json:"error,omitempty"`
	HTTP      int     `json:"http_status,omitempty"`
	Retries   int     `json:"retries,omitempty"`
	Offset    float64 `json:"offset_s"`
	Elapsed   float64 `json:"elapsed_s"`
}

// leak is the canary of another rollout, and where it was found.
type leak struct {
	Canary string `json:"canary"`
	At     string `json:"at"`
}

type earlier struct {
	Grader  string             `json:"grader"`
	Outcome string             `json:"outcome"`
	Error   string             `json:"error,omitempty"`
	Reward  *float64           `json:"reward"`
	Parts   map[string]float64 `json:"parts,omitempty"`
}

type pair struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// show returns all of a rollout; item is what the page calls its item.
func (s *side) show(rec *rollout.Record, item string, b brief) shown {
	n := s.names
	out := shown{
		brief: b, Split: string(rec.Split), Item: n.display("item", item), Error: n.text(rec.Error),
		Kind: n.display("kind", rec.Kind), Answer: n.text(rec.Answer),
		Parts: n.parts(rec.Parts), Grades: rec.Grades, Clipped: rec.Clipped, Usage: rec.Usage, Judge: rec.Judge,
		Retries: rec.Retries,
		TraceID: n.display("trace", rec.TraceID),
	}
	if !rec.Started.IsZero() {
		out.Started = &rec.Started
	}
	index := make(map[string]int, len(rec.Calls))
	out.Calls = make([]call, 0, len(rec.Calls))
	for i, c := range rec.Calls {
		if c.ID != "" {
			index[c.ID] = i
		}
		out.Calls = append(out.Calls, call{
			Turn: c.Turn, Name: n.display("tool", c.Name), Arguments: n.text(c.Arguments), Output: n.text(c.Output),
			Chars: utf8.RuneCountInString(c.Output), Bytes: c.OutputBytes, Cut: c.OutputBytes > len(c.Output),
			Status: string(c.Status), Error: n.text(c.Error), HTTP: c.HTTPStatus, Retries: c.Retries,
			Offset: time.Duration(c.Offset).Seconds(), Elapsed: time.Duration(c.Elapsed).Seconds(),
		})
	}
	out.Messages = n.messages(rec.Messages, index)
	for _, l := range rec.Leaks {
		out.Leaks = append(out.Leaks, leak{n.display("canary", l.Canary), n.place(l.At)})
	}
	for _, e := range rec.Earlier {
		out.Earlier = append(out.Earlier, earlier{
			n.display("grader", e.Grader), string(e.Outcome), n.text(e.Error),
			e.Reward, n.parts(e.Parts),
		})
	}
	for _, key := range slices.Sorted(maps.Keys(rec.Extra)) {
		out.Extra = append(out.Extra, pair{n.display("key", key), n.text(plain(rec.Extra[key]))})
	}
	return out
}

// place returns how the place of a leak is shown: a fixed word, or the name of a tool.
func (n *names) place(place string) string {
	tool, ofTool := strings.CutPrefix(place, "tool ")
	switch {
	case !n.redact, place == "agent", place == "model", place == "session":
		return place
	case ofTool:
		return n.display("tool", tool)
	}
	return n.text(place)
}

func (n *names) parts(parts map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(parts))
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		out[n.display("part", name)] = parts[name]
	}
	return out
}

// messages returns how messages are shown. calls maps the id of a call to its index.
func (n *names) messages(list []rollout.Message, calls map[string]int) []message {
	place := func(id string) int {
		if i, ok := calls[id]; ok && id != "" {
			return i
		}
		return -1
	}
	out := make([]message, 0, len(list))
	for _, m := range list {
		one := message{
			Role: n.role(m.Role), Name: n.display("name", m.Name), Text: n.text(m.Content),
			Other:   n.text(otherParts(m.Parts)),
			Refusal: n.text(m.Refusal), Reasoning: n.text(m.Reasoning), Answers: place(m.ToolCallID),
		}
		if m.Role == "tool" {
			one.Name = n.display("tool", m.Name)
		}
		for _, c := range m.ToolCalls {
			a := asked{Name: n.display("tool", c.Name), Call: place(c.ID)}
			if a.Call < 0 {
				a.Arguments = n.text(c.Arguments)
			}
			one.Asks = append(one.Asks, a)
		}
		out = append(out, one)
	}
	return out
}

// otherParts returns the JSON of the parts of a content array that are not text.
func otherParts(raw json.RawMessage) string {
	var parts []json.RawMessage
	if jsontext.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var out [][]byte
	for _, p := range parts {
		var text struct {
			Text *string `json:"text"`
		}
		if jsontext.Unmarshal(p, &text) != nil || text.Text == nil {
			out = append(out, p)
		}
	}
	return string(bytes.Join(out, []byte("\n")))
}
