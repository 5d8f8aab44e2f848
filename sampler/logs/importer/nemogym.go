package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// nemoGym reads the rollouts that NeMo Gym collects (NVIDIA-NeMo/Gym,
// nemo_gym/rollout_collection.py): one line per rollout. Failed attempts are in a separate file
// next to it, one line per attempt.
var nemoGym = Format{
	Name: "nemo-gym",
	Doc: "rollouts of NeMo Gym, JSON lines with responses_create_params, response and reward, with their " +
		"_failures.jsonl",
	Files: []string{"*rollouts*.jsonl"},
	From: Origin{
		Item: "`_ng_task_index`, `task_idx`, or a hash of `responses_create_params`; of several agents, " +
			"`agent_ref.name` before it",
		Sample: "`_ng_rollout_index`, or the order of the lines; a file and its `_failures.jsonl` are one run, in " +
			"other files later ones continue",
		Reward: "`reward`",
		Failures: "`_ng_failure_class` (`judge_failed` is `grader`); `mask_sample`, also in `instance_config`; a " +
			"`response` with the status `failed`; a `failure_reason` in words, unless `mask_sample` is false; a " +
			"code of it by which the judge gave no verdict, or the reference or the verifier was broken, is " +
			"`grader`, any other code is a grade",
	},
	Read: readNemoGym, keys: []string{"responses_create_params", "response", "reward"},
}

