package rollout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/prompt"
	"gonogo/sampler/wording"
)

// UnmarshalJSON reads a record from one JSON object. Keys are matched exactly, the last of several
// equal keys wins, unknown keys go to Extra, and item may be a string or a whole number. Omitted
// keys leave zero values: Read fills in the defaults that depend on the file.
func (r *Record) UnmarshalJSON(b []byte) error {
	d, err := decodeRecord(b, decoding{})
	if err != nil {
		return err
	}
	*r = *d.rec
	return nil
}

// decoded is a record, and what its line said or omitted.
type decoded struct {
	rec        *Record
	itemNumber bool   // the id was written as a number
	hasSample  bool   // the line has a sample number
	noReward   string // why there is no reward; "" if there is one
	truth      bool   // the reward was written as true or false
}

// decoding says how a line is decoded; see ReadOptions.
type decoding struct {
	lean        bool // skip Messages and the outputs of Calls, without copying them
	skipPrompts bool // a lean read leaves out Asked and Said
	toolError   func(output string) bool
	prompts     *prompt.Cache // may be nil
}

// decodeRecord reads one line.
func decodeRecord(line []byte, as decoding) (decoded, error) {
	d := recordDecoder{decoding: as}
	err := d.decode(line)
	if err == jsontext.ErrSyntax {
		d = recordDecoder{decoding: as, lenient: true}
		err = d.decode(line)
	}
	if err == jsontext.ErrSyntax {
		return decoded{}, syntaxError(line)
	}
	return d.decoded, err
}

// syntaxError says what is wrong with a line that is not a JSON object.
func syntaxError(line []byte) error {
	if bytes.IndexByte(line, 0) >= 0 {
		return brokenError{errors.New("broken JSON: the line contains NUL bytes: if a power cut left it, delete it, " +
			"and its rollout is repeated; if the file is UTF-16, save it as UTF-8")}
	}
	var v map[string]json.RawMessage
	err := jsontext.Unmarshal(jsontext.Nullify(line), &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return brokenError{fmt.Errorf("broken JSON near byte %d of the line: %w", syntax.Offset, err)}
	}
	return fmt.Errorf("a line must be one JSON object such as {\"item\":\"q1\",\"reward\":0.5}, not %s", excerpt(line))
}

// brokenError reports a line that is not JSON at all, such as a torn one.
type brokenError struct{ error }

func (e brokenError) Unwrap() error { return e.error }

func (e brokenError) Is(target error) bool { return target == ErrBroken }

type recordDecoder struct {
	decoded
	decoding
	lenient bool
}

func (d *recordDecoder) decode(line []byte) error {
	d.rec = new(Record)
	d.noReward = "no reward"
	s := jsontext.Scanner{Source: line, Lenient: d.lenient}
	if !d.lenient {
		s.Enter = func(key []byte) (bool, error) {
			switch {
			case s.At >= len(line) || line[s.At] != '[':
			case string(key) == `"calls"`:
				var fault, err error
				d.rec.Calls, fault, err = scanCalls(&s, 2, d.decoding)
				return true, cmp.Or(err, fault)
			case string(key) == `"messages"` && d.lean && !d.skipPrompts:
				return true, d.rec.scanSaid(&s, 2, d.prompts)
			}
			return false, nil
		}
	}
	return s.Members(func(key, value []byte) error {
		if d.lenient && !json.Valid(value) {
			return d.member(key, jsontext.Nullify(value), value)
		}
		return d.member(key, value, value)
	})
}

