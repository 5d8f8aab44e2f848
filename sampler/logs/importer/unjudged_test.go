package importer

import (
	"fmt"
	"testing"
)

// A judge or a scorer that failed is marked by each tool in its own way, mostly
// beside a score of 0. Each mark makes a missing grade, and what looks like one
// and is none stays a grade.
func TestPromptfooJudgesThatFailed(t *testing.T) {
	vars := `{"x":"a"}`
	id := "p0-" + hash([]byte(vars))
	graded := func(test, score, grading string) string {
		return pfRow(test, vars, score, `,"failureReason":1,"error":"x","response":{"output":"a"},"gradingResult":`+grading) + "\n"
	}
	component := func(kind, more string) string {
		return `{"pass":false,"score":0,"assertion":{"type":"` + kind + `"` + more + `}`
	}
	tryRows(t, "promptfoo", []row{
		{
			name: "a judge that was rate limited: graderFail of src/matchers/shared.ts", note: "1 rollout ended in an error",
			file: graded("0", "0", `{"pass":false,"score":0,"reason":"API error: 429","componentResults":[{"pass":false,"score":0,"reason":"API error: 429","metadata":{"graderError":true},"assertion":{"type":"llm-rubric"}}]}`),
			want: []string{id + "/0 grader - API error: 429"},
		},
		{
			name: "one of several assertions: the score is a mean with a 0 that is none",
			file: graded("0", "0.5", `{"reason":"429","componentResults":[{"pass":true,"score":1},`+component("llm-rubric", `}, "reason":"429","metadata":{"graderError":true}`)+`]}`),
			want: []string{id + "/0 grader - 429"},
		},
		{
			name: "within a set of assertions",
			file: graded("0", "0", `{"reason":"x","componentResults":[{"score":0,"metadata":{"assertionSet":{"type":"assert-set"}},"componentResults":[`+component("g-eval", `},"reason":"no steps","metadata":{"graderError":true}`)+`]}]}`),
			want: []string{id + "/0 grader - no steps"},
		},
		{
			name: "an assertion that threw: src/assertions/javascript.ts and python.ts",
			file: graded("0", "0", `{"reason":"x","componentResults":[`+component("javascript", `},"reason":"Custom function threw error: x is not defined\nStack Trace: y"`)+`]}`) +
				graded("1", "0", `{"reason":"x","componentResults":[`+component("python", `},"reason":"Python code execution failed: NameError"`)+`]}`),
			want: []string{id + "/0 grader - Custom function threw error: x is not defined", id + "/1 grader - Python code execution failed: NameError"},
		},
		{
			name: "a factuality or closed-QA judge without a mark: src/matchers/llmGrading.ts",
			file: graded("0", "0", `{"reason":"x","componentResults":[`+component("factuality", `},"reason":"No output"`)+`]}`) +
				graded("1", "0", `{"reason":"x","componentResults":[`+component("model-graded-closedqa", `},"reason":"Model grader produced a malformed response:\nmaybe"`)+`]}`) +
				graded("2", "0", `{"reason":"x","componentResults":[`+component("not-model-graded-factuality", `},"reason":"API error: 500"`)+`]}`),
			want: []string{id + "/0 grader - No output", id + "/1 grader - Model grader produced a malformed response:", id + "/2 grader - API error: 500"},
		},
		{
			name: "a scoring function that threw: src/assertions/assertionsResult.ts",
			file: graded("0", "0", `{"reason":"Scoring function error: boom","componentResults":[{"pass":true,"score":1}]}`),
			want: []string{id + "/0 grader - Scoring function error: boom"},
		},
		{
			name: "what failed an answer is a grade, also where its words sound like it",
			file: graded("0", "0", `{"reason":"x","componentResults":[`+component("contains", `},"reason":"Expected output to contain \"API error: 429\""`)+`]}`) +
				graded("1", "0", `{"reason":"x","componentResults":[`+component("llm-rubric", `},"reason":"No output"`)+`]}`) +
				graded("2", "0", `{"reason":"x","componentResults":[`+component("model-graded-closedqa", `},"reason":"The submission does not meet the criterion:\nN"`)+`]}`) +
				graded("3", "0", `{"reason":"x","metadata":"m","componentResults":[{"pass":false,"score":0,"reason":7,"metadata":{"graderError":"no"},"assertion":null}]}`),
			want: []string{id + "/0 graded 0", id + "/1 graded 0", id + "/2 graded 0", id + "/3 graded 0"},
		},
		{
			name: "an assertion of weight 0 has no part in the score",
			file: graded("0", "1", `{"reason":"x","componentResults":[{"pass":true,"score":1},`+component("llm-rubric", `,"weight":0},"reason":"429","metadata":{"graderError":true}`)+`]}`),
			want: []string{id + "/0 graded 1"},
		},
	})
}

