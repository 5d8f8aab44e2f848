package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
	"gonogo/sampler/transcript"
)

// nemoGym reads the rollouts that NeMo Gym collects (NVIDIA-NeMo/Gym,
// nemo_gym/rollout_collection.py): a line for each, and those that failed in a file of
// their own next to it, a line for each attempt.
var nemoGym = Format{
	Name:  "nemo-gym",
	Doc:   "rollouts of NeMo Gym, JSON lines with responses_create_params, response and reward, with their _failures.jsonl",
	Files: []string{"*rollouts*.jsonl"},
	From: Origin{
		Item:     "`_ng_task_index`, `task_idx`, or a hash of `responses_create_params`",
		Sample:   "`_ng_rollout_index`, or the order of the lines; a file and its `_failures.jsonl` are one run, in other files later ones continue",
		Reward:   "`reward`",
		Failures: "`_ng_failure_class` (`judge_failed` is `grader`); a `failure_reason` by which the judge gave no verdict, or the reference or the verifier was broken, is `grader`, any other is a grade; `invalid_judge_response`, `judge_error`, `judge_generation_error` and `verifier_error` are `grader`",
	},
	Read: readNemoGym,
}

type nemoRow struct {
	Params struct {
		Input json.RawMessage `json:"input"`
	}
	ParamsText json.RawMessage `json:"responses_create_params"`
	Response   struct {
		Model      string          `json:"model"`
		Status     string          `json:"status"`
		Output     json.RawMessage `json:"output"`
		Usage      json.RawMessage `json:"usage"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Transitions bool `json:"contains_transitions"` // output is a list of conversations, each a turn longer than the one before
	} `json:"response"`
	Reward   json.RawMessage `json:"reward"`
	Task     *int            `json:"_ng_task_index"`
	TaskIdx  *int            `json:"task_idx"` // of environments that make their own prompts
	Rollout  *int            `json:"_ng_rollout_index"`
	Expected json.RawMessage `json:"expected_answer"`
	Reason   json.RawMessage `json:"failure_reason"`
	Class    json.RawMessage `json:"_ng_failure_class"`
	Judge    json.RawMessage `json:"_ng_failure_judge_error"`
	Error    json.RawMessage `json:"error"` // next to a class

	JudgeInvalid    json.RawMessage `json:"invalid_judge_response"`
	JudgeError      json.RawMessage `json:"judge_error"`
	JudgeGeneration json.RawMessage `json:"judge_generation_error"`
	VerifierError   json.RawMessage `json:"verifier_error"`
	ApplyFailed     bool            `json:"apply_failed"` // the model's patch, which is not a failure of the verifier

	Verdicts []struct {
		Label json.RawMessage `json:"verdict_label"`
	} `json:"judge_evaluations"`
}

func readNemoGym(ctx context.Context, src Source, sink Sink) error {
	files, left, err := src.sniffed(ctx, func(f File) error { return sniffKeys(f, "responses_create_params", "response", "reward") })
	if err != nil {
		return err
	}
	n := nemoReader{intake: newIntake(src, sink), tally: newTally(), attempts: make(map[rollout.Key]int)}
	run := ""
	for _, f := range failuresFirst(files) {
		if name := runOf(f); name != run {
			run = name
			n.file()
		}
		if err := eachRow(ctx, f, sink.of(f, files), func(line int, row *nemoRow) error { return n.row(f, line, row) }); err != nil {
			return err
		}
	}
	sink.note("item = _ng_task_index, sample = _ng_rollout_index, split = %s; without them the request and the order of the lines; lines for one rollout are attempts at it", n.split)
	n.tally.note(sink)
	sink.noteFiles(files, left)
	return nil
}

// runOf names the run that a file is of: that of the file whose failures it holds.
func runOf(f File) string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Name, ".jsonl"), "_failures")
}

// failuresFirst returns the files with each one's failures before it, so the
// attempt that succeeded is the last.
func failuresFirst(files []File) []File {
	first := make(map[string]int)
	for i, f := range files {
		if _, there := first[runOf(f)]; !there {
			first[runOf(f)] = i
		}
	}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int {
		if c := cmp.Compare(first[runOf(a)], first[runOf(b)]); c != 0 {
			return c
		}
		return cmp.Compare(len(b.Name), len(a.Name)) // that of the failures is the longer one
	})
	return files
}

type nemoReader struct {
	*intake
	tally    *tally
	attempts map[rollout.Key]int
}

func (n *nemoReader) row(f File, line int, row *nemoRow) error {
	if err := n.of(f, row.Response.Model); err != nil {
		return err
	}
	if err := json.Unmarshal(row.ParamsText, &row.Params); err != nil {
		return fmt.Errorf(`"responses_create_params": %w`, err)
	}
	id := hash(row.ParamsText)
	if task := cmp.Or(row.Task, row.TaskIdx); task != nil {
		id = fmt.Sprint(*task)
	}
	sample := 0
	switch {
	case row.Rollout == nil:
		sample = n.again(id)
	case *row.Rollout < 0:
		return fmt.Errorf("_ng_rollout_index is %d: rollouts count from 0", *row.Rollout)
	default:
		sample = *row.Rollout
	}
	asked, err := transcript.Items(row.Params.Input)
	if err != nil {
		return fmt.Errorf("responses_create_params.input: %w", err)
	}
	t, opening, end, err := row.conversation()
	if err != nil {
		return fmt.Errorf("response.output: %w", err)
	}
	if len(asked) == 0 { // the environment's reset made the prompt
		asked = opening
	}
	if !n.sent[id] {
		n.sent[id] = true
		if err := n.toSink(sendItem(n.sink, f, rollout.Item{ID: id, Split: n.split}, asked, map[string]json.RawMessage{"expected_answer": row.Expected})); err != nil {
			return err
		}
	}
	rec := &rollout.Record{Item: id, Messages: t.Messages, Calls: t.Calls, Turns: t.Turns, Answer: transcript.LastAnswer(t.Messages), Usage: transcript.UsageOf(row.Response.Usage)}
	if row.Response.Status == "incomplete" && end != "refusal" {
		end = cmp.Or(row.Response.Incomplete.Reason, "unknown")
	}
	finished(rec, end)
	if err := n.grade(rec, row); err != nil {
		return err
	}
	k := rollout.Key{Split: n.split, Item: id, Sample: n.numbers.sample(n.split, id, sample)}
	rec.Attempt = n.attempts[k]
	n.attempts[k]++
	return n.record(rec, sample)
}

// conversation reads what was said. Of transitions the last one holds all turns.
func (row *nemoRow) conversation() (t transcript.Builder, asked []rollout.Message, end string, err error) {
	if !row.Response.Transitions {
		return trajectory(row.Response.Output)
	}
	var states []json.RawMessage
	if err := json.Unmarshal(row.Response.Output, &states); err != nil {
		return t, nil, "", err
	}
	if len(states) == 0 {
		return t, nil, "", nil
	}
	return trajectory(states[len(states)-1])
}

// judgeFailure returns the mark that a resource server sets next to the reward of a judge
// or a verifier that failed, with its cause; "" where there is none.
func (row *nemoRow) judgeFailure() string {
	for _, mark := range []struct {
		name  string
		value json.RawMessage
	}{
		{"invalid_judge_response", row.JudgeInvalid},
		{"judge_error", row.JudgeError},
		{"judge_generation_error", row.JudgeGeneration},
		{"verifier_error", row.VerifierError},
	} {
		cause := rollout.TextOrJSON(mark.value)
		switch {
		case rollout.NoCause(cause) || mark.name == "verifier_error" && row.ApplyFailed:
		case cause == "true":
			return mark.name
		default:
			return mark.name + ": " + firstLine(cause)
		}
	}
	return ""
}

// unjudged are the values of failure_reason by which a resource server says that
// it could not judge. Others, such as judge_not_equivalent, say what the answer
// failed by (FailureCode of resources_servers/*/app.py).
var unjudged = []string{
	"judge_parsing_failed", "judge_swap_parsing_failed", "expected_answer_invalid", "expected_action_invalid", "gold_execution_error", "unknown_harness", "unknown_error",
}

func (n *nemoReader) grade(rec *rollout.Record, row *nemoRow) error {
	reward, err := number("reward", row.Reward)
	if err != nil {
		return err
	}
	class, reason := rollout.TextOrJSON(row.Class), rollout.TextOrJSON(row.Reason)
	switch {
	case !rollout.NoCause(class):
		cause := cmp.Or(rollout.TextOrJSON(row.Judge), rollout.TextOrJSON(row.Error))
		n.tally.failed(rec, rollout.Boundary(class), strings.Trim(class+": "+firstLine(cause), ": "))
	case row.judgeFailure() != "":
		n.tally.failed(rec, rollout.GraderFailed, row.judgeFailure())
	case slices.Contains(unjudged, reason), reason == "judge_evaluation_failed" && !row.verdict():
		n.tally.failed(rec, rollout.GraderFailed, reason)
	case reward == nil:
		n.tally.ungraded(rec, "reward is missing, null or NaN")
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// verdict reports whether a judge gave one. terminus_judge wrote
// judge_evaluation_failed, until it was split in two, for an answer that the
// judge refused as well as for a judge without a verdict.
func (row *nemoRow) verdict() bool {
	for _, v := range row.Verdicts {
		if !rollout.NoCause(rollout.TextOrJSON(v.Label)) {
			return true
		}
	}
	return false
}