// member reads one key of the record. was is the value before bare words such as NaN were replaced
// by null.
func (d *recordDecoder) member(key, v, was []byte) (err error) {
	r := d.rec
	switch key := jsontext.Key(key); string(key) {
	case "item":
		r.Item, d.itemNumber, err = readID(v)
	case "split":
		r.Split, err = readWord[Split]("split", v)
	case "step":
		d.takeStep(v)
	case "sample":
		r.Sample, err = readInt("sample", v)
		d.hasSample = !jsontext.IsNull(v)
	case "attempt":
		r.Attempt, err = readInt("attempt", v)
	case "source":
		r.Source, err = readWord[Source]("source", v)
	case "outcome":
		r.Outcome, err = readWord[Outcome]("outcome", v)
	case "error":
		r.Error = readCause(v)
	case "error_kind":
		r.Kind = readCause(v)
	case "reward":
		r.Reward, d.truth, err = readReward(v)
		d.noReward = ""
		if r.Reward == nil {
			d.noReward = "reward is " + string(was)
		}
	case "grades":
		r.Grades, err = readGrades(v)
	case "parts":
		r.Parts, err = readParts(v)
	case "group_size":
		r.GroupSize, _ = readInt("group_size", v) // a stranger's record may have another meaning of it
	case "clipped":
		r.Clipped = false
		err = readJSON("clipped", "true or false", v, &r.Clipped)
	case "category":
		r.Category, err = readText("category", v)
	case "family":
		r.Family, err = readText("family", v)
	case "answer":
		r.Answer, err = readText("answer", v)
	case "finish":
		d.takeFinish(v)
	case "served_by":
		r.Served, err = readText("served_by", v)
	case "messages":
		r.Messages, r.Asked, r.Said = nil, prompt.Identity{}, 0
		switch {
		case !d.lean:
			r.Messages, err = readMessages(v)
		case !d.skipPrompts:
			r.readSaid(v, d.prompts)
		}
	case "calls":
		r.Calls, err = readCalls(v, d.decoding)
	case "turns":
		r.Turns, err = readInt("turns", v)
	case "retries":
		r.Retries, err = readInt("retries", v)
	case "usage":
		r.Usage, err = readUsage("usage", v)
	case "judge":
		r.setExtra("judge", nil)
		if r.Judge, err = readUsage("judge", v); r.Judge == (Usage{}) && len(v) > len("{}") && v[0] == '{' {
			r.setExtra("judge", v) // another tool's data about its judge
		}
	case "blanked":
		r.Blanked, err = readInt("blanked", v)
	case "judge_calls":
		r.JudgeCalls, err = readInt("judge_calls", v)
	case "canary_planted":
		r.Planted = false
		err = readJSON("canary_planted", "true or false", v, &r.Planted)
	case "leaks":
		r.Leaks = nil
		err = readJSON("leaks", "a list of leaks", v, &r.Leaks)
	case "trace_id":
		r.TraceID, err = readText("trace_id", v)
	case "started_at":
		r.Started = time.Time{}
		err = wanted(r.Started.UnmarshalJSON(v), "started_at", "a time such as 2026-01-31T12:00:00Z", v)
	case "elapsed_s":
		r.Elapsed = 0
		err = wanted(r.Elapsed.UnmarshalJSON(v), "elapsed_s", "a number of seconds", v)
	case "earlier":
		r.Earlier = nil
		err = readJSON("earlier", "a list of former grades", v, &r.Earlier)
	case "probe":
		r.Probe = nil
		err = readJSON("probe", "what a probe expects", v, &r.Probe)
	default:
		r.setExtra(string(key), v)
	}
	return err
}

// takeStep reads the key "step". A value that is not the version of a policy, such as a text, stays
// among the unknown keys.
func (d *recordDecoder) takeStep(v []byte) {
	n, err := readInt("step", v)
	if d.rec.Step = max(0, n); err != nil || n < 0 {
		d.rec.setExtra("step", v)
	} else {
		d.rec.setExtra("step", nil)
	}
}

// setExtra keeps the value of an unknown key; nil deletes the key.
func (r *Record) setExtra(key string, v []byte) {
	if v == nil {
		if delete(r.Extra, key); len(r.Extra) == 0 {
			r.Extra = nil
		}
		return
	}
	if r.Extra == nil {
		r.Extra = make(map[string]json.RawMessage)
	}
	r.Extra[key] = bytes.Clone(v)
}

func readJSON(name, want string, v []byte, into any) error {
	return wanted(jsontext.Unmarshal(v, into), name, want, v)
}

// wanted turns the error of a value that could not be read into one that says what it must be.
func wanted(err error, name, want string, v []byte) error {
	if err != nil {
		return fmt.Errorf("%q must be %s, not %s: %w", name, want, excerpt(v), err)
	}
	return nil
}

// readUsage reads token counts: the usual form, whole numbers under our own names, directly, and
// anything else with encoding/json.
func readUsage(name string, v []byte) (u Usage, err error) {
	usual := len(v) > 0 && v[0] == '{'
	s := jsontext.Scanner{Source: v}
	if usual {
		err = s.Members(func(key, value []byte) error {
			var to **int64
			switch string(jsontext.Key(key)) {
			case "input_tokens":
				to = &u.Input
			case "output_tokens":
				to = &u.Output
			case "reasoning_tokens":
				to = &u.Reasoning
			case "cached_tokens":
				to = &u.Cached
			}
			n, wrong := strconv.ParseInt(string(value), 10, 64)
			if usual = usual && to != nil && wrong == nil; usual {
				*to = &n
			}
			return nil
		})
	}
	if usual && err == nil {
		return u, nil
	}
	u = Usage{}
	return u, readJSON(name, "token counts", v, &u)
}

// readID reads an item's id: a string, or a whole number, which becomes its decimal text.
func readID(v []byte) (id string, number bool, err error) {
	switch {
	case len(v) > 2 && v[0] == '"':
		if id = jsontext.Text(v); garbled(v, id) {
			return "", false, fmt.Errorf("%q is %q, with characters that are not valid UTF-8, so that another id "+
				"may look the same: save the file as UTF-8", "item", id)
		}
		return id, false, nil
	case string(v) == `""`:
		return "", false, fmt.Errorf("%q is empty: give every item a name", "item")
	case jsontext.IsNull(v):
		return "", false, fmt.Errorf("%q is null: give every item a name", "item")
	case string(v) == "-0":
		return "0", true, nil
	case wholeNumber(v):
		return string(v), true, nil
	}
	return "", false, fmt.Errorf("%q must be a string or a whole number, not %s: write it in quotes", "item",
		excerpt(v))
}