// By --score another assertion's failure is none of the named one.
func TestPromptfooNamedScoreOfAJudge(t *testing.T) {
	id := "p0-" + hash([]byte(`{"x":"a"}`))
	src := text(pfRow("0", `{"x":"a"}`, "0.5", `,"namedScores":{"style":1,"truth":0},"gradingResult":{"reason":"429","componentResults":[{"score":1,"assertion":{"type":"llm-rubric","metric":"style"}},{"score":0,"reason":"429","metadata":{"graderError":true},"assertion":{"type":"llm-rubric","metric":"truth"}}]}`) + "\n")
	for score, want := range map[string]string{"style": id + "/0 graded 1", "truth": id + "/0 grader - 429"} {
		src.Options.Score = score
		if _, g, err := importSource(t, "promptfoo", src); err != nil || told(g)[0] != want {
			t.Errorf("--score %s: %v, %v, want %s", score, told(g), err, want)
		}
	}
}

func TestJudgesThatFailed(t *testing.T) {
	inspect := func(epoch int, more string) string { return fmt.Sprintf(`{"id":1,"epoch":%d%s}`, epoch, more) }
	item := func(run, results, more string) string {
		return `{"object":"eval.run.output_item","run_id":"` + run + `","datasource_item_id":3,"results":[` + results + `],"sample":{"output":[{"role":"assistant","content":"a"}]}` + more + "}\n"
	}
	event := func(kind, data string) string {
		return `{"run_id":"r","event_id":1,"sample_id":"a.0","type":"` + kind + `","data":` + data + "}\n"
	}
	for format, rows := range map[string][]row{
		"inspect": {
			{name: "a scorer that raised ends the sample in an error; with score_on_error other scores stand beside it", file: inspectJSON(inspect(1, `,"error":{"message":"judge: 429","traceback":"inspect_ai/_eval/task/run.py\ninspect_ai/scorer/_model.py"},"scores":{"other":{"value":0}}`)), want: []string{"1/0 grader - judge: 429"}},
			{name: "Score.unscored() is NaN, written as a constant or as null", file: inspectJSON(inspect(1, `,"scores":{"m":{"value":NaN,"metadata":{"unscored_reason":"grade_parse_failure"}}}`), inspect(2, `,"scores":{"m":{"value":null}}`)), want: []string{"1/0 grader - score m is null", "1/1 grader - score m is null"}},
			{name: "one scorer that failed beside one that did not", file: inspectJSON(inspect(1, `,"scores":{"m":{"value":1},"judge":{"value":NaN}}`)), want: []string{"1/0 graded 1"}},
		},
		"verifiers": {
			{name: "an error beside a reward that was never set", file: `{"example_id":1,"prompt":"q","completion":[],"reward":0.0,"is_completed":true,"error":{"error":"RewardError","message":"judge gone"}}` + "\n", want: []string{"1/0 grader - RewardError: judge gone"}},
		},
		"verifiers-v1": {
			{name: "a judge without a verdict raises in the scoring: verifiers/v1/judge.py, errors.py", file: v1("e", "k", `,"ok":false`, v1Trace(`{"r":{"score":0.0}}`, `,"ok":false,"errors":[{"type":"TaskError","message":"scoring: ValueError: judge returned no A/B verdict: 'hm'"}]`)), want: []string{"k/0 grader - TaskError: scoring: ValueError: judge returned no A/B verdict: 'hm'"}},
		},
		"eval-protocol": {
			{name: "a score that its evaluator calls not valid: eval_protocol/generic_server.py", file: epRow("a", "r", `{"score":0.0,"is_score_valid":false,"reason":"judge 429"}`, ""), want: []string{"a/0 grader - the score is not valid: judge 429"}},
		},
		"tau2-bench": {
			{name: "an evaluation that raised: src/tau2/data_model/simulation.py", file: `{"info":{"num_trials":1},"tasks":[],"simulations":[{"id":"s","task_id":"7","trial":0,"termination_reason":"infrastructure_error","reward_info":{"reward":0.0},"info":{"error":"judge 429","error_type":"RateLimitError"},"messages":[]}]}`, want: []string{"7/0 model_api - infrastructure_error: RateLimitError: judge 429"}},
		},
		"build-hours": {
			{name: "the flags of graders/run: openai-python, grader_run_response.py", file: `{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":{"reward":0.0,"metadata":{"errors":{"model_grader_server_error":true,"other_error":false}}}}}` + "\n", want: []string{"3/0 grader - the grader reports model_grader_server_error"}},
			{name: "errors in a list", file: `{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":{"reward":0.0,"metadata":{"errors":["timeout"]}}}}` + "\n", want: []string{`3/0 grader - the grader reports ["timeout"]`}},
			{name: "no errors", file: `{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":{"reward":0.0,"metadata":{"errors":[]}}}}` + "\n", want: []string{"3/0 graded 0"}},
		},
		"openai-evals": {
			{name: "the sample of a grader has an error", file: item("r", `{"name":"g","score":0,"sample":{"error":{"code":"rate_limit","message":"429"}}}`, ""), want: []string{"3/0 grader - rate_limit: 429"}},
			{name: "a result with an error, a status or flags", file: item("r1", `{"name":"g","score":0,"error":{"message":"429"}}`, "") + item("r2", `{"name":"g","score":0,"status":"error"}`, "") + item("r3", `{"name":"g","score":0,"errors":{"other_error":true}}`, ""), want: []string{`3/0 grader - {"message":"429"}`, "3/1 grader - status: error", "3/2 grader - errors: other_error"}},
			{name: "an item whose status is error", file: item("r", `{"name":"g","score":0}`, `,"status":"error"`), want: []string{"3/0 grader - status: error"}},
			{name: "an item that failed its graders is graded", file: item("r", `{"name":"g","score":0,"passed":false,"status":"completed","error":null,"errors":{}}`, `,"status":"fail"`), want: []string{"3/0 graded 0"}},
		},
		"evals-recorder": {
			{name: "a judge without a verdict scores as the lowest choice: classify_utils.py", file: `{"spec":{}}` + "\n" + event("sampling", `{"prompt":"q","sampled":["a"]}`) + event("metrics", `{"choice":"__invalid__","score":0.0}`), want: []string{"a.0/0 grader - the judge's answer was none of its choices (__invalid__), which scores as the lowest of them"}},
			{name: "a judge with one", file: `{"spec":{}}` + "\n" + event("sampling", `{"prompt":"q","sampled":["a"]}`) + event("metrics", `{"choice":"N","score":0.0}`), want: []string{"a.0/0 graded 0"}},
		},
		"lm-eval": {
			{name: "a metric that is NaN", file: `{"doc_id":0,"doc":{},"target":"4","arguments":{},"resps":[["4"]],"filtered_resps":["4"],"filter":"none","metrics":["acc"],"acc":NaN}` + "\n", want: []string{"0/0 grader - not graded: there is no metric acc"}},
		},
	} {
		t.Run(format, func(t *testing.T) { tryRows(t, format, rows) })
	}
}
