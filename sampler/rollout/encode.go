package rollout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"gonogo/sampler/jsontext"
)

// MarshalJSON writes the record on one line: the known keys in the order of the struct, then the
// keys of Extra in alphabetical order. A key of Extra that names a field of the record is omitted,
// except for an unknown finish, step or judge.
func (r Record) MarshalJSON() ([]byte, error) { return r.appendTo(nil) }

// appendTo appends the record as MarshalJSON writes it: the output of encoding/json in a third of
// its time.
func (r *Record) appendTo(b []byte) ([]byte, error) {
	w := encoder{b: append(b, `{"item":`...)}
	w.b = jsontext.AppendPageSafe(w.b, r.Item)
	w.word("split", string(r.Split))
	w.count("step", r.Step)
	w.int("sample", r.Sample)
	w.int("attempt", r.Attempt)
	w.word("source", string(r.Source))
	w.word("outcome", string(r.Outcome))
	w.text("error", r.Error)
	w.text("error_kind", r.Kind)
	if r.Reward != nil {
		w.key("reward")
		w.number(*r.Reward)
	}
	w.any("grades", r.Grades, len(r.Grades) > 0)
	w.any("parts", r.Parts, len(r.Parts) > 0)
	w.count("group_size", r.GroupSize)
	w.flag("clipped", r.Clipped)
	w.text("category", r.Category)
	w.text("family", r.Family)
	w.text("answer", r.Answer)
	w.text("finish", string(r.Finish))
	w.text("served_by", r.Served)
	w.messages(r.Messages)
	w.calls(r.Calls)
	w.count("turns", r.Turns)
	w.count("retries", r.Retries)
	w.usage("usage", r.Usage)
	w.usage("judge", r.Judge)
	w.count("judge_calls", r.JudgeCalls)
	w.count("blanked", r.Blanked)
	w.flag("canary_planted", r.Planted)
	w.any("leaks", r.Leaks, len(r.Leaks) > 0)
	w.text("trace_id", r.TraceID)
	w.any("started_at", r.Started, !r.Started.IsZero())
	w.seconds("elapsed_s", r.Elapsed)
	w.any("earlier", r.Earlier, len(r.Earlier) > 0)
	w.any("probe", r.Probe, r.Probe != nil)
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if recordKeys()[name] && !r.isFree(name) {
			continue
		}
		w.b = append(jsontext.AppendPageSafe(append(w.b, ','), name), ':')
		out := bytes.NewBuffer(w.b)
		if err := json.Compact(out, r.Extra[name]); err != nil {
			return nil, fmt.Errorf("write key %q of a record: %w", name, err)
		}
		w.b = out.Bytes()
	}
	return append(w.b, '}'), w.err
}

// appendTo appends the item as encoding/json writes it.
func (it *Item) appendTo(b []byte) ([]byte, error) {
	w := encoder{b: append(b, `{"id":`...)}
	w.b = jsontext.AppendPageSafe(w.b, it.ID)
	w.word("split", string(it.Split))
	w.text("category", it.Category)
	w.text("family", it.Family)
	w.text("file", it.File)
	w.count("line", it.Line)
	if len(it.Row) > 0 {
		w.key("row")
		w.b, w.err = jsontext.AppendCompact(slices.Grow(w.b, len(it.Row)+2), it.Row)
	}
	return append(w.b, '}'), w.err
}

// isFree reports whether the record has no value under a key, so that what another tool wrote there
// is kept.
func (r *Record) isFree(name string) bool {
	switch name {
	case "finish":
		return r.Finish == ""
	case "step":
		return r.Step == 0
	case "judge":
		return r.Judge == (Usage{})
	}
	return false
}

// encoder appends the members of objects after the first one.
type encoder struct {
	b   []byte
	err error // the first error
}

func (w *encoder) key(name string) {
	w.b = append(append(append(w.b, `,"`...), name...), `":`...)
}

func (w *encoder) word(name, value string) {
	w.key(name)
	w.b = jsontext.AppendPageSafe(w.b, value)
}

// text omits an empty value, as do the methods below for zero values.
func (w *encoder) text(name, value string) {
	if value != "" {
		w.word(name, value)
	}
}