type nemoRow struct {
	Params struct {
		Input        json.RawMessage `json:"input"`
		Instructions json.RawMessage `json:"instructions"`
		Tools        json.RawMessage `json:"tools"`
	} `json:"-"` // of ParamsText
	ParamsText json.RawMessage `json:"responses_create_params"`
	Response   struct {
		Model      string          `json:"model"`
		Status     string          `json:"status"`
		Output     json.RawMessage `json:"output"`
		Usage      json.RawMessage `json:"usage"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Error json.RawMessage `json:"error"`
		// output is a list of conversations, each one turn longer than the one before
		Transitions bool `json:"contains_transitions"`
	} `json:"response"`
	Reward   json.RawMessage `json:"reward"`
	Agent    nemoAgent       `json:"agent_ref"`
	Task     *int            `json:"_ng_task_index"`
	TaskIdx  *int            `json:"task_idx"` // of environments that make their own prompts
	Rollout  *int            `json:"_ng_rollout_index"`
	Expected json.RawMessage `json:"expected_answer"`
	Verifier json.RawMessage `json:"verifier_metadata"`
	Dataset  json.RawMessage `json:"dataset"`
	Server   json.RawMessage `json:"resources_server_ref"`
	Reason   json.RawMessage `json:"failure_reason"`
	Class    json.RawMessage `json:"_ng_failure_class"`
	Judge    json.RawMessage `json:"_ng_failure_judge_error"`
	// false: the reward counts, whatever failure_reason and failure_kind say; an exception is still
	// a failure
	Mask *bool `json:"mask_sample"`

	ApplyFailed bool `json:"apply_failed"` // applying the model's patch failed, which is not a failure of the verifier
	marked

	names map[string]json.RawMessage // the policy and its version, by key

	talk   transcript.Builder
	asked  []rollout.Message // at the beginning of the output
	end    string
	broken error // why the output cannot be read

	Verdicts []struct {
		Label json.RawMessage `json:"verdict_label"`
	} `json:"judge_evaluations"`
}

// nemoAgent is the agent that answered. Each environment has its own agent and counts its tasks
// from 0; a task that is copied for several agents keeps its index.
type nemoAgent struct {
	Name string `json:"name"`
}

func readNemoGym(ctx context.Context, in *intake) error {
	n := nemoReader{intake: in, attempts: make(map[rollout.Key]int)}
	agents := make(map[string]bool)
	for _, f := range in.files {
		type head struct {
			Agent nemoAgent `json:"agent_ref"`
		}
		err := eachRow(ctx, f, Sink{}, func(_ int, row *head) error {
			agents[row.Agent.Name] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	n.agents = len(agents)
	run, runs := "", 0
	for _, f := range failuresFirst(in.files) {
		if name := runOf(f); name != run {
			run = name
			n.file()
			runs++
			if err := n.inputs(ctx, f); err != nil {
				return err
			}
		}
		if err := eachRow(ctx, f, in.sink.forFile(f, in.files),
			func(line int, row *nemoRow) error { return n.row(f, line, row) }); err != nil {
			return err
		}
	}
	in.sink.note("item = _ng_task_index, sample = _ng_rollout_index, split = %s; without them the request and the "+
		"order of the lines; lines for one rollout are attempts at it", n.split)
	if n.agents > 1 {
		in.sink.note("there are %d agents: each has its own items (AGENT/ID), and means cover all of them; import "+
			"each separately to compare them", n.agents)
	}
	in.sendPlan(runs, 0)
	return nil
}

// runOf returns the run that a file belongs to; a file of failures belongs to the run that failed.
func runOf(f File) string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Name, ".jsonl"), "_failures")
}

// failuresFirst orders the files so that each file's failures come before it: the successful
// attempt is the last.
func failuresFirst(files []File) []File {
	first := make(map[string]int)
	for i, f := range files {
		if _, ok := first[runOf(f)]; !ok {
			first[runOf(f)] = i
		}
	}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int {
		if c := cmp.Compare(first[runOf(a)], first[runOf(b)]); c != 0 {
			return c
		}
		return cmp.Compare(len(b.Name), len(a.Name)) // the name of the failures' file is longer
	})
	return files
}

type nemoReader struct {
	*intake
	agents   int
	attempts map[rollout.Key]int
}

// inputs adds the number of planned rollouts of a run: the lines of its materialized inputs.
func (n *nemoReader) inputs(ctx context.Context, f File) error {
	beside := f.Beside(filepath.Base(runOf(f)) + "_materialized_inputs.jsonl")
	if _, err := fs.Stat(beside.FS, beside.Path); err != nil {
		return nil // it is not stored with the rollouts
	}
	lines := 0
	err := eachRow(ctx, beside, Sink{}, func(int, *struct{}) error {
		lines++
		return nil
	})
	n.plans.add(lines)
	return err
}

func (n *nemoReader) row(f File, line int, row *nemoRow) error {
	if err := n.setModel(f, row.Response.Model); err != nil {
		return err
	}
	if err := jsontext.Unmarshal(row.ParamsText, &row.Params); err != nil {
		return fmt.Errorf(`"responses_create_params": %w`, err)
	}
	id := hash(row.ParamsText)
	if task := cmp.Or(row.Task, row.TaskIdx); task != nil {
		id = fmt.Sprint(*task)
	}
	if n.agents > 1 {
		id = row.Agent.Name + "/" + id
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
	t, end := row.talk, row.end
	if row.broken != nil {
		return fmt.Errorf("response.output: %w", row.broken)
	}
	if len(asked) == 0 { // the environment's reset made the prompt
		asked = row.asked
	}
	for _, key := range slices.Sorted(maps.Keys(row.names)) {
		n.sink.tellVersion(key, row.names[key])
		n.sink.tell(key, jsontext.TextOrJSON(row.names[key]))
	}
	n.sink.tell("system_prompt", jsontext.TextOrJSON(row.Params.Instructions))
	n.sink.tellExactly("expected_answer", row.Expected)
	n.sink.tellExactly("verifier_metadata", row.Verifier)
	n.sink.tellExactly("dataset", row.Dataset)
	n.sink.tellExactly("resources_server_ref", row.Server)
	if err := sendItem(n.sink, f, rollout.Item{ID: id, Split: n.split}, asked,
		map[string]json.RawMessage{"expected_answer": row.Expected, "tools": offered(row.Params.Tools)}); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: id, Messages: t.Messages, Calls: t.Calls, Turns: t.Turns,
		Answer: transcript.LastAnswer(t.Messages), Usage: transcript.UsageOf(row.Response.Usage),
	}
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

// mark records a key that nemoRow does not name if it names the policy, and checks it for a mark of
// failure unless it may belong to the data row.
func (row *nemoRow) mark(key string, value []byte) {
	if slices.Contains(policyKeys, plain(key)) || slices.Contains(versionKeys, plain(key)) {
		if row.names == nil {
			row.names = make(map[string]json.RawMessage)
		}
		row.names[key] = bytes.Clone(value)
		return
	}
	if key != "metadata" && key != "extra_info" {
		row.marked.mark(key, value)
	}
}

// prepare reads the output.
func (row *nemoRow) prepare() {
	row.talk, row.asked, row.end, row.broken = row.conversation()
	row.Response.Output = nil
}

// conversation returns the conversation. With transitions, the last one holds all turns.
func (row *nemoRow) conversation() (t transcript.Builder, asked []rollout.Message, end string, err error) {
	if !row.Response.Transitions {
		return trajectory(row.Response.Output)
	}
	var states []json.RawMessage
	if err := jsontext.Unmarshal(row.Response.Output, &states); err != nil {
		return t, nil, "", err
	}
	if len(states) == 0 {
		return t, nil, "", nil
	}
	return trajectory(states[len(states)-1])
}

// failure returns outcome and cause if the environment, a resource server or the model's endpoint
// marks the row as not judged.
func (row *nemoRow) failure() (rollout.Outcome, string) {
	reason := jsontext.TextOrJSON(row.Reason)
	counts := row.Mask != nil && !*row.Mask
	m := marked{row.marks.Without(func(key string) bool {
		return key == "verifier_error" && row.ApplyFailed || key == "failure_kind" && counts
	})}
	if row.Mask != nil && *row.Mask {
		m.mark("mask_sample", []byte("true"))
	}
	if strings.Contains(reason, " ") && !counts { // words, not a code for why the answer is wrong
		m.mark("failure_reason", row.Reason)
	}
	if o, cause := m.failure(rollout.ModelAPI); o != "" {
		return o, cause
	}
	var response marked
	response.mark("model_error", row.Response.Error)
	response.mark("model_status", []byte(row.Response.Status))
	if o, cause := response.failure(rollout.ModelAPI); o != "" {
		return o, strings.TrimPrefix(cause, "model_")
	}
	if slices.Contains(unjudged, reason) || reason == "judge_evaluation_failed" && !row.verdict() {
		return rollout.GraderFailed, reason
	}
	return "", ""
}

// unjudged lists the values of failure_reason with which a resource server says that it could not
// judge. Others, such as judge_not_equivalent, say why the answer is wrong (FailureCode of
// resources_servers/*/app.py).
var unjudged = []string{
	"judge_parsing_failed", "judge_swap_parsing_failed", "expected_answer_invalid", "expected_action_invalid",
	"gold_execution_error", "unknown_harness", "unknown_error",
}

func (n *nemoReader) grade(rec *rollout.Record, row *nemoRow) error {
	reward, err := n.reward("reward", row.Reward)
	if err != nil {
		return err
	}
	class := jsontext.TextOrJSON(row.Class)
	boundary, cause := row.failure()
	switch {
	case !failure.None(class):
		if jsontext.TextOrJSON(row.Judge) != "" {
			cause = jsontext.TextOrJSON(row.Judge)
		}
		n.failed(rec, rollout.Boundary(class), strings.Trim(class+": "+transcript.FirstLine(cause), ": "))
	case boundary != "":
		n.failed(rec, boundary, cause)
	case reward == nil:
		n.ungraded(rec, "reward is missing, null or NaN")
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// verdict reports whether a judge gave a verdict. terminus_judge, before judge_evaluation_failed
// was split in two, wrote it both for a rejected answer and for a judge without a verdict.
func (row *nemoRow) verdict() bool {
	for _, v := range row.Verdicts {
		if !failure.None(jsontext.TextOrJSON(v.Label)) {
			return true
		}
	}
	return false
}
