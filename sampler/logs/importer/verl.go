package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// verlDump reads what verl writes for each step into trainer.rollout_data_dir and
// trainer.validation_data_dir (verl/trainer/ppo/ray_trainer.py, _write_generations): a line
// for each output, with the infos of its reward function as further keys.
var verlDump = Format{
	Name:  "verl",
	Doc:   "STEP.jsonl of verl's rollout_data_dir or validation_data_dir, with input, output, gts, score and step",
	Files: []string{"[0-9]*.jsonl"},
	From: Origin{
		Item: "a hash of `input`, and of `gts` or `uid` where one step asks one input for several of them; " +
			"`step` is that of the record; `gts` is the reference",
		Sample: "the order of a prompt's lines; of several outputs of one rollout (`uid` SAMPLE_ROLLOUT_OUTPUT) " +
			"the last counts",
		Reward: "`score`; numbers and truths of the reward function are `parts`; `--score NAME` takes one of them",
		Failures: "a score that is missing, null or NaN is `grader`; so is a `timeout` or an `error` of the reward " +
			"function",
	},
	Read: readVerl, keys: []string{"gts", "input", "output", "score", "step"},
}

// verlRow is one line: one output.
type verlRow struct {
	input, output, uid string
	step               string
	score, gts         json.RawMessage
	infos              map[string]*float64
	marked
}

