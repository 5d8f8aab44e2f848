package importer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// epRow is a row of a run with a result.
func epRow(id, run, result, more string) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"input_metadata":{"row_id":%q,"completion_params":{"model":"m"}},"evaluation_result":%s,"execution_metadata":{"run_id":%q}%s}`+"\n", id, result, run, more)
}

func TestEvalProtocolTraps(t *testing.T) {
	ok := `{"score":0.5,"is_score_valid":true}`
	status := func(code int, message string) string {
		return fmt.Sprintf(`,"rollout_status":{"code":%d,"message":%q,"details":[]}`, code, message)
	}
	tryRows(t, "eval-protocol", []row{
		{name: "runs are samples, with one number for every item", file: epRow("a", "r1", ok, "") + epRow("b", "r2", ok, "") + epRow("a", "r2", ok, "") + epRow("b", "r1", ok, ""), want: []string{"a/0 graded 0.5", "b/1 graded 0.5", "a/1 graded 0.5", "b/0 graded 0.5"}, note: "sample = run_id in the order of appearance"},
		{name: "without runs lines are counted", file: epRow("a", "", ok, "") + epRow("a", "", ok, ""), want: []string{"a/0 graded 0.5", "a/1 graded 0.5"}},
		{name: "evals.score of a row without a result is no score", file: epRow("a", "r", "null", `,"evals":{"score":0.0,"is_score_valid":true}`), want: []string{"a/0 grader - there is no evaluation_result"}},
		{name: "a score that is not valid", file: epRow("a", "r", `{"score":0.0,"is_score_valid":false,"reason":"timeout"}`, ""), want: []string{"a/0 grader - the score is not valid: timeout"}},
		{name: "a score beside an error of the evaluation", file: epRow("a", "r", `{"score":0.0,"error":"judge down"}`, ""), want: []string{"a/0 grader - the score is not valid: judge down"}},
		{name: "NaN is no score", file: epRow("a", "r", `{"score":NaN}`, ""), want: []string{"a/0 grader - score is missing, null or NaN"}},
		{name: "an internal error is a failure, whatever the score", file: epRow("a", "r", ok, status(13, "boom")), want: []string{"a/0 model_api - status 13: boom"}},
		{name: "finished", file: epRow("a", "r", ok, status(100, "")), want: []string{"a/0 graded 0.5"}},
		{name: "running and cancelled rollouts are none", file: epRow("a", "r", ok, status(101, "")) + epRow("b", "r", ok, status(1, "")) + epRow("c", "r", ok, ""), want: []string{"c/0 graded 0.5"}, note: "1 rollout was running"},
		{name: "steps used up", file: epRow("a", "r", ok, `,"rollout_status":{"code":100,"details":[{"metadata":{"termination_reason":"max_steps"}}]}`), want: []string{"a/0 step_limit 0.5 max_steps"}},
		{name: "a file in which repeats overwrote each other", file: epRow("a", "r", ok, `,"eval_metadata":{"num_runs":4}`), want: []string{"a/0 graded 0.5"}, note: "in which repeats overwrite each other"},
		{name: "one row of a run twice", file: epRow("a", "r", ok, "") + epRow("a", "r", ok, ""), broken: "log.json:2: row a of run r already occurs in line 1"},
		{name: "a row without an id", file: epRow("", "r", ok, ""), broken: "log.json:1: input_metadata.row_id is missing"},
		{name: "two models", file: epRow("a", "r", ok, "") + strings.Replace(epRow("a", "r2", ok, ""), `"m"`, `"n"`, 1), broken: `log.json:2: its model is "n"`},
	})
}

func TestEvalProtocolRecord(t *testing.T) {
	for name, more := range map[string]string{
		"older": `"execution_metadata":{"run_id":"r","rollout_id":"x"},"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`,
		"newer": `"execution_metadata":{"run_id":"r","rollout_id":"x","duration_seconds":1.5,"usage":{"prompt_tokens":10,"completion_tokens":2}}`,
	} {
		_, g, err := importText(t, "", strings.ReplaceAll(`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"seen"},{"role":"assistant","content":"done"}],
"input_metadata":{"row_id":"a"},"ground_truth":"42","created_at":"2026-01-01T10:00:00Z","evaluation_result":{"score":1.0,"metrics":{"x":{"score":0.25,"is_score_valid":true},"y":{"score":0.0,"is_score_valid":false}}},`+more+"}", "\n", ""))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := g.records[0]
		if *r.Usage.Input != 10 || *r.Usage.Output != 2 || r.TraceID != "x" || r.Answer != "done" || r.Calls[0].Output != "seen" || r.Messages[0].Reasoning != "hm" || r.Started.Year() != 2026 {
			t.Errorf("%s: record is %+v", name, r)
		}
		if name == "newer" && r.Elapsed != rollout.Seconds(1500*time.Millisecond) {
			t.Errorf("elapsed is %v", time.Duration(r.Elapsed))
		}
		if diff := cmp.Diff(map[string]float64{"x": 0.25}, r.Parts); diff != "" {
			t.Errorf("%s: parts (-want +got):\n%s", name, diff)
		}
		if len(g.items[0].Messages) != 1 || !strings.Contains(string(g.items[0].Row), `"ground_truth":"42"`) {
			t.Errorf("%s: item is %s", name, g.items[0].Row)
		}
	}
}

func FuzzEvalProtocol(f *testing.F) {
	f.Add(epRow("a", "r", `{"score":NaN,"metrics":{"x":{"score":1}}}`, "") + epRow("b", "", "null", ""))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "eval-protocol", text(file)) })
}
