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
		Item:     "`_ng_task_index`, or a hash of `responses_create_params`",
		Sample:   "`_ng_rollout_index`, or the order of the lines; a file and its `_failures.jsonl` are one run, in other files later ones go on",
		Reward:   "`reward`",
		Failures: "`_ng_failure_class` (`judge_failed` is `grader`); a `failure_reason` by which the judge gave no verdict, or the reference or the verifier was broken, is `grader`, any other is a grade",
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
	} `json:"response"`
	Reward   json.RawMessage `json:"reward"`
	Task     *int            `json:"_ng_task_index"`
	Rollout  *int            `json:"_ng_rollout_index"`
	Expected json.RawMessage `json:"expected_answer"`
	Reason   json.RawMessage `json:"failure_reason"`
	Class    json.RawMessage `json:"_ng_failure_class"`
	Judge    json.RawMessage `json:"_ng_failure_judge_error"`
	Error    json.RawMessage `json:"error"` // next to a class
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

// failuresFirst returns the files with each one's failures before it, so that the
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
	if row.Task != nil {
		id = fmt.Sprint(*row.Task)
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
	if !n.sent[id] {
		n.sent[id] = true
		if err := n.toSink(sendItem(n.sink, f, rollout.Item{ID: id, Split: n.split}, asked, map[string]json.RawMessage{"expected_answer": row.Expected})); err != nil {
			return err
		}
	}
	t, _, end, err := trajectory(row.Response.Output)
	if err != nil {
		return fmt.Errorf("response.output: %w", err)
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
