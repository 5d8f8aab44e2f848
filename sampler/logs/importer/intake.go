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

// intake is shared by the readers of all formats. It numbers samples across lines and files, passes
// each item on once, enforces that an import has one model, and counts what is not a grade.
type intake struct {
	*tally
	means   statedMeans
	files   []File
	opt     Options
	open    opener // opens tables
	sink    Sink
	split   rollout.Split
	numbers *onward
	times   map[string]int // how often each item occurred in this file
	lines   map[string]int // the line in this file of each thing that may occur only once
	runs    map[string]int // the position of each run in this file, by its id
	missing map[rollout.Outcome]int
	model   oneModel
	plans   plans
	truths  truths
	wanted  string   // the score that is the reward; "" = the usual one, or not chosen yet
	several bool     // there is more than one score
	offered []string // names of scores
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
	in.means.begin()
	in.times, in.lines, in.runs = make(map[string]int), make(map[string]int), make(map[string]int)
}

// eachRowOf reads the rows of all files in order; see eachRow.
func eachRowOf[T any](ctx context.Context, in *intake, yield func(f File, line int, row *T) error) error {
	for _, f := range in.files {
		in.file()
		err := eachRow(ctx, f, in.sink.forFile(f, in.files), func(line int, row *T) error { return yield(f, line, row) })
		if err != nil {
			return err
		}
	}
	return nil
}

// offer records the names of scores that --score may select.
func (in *intake) offer(names ...string) {
	for _, name := range names {
		if name != "" && len(in.offered) < 1000 && !slices.Contains(in.offered, name) {
			in.offered = append(in.offered, name)
		}
	}
}

// unscored returns an error if --score selects a score that no rollout has. If there are no scores at
// all, the rollouts themselves say why.
func (in *intake) unscored() error {
	if in.opt.Score == "" || len(in.offered) == 0 || slices.Contains(in.offered, in.opt.Score) {
		return nil
	}
	slices.Sort(in.offered)
	return fmt.Errorf("--score %s: no rollout has a score of that name; there are %s", in.opt.Score,
		counted(in.offered, mostNames))
}

// choose chooses the score that is the reward: the one chosen before, else the usual one, else the
// first.
func (in *intake) choose(names []string, usual ...string) {
	in.offer(names...)
	in.several = in.several || len(names) > 1
	if in.wanted != "" || len(names) == 0 {
		return
	}
	in.wanted = names[0]
	if i := slices.IndexFunc(usual, func(name string) bool { return slices.Contains(names, name) }); i >= 0 {
		in.wanted = usual[i]
	}
}

// setModel checks the model of a file, and passes on the first; an import may have only one.
func (in *intake) setModel(f File, model string) error {
	first := in.model.name == ""
	if err := in.model.check(f, model); err != nil {
		return err
	}
	if first {
		in.sink.model(in.model.name)
	}
	return nil
}

// again returns how many rollouts of the item came before in this file: the sample number if the
// file has none.
func (in *intake) again(item string) int {
	in.times[item]++
	return in.times[item] - 1
}

// run returns the position of a run among those of the file, in order of first appearance.
func (in *intake) run(id string) int {
	if _, ok := in.runs[id]; !ok {
		in.runs[id] = len(in.runs)
	}
	return in.runs[id]
}

// only returns an error for a second line where a file may have only one.
func (in *intake) only(line int, what string) error {
	if was, seen := in.lines[what]; seen {
		return fmt.Errorf("%s already occurs in line %d: keep one of the two", what, was)
	}
	in.lines[what] = line
	return nil
}

// item passes on the item of a row; see rowItem.
func (in *intake) item(f File, line int, id string, row json.RawMessage) error {
	return in.itemIn(f, line, in.split, id, row)
}

// itemIn is item for a split that the log names.
func (in *intake) itemIn(f File, line int, split rollout.Split, id string, row json.RawMessage) error {
	it, err := rowItem(row)
	if err != nil {
		return err
	}
	return in.send(f, line, split, id, it)
}

// send passes on an item that rowItem returned.
func (in *intake) send(f File, line int, split rollout.Split, id string, it rollout.Item) error {
	it.ID, it.Split, it.File, it.Line = id, split, filepath.Base(f.Name), line
	return ended(in.sink.item(it))
}

