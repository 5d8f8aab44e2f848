package importer

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// gymRow is a line of rollouts of NeMo Gym.
func gymRow(task, rollout int, reward, more string) string {
	return fmt.Sprintf(`{"responses_create_params":{"input":[{"role":"user","content":"task %d"}]},"response":{"model":"m","status":"completed","output":[{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"4"}]}],"usage":{"input_tokens":7,"output_tokens":2}},"reward":%s,"_ng_task_index":%d,"_ng_rollout_index":%d%s}`, task, reward, task, rollout, more) + "\n"
}

func TestNemoGym(t *testing.T) {
	tryRows(t, "nemo-gym", []row{
		{name: "tasks and rollouts have numbers", file: gymRow(3, 1, "0.5", "") + gymRow(3, 0, "0", ""), want: []string{"3/1 graded 0.5", "3/0 graded 0"}, note: "sample = _ng_rollout_index"},
		{name: "a judge that failed: nemo_gym/judge.py, judge_failsafe", file: gymRow(0, 0, "0.0", `,"_ng_failure_class":"judge_failed","_ng_failure_judge_error":"429"`), want: []string{"0/0 grader - judge_failed: 429"}, note: "1 rollout ended in an error"},
		{name: "another failure is not the judge's", file: gymRow(0, 0, "0.0", `,"_ng_failure_class":"agent_timeout"`), want: []string{"0/0 model_api - agent_timeout"}},
		{name: "no verdict, and a broken reference: FailureCode of the resource servers", file: gymRow(0, 0, "0.0", `,"failure_reason":"judge_parsing_failed"`) + gymRow(0, 1, "0.0", `,"failure_reason":"expected_answer_invalid"`), want: []string{"0/0 grader - judge_parsing_failed", "0/1 grader - expected_answer_invalid"}},
		{name: "what an answer failed by is a grade", file: gymRow(0, 0, "0.0", `,"failure_reason":"judge_not_equivalent"`) + gymRow(0, 1, "1.0", `,"failure_reason":"none"`) + gymRow(0, 2, "0.0", `,"failure_reason":"model_output_invalid"`), want: []string{"0/0 graded 0", "0/1 graded 1", "0/2 graded 0"}},
		{
			name: "judge_evaluation_failed, with and without a verdict",
			file: gymRow(0, 0, "0.0", `,"failure_reason":"judge_evaluation_failed","judge_evaluations":[{"verdict_label":"[[A!=B]]"}]`) + gymRow(0, 1, "0.0", `,"failure_reason":"judge_evaluation_failed","judge_evaluations":[{"verdict_label":null}]`),
			want: []string{"0/0 graded 0", "0/1 grader - judge_evaluation_failed"},
		},
		{name: "without numbers the request tells tasks apart", file: `{"responses_create_params":{"input":"a"},"response":{},"reward":1}` + "\n" + `{"responses_create_params":{"input":"a"},"response":{},"reward":0}` + "\n", want: []string{hash([]byte(`{"input":"a"}`)) + "/0 graded 1", hash([]byte(`{"input":"a"}`)) + "/1 graded 0"}},
		{name: "a reward that is null", file: gymRow(0, 0, "null", ""), want: []string{"0/0 grader - reward is missing, null or NaN"}},
	})
}

