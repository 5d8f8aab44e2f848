package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// verlDump reads what verl writes at each step into trainer.rollout_data_dir and
// trainer.validation_data_dir (verl/trainer/ppo/ray_trainer.py, _write_generations): one line per
// output, with the infos of its reward function as additional keys.
var verlDump = Format{
	Name:   "verl",
	Scored: true,
	Doc:    "STEP.jsonl of verl's rollout_data_dir or validation_data_dir, with input, output, gts, score and step",
	Files:  []string{"[0-9]*.jsonl"},
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

// info keeps a number or a boolean that the reward function returned.
func (r *verlRow) info(key string, value []byte) {
	if key == "extra_info" { // belongs to the data row
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

// session returns the rollout that an output belongs to; "" if the log does not say. A uid has the
// form SAMPLE_ROLLOUT_OUTPUT (verl/trainer/ppo/v1/trainer_base.py).
func (r *verlRow) session() string {
	end := strings.LastIndexByte(r.uid, '_')
	if end < 0 || !strings.Contains(r.uid[:end], "_") {
		return ""
	}
	return r.uid[:end]
}

// group returns the data row that an output belongs to: the uids of all its rollouts in a step have
// the same group before the numbers of rollout and output.
func (r *verlRow) group() string {
	group := r.uid
	for range 2 {
		if end := strings.LastIndexByte(group, '_'); end > 0 && r.session() != "" {
			group = group[:end]
		}
	}
	return group
}

// verlGroups records, by input, which data rows have it: different rows may have the same text with
// another image or another reference.
type verlGroups map[string]*verlGroup

type verlGroup struct {
	rollouts map[string]int             // by step
	groups   map[string]map[string]bool // by step
	gts      map[string]bool
}

func (g verlGroups) add(row *verlRow) {
	key := hash([]byte(row.input))
	group := g[key]
	if group == nil {
		group = &verlGroup{
			rollouts: make(map[string]int), groups: make(map[string]map[string]bool),
			gts: make(map[string]bool),
		}
		g[key] = group
	}
	group.rollouts[row.step]++
	if group.groups[row.step] == nil {
		group.groups[row.step] = make(map[string]bool)
	}
	group.groups[row.step][row.group()] = true
	group.gts[string(row.gts)] = true
}

// id returns the item of a row. If each rollout has its own uid, the uids name no groups.
func (g verlGroups) id(row *verlRow) string {
	group := g[hash([]byte(row.input))]
	several := false
	for step, groups := range group.groups {
		several = several || len(groups) > 1 && len(groups) < group.rollouts[step]
	}
	switch {
	case len(group.gts) > 1:
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
			v.groups.add(first)
			return nil
		})
		if err != nil {
			return err
		}
	}
	v.outputs = 0 // they count the first reading
	for _, f := range in.files {
		v.file()
		err := v.sessions(ctx, f, in.sink.forFile(f, in.files),
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
	outputs int // outputs that are not the last of their rollout
}

// sessions passes on the first and the last output of each rollout; the outputs of a rollout are
// consecutive.
func (v *verlReader) sessions(ctx context.Context, f File, sink Sink,
	yield func(line int, first, last *verlRow) error,
) error {
	var first, last *verlRow
	number := 0
	flush := func() error {
		if last == nil {
			return nil
		}
		return stopped(f, number, yield(number, first, last))
	}
	err := readJSONLines(ctx, f, sink, decodeVerl, func(l rollout.Line[*verlRow]) error {
		row := l.Value
		if s := row.session(); last != nil && s != "" && s == last.session() {
			v.outputs++
			last, number = row, l.Number
			return nil
		}
		err := flush()
		first, last, number = row, row, l.Number
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
	reward, err := v.reward("score", last.score)
	if err != nil {
		return err
	}
	v.offer(slices.Collect(maps.Keys(last.infos))...)
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
