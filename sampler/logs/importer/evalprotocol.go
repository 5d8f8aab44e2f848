package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// evalProtocol reads rows of eval-protocol (eval_protocol/models.py), one per line, as
// eval-protocol writes them to experiment_results.
var evalProtocol = Format{
	Name:   "eval-protocol",
	Scored: true,
	Doc:    "JSON lines of eval-protocol, from experiment_results or an export",
	Files:  []string{"*.jsonl"},
	From: Origin{
		Item: "`input_metadata.row_id`",
		Sample: "`execution_metadata.run_id`, counted in the order in which runs appear; without one, the order " +
			"of a row's lines",
		Reward: "`evaluation_result.score` where `is_score_valid`, never `evals.score`; valid `metrics` are " +
			"`parts`; `--score NAME` takes one of them",
		Failures: "`rollout_status.code` 13 and other errors are `model_api`; 1 (cancelled) and 101 (running) are " +
			"left out; a score that is not valid, or none at all, is `grader`; the termination reason `max_steps` " +
			"is `step_limit`",
	},
	Read: readEvalProtocol, keys: []string{"evaluation_result", "input_metadata"},
}

type protocolRow struct {
	Messages json.RawMessage `json:"messages"`
	Truth    json.RawMessage `json:"ground_truth"`
	Tools    json.RawMessage `json:"tools"`
	Input    struct {
		RowID  json.RawMessage `json:"row_id"`
		Params struct {
			Model json.RawMessage `json:"model"`
		} `json:"completion_params"`
		Data json.RawMessage `json:"dataset_info"`
	} `json:"input_metadata"`
	Status struct {
		Code    *int            `json:"code"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
	} `json:"rollout_status"`
	Result *scoreResult `json:"evaluation_result"`
	Exec   struct {
		RolloutID string     `json:"rollout_id"`
		RunID     string     `json:"run_id"`
		Usage     *chatUsage `json:"usage"`
		Duration  *float64   `json:"duration_seconds"`
		Finish    string     `json:"finish_reason"`
	} `json:"execution_metadata"`
	Usage   *chatUsage `json:"usage"`
	Created string     `json:"created_at"`
	Eval    struct {
		Name json.RawMessage `json:"name"`
		Runs *int            `json:"num_runs"`
	} `json:"eval_metadata"`
	marked

	talk   []rollout.Message
	broken error // why the messages cannot be read
}

// prepare reads the messages.
func (row *protocolRow) prepare() {
	row.talk, row.broken = transcript.Messages(row.Messages, "user")
	row.Messages = nil
}

type scoreResult struct {
	Score   json.RawMessage        `json:"score"`
	Valid   *bool                  `json:"is_score_valid"`
	Reason  json.RawMessage        `json:"reason"`
	Error   json.RawMessage        `json:"error"`
	Metrics map[string]scoreResult `json:"metrics"`
}

// chatUsage counts tokens as the Chat Completions API does: cached ones included.
type chatUsage struct {
	Input  *int64 `json:"prompt_tokens"`
	Output *int64 `json:"completion_tokens"`
}

// Codes of rollout_status; all others are gRPC codes.
const (
	evalCancelled = 1
	evalFinished  = 100
	evalRunning   = 101
)

func readEvalProtocol(ctx context.Context, in *intake) error {
	r := evalReader{intake: in, rows: make(map[string]int)}
	if err := eachRowOf(ctx, in, r.row); err != nil {
		return err
	}
	in.sink.model(r.model.name)
	in.sink.note("item = input_metadata.row_id, sample = run_id in the order of appearance, split = %s; score = "+
		"evaluation_result.score, not evals.score, which is 0 if there is no result", r.split)
	r.noteLost()
	if len(in.files) == 1 {
		in.sink.planned(r.split, r.most*len(r.rows)-r.out)
	}
	return nil
}

type evalReader struct {
	*intake
	rows map[string]int // rollouts per row
	most int            // num_runs
	out  int            // rollouts left out
}

func (r *evalReader) row(f File, line int, row *protocolRow) error {
	id := jsontext.TextOrJSON(row.Input.RowID)
	if id == "" {
		return errors.New("input_metadata.row_id is missing: rollouts cannot be matched to items")
	}
	if err := r.model.check(f, jsontext.TextOrJSON(row.Input.Params.Model)); err != nil {
		return err
	}
	switch code := row.code(); code {
	case evalCancelled:
		r.out++
		r.count("rollout[|s] [was|were] cancelled and left out")
		return nil
	case evalRunning:
		r.out++
		r.count("rollout[|s] [was|were] running when the file was written, and [was|were] left out")
		return nil
	}
	sample, err := r.sample(line, id, row)
	if err != nil {
		return err
	}
	if row.Eval.Runs != nil {
		r.most = max(r.most, *row.Eval.Runs)
	}
	r.rows[id]++
	if row.broken != nil {
		return fmt.Errorf("messages: %w", row.broken)
	}
	talk := row.talk
	n := transcript.UntilAnswer(talk)
	fields := map[string]json.RawMessage{
		"ground_truth": row.Truth, "dataset_info": row.Input.Data,
		"tools": offered(row.Tools),
	}
	r.sink.tellExactly("eval_name", row.Eval.Name)
	r.sink.tellExactly("ground_truth", row.Truth)
	if err := sendItem(r.sink, f, rollout.Item{ID: id, Split: r.split}, talk[:n], fields); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: id, TraceID: row.Exec.RolloutID, Messages: talk[n:],
		Answer: transcript.LastAnswer(talk[n:]), Started: pythonTime(row.Created),
	}
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, transcript.UnreportedStatus)
	if u := row.Exec.Usage; u != nil {
		row.Usage = u
	}
	if u := row.Usage; u != nil {
		rec.Usage = rollout.Usage{Input: u.Input, Output: u.Output}
	}
	rec.Elapsed = seconds(row.Exec.Duration)
	finished(rec, row.finish())
	if err := r.grade(rec, row); err != nil {
		return err
	}
	return r.record(rec, sample)
}

func (row *protocolRow) code() int {
	if row.Status.Code == nil || *row.Status.Code == 0 {
		return evalFinished
	}
	return *row.Status.Code
}

// finish returns why the model stopped. Older versions keep the reason in the details of the status
// (TerminationReason of eval_protocol/types).
func (row *protocolRow) finish() string {
	var details []struct {
		Metadata struct {
			Reason string `json:"termination_reason"`
		} `json:"metadata"`
	}
	if row.Exec.Finish == "" && jsontext.Unmarshal(row.Status.Details, &details) == nil {
		for _, d := range details {
			if d.Metadata.Reason != "" {
				return d.Metadata.Reason
			}
		}
	}
	return row.Exec.Finish
}

// sample numbers the runs in order of first appearance, so a run has the same number for every
// item.
func (r *evalReader) sample(line int, id string, row *protocolRow) (int, error) {
	run := row.Exec.RunID
	if run == "" {
		return r.again(id), nil
	}
	return r.run(run), r.only(line, fmt.Sprintf("row %s of run %s", id, run))
}

// grade sets outcome, reward and parts.
func (r *evalReader) grade(rec *rollout.Record, row *protocolRow) error {
	if code := row.code(); code != evalFinished {
		r.failed(rec, rollout.ModelAPI, fmt.Sprintf("status %d: %s", code, row.Status.Message))
		return nil
	}
	if boundary, cause := row.failure(rollout.ModelAPI); boundary != "" {
		r.failed(rec, boundary, cause)
		return nil
	}
	if row.Result == nil {
		r.ungraded(rec, "there is no evaluation_result")
		return nil
	}
	result := *row.Result
	r.offer(slices.Collect(maps.Keys(row.Result.Metrics))...)
	if r.wanted != "" {
		result = row.Result.Metrics[r.wanted]
	}
	reward, why, err := result.score()
	if err != nil {
		return err
	}
	for name, metric := range row.Result.Metrics {
		value, _, err := metric.score()
		if err != nil {
			return fmt.Errorf("metric %q: %w", name, err)
		}
		if name != r.wanted {
			setParts(rec, name, value)
		}
	}
	switch {
	case reward == nil:
		r.ungraded(rec, why)
	case strings.Contains(string(row.Status.Details), `"max_steps"`):
		r.limited(rec, reward, "max_steps")
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// score returns a valid score, or why there is none.
func (e *scoreResult) score() (reward *float64, why string, err error) {
	if reward, err = number("score", e.Score); err != nil {
		return nil, "", err
	}
	switch {
	case e.Valid != nil && !*e.Valid, !failure.None(jsontext.TextOrJSON(e.Error)):
		text := jsontext.TextOrJSON(e.Error)
		if text == "" {
			text = jsontext.TextOrJSON(e.Reason)
		}
		return nil, "the score is not valid: " + text, nil
	case reward == nil:
		return nil, "score is missing, null or NaN", nil
	}
	return reward, "", nil
}

// noteLost notes that the file keeps only one rollout per row although several were made.
func (r *evalReader) noteLost() {
	if r.most < 2 {
		return
	}
	for _, n := range r.rows {
		if n > 1 {
			return
		}
	}
	r.sink.note("every row has one rollout, though %d runs were made: is it a file of "+
		".eval_protocol/datasets, in which repeats overwrite each other? experiment_results has them all", r.most)
}