// rowItem returns an item with a row, decoded. A row whose messages or tools are not in the form of a chat is
// put under the key "row". It is safe for concurrent use.
func rowItem(row json.RawMessage) (it rollout.Item, err error) {
	if it.Row = row; it.Decode() != nil {
		it.Row, err = marshalRow(map[string]json.RawMessage{"row": row})
	}
	return it, err
}

// record passes on a rollout; sample is its number in the file.
func (in *intake) record(rec *rollout.Record, sample int) error {
	if rec.Split == "" {
		rec.Split = in.split
	}
	rec.Source = rollout.Import
	rec.Sample = in.numbers.inStep(rec.Split, rec.Item, rec.Step, sample)
	if rec.Reward == nil {
		in.missing[rec.Outcome]++
	}
	return ended(in.sink.record(rec))
}

// noteGraders notes whose score is the reward, if there are several graders.
func (in *intake) noteGraders() {
	if in.several {
		in.sink.note("there are several graders, and the reward is the score of %s; --score NAME selects another",
			in.wanted)
	}
}

// noteMissing notes how many rollouts have no grade.
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

// truths remembers how the rewards of an import are written.
type truths struct{ number, truth string }

// check returns an error for the first reward that is not written as those before it: of 1 and true,
// one is probably another score.
func (t *truths) check(text string, truth bool) error {
	first := &t.number
	if truth {
		first = &t.truth
	}
	if *first == "" {
		*first = transcript.FirstLine(text)
	}
	if t.number != "" && t.truth != "" {
		return fmt.Errorf("some rewards are numbers, such as %s, and some are true or false: write all of them the "+
			"same way", t.number)
	}
	return nil
}

// truthOf parses true and false, however they are capitalized, as 1 and 0.
func truthOf(text string) (f float64, ok bool) {
	switch strings.ToLower(text) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	return 0, false
}

// reward reads a reward: a number, or true for 1 and false for 0; see number. Rewards of an import
// must all be written in one of the two ways.
func (in *intake) reward(name string, v json.RawMessage) (*float64, error) {
	reward, err := number(name, v)
	if err != nil || reward == nil {
		return reward, err
	}
	_, truth := truthOf(string(v))
	return reward, in.truths.check(string(v), truth)
}

// number reads a number, or true for 1 and false for 0. It returns nil for null, which NaN was read
// as, and for nothing.
func number(name string, v json.RawMessage) (*float64, error) {
	if isNone(v) {
		return nil, nil
	}
	if string(v) == "true" || string(v) == "false" {
		f, _ := truthOf(string(v))
		return &f, nil
	}
	var f float64
	if err := jsontext.Unmarshal(v, &f); err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%s must be a number, not %s", name, transcript.FirstLine(string(v)))
	}
	return &f, nil
}

// wholeID reads an item's id: a string or a whole number.
func wholeID(name string, v json.RawMessage) (string, error) {
	id := jsontext.TextOrJSON(v)
	number := len(v) > 0 && v[0] != '"'
	var n int64
	if id == "" || number && jsontext.Unmarshal(v, &n) != nil {
		return "", fmt.Errorf("%s must be a whole number or a string, not %s", name, transcript.FirstLine(string(v)))
	}
	return id, nil
}

// setParts sets a partial score of a record.
func setParts(rec *rollout.Record, name string, value *float64) {
	if value == nil {
		return
	}
	if rec.Parts == nil {
		rec.Parts = make(map[string]float64)
	}
	rec.Parts[name] = *value
}

// grade sets the reward of a record, or why it has none.
func grade(rec *rollout.Record, reward *float64, why string) {
	if reward != nil {
		rec.Outcome, rec.Reward = rollout.Graded, reward
		return
	}
	rec.Outcome, rec.Error = rollout.GraderFailed, why
}

// fail sets the outcome of a failure.
func fail(rec *rollout.Record, o rollout.Outcome, cause string) {
	if cause = transcript.FirstLine(cause); cause == "" {
		cause = "no cause is recorded"
	}
	rec.Outcome, rec.Error, rec.Reward = o, cause, nil
}

// finished sets how the model's last reply ended, from the word in the log. An unknown word is kept
// in the record.
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

// valuesByKey returns the keys of a JSON object in order, and its values.
func valuesByKey(object json.RawMessage) (keys []string, values map[string]json.RawMessage, err error) {
	values = make(map[string]json.RawMessage)
	err = rollout.Members(object, func(key string, value []byte) error {
		keys, values[key] = append(keys, key), value
		return nil
	})
	return keys, values, err
}

// pythonTime parses a time as Python writes it, with or without a zone; zero if it cannot.
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
