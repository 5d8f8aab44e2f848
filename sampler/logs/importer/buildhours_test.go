package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// evaluated makes a line of results.jsonl.
func evaluated(index int, metrics, failure, trace string) string {
	return fmt.Sprintf(`{"sample_index":%d,"input_item":{"messages":[{"role":"user","content":"q"}],"reference_answer":"4"},"trace":[%s],"final_message_text":"4","metrics":%s,"error":%s,"duration_seconds":1.5}`,
		index, trace, metrics, failure) + "\n"
}

func TestBuildHours(t *testing.T) {
	const toolError = `{"event":"tool_call","name":"search","arguments":"{}","call_id":"c"},{"event":"tool_error","name":"search","error":"503"}`
	tryRows(t, "build-hours", []row{
		{
			name: "a number, an answer of graders/run, and nothing", file: evaluated(1, `{"g":0.5}`, "null", "") + evaluated(2, `{"g":{"reward":0,"sub_rewards":{"a":1,"b":null},"metadata":{"errors":{"timeout":false}}}}`, "null", "") + evaluated(3, `{"g":null}`, "null", ""),
			want: []string{"1/0 graded 0.5", "2/0 graded 0", "3/0 grader - the metric is missing, null or NaN"},
		},
		{name: "-1 is no reward", file: evaluated(1, `{"reward":-1}`, "null", ""), want: []string{"1/0 grader - the reward is -1, which this log uses for a failed rollout"}, note: "rollouts that are failures (grader), not zeros: 1"},
		{name: "-1 of a grader that is not alone in saying so", file: evaluated(1, `{"gain":-1}`, "null", ""), want: []string{"1/0 graded -1"}},
		{name: "an error, whatever the metrics say", file: evaluated(1, `{"reward":-1}`, `"connection reset"`, "") + evaluated(2, `{"g":1}`, `"boom"`, ""), want: []string{"1/0 model_api - connection reset", "2/0 model_api - boom"}},
		{name: "a tool's exception ends the rollout", file: evaluated(1, `{"reward":-1}`, "null", toolError) + evaluated(2, `{"reward":-1}`, `"tool failed"`, toolError), want: []string{"1/0 tool - search: 503", "2/0 tool - tool failed"}},
		{name: "a runtime error is the model's endpoint's", file: evaluated(1, `{}`, "null", `{"event":"runtime_error","error":"rate limit"}`), want: []string{"1/0 model_api - rate limit"}},
		{name: "a grader's own fault beside a 0", file: evaluated(1, `{"g":{"reward":0.0,"metadata":{"errors":{"formula_parse_error":false,"python_grader_runtime_error":true}}}}`, "null", ""), want: []string{"1/0 grader - the grader reports python_grader_runtime_error"}},
		{
			name: "several graders: the first, and it is said", file: evaluated(1, `{"zeta":1,"alpha":0}`, "null", "") + evaluated(2, `{"alpha":0.25,"zeta":0.75}`, "null", "") + evaluated(3, `{"alpha":1}`, "null", ""),
			want: []string{"1/0 graded 1", "2/0 graded 0.75", "3/0 grader - metrics hold no zeta"}, note: "the reward is zeta",
		},
		{name: "several graders, one of them the reward", file: evaluated(1, `{"a":1,"reward":0.25}`, "null", ""), want: []string{"1/0 graded 0.25"}},
		{name: "no final message and no metrics", file: strings.Replace(evaluated(1, `{}`, "null", ""), `"4","metrics"`, `null,"metrics"`, 1), want: []string{"1/0 no_answer - no final message and no metrics"}},
		{name: "an item twice in one file", file: evaluated(1, `{"g":1}`, "null", "") + evaluated(1, `{"g":0}`, "null", ""), broken: "log.json:2: sample_index 1 already occurs in line 1"},
		{name: "an index that is none", file: strings.Replace(evaluated(1, `{"g":1}`, "null", ""), `"sample_index":1`, `"sample_index":1.5`, 1), broken: "log.json:1: sample_index must be a whole number"},
		{name: "metrics that are none", file: evaluated(1, `[1]`, "null", ""), broken: "log.json:1: metrics: "},
		{name: "a metric in words", file: evaluated(1, `{"g":"high"}`, "null", ""), broken: "log.json:1: metrics.g: it must be a number"},
		{name: "a torn last line", file: evaluated(1, `{"g":1}`, "null", "") + `{"sample_index":2,"me`, want: []string{"1/0 graded 1"}, note: "incomplete"},
		{name: "a broken line", file: evaluated(1, `{"g":1}`, "null", "") + "{\"sample_index\":\n" + evaluated(2, `{"g":1}`, "null", ""), broken: "log.json:2: "},
	})
}