func (w *encoder) int(name string, n int) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *encoder) count(name string, n int) {
	if n != 0 {
		w.int(name, n)
	}
}

func (w *encoder) flag(name string, set bool) {
	if set {
		w.key(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *encoder) seconds(name string, s Seconds) {
	if s != 0 {
		w.key(name)
		w.b = s.appendTo(w.b)
	}
}

// appendTo appends the number of seconds, rounded to microseconds.
func (s Seconds) appendTo(b []byte) []byte {
	micros := time.Duration(s).Round(time.Microsecond).Microseconds()
	return strconv.AppendFloat(b, float64(micros)/1e6, 'f', -1, 64)
}

func (w *encoder) number(f float64) {
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e21 {
		w.b = strconv.AppendFloat(w.b, f, 'f', -1, 64)
		return
	}
	w.other(f)
}

// any leaves an infrequent value to encoding/json.
func (w *encoder) any(name string, value any, present bool) {
	if present {
		w.key(name)
		w.other(value)
	}
}

func (w *encoder) other(value any) {
	text, err := json.Marshal(value)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b = append(w.b, text...)
}

func (w *encoder) usage(name string, u Usage) {
	if u == (Usage{}) {
		return
	}
	w.key(name)
	start := len(w.b)
	for _, n := range []struct {
		name  string
		count *int64
	}{
		{"input_tokens", u.Input},
		{"output_tokens", u.Output},
		{"reasoning_tokens", u.Reasoning},
		{"cached_tokens", u.Cached},
	} {
		if n.count != nil {
			w.key(n.name)
			w.b = strconv.AppendInt(w.b, *n.count, 10)
		}
	}
	w.b[start] = '{' // replaces the first comma
	w.b = append(w.b, '}')
}

func (w *encoder) messages(all []Message) {
	for i := range all {
		if i == 0 {
			w.key("messages")
		}
		w.b = append(w.b, "[,"[min(i, 1)])
		w.message(&all[i])
	}
	if len(all) > 0 {
		w.b = append(w.b, ']')
	}
}

// message appends content as a string, or as the array that it was read from.
func (w *encoder) message(m *Message) {
	w.b = jsontext.AppendPageSafe(append(w.b, `{"role":`...), m.Role)
	w.text("refusal", m.Refusal)
	w.text("reasoning", m.Reasoning)
	for i := range m.ToolCalls {
		if i == 0 {
			w.key("tool_calls")
		}
		w.b = m.ToolCalls[i].appendTo(append(w.b, "[,"[min(i, 1)]))
	}
	if len(m.ToolCalls) > 0 {
		w.b = append(w.b, ']')
	}
	w.text("tool_call_id", m.ToolCallID)
	w.text("name", m.Name)
	w.key("content")
	if len(m.Parts) > 0 {
		w.other(m.Parts)
	} else {
		w.b = jsontext.AppendPageSafe(w.b, m.Content)
	}
	w.b = append(w.b, '}')
}

// appendTo appends the call as chat data sets nest it.
func (c *ToolCall) appendTo(b []byte) []byte {
	b = jsontext.AppendPageSafe(append(b, `{"id":`...), c.ID)
	b = jsontext.AppendPageSafe(append(b, `,"type":"function","function":{"name":`...), c.Name)
	b = jsontext.AppendPageSafe(append(b, `,"arguments":`...), c.Arguments)
	return append(b, "}}"...)
}

func (w *encoder) calls(all []Call) {
	for i := range all {
		if i == 0 {
			w.key("calls")
		}
		c := &all[i]
		w.b = append(append(w.b, "[,"[min(i, 1)]), `{"turn":`...)
		w.b = strconv.AppendInt(w.b, int64(c.Turn), 10)
		w.text("id", c.ID)
		w.word("name", c.Name)
		w.word("arguments", c.Arguments)
		w.text("output", c.Output)
		w.count("output_bytes", c.OutputBytes)
		w.word("status", string(c.Status))
		w.text("error", c.Error)
		w.count("http_status", c.HTTPStatus)
		w.count("retries", c.Retries)
		w.seconds("offset_s", c.Offset)
		w.seconds("elapsed_s", c.Elapsed)
		w.b = append(w.b, '}')
	}
	if len(all) > 0 {
		w.b = append(w.b, ']')
	}
}