func decodeVerl(text []byte) (*verlRow, error) {
	r := new(verlRow)
	var input, output json.RawMessage
	err := rollout.Members(text, func(key string, value []byte) error {
		value = bytes.Clone(value)
		switch key {
		case "input":
			input = value
		case "output":
			output = value
		case "gts":
			r.gts = value
		case "score":
			r.score = value
		case "step":
			r.step = jsontext.TextOrJSON(value)
		case "uid":
			r.uid = jsontext.TextOrJSON(value)
		default:
			r.info(key, value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(input) == 0 || input[0] != '"' || len(output) == 0 || output[0] != '"' {
		return nil, errors.New("input and output must be texts")
	}
	r.input, r.output = jsontext.TextOrJSON(input), jsontext.TextOrJSON(output)
	return r, nil
}

// info keeps a number or a truth that the reward function returned.
func (r *verlRow) info(key string, value []byte) {
	if key == "extra_info" { // of the data row
		return
	}
	before := len(r.marks)
	if r.mark(key, value); len(r.marks) > before || failure.Names(key) && string(value) == "false" {
		return
	}
	var f float64
	switch {
	case string(value) == "true":
		f = 1
	case string(value) == "false":
	case jsontext.Unmarshal(value, &f) != nil || isNone(value):
		return
	}
	if r.infos == nil {
		r.infos = make(map[string]*float64)
	}
	r.infos[key] = &f
}

// session names the rollout that an output is of, "" where the log does not say. A uid is
// SAMPLE_ROLLOUT_OUTPUT (verl/trainer/ppo/v1/trainer_base.py).
func (r *verlRow) session() string {
	at := strings.LastIndexByte(r.uid, '_')
	if at < 0 || !strings.Contains(r.uid[:at], "_") {
		return ""
	}
	return r.uid[:at]
}

// group names the data row that an output is of: all rollouts of it in a step have the uid
// of one group, before the numbers of rollout and output.
func (r *verlRow) group() string {
	group := r.uid
	for range 2 {
		if at := strings.LastIndexByte(group, '_'); at > 0 && r.session() != "" {
			group = group[:at]
		}
	}
	return group
}

// verlGroups says, by input, which rows of the data ask it: different rows may show the same
// text, with another image or another reference.
type verlGroups map[string]*verlGroup

type verlGroup struct {
	rollouts map[string]int             // by step
	groups   map[string]map[string]bool // of a step
	gts      map[string]bool
}

func (g verlGroups) saw(row *verlRow) {
	key := hash([]byte(row.input))
	of := g[key]
	if of == nil {
		of = &verlGroup{
			rollouts: make(map[string]int), groups: make(map[string]map[string]bool),
			gts: make(map[string]bool),
		}
		g[key] = of
	}
	of.rollouts[row.step]++
	if of.groups[row.step] == nil {
		of.groups[row.step] = make(map[string]bool)
	}
	of.groups[row.step][row.group()] = true
	of.gts[string(row.gts)] = true
}

// id names the item of a row. A uid for each rollout names no groups.
func (g verlGroups) id(row *verlRow) string {
	of := g[hash([]byte(row.input))]
	several := false
	for step, groups := range of.groups {
		several = several || len(groups) > 1 && len(groups) < of.rollouts[step]
	}
	switch {
	case len(of.gts) > 1:
		return hash([]byte(row.input + "\x00" + string(row.gts)))
	case several:
		return hash([]byte(row.input + "\x00" + row.group()))
	}
	return hash([]byte(row.input))
}

func readVerl(ctx context.Context, in *intake) error {
	v := verlReader{stepLog: newStepLog(in), groups: make(verlGroups)}
	for _, f := range in.files {
		err := v.sessions(ctx, f, Sink{}, func(_ int, first, _ *verlRow) error {
			v.groups.saw(first)
			return nil
		})
		if err != nil {
			return err
		}
	}
	v.outputs = 0 // of the first reading
	for _, f := range in.files {
		v.file()
		err := v.sessions(ctx, f, in.sink.of(f, in.files),
			func(line int, first, last *verlRow) error { return v.row(f, line, first, last) })
		if err != nil {
			return err
		}
	}
	v.noteItems()
	if v.wanted != "" {
		in.sink.note("reward = %s, by --score", v.wanted)
	}
	if v.outputs > 0 {
		in.sink.note("outputs of a rollout before its last one, left out: %d", v.outputs)
	}
	in.sink.note("tool calls, token counts and times are not in these files: unknown, not zero")
	v.noteMissing()
	return nil
}

type verlReader struct {
	*stepLog
	groups  verlGroups
	outputs int // that are not the last of their rollout
}

// sessions passes on the first and the last output of each rollout, which follow each other.
func (v *verlReader) sessions(ctx context.Context, f File, sink Sink,
	yield func(line int, first, last *verlRow) error,
) error {
	var first, last *verlRow
	at := 0
	flush := func() error {
		if last == nil {
			return nil
		}
		return stopped(f, at, yield(at, first, last))
	}
	err := readJSONLines(ctx, f, sink, decodeVerl, func(l rollout.Line[*verlRow]) error {
		row := l.Value
		if s := row.session(); last != nil && s != "" && s == last.session() {
			v.outputs++
			last, at = row, l.Number
			return nil
		}
		err := flush()
		first, last, at = row, row, l.Number
		return err
	})
	if err != nil {
		return err
	}
	return flush()
}

func (v *verlReader) row(f File, line int, first, last *verlRow) error {
	step, err := v.step(first.step)
	if err != nil {
		return err
	}
	id := v.groups.id(first)
	prompt := []rollout.Message{{Role: "user", Content: first.input}}
	if err := v.prompted(f, line, rollout.Item{ID: id}, prompt,
		map[string]json.RawMessage{"ground_truth": last.gts}); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: id, Step: step, Answer: last.output, Turns: 1,
		Messages: []rollout.Message{{Role: "assistant", Content: last.output}},
	}
	reward, err := number("score", last.score)
	if err != nil {
		return err
	}
	if v.wanted != "" {
		reward = last.infos[v.wanted]
	}
	if o, cause := last.failure(rollout.GraderFailed); o != "" {
		fail(rec, o, cause)
	} else if grade(rec, reward, fmt.Sprintf("the score of step %s is missing, null or NaN",
		last.step)); reward != nil {
		rec.Parts = parts(last.infos, v.wanted)
	}
	return v.record(rec, v.next(id, step))
}
