package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// tinker reads what tinker-cookbook writes of a training (tinker_cookbook/rl/rollout_logging.py) and of a
// benchmark (tinker_cookbook/eval/benchmarks/_types.py, StoredTrajectory).
var tinker = Format{
	Name:   "tinker",
	Scored: true,
	Doc: "iteration_N/*_rollout_summaries.jsonl of a training with tinker-cookbook, which hold no texts, or " +
		"trajectories.jsonl of its benchmarks",
	Files: []string{"*_rollout_summaries.jsonl", "trajectories.jsonl"},
	From: Origin{
		Item: "`iteration/group_idx`, outside of the split train `split/group_idx`; of a benchmark `example_id`; " +
			"`iteration` is the step of the record",
		Sample: "the order of an item's lines; in several files, later files continue",
		Reward: "`total_reward`, of a benchmark `reward`; metrics are `parts`; `--score NAME` takes one of them",
		Failures: "`error` is `model_api`, `tool` or `grader` by its words, whatever the reward; a metric `stop/LIMIT` " +
			"is `step_limit`; a reward that is missing, null or NaN is `grader`",
	},
	Read: readTinker, sniff: func(f File) error {
		if sniffKeys(f, "group_idx", "traj_idx", "total_reward") == nil {
			return nil
		}
		return sniffKeys(f, "turns", "benchmark", "example_id", "reward")
	},
}

type tinkerRow struct {
	Split     string              `json:"split"`
	Iteration int                 `json:"iteration"`
	Group     *int                `json:"group_idx"`
	Total     json.RawMessage     `json:"total_reward"`
	More      map[string]*float64 `json:"trajectory_metrics"`
	Steps     []struct {
		Input   int64                      `json:"ob_len"`
		Output  int64                      `json:"ac_len"`
		Metrics map[string]json.RawMessage `json:"metrics"`
	} `json:"steps"`

	Benchmark string `json:"benchmark"`
	Example   string `json:"example_id"`
	Turns     []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Tokens  int64  `json:"token_count"`
	} `json:"turns"`
	Reward  json.RawMessage            `json:"reward"`
	Metrics map[string]json.RawMessage `json:"metrics"`
	Error   string                     `json:"error"`
	Seconds *float64                   `json:"time_seconds"`
	marked
}

func readTinker(ctx context.Context, in *intake) error {
	r := tinkerReader{stepLog: newStepLog(in)}
	for _, f := range in.files {
		r.file()
		var result struct {
			Score *float64 `json:"score"`
		}
		if err := planBeside(f, "result.json", &result); err != nil {
			return err
		}
		if r.wanted == "" {
			in.means.state(f, "score", result.Score)
		}
		err := eachRow(ctx, f, in.sink.forFile(f, in.files),
			func(line int, row *tinkerRow) error { return r.row(f, line, row) })
		if err != nil {
			return err
		}
	}
	if r.silent {
		in.sink.note("item = the group of the iteration; rollout summaries hold no prompts, answers or tool calls: " +
			"they are unknown")
	} else {
		in.sink.note("item = example_id, sample = the order of its lines, split = %s", r.split)
	}
	in.sink.noteSteps(r.steps)
	if r.wanted != "" {
		in.sink.note("reward = %s, by --score", r.wanted)
	}
	return nil
}

type tinkerReader struct {
	*stepLog
	silent bool // rows without texts
}

func (r *tinkerReader) row(f File, line int, row *tinkerRow) error {
	rec := &rollout.Record{Item: row.Example, Split: r.split, Step: row.Iteration}
	reward := row.Reward
	if row.Group != nil {
		if row.Iteration < 0 {
			return fmt.Errorf("iteration must be a whole number from 0, not %d", row.Iteration)
		}
		r.silent, reward = true, row.Total
		rec.Item = fmt.Sprintf("%d/%d", row.Iteration, *row.Group)
		if row.Split != "train" {
			rec.Split, rec.Item = rollout.Eval, fmt.Sprintf("%s/%d", row.Split, *row.Group)
		}
	}
	if rec.Item == "" {
		return errors.New(`"example_id" is empty`)
	}
	r.steps[rec.Step] = true
	r.sink.tell("dataset", row.Benchmark)
	asked, metrics := row.fill(rec)
	if err := sendItem(r.sink, f, rollout.Item{ID: rec.Item, Split: rec.Split, Line: line}, asked, nil); err != nil {
		return err
	}
	if err := r.grade(rec, row, reward, metrics); err != nil {
		return err
	}
	return r.record(rec, r.next(string(rec.Split)+"/"+rec.Item, rec.Step))
}

// fill sets what is known of the conversation, and returns the prompt and the metrics of the rollout: of
// several turns, the last value.
func (row *tinkerRow) fill(rec *rollout.Record) (asked []rollout.Message, metrics map[string]*float64) {
	metrics = make(map[string]*float64)
	add := func(more map[string]json.RawMessage) {
		for name, v := range more {
			if f, err := number(name, v); err == nil {
				metrics[name] = f
			}
		}
	}
	var input, output int64
	for _, s := range row.Steps {
		input, output = input+s.Input, output+s.Output
		add(s.Metrics)
	}
	maps.Copy(metrics, row.More)
	add(row.Metrics)
	rec.Turns = len(row.Steps)
	for _, t := range row.Turns {
		switch {
		case t.Role == "assistant":
			output += t.Tokens
			rec.Turns++
		case t.Role == "grader":
			continue
		default:
			input += t.Tokens
			t.Role = cmp.Or(map[string]string{"environment": "user"}[t.Role], t.Role)
		}
		m := rollout.Message{Role: t.Role, Content: t.Content}
		if rec.Turns == 0 {
			asked = append(asked, m)
		} else {
			rec.Messages = append(rec.Messages, m)
		}
	}
	if rec.Turns > 0 {
		rec.Usage = rollout.Usage{Input: &input, Output: &output}
	}
	rec.Answer, rec.Elapsed = transcript.LastAnswer(rec.Messages), seconds(row.Seconds)
	return asked, metrics
}

func (r *tinkerReader) grade(
	rec *rollout.Record, row *tinkerRow, raw json.RawMessage, metrics map[string]*float64,
) error {
	stop := ""
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if why, ok := strings.CutPrefix(name, "stop/"); ok {
			if v := metrics[name]; v != nil && *v != 0 {
				stop = why
			}
		} else if !strings.HasPrefix(name, "_eval_") {
			continue
		}
		delete(metrics, name)
	}
	if stop == "max_tokens" {
		rec.Finish = rollout.FinishLength
	}
	reward, err := r.reward("the reward", raw)
	if err != nil {
		return err
	}
	r.offer(slices.Collect(maps.Keys(metrics))...)
	if r.wanted != "" {
		reward = metrics[r.wanted]
	}
	outcome, cause := row.failure(rollout.ModelAPI)
	switch {
	case row.Error != "" && !failure.None(row.Error):
		r.failed(rec, rollout.Boundary(row.Error), row.Error)
		return nil
	case outcome != "":
		r.failed(rec, outcome, cause)
		return nil
	case reward == nil:
		r.ungraded(rec, "the reward is missing, null or NaN")
		return nil
	case isLimit(stop) || stop == "context_overflow":
		r.limited(rec, reward, stop)
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	rec.Parts = parts(metrics, r.wanted)
	return nil
}