// A repeat is another evalrun directory; --score takes another grader.
func TestBuildHoursRepeats(t *testing.T) {
	src := tree(map[string]string{
		"r1/a/results.jsonl": evaluated(1, `{"g":1,"h":0.5}`, "null", "") + evaluated(2, `{"g":0,"h":0.25}`, "null", ""),
		"r1/b/results.jsonl": evaluated(2, `{"g":1,"h":0.75}`, "null", "") + evaluated(1, `{"g":0,"h":0}`, "null", ""),
		"r1/metadata.json":   `{}`,
	})
	src.Options.Score = "h"
	_, g, err := importSource(t, "", src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1/0 graded 0.5", "2/0 graded 0.25", "2/1 graded 0.75", "1/1 graded 0"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if g.records[0].Parts["g"] != 1 || len(g.items) != 2 || len(g.items[0].Messages) != 1 {
		t.Errorf("parts %v, items %+v", g.records[0].Parts, g.items)
	}
}

func TestBuildHoursTrace(t *testing.T) {
	const trace = `{"event":"reasoning_summary","summary":"think"},{"event":"preamble_message","text":"let me look"},
	{"event":"tool_call","name":"a","arguments":"{\"x\":1}","call_id":"1"},{"event":"tool_call","name":"b","arguments":"{","call_id":"2"},
	{"event":"tool_result","type":"function_call_output","call_id":"1","output":"one"},{"event":"tool_result","call_id":"2","output":{"n":2}},
	{"event":"reasoning_summary","summary":[{"type":"summary_text","text":"so"}]},{"event":"final_message","text":"4"}`
	file := strings.Replace(evaluated(1, `{"g":1}`, "null", strings.ReplaceAll(trace, "\n", "")), `"error"`, `"usage_cumulative":{"input_tokens":300,"output_tokens":20,"reasoning_tokens":5,"total_tokens":320},"usage_at_final":{"input_tokens":9},"error"`, 1)
	_, g, err := importText(t, "", file)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	wantMessages := []rollout.Message{
		{Role: "assistant", Content: "let me look", Reasoning: "think", ToolCalls: []rollout.ToolCall{{ID: "1", Name: "a", Arguments: `{"x":1}`}, {ID: "2", Name: "b", Arguments: "{"}}},
		{Role: "tool", ToolCallID: "1", Name: "a", Content: "one"},
		{Role: "tool", ToolCallID: "2", Name: "b", Content: `{"n":2}`},
		{Role: "assistant", Content: "4", Reasoning: "so"},
	}
	if diff := cmp.Diff(wantMessages, r.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	wantCalls := []rollout.Call{
		{ID: "1", Name: "a", Arguments: `{"x":1}`, Output: "one", OutputBytes: 3, Status: rollout.CallOK},
		{ID: "2", Name: "b", Arguments: "{", Output: `{"n":2}`, OutputBytes: 7, Status: rollout.CallMalformed},
	}
	if diff := cmp.Diff(wantCalls, r.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if r.Turns != 2 || *r.Usage.Input != 300 || *r.Usage.Output != 20 || *r.Usage.Reasoning != 5 || r.Elapsed != 1_500_000_000 {
		t.Errorf("record is %+v", r)
	}
	if !strings.Contains(strings.Join(g.notes, "\n"), "count the prompt again in every turn") {
		t.Errorf("notes are %q", g.notes)
	}
}

func FuzzBuildHours(f *testing.F) {
	fuzzFormat(f, "build-hours", evaluated(1, `{"g":{"reward":NaN,"sub_rewards":{"a":1}}}`, `{"x":1}`, `{"event":"tool_error"},{"event":"reasoning_summary"},{"event":"tool_result"},null`),
		evaluated(1, `{"a":1,"a":2}`, "null", `{"event":"reasoning_summary","summary":"x"},{"event":"tool_call"},{"event":"reasoning_summary","summary":"y"}`))
}
