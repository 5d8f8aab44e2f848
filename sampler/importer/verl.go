package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
		Item:     "a hash of `input`, and `step` where prompts come in several steps; `gts` is the reference",
		Sample:   "the order of a prompt's lines; of several outputs of one rollout (`uid` SAMPLE_ROLLOUT_OUTPUT) the last counts",
		Reward:   "`score`; numbers and truths of the reward function are `parts`; `--score NAME` takes one of them",
		Failures: "a score that is missing, null or NaN is `grader`",
	},
	Read: readVerl,
}

// verlRow is one line: one output.
type verlRow struct {
	input, output, uid string
	step               string
	score, gts         json.RawMessage
	infos              map[string]*float64
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
			r.step = rollout.TextOrJSON(value)
		case "uid":
			r.uid = rollout.TextOrJSON(value)
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
	r.input, r.output = rollout.TextOrJSON(input), rollout.TextOrJSON(output)
	return r, nil
}

// info keeps a number or a truth that the reward function returned.
func (r *verlRow) info(key string, value []byte) {
	var f float64
	switch {
	case string(value) == "true":
		f = 1
	case string(value) == "false":
	case json.Unmarshal(value, &f) != nil || isNone(value):
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

func readVerl(ctx context.Context, src Source, sink Sink) error {
	files, left, err := src.sniffed(ctx, func(f File) error { return sniffKeys(f, "gts", "input", "output", "score", "step") })
	if err != nil {
		return err
	}
	v := verlReader{stepLog: newStepLog(src, sink), wanted: src.Options.Score}
	for _, f := range files {
		err := v.sessions(ctx, f, Sink{}, func(_ int, first, _ *verlRow) error {
			v.saw(hash([]byte(first.input)), first.step)
			return nil
		})
		if err != nil {
			return err
		}
	}
	v.outputs = 0 // of the first reading
	for _, f := range files {
		v.file()
		err := v.sessions(ctx, f, sink.of(f, files), func(line int, first, last *verlRow) error { return v.row(f, line, first, last) })
		if err != nil {
			return err
		}
	}
	v.noteItems()
	if v.wanted != "" {
		sink.note("reward = %s, by --score", v.wanted)
	}
	if v.outputs > 0 {
		sink.note("outputs of a rollout before its last one, left out: %d", v.outputs)
	}
	sink.note("tool calls, token counts and times are not in these files: unknown, not zero")
	v.finish(files, left)
	return nil
}

type verlReader struct {
	*stepLog
	wanted  string // the info that is the reward; "" = score
	outputs int    // that are not the last of their rollout
}

// sessions passes on the first and the last output of each rollout, which follow each other.
func (v *verlReader) sessions(ctx context.Context, f File, sink Sink, yield func(line int, first, last *verlRow) error) error {
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
	id, family := v.id(hash([]byte(first.input)), first.step)
	prompt := []rollout.Message{{Role: "user", Content: first.input}}
	if err := v.prompted(f, line, rollout.Item{ID: id, Family: family}, prompt, map[string]json.RawMessage{"ground_truth": last.gts}); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: id, Family: family, Answer: last.output, Turns: 1,
		Messages: []rollout.Message{{Role: "assistant", Content: last.output}},
	}
	reward, err := number("score", last.score)
	if err != nil {
		return err
	}
	if v.wanted != "" {
		reward = last.infos[v.wanted]
	}
	if grade(rec, reward, fmt.Sprintf("the score of step %s is missing, null or NaN", last.step)); reward != nil {
		rec.Parts = parts(last.infos, v.wanted)
	}
	return v.record(rec, v.again(id))
}
