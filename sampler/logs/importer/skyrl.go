package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// skyRL reads what SkyRL dumps of an evaluation (skyrl/train/utils/trainer_utils.py,
// dump_per_dataset_eval_results): a file per data source, in the folder of the step.
var skyRL = Format{
	Name: "skyrl",
	Doc: "DATA_SOURCE.jsonl of SkyRL's dumped_evals/global_step_N_evals, with input_prompt, output_response, score and " +
		"env_extras",
	Files: []string{"*.jsonl"},
	From: Origin{
		Item: "a hash of `input_prompt` and `env_extras`; the folder's step is that of the record, whose split is then " +
			"eval unless `--split` names another",
		Sample: "the order of an item's lines; lines whose prompt continues the conversation of the line before are " +
			"one rollout (step-wise trajectories), of which the last score counts",
		Reward:   "`score`; of a list, one for each token, the sum",
		Failures: "a score that is missing, null or NaN is `grader`",
	},
	Read: readSkyRL, keys: []string{"output_response", "input_prompt", "score", "env_class"},
}

type skyRow struct {
	Prompt string          `json:"input_prompt"`
	Output string          `json:"output_response"`
	Score  json.RawMessage `json:"score"`
	Stop   string          `json:"stop_reason"`
	Env    json.RawMessage `json:"env_class"`
	Extras json.RawMessage `json:"env_extras"`
	Source json.RawMessage `json:"data_source"`
	marked
}

// continues reports whether the row is the next step of the rollout that was's conversation belongs to. After an
// empty output, any prompt that begins alike would seem to be one.
func (r *skyRow) continues(was *skyRow) bool {
	return was != nil && was.Output != "" && string(r.Extras) == string(was.Extras) && len(r.Prompt) > len(was.Prompt) &&
		strings.HasPrefix(r.Prompt, was.Prompt+was.Output)
}

func readSkyRL(ctx context.Context, in *intake) error {
	r := skyReader{stepLog: newStepLog(in)}
	for _, f := range in.files {
		r.file()
		if _, ok := stepIn(f.Name); ok && in.opt.Split == "" { // the evaluation of a step of a training
			r.split = rollout.Eval
		} else {
			r.split = in.opt.split()
		}
		beside, _ := readValue(f.Beside("aggregated_results.jsonl")) // it may be missing
		mean, _ := number("", member(beside, "eval/"+strings.TrimSuffix(path.Base(f.Path), ".jsonl")+"/avg_score"))
		in.means.state(f, "avg_score", mean)
		var steps []*skyRow
		begun := 0
		err := eachRow(ctx, f, in.sink.forFile(f, in.files), func(line int, row *skyRow) error {
			if len(steps) > 0 && !row.continues(steps[len(steps)-1]) {
				if err := r.rollout(f, begun, steps); err != nil {
					return err
				}
				steps = nil
			}
			if len(steps) == 0 {
				begun = line
			}
			steps = append(steps, row)
			return nil
		})
		if err == nil && len(steps) > 0 {
			err = stopped(f, begun, r.rollout(f, begun, steps))
		}
		if err != nil {
			return err
		}
	}
	r.noteItems()
	in.sink.noteCount(r.more, "line[|s] [is|are] a further step of the rollout in the line before")
	r.noteMissing()
	return nil
}

type skyReader struct {
	*stepLog
	more int // rows that continue a rollout
}

// rollout passes on a rollout of one or more steps.
func (r *skyReader) rollout(f File, line int, steps []*skyRow) error {
	first, last := steps[0], steps[len(steps)-1]
	if first.Prompt == "" {
		return fmt.Errorf("input_prompt is empty, but it identifies the item")
	}
	step, _ := stepIn(f.Name)
	r.steps[step] = true
	r.more += len(steps) - 1
	id := hash([]byte(first.Prompt + "\x00" + string(first.Extras)))
	r.sink.tell("env", jsontext.TextOrJSON(first.Env))
	r.sink.tell("data_source", jsontext.TextOrJSON(first.Source))
	prompt := []rollout.Message{{Role: "user", Content: first.Prompt}}
	fields := map[string]json.RawMessage{"ground_truth": member(member(first.Extras, "reward_spec"), "ground_truth")}
	if err := r.prompted(f, line, rollout.Item{ID: id}, prompt, fields); err != nil {
		return err
	}
	var talk transcript.Builder
	for i, s := range steps {
		if i > 0 {
			talk.AddPrompt("user", s.Prompt[len(steps[i-1].Prompt+steps[i-1].Output):])
		}
		talk.AddReply(s.Output)
	}
	rec := &rollout.Record{Item: id, Step: step, Messages: talk.Messages, Turns: talk.Turns, Answer: last.Output}
	finished(rec, last.Stop)
	reward, err := r.score(last.Score)
	if err != nil {
		return err
	}
	if o, cause := last.failure(rollout.GraderFailed); o != "" {
		fail(rec, o, cause)
	} else {
		grade(rec, reward, "the score is missing, null or NaN")
	}
	return r.record(rec, r.next(id, step))
}

// score reads a score: a number, or the sum of those of the tokens, which is missing if one of them is.
func (r *skyReader) score(v json.RawMessage) (*float64, error) {
	var tokens []*float64
	if len(v) == 0 || v[0] != '[' || jsontext.Unmarshal(v, &tokens) != nil {
		return r.reward("score", v)
	}
	if len(tokens) == 0 || slices.Contains(tokens, nil) {
		return nil, nil
	}
	sum := 0.0
	for _, t := range tokens {
		sum += *t
	}
	if math.IsInf(sum, 0) {
		return nil, errors.New("the score is too large")
	}
	return &sum, nil
}
