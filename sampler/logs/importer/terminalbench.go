package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"gonogo/sampler/rollout"
)

// terminalBench reads results of Terminal-Bench before Harbor (terminal_bench/harness/models.py):
// the results.json of a run and those of its trials in the folders below.
var terminalBench = Format{
	Name:  "terminal-bench",
	Doc:   "results.json of a run or a trial of Terminal-Bench 1 (tb run)",
	Files: []string{"results.json"},
	From: Origin{
		Item:   "`task_id`",
		Sample: "the order of a task's trials; a trial in the run's file and in its own counts once",
		Reward: "`is_resolved`: 1 or 0; the share of tests that passed is the part `tests_passed`",
		Failures: "a missing `is_resolved` is not a 0: by `failure_mode` a test_timeout or parse_error is `grader`, a failed " +
			"installation of the agent `tool`, anything else `model_api`; agent_timeout and lengths that are " +
			"exceeded are `step_limit`",
	},
	Read: readTerminalBench, sniff: sniffTerminalBench,
}

type tbTrial struct {
	ID          string            `json:"id"`
	Task        string            `json:"task_id"`
	Instruction string            `json:"instruction"`
	Resolved    *bool             `json:"is_resolved"`
	Mode        string            `json:"failure_mode"`
	Tests       map[string]string `json:"parser_results"`
	Input       *int64            `json:"total_input_tokens"`
	Output      *int64            `json:"total_output_tokens"`
	Started     string            `json:"trial_started_at"`
	Ended       string            `json:"trial_ended_at"`
	marked
}

func sniffTerminalBench(f File) error {
	if sniffKeys(f, "trial_name", "failure_mode", "task_id") == nil {
		return nil
	}
	if _, err := readHead(f); err != nil {
		return err
	}
	if !f.mentions(`"results"`) || !f.mentions(`"trial_name"`) || !f.mentions(`"task_id"`) {
		return fmt.Errorf("%w: it has no results of trials", ErrUnrecognized)
	}
	return nil
}

func readTerminalBench(ctx context.Context, in *intake) error {
	t := tbReader{intake: in, ids: make(map[string]bool)}
	t.file()
	for _, f := range in.files {
		if err := t.metadata(f); err != nil {
			return err
		}
		var err error
		if sniffKeys(f, "trial_name", "task_id") == nil {
			trial := new(tbTrial)
			if err = readObject(f, trial); err == nil {
				err = stopped(f, 1, t.trial(f, trial))
			}
		} else {
			t.wholeRuns++
			err = eachElement(ctx, f, []string{"results"}, nil, decodeRow[tbTrial],
				func(_ *array, _ []byte, trial *tbTrial) error { return t.trial(f, trial) })
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", f.Name, err)
		}
	}
	in.sink.note("item = task_id, sample = the order of a task's trials, split = %s", t.split)
	in.sink.note("messages and tool calls are not in these files: unknown, not zero")
	in.sendPlan(t.wholeRuns, 0)
	return nil
}

type tbReader struct {
	*intake
	ids       map[string]bool
	wholeRuns int // files of a whole run
}

// metadata reads the model of a run and its plan from the file next to the results, if it exists.
func (t *tbReader) metadata(f File) error {
	beside := f.Beside("run_metadata.json")
	var run struct {
		Model    string   `json:"model_name"`
		Agent    string   `json:"agent_name"`
		Tasks    []string `json:"task_ids"`
		Attempts int      `json:"n_attempts"`
	}
	err := readObject(beside, &run)
	t.plans.add(len(run.Tasks) * run.Attempts)
	model := cmp.Or(run.Model, run.Agent)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case run.Model != "" && run.Agent != "":
		model += " (" + run.Agent + ")"
	}
	if err := t.setModel(f, model); err != nil {
		return fmt.Errorf("%s: %w", beside.Name, err)
	}
	return nil
}

func (t *tbReader) trial(f File, trial *tbTrial) error {
	if trial.Task == "" {
		return errors.New(`"task_id" is missing`)
	}
	if trial.ID != "" && t.ids[trial.ID] {
		t.count("trial[|s] [was|were] in two files, and [counts|count] once")
		return nil
	}
	t.ids[trial.ID] = true
	var prompt []rollout.Message
	if trial.Instruction != "" {
		prompt = []rollout.Message{{Role: "user", Content: trial.Instruction}}
	}
	if err := sendItem(t.sink, f, rollout.Item{ID: trial.Task, Split: t.split}, prompt, nil); err != nil {
		return err
	}
	rec := &rollout.Record{Item: trial.Task}
	if trial.Input != nil && *trial.Input > 0 { // agents that do not count write 0
		rec.Usage = rollout.Usage{Input: positive(trial.Input), Output: positive(trial.Output)}
	}
	rec.Started, rec.Elapsed = span(trial.Started, trial.Ended)
	t.grade(rec, trial)
	return t.record(rec, t.again(trial.Task))
}

func (t *tbReader) grade(rec *rollout.Record, trial *tbTrial) {
	var reward *float64
	if trial.Resolved != nil {
		reward = new(float64)
		if *trial.Resolved {
			*reward = 1
		}
	}
	switch trial.Mode {
	case "agent_timeout", "context_length_exceeded", "output_length_exceeded":
		t.limited(rec, reward, trial.Mode)
	case "fatal_llm_parse_error":
		rec.Outcome, rec.Error, rec.Reward = rollout.NoAnswer, trial.Mode, reward
	case "test_timeout", "parse_error":
		t.failed(rec, rollout.GraderFailed, trial.Mode)
	case "agent_installation_failed":
		t.failed(rec, rollout.ToolFailed, trial.Mode)
	case "unset", "none", "":
		switch boundary, cause := trial.failure(rollout.ModelAPI); {
		case boundary != "":
			t.failed(rec, boundary, cause)
		case reward == nil:
			t.ungraded(rec, "is_resolved is null")
		default:
			rec.Outcome, rec.Reward = rollout.Graded, reward
		}
	default:
		t.failed(rec, rollout.ModelAPI, trial.Mode)
	}
	if n := len(trial.Tests); n > 0 && rec.Reward != nil {
		passed := 0.0
		for _, status := range trial.Tests {
			if status == "passed" {
				passed++
			}
		}
		share := passed / float64(n)
		setParts(rec, "tests_passed", &share)
	}
}
