package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// intake is what the readers of all formats share: it numbers samples over lines and files,
// hands each item on once, holds the import to one model, and counts what is not a grade.
type intake struct {
	*tally
	files   []File
	opt     Options
	open    opener // of tables
	sink    Sink
	split   rollout.Split
	numbers *onward
	times   map[string]int // how often an item came in this file
	lines   map[string]int // where in this file something came that may come once
	runs    map[string]int // the place of each run in this file, by its id
	missing map[rollout.Outcome]int
	model   oneModel
	plans   plans
	wanted  string // the score that is the reward; "" until the first is seen, or for the usual one
	several bool   // there are others
}

func newIntake(files []File, opt Options, sink Sink) *intake {
	return &intake{
		tally: newTally(), files: files, opt: opt, sink: sink, split: opt.split(), numbers: newOnward(),
		missing: make(map[rollout.Outcome]int), wanted: opt.Score,
	}
}

// file begins the next file.
func (in *intake) file() {
	in.numbers.file()
	in.times, in.lines, in.runs = make(map[string]int), make(map[string]int), make(map[string]int)
}

// eachRowOf reads the files one by one, as eachRow reads one.
func eachRowOf[T any](ctx context.Context, in *intake, yield func(f File, line int, row *T) error) error {
	for _, f := range in.files {
		in.file()
		err := eachRow(ctx, f, in.sink.of(f, in.files), func(line int, row *T) error { return yield(f, line, row) })
		if err != nil {
			return err
		}
	}
	return nil
}

// choose settles on the score that is the reward: the one that was chosen before, the usual
// one, or the first.
func (in *intake) choose(names []string, usual ...string) {
	in.several = in.several || len(names) > 1
	if in.wanted != "" || len(names) == 0 {
		return
	}
	in.wanted = names[0]
	if i := slices.IndexFunc(usual, func(name string) bool { return slices.Contains(names, name) }); i >= 0 {
		in.wanted = usual[i]
	}
}

// of returns the model of a file; an import has only one.
func (in *intake) of(f File, model string) error {
	first := in.model.name == ""
	if err := in.model.check(f, model); err != nil {
		return err
	}
	if first {
		in.sink.model(in.model.name)
	}
	return nil
}

// again counts the rollouts of an item in this file: the sample of a file that
// numbers none.
func (in *intake) again(item string) int {
	in.times[item]++
	return in.times[item] - 1
}

// run returns the place of a run among those of the file, in the order in which they appear.
func (in *intake) run(id string) int {
	if _, there := in.runs[id]; !there {
		in.runs[id] = len(in.runs)
	}
	return in.runs[id]
}

// only refuses a second line for what a file may hold one line of.
func (in *intake) only(line int, what string) error {
	if was, there := in.lines[what]; there {
		return fmt.Errorf("%s came in line %d already: keep one of the two", what, was)
	}
	in.lines[what] = line
	return nil
}

// item hands an item on. A row whose messages or tools
// have another shape than chat is under "row".
func (in *intake) item(f File, line int, id string, row json.RawMessage) error {
	it := rollout.Item{ID: id, Split: in.split, File: filepath.Base(f.Name), Line: line, Row: row}
	if it.Decode() != nil {
		wrapped, err := json.Marshal(map[string]json.RawMessage{"row": row})
		if err != nil {
			return err
		}
		it.Row = wrapped
	}
	return ended(in.sink.item(it))
}

// record passes on the rollout that its file calls sample.
func (in *intake) record(rec *rollout.Record, sample int) error {
	rec.Split, rec.Source = in.split, rollout.Import
	rec.Sample = in.numbers.inStep(in.split, rec.Item, rec.Step, sample)
	if rec.Reward == nil {
		in.missing[rec.Outcome]++
	}
	return ended(in.sink.record(rec))
}

// noteGraders says whose score is the reward, if there are several graders.
func (in *intake) noteGraders() {
	if in.several {
		in.sink.note("there are several graders, and the reward is the score of %s; --score NAME selects another",
			in.wanted)
	}
}

// noteMissing says what is not a grade.
func (in *intake) noteMissing() {
	for _, o := range rollout.Outcomes() {
		switch n := in.missing[o]; {
		case n > 0 && o.Missing():
			in.sink.note("rollouts that are failures (%s), not zeros: %d", o, n)
		case n > 0:
			in.sink.note("rollouts that ended without an answer or a grade (%s): %d", o, n)
		}
	}
}

// number reads a number; null, which NaN was read as, and nothing are nil.
func number(name string, v json.RawMessage) (*float64, error) {
	if isNone(v) {
		return nil, nil
	}
	var f float64
	if err := jsontext.Unmarshal(v, &f); err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%s must be a number, not %s", name, transcript.FirstLine(string(v)))
	}
	return &f, nil
}

// wholeID reads an item's id: a string, or a whole number.
func wholeID(name string, v json.RawMessage) (string, error) {
	id := jsontext.TextOrJSON(v)
	number := len(v) > 0 && v[0] != '"'
	var n int64
	if id == "" || number && jsontext.Unmarshal(v, &n) != nil {
		return "", fmt.Errorf("%s must be a whole number or a string, not %s", name, transcript.FirstLine(string(v)))
	}
	return id, nil
}

// setParts sets a sub-score of a record.
func setParts(rec *rollout.Record, name string, value *float64) {
	if value == nil {
		return
	}
	if rec.Parts == nil {
		rec.Parts = make(map[string]float64)
	}
	rec.Parts[name] = *value
}

// grade gives a record its reward, or says why it has none.
func grade(rec *rollout.Record, reward *float64, why string) {
	if reward != nil {
		rec.Outcome, rec.Reward = rollout.Graded, reward
		return
	}
	rec.Outcome, rec.Error = rollout.GraderFailed, why
}

// fail gives a record the outcome of a failure.
func fail(rec *rollout.Record, o rollout.Outcome, cause string) {
	if cause = transcript.FirstLine(cause); cause == "" {
		cause = "no cause is recorded"
	}
	rec.Outcome, rec.Error, rec.Reward = o, cause, nil
}

// finished gives a record the way in which the model's last reply ended, by the
// word that the log has for it. A word that is not known stays with the record.
func finished(rec *rollout.Record, word string) {
	if rec.Finish = rollout.FinishOf(word); rec.Finish == "" {
		rec.KeepEnd(word)
	}
	if rec.Finish != rollout.FinishStop {
		return
	}
	for _, m := range slices.Backward(rec.Messages) {
		if m.Role == "assistant" {
			if strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 {
				rec.Finish = rollout.FinishEmpty
			}
			return
		}
	}
}

// valuesByKey returns the keys of a JSON object in their order, and its values.
func valuesByKey(object json.RawMessage) (keys []string, values map[string]json.RawMessage, err error) {
	values = make(map[string]json.RawMessage)
	err = rollout.Members(object, func(key string, value []byte) error {
		keys, values[key] = append(keys, key), value
		return nil
	})
	return keys, values, err
}

// pythonTime reads a time as Python writes it, with or without a zone.
func pythonTime(text string) time.Time {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