// The failures beside a file are attempts before what it holds, in whatever order
// the files come; another file's rollouts are further samples.
func TestNemoGymFailuresAreAttempts(t *testing.T) {
	dir := fstest.MapFS{
		"rollouts.jsonl":          {Data: []byte(gymRow(0, 0, "1", ""))},
		"rollouts_failures.jsonl": {Data: []byte(gymRow(0, 0, "0.0", `,"_ng_failure_class":"judge_failed"`) + gymRow(1, 0, "0.0", `,"_ng_failure_class":"judge_failed"`))},
		"rollouts2.jsonl":         {Data: []byte(gymRow(0, 0, "0.25", ""))},
	}
	_, g, err := importSource(t, "", Source{Files: []File{{Name: "dir", FS: dir, Path: "."}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, line := range told(g) {
		got = append(got, fmt.Sprintf("%d: %s", g.records[i].Attempt, line))
	}
	if diff := cmp.Diff([]string{"0: 0/0 grader - judge_failed", "0: 1/0 grader - judge_failed", "1: 0/0 graded 1", "0: 0/1 graded 0.25"}, got); diff != "" {
		t.Errorf("attempts and records (-want +got):\n%s", diff)
	}
}

func TestNemoGymRecord(t *testing.T) {
	const cut = `{"responses_create_params":{"input":"2+2?"},"response":{"model":"m","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","call_id":"c","name":"look","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"seen"},{"type":"message","role":"assistant","status":"incomplete","content":[{"type":"output_text","text":"4, beca"}]}],"usage":{"input_tokens":7,"output_tokens":2}},"reward":0,"expected_answer":"4"}` + "\n"
	_, g, err := importText(t, "", cut)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if r.Finish != rollout.FinishLength || r.Answer != "4, beca" || len(r.Calls) != 1 || r.Calls[0].Output != "seen" || r.Turns != 2 || *r.Usage.Input != 7 || g.models[0] != "m" {
		t.Errorf("record is %+v of model %v", r, g.models)
	}
	if it := g.items[0]; len(it.Messages) != 1 || it.Messages[0].Content != "2+2?" {
		t.Errorf("item is %s", it.Row)
	}
	g.noted(t, "1 of 1 rollout ends with a reply that a token limit cut off")
}

// The outputs below have the shapes of example_rollouts.jsonl in NVIDIA-NeMo/Gym at 07d6b0d:
// of ruler (cut off while it reasons), gdpval (calls without recorded answers, the prompt
// among the output) and aviary (contains_transitions: each state holds the ones before).
func TestNemoGymConversations(t *testing.T) {
	call := func(id string) string {
		return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":"look","arguments":"{}"}`, id)
	}
	answer := func(id string) string {
		return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"seen"}`, id)
	}
	const (
		asked  = `{"type":"message","role":"user","content":"2+2?"}`
		reply  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"4"}]}`
		reason = `{"type":"reasoning","summary":[{"type":"summary_text","text":"so"}]}`
		raw    = `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"so"}]}`
	)
	state := asked + "," + call("a") + "," + answer("a")
	for name, c := range map[string]struct {
		input, output, more string
		want                string // of each message after the prompt: role, text, reasoning, calls
		turns, answered     int
		prompt              string
	}{
		"calls, their answers and reasoning":       {asked, reason + "," + call("a") + "," + answer("a") + "," + reply, "", "assistant,,so,1 tool,seen,,0 assistant,4,,0", 2, 1, "2+2?"},
		"reasoning that has no summary":            {asked, raw + "," + reply, "", "assistant,4,so,0", 1, 0, "2+2?"},
		"reasoning that nothing follows":           {asked, call("a") + "," + answer("a") + "," + reason, "", "assistant,,,1 tool,seen,,0 assistant,,so,0", 2, 1, "2+2?"},
		"calls that have no recorded answer":       {"", asked + "," + reply + "," + call("a") + "," + reply + "," + call("b"), "", "assistant,4,,1 assistant,4,,1", 2, 0, "2+2?"},
		"transitions":                              {"", "[" + state + "],[" + state + "," + call("b") + "," + answer("b") + "],[" + state + "," + call("b") + "," + answer("b") + "," + reply + "]", `,"contains_transitions":true`, "assistant,,,1 tool,seen,,0 assistant,,,1 tool,seen,,0 assistant,4,,0", 3, 2, "2+2?"},
		"a run that crashed before the first turn": {asked, "", `,"contains_transitions":true`, "", 0, 0, "2+2?"},
	} {
		_, g, err := importText(t, "nemo-gym", fmt.Sprintf(`{"responses_create_params":{"input":[%s]},"response":{"model":"m","output":[%s]%s},"reward":1,"task_idx":3}`, c.input, c.output, c.more)+"\n")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := g.records[0]
		var got []string
		for _, m := range r.Messages {
			got = append(got, fmt.Sprintf("%s,%s,%s,%d", m.Role, m.Content, m.Reasoning, len(m.ToolCalls)))
		}
		answered := 0
		for _, c := range r.Calls {
			if c.Output == "seen" {
				answered++
			}
		}
		if text := strings.Join(got, " "); text != c.want || r.Turns != c.turns || answered != c.answered || r.Item != "3" {
			t.Errorf("%s: item %s of %d turns and %d answered calls: %s", name, r.Item, r.Turns, answered, text)
		}
		if it := g.items[0]; len(it.Messages) != 1 || it.Messages[0].Content != c.prompt {
			t.Errorf("%s: the item is %s", name, it.Row)
		}
	}
}

// The marks are those of resources_servers/{gdpval,frontierscience_judge,longmemeval,finance_agent_v2,
// conversational_tool_use_simulation,deepswe}/app.py, each next to a reward of 0.
func TestNemoGymMarksOfAFailedJudge(t *testing.T) {
	tryRows(t, "nemo-gym", []row{
		{name: "a verdict that could not be parsed", file: gymRow(0, 0, "0.0", `,"invalid_judge_response":true`), want: []string{"0/0 grader - invalid_judge_response"}},
		{name: "a judge that was not reached", file: gymRow(0, 0, "0.0", `,"judge_error":"request_failed"`), want: []string{"0/0 grader - judge_error: request_failed"}},
		{name: "a judge that raised", file: gymRow(0, 0, "0.0", `,"judge_generation_error":"KeyError: 'a'"`), want: []string{"0/0 grader - judge_generation_error: KeyError: 'a'"}},
		{name: "a verifier that timed out", file: gymRow(0, 0, "0.0", `,"verifier_error":"Verifier timed out after 10 seconds","apply_failed":false`), want: []string{"0/0 grader - verifier_error: Verifier timed out after 10 seconds"}},
		{name: "a patch of the model that does not apply", file: gymRow(0, 0, "0.0", `,"verifier_error":"patch failed","apply_failed":true`), want: []string{"0/0 graded 0"}},
		{name: "no mark", file: gymRow(0, 0, "0.0", `,"invalid_judge_response":false,"judge_error":null,"judge_generation_error":"","verifier_error":0`), want: []string{"0/0 graded 0"}},
	})
}

func FuzzNemoGym(f *testing.F) {
	f.Add(`{"responses_create_params":{},"response":{"output":[[],[{"type":"function_call","call_id":"a"}]],"contains_transitions":true},"reward":1,"task_idx":1}`)
	f.Add(gymRow(0, 0, "NaN", `,"failure_reason":5,"_ng_failure_class":{"a":1}`))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "nemo-gym", text(file)) })
}
