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
	Error    string             `json:"error,omitempty"` // whole
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

// message is one message. Text is its text parts; Other what else was in it.
type message struct {
	Role      string  `json:"role"`
	Name      string  `json:"name,omitempty"`
	Text      string  `json:"text,omitempty"`
	Other     string  `json:"other,omitempty"`
	Refusal   string  `json:"refusal,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"`
	Asks      []asked `json:"asks,omitempty"`
	Answers   int     `json:"answers"` // the call whose output it is, from 0; -1 is none
}

// asked is a call that a message asks for. Call is its place in Calls; -1 is
// none, and then Arguments are here.
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
	Chars     int     `json:"output_chars"` // of the output as it was recorded
	Bytes     int     `json:"output_bytes"` // of it before any cut
	Cut       bool    `json:"cut,omitempty"`
	Status    string  `json:"status"`
	Error     string  `json:"error,omitempty"`
	HTTP      int     `json:"http_status,omitempty"`
	Retries   int     `json:"retries,omitempty"`
	Offset    float64 `json:"offset_s"`
	Elapsed   float64 `json:"elapsed_s"`
}

// leak is what another rollout left, and where it was found.
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

// show makes the whole of a rollout of the item that the page calls so.
func (s *side) show(rec *rollout.Record, item string, b brief) shown {
	n := s.names
	out := shown{
		brief: b, Split: string(rec.Split), Item: n.of("item", item), Error: n.text(rec.Error),
		Kind: n.of("kind", rec.Kind), Answer: n.text(rec.Answer),
		Parts: n.parts(rec.Parts), Grades: rec.Grades, Clipped: rec.Clipped, Usage: rec.Usage, Judge: rec.Judge,
		Retries: rec.Retries,
		TraceID: n.of("trace", rec.TraceID),
	}
	if !rec.Started.IsZero() {
		out.Started = &rec.Started
	}
	at := make(map[string]int, len(rec.Calls))
	out.Calls = make([]call, 0, len(rec.Calls))
	for i, c := range rec.Calls {
		if c.ID != "" {
			at[c.ID] = i
		}
		out.Calls = append(out.Calls, call{
			Turn: c.Turn, Name: n.of("tool", c.Name), Arguments: n.text(c.Arguments), Output: n.text(c.Output),
			Chars: utf8.RuneCountInString(c.Output), Bytes: c.OutputBytes, Cut: c.OutputBytes > len(c.Output),
			Status: string(c.Status), Error: n.text(c.Error), HTTP: c.HTTPStatus, Retries: c.Retries,
			Offset: time.Duration(c.Offset).Seconds(), Elapsed: time.Duration(c.Elapsed).Seconds(),
		})
	}
	out.Messages = n.messages(rec.Messages, at)
	for _, l := range rec.Leaks {
		out.Leaks = append(out.Leaks, leak{n.of("canary", l.Canary), n.place(l.At)})
	}
	for _, e := range rec.Earlier {
		out.Earlier = append(out.Earlier, earlier{
			n.of("grader", e.Grader), string(e.Outcome), n.text(e.Error),
			e.Reward, n.parts(e.Parts),
		})
	}
	for _, key := range slices.Sorted(maps.Keys(rec.Extra)) {
		out.Extra = append(out.Extra, pair{n.of("key", key), n.text(plain(rec.Extra[key]))})
	}
	return out
}

// place is where a leak was met: a word, or a tool and its name.
func (n *names) place(at string) string {
	tool, ofTool := strings.CutPrefix(at, "tool ")
	switch {
	case !n.redact, at == "agent", at == "model", at == "session":
		return at
	case ofTool:
		return n.of("tool", tool)
	}
	return n.text(at)
}

func (n *names) parts(parts map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(parts))
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		out[n.of("part", name)] = parts[name]
	}
	return out
}

// messages shows messages. calls says where the call of an id is.
func (n *names) messages(list []rollout.Message, calls map[string]int) []message {
	place := func(id string) int {
		if at, ok := calls[id]; ok && id != "" {
			return at
		}
		return -1
	}
	out := make([]message, 0, len(list))
	for _, m := range list {
		one := message{
			Role: n.role(m.Role), Name: n.of("name", m.Name), Text: n.text(m.Content),
			Other:   n.text(otherParts(m.Parts)),
			Refusal: n.text(m.Refusal), Reasoning: n.text(m.Reasoning), Answers: place(m.ToolCallID),
		}
		if m.Role == "tool" {
			one.Name = n.of("tool", m.Name)
		}
		for _, c := range m.ToolCalls {
			a := asked{Name: n.of("tool", c.Name), Call: place(c.ID)}
			if a.Call < 0 {
				a.Arguments = n.text(c.Arguments)
			}
			one.Asks = append(one.Asks, a)
		}
		out = append(out, one)
	}
	return out
}

// otherParts is the source of the parts of a content array that are no text.
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