// garbled reports whether reading a literal replaced broken bytes or half a surrogate pair by
// U+FFFD, which would make several names one.
func garbled(lit []byte, text string) bool {
	const replaced = "\uFFFD"
	n := strings.Count(text, replaced)
	return n > 0 && n > bytes.Count(lit, []byte(replaced))+bytes.Count(bytes.ToLower(lit), []byte(`\ufffd`))
}

func wholeNumber(v []byte) bool {
	digits := bytes.TrimPrefix(v, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}

func readText(name string, v []byte) (string, error) {
	switch {
	case v[0] == '"':
		return jsontext.Text(v), nil
	case jsontext.IsNull(v):
		return "", nil
	}
	return "", fmt.Errorf("%q must be a string, not %s: write it in quotes", name, excerpt(v))
}

// readCause reads the cause of a failure, which tools write as a text, an object or a flag.
// settleError decides what it means, if anything.
func readCause(v []byte) string {
	if v[0] == '"' {
		return jsontext.Text(v)
	}
	return jsontext.TextOrJSON(v)
}

// readWord reads a word of a fixed set; the most frequent ones cost no allocation.
func readWord[W ~string](name string, v []byte) (W, error) {
	switch string(v) {
	case `"train"`:
		return "train", nil
	case `"eval"`:
		return "eval", nil
	case `"live"`:
		return "live", nil
	case `"import"`:
		return "import", nil
	case `"graded"`:
		return "graded", nil
	}
	text, err := readText(name, v)
	return W(text), err
}

func readInt(name string, v []byte) (int, error) {
	if jsontext.IsNull(v) {
		return 0, nil
	}
	n, err := strconv.Atoi(string(v))
	if err != nil || !wholeNumber(v) {
		return 0, fmt.Errorf("%q must be a whole number, not %s", name, excerpt(v))
	}
	return n, nil
}

// readNumber reads a number; null is nil.
func readNumber(name string, v []byte) (*float64, error) {
	switch c := v[0]; {
	case jsontext.IsNull(v):
		return nil, nil
	case c != '-' && (c < '0' || c > '9'):
		return nil, fmt.Errorf("%q must be a number or null, not %s", name, excerpt(v))
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%q is %s, which does not fit in a float64", name, excerpt(v))
	}
	return &f, nil
}

// readReward reads a reward: a number, or true for 1 and false for 0; null is nil.
func readReward(v []byte) (reward *float64, truth bool, err error) {
	var f float64
	switch string(v) {
	case "true":
		f = 1
	case "false":
	default:
		reward, err = readNumber("reward", v)
		return reward, false, err
	}
	return &f, true, nil
}

// readGrades reads the regrades of one output. A null among them is a regrade that failed: it is
// omitted, never read as zero.
func readGrades(v []byte) ([]float64, error) {
	var all []*float64
	if err := readJSON("grades", "a list of numbers", v, &all); err != nil || len(all) == 0 {
		return nil, err
	}
	var grades []float64
	for _, g := range all {
		if g != nil {
			grades = append(grades, *g)
		}
	}
	return grades, nil
}

// readParts reads sub-scores. A null is a part that was not scored: it is omitted, never read as
// zero.
func readParts(v []byte) (map[string]float64, error) {
	if parts := plainParts(v); parts != nil {
		return parts, nil
	}
	var all map[string]any
	if err := readJSON("parts", "an object of numbers", v, &all); err != nil || len(all) == 0 {
		return nil, err
	}
	parts := make(map[string]float64, len(all))
	for name, p := range all {
		switch p := p.(type) {
		case nil:
		case float64:
			parts[name] = p
		case bool:
			if parts[name] = 0; p {
				parts[name] = 1
			}
		default:
			return nil, fmt.Errorf("%q must be an object of numbers, true and false, not %s", "parts", excerpt(v))
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return parts, nil
}

// plainParts reads sub-scores in the usual form, numbers only; it returns nil if there is anything
// else.
func plainParts(v []byte) map[string]float64 {
	if v[0] != '{' {
		return nil
	}
	parts := make(map[string]float64)
	s := jsontext.Scanner{Source: v}
	err := s.Members(func(key, value []byte) error {
		if c := value[0]; c != '-' && (c < '0' || c > '9') {
			return jsontext.ErrSyntax
		}
		f, err := strconv.ParseFloat(string(value), 64)
		parts[jsontext.Text(key)] = f
		return err
	})
	if err != nil || len(parts) == 0 {
		return nil
	}
	return parts
}

// excerpt shortens a value for a message.
func excerpt(v []byte) string { return wording.ClipBytes(strings.ToValidUTF8(string(v), "?"), 60) }
