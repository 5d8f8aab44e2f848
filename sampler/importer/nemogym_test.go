package importer

import (
	"fmt"
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

func FuzzNemoGym(f *testing.F) {
	f.Add(gymRow(0, 0, "NaN", `,"failure_reason":5,"_ng_failure_class":{"a":1}`))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "nemo-gym", text(file)) })
}
