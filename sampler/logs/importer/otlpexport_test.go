package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// The files in testdata/otlp are what .ci/peers/{mlflow,phoenix,tracing-sdks}/agent.py wrote on 2026-11-30 with MLflow 3.17.2,
// Phoenix 20.26.1, Langfuse 5.0.4 and LangSmith 0.15.1, without stack traces, paths and some of the rollouts. The agent itself
// saw these scores (1 for an answer with a 5), 20 tokens in and 7 out for each of its calls, and one call of its tool.
func TestTracesOfBackends(t *testing.T) {
	graded := []string{"plain graded 0", "plain graded 1", "refused model_api", "unjudged grader", "with a tool graded 1"}
	for name, files := range map[string][]string{
		"mlflow": {"mlflow.json"}, "phoenix": {"phoenix-spans.json", "phoenix-annotations.csv"},
		"langfuse": {"langfuse.jsonl"}, "langsmith": {"langsmith.jsonl"}, "file store": {"mlruns"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range files {
				files[i] = "testdata/otlp/" + files[i]
			}
			opt := Options{}
			if name == "mlflow" || name == "phoenix" || name == "file store" {
				opt.Score = "right"
			}
			_, g, err := importSource(t, "", Paths(opt, files...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range g.records {
				line := fmt.Sprintf("%s %s", r.Item, r.Outcome)
				if r.Reward != nil {
					line += fmt.Sprintf(" %g", *r.Reward)
				}
				got = append(got, line)
				switch {
				case r.Outcome == rollout.ModelAPI:
					if !strings.Contains(r.Error, "no such model") {
						t.Errorf("the refused call failed with %q", r.Error)
					}
				case r.Item == "with a tool":
					if len(r.Calls) != 1 || r.Calls[0].Name != "add" || r.Calls[0].Output != "5" || r.Turns != 2 || *r.Usage.Input != 40 || *r.Usage.Output != 14 {
						t.Errorf("record is %+v", r)
					}
				default:
					if len(r.Calls) != 0 || *r.Usage.Output != 7 || !strings.HasPrefix(r.Answer, "The answer is ") || r.Elapsed <= 0 || r.Started.IsZero() {
						t.Errorf("record is %+v", r)
					}
				}
				if r.Reward != nil && (*r.Reward == 1) != strings.Contains(r.Answer, "5") {
					t.Errorf("%s earns %g for %q", r.Item, *r.Reward, r.Answer)
				}
			}
			slices.Sort(got)
			want := graded
			if name == "file store" {
				want = slices.Insert(graded[:3:3], 0, graded[0])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			for _, it := range g.items {
				if len(it.Messages) != 2 || it.Messages[0].Role != "system" || it.Messages[1].Content != "This is "+it.ID+": 2+3?" {
					t.Errorf("item is %+v", it)
				}
			}
		})
	}
}

// mlflow.genai.evaluate reported the means 1/3 for right and 4.0 for words over 12 rows; its three failed predictions are in
// neither, because these scorers raise when there is no answer.
func TestEvaluationOfMLflow(t *testing.T) {
	for score, mean := range map[string]float64{"right": 1. / 3, "words": 4} {
		_, g, err := importSource(t, "", Paths(Options{Score: score}, "testdata/otlp/mlflow-evaluated.json"))
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0.0, 0
		for _, r := range g.records {
			if r.Reward != nil {
				sum, n = sum+*r.Reward, n+1
			} else if r.Outcome != rollout.ModelAPI {
				t.Errorf("record is %+v", r)
			}
		}
		if n != 9 || len(g.records) != 12 || sum/9 != mean {
			t.Errorf("%s: %d of %d graded, with the sum %v", score, n, len(g.records), sum)
		}
	}
}

func TestExportsOfBackends(t *testing.T) {
	const (
		span  = `{"trace_id":"AAAAAAAAAAAAAAAAAAAAAQ==","span_id":"AAAAAAAAAAE=","parent_span_id":null,"name":"chat","start_time_unix_nano":10,"end_time_unix_nano":20,"status":{"code":"STATUS_CODE_OK"},"events":[],"attributes":{"mlflow.traceRequestId":"\"tr-1\"","mlflow.spanType":"\"CHAT_MODEL\"","mlflow.llm.model":"\"m\"","mlflow.spanInputs":"{\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}]}","mlflow.spanOutputs":"{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"role\":\"assistant\",\"content\":\"A\"}}]}"}}`
		judge = `{"assessment_name":"right","create_time":"2026-01-02T00:00:00Z","feedback":{"value":true},"span_id":"0000000000000001"}`
		trace = `{"info":{"trace_id":"tr-1","tags":{"item_id":"1"},"assessments":[` + judge + `]},"data":{"spans":[` + span + `]}}`
		log   = `{"traces":[` + trace + `],"next_page_token":null}`
		phx   = `{"name":"chat","context":{"trace_id":"t1","span_id":"s1"},"span_kind":"LLM","parent_id":null,"start_time":"2026-01-02T00:00:00+00:00","end_time":"2026-01-02T00:00:01+00:00","status_code":"OK","status_message":"","attributes":{"metadata":{"item_id":"1"},"llm.input_messages":[{"message.role":"user","message.content":"Q"}],"llm.output_messages":[{"message.role":"assistant","message.content":"A"}],"llm.token_count.prompt":5.0},"events":[]}`
		note  = `{"annotator_kind":"CODE","name":"right","span_id":"s1","updated_at":"2026-01-02","result":{"label":null,"score":0.5}}`
	)
	of := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(log) }
	again := strings.Replace(judge, "true", "false", 1)
	frame := `[{"trace_id":"tr-1","trace":` + fmt.Sprintf("%q", trace) + `,"state":"OK"}]`
	tryRows(t, "otlp", []row{
		{name: "a trace of MLflow", file: log, want: []string{"1/0 graded 1"}, note: "item = metadata.item_id"},
		{name: "its data frame", file: frame, want: []string{"1/0 graded 1"}},
		{name: "its data frame as lines", file: strings.Trim(frame, "[]") + "\n", want: []string{"1/0 graded 1"}},
		{name: "its data frame as CSV", file: "trace_id,trace,state\ntr-1,\"" + strings.ReplaceAll(trace, `"`, `""`) + "\",OK\n", want: []string{"1/0 graded 1"}},
		{name: "yes and no", file: of(`"value":true`, `"value":"no"`), want: []string{"1/0 graded 0"}},
		{name: "the latest of two scores", file: of(judge, judge+","+strings.Replace(again, "01-02", "01-01", 1)), want: []string{"1/0 graded 1"}},
		{name: "the latest of two scores, last", file: of(judge, judge+","+strings.Replace(again, "01-02", "01-03", 1)), want: []string{"1/0 graded 0"}},
		{name: "a score that was replaced", file: of(judge, strings.Replace(judge, "}", `},"valid":false`, 1)), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "a scorer that raised", file: of(`"value":true`, `"value":null,"error":{"error_code":"SCORER_ERROR"}`), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "an expectation is no score", file: of(`"feedback"`, `"expectation"`), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "a trace without scores", file: of(`,"assessments":[`+judge+`]`, ""), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "a trace without spans", file: of(span, ""), broken: "the trace tr-1 holds no spans"},
		{name: "half a file", file: log[:300], broken: "it was cut off"},
		{name: "half a list", file: frame[:300], broken: "it was cut off"},
		{name: "a page", file: `{"traces":[` + strings.TrimSuffix(strings.Repeat(trace+",", 100), ",") + `]}`, want: []string{"1/0 graded 1"}, note: "exactly 100 entries"},
		{name: "a database", file: "SQLite format 3\x00" + strings.Repeat("\x00", 200), broken: "mlflow traces search"},
		{name: "the spans of a trace alone", file: `{"spans":[` + span + `]}`, broken: "holds the spans of one trace without its scores"},
		{name: "Phoenix", file: `{"data":[` + phx + `,` + note + `],"next_cursor":null}`, want: []string{"1/0 graded 0.5"}},
		{name: "an annotation of another span", file: `[` + phx + `,` + strings.Replace(note, `"s1"`, `"s2"`, 1) + `]`, want: []string{"1/0 grader - the trace holds no score"}, note: "1 score of spans that are not in the files was left out"},
		{name: "an annotation without a span", file: `[` + phx + `,` + strings.Replace(note, `"span_id":"s1",`, "", 1) + `]`, broken: "reset_index()"},
		{name: "no time", file: `[` + strings.Replace(phx, "2026-01-02T", "today, ", 1) + `]`, broken: "is no time"},
		{name: "Phoenix's other spans", file: `{"data":[{"trace_id":"t","span_id":"s","start_time_unix_nano":1,"attributes":[{"key":"k","value":{"string_value":"v"}}]}]}`, broken: "not of spans/otlpv1"},
		{name: "a row of another kind", file: `[` + phx + `,{"a":1}]`, broken: "neither spans nor scores"},
	})
	_, g, err := importText(t, "otlp", log)
	if err != nil || g.records[0].Finish != rollout.FinishLength || g.models[0] != "m" || g.records[0].Answer != "A" {
		t.Errorf("%+v, %v", g.records[0], err)
	}
}

// LangSmith's wrapper around a text is taken off, a tool's own object is not.
func TestWhatASpanReturned(t *testing.T) {
	for output, want := range map[string]string{
		`{"output":"a"}`: "a", `{"output":null}`: "", `{"output":"a","exit":1}`: `{"output":"a","exit":1}`, "plain": "plain",
	} {
		quoted := otlpAttributes{"gen_ai.completion": []byte(fmt.Sprintf("%q", output))}
		if got := quoted.returned(); got != want {
			t.Errorf("%s returned %q", output, got)
		}
	}
}

// A row that is nested deeply is not read again for each of its levels.
func TestFlattenEndsAtADepth(t *testing.T) {
	a := make(otlpAttributes)
	a.flatten("", []byte(strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)))
	a.flatten("", []byte(`{"b":[{"c":1}]}`))
	if len(a) != 2 || string(a["b.0.c"]) != "1" || len(a[strings.Repeat("a.", 49)+"a"]) == 0 {
		t.Errorf("%d attributes", len(a))
	}
}

// The scores of a trace in the file store count however many spans it has, a page of them too.
func TestStoredTraceOfManySpans(t *testing.T) {
	var spans []string
	for i := range pages[0] {
		parent, kind := `"span000"`, "TOOL"
		if i == 0 {
			parent, kind = "null", "CHAT_MODEL"
		}
		spans = append(spans, fmt.Sprintf(`{"trace_id":"t","span_id":"span%03d","parent_span_id":%s,"start_time_unix_nano":%d,"attributes":{"mlflow.spanType":"%s"}}`, i, parent, i+1, kind))
	}
	dir := fstest.MapFS{
		"t/artifacts/traces.json":       {Data: []byte(`{"spans":[` + strings.Join(spans, ",") + `]}`)},
		"t/trace_info.yaml":             {Data: []byte("state: OK\n")},
		"t/tags/item_id":                {Data: []byte("1")},
		"t/assessments/a.yaml":          {Data: []byte("assessment_name: right\nfeedback:\n  value: 0.5\n")},
		"t/assessments/expectation.yml": {Data: []byte("assessment_name: right\nexpectation:\n  value: 1\n")},
	}
	_, g, err := importSource(t, "", Source{Files: []File{{Name: "t", FS: dir, Path: "t"}}})
	if err != nil || len(g.records) != 1 || told(g)[0] != "1/0 graded 0.5" {
		t.Errorf("%v, %v", g, err)
	}
	dir["t/assessments/a.yaml"].Data = []byte("feedback:\n value: [")
	if _, _, err = importSource(t, "", Source{Files: []File{{Name: "t", FS: dir, Path: "t"}}}); err == nil || !strings.Contains(err.Error(), "a.yaml:") {
		t.Errorf("an assessment that is cut off: %v", err)
	}
}

// A call of the Responses API, and a tool that failed, in spans that hold whole requests and replies.
func TestWholeRequests(t *testing.T) {
	model := func(number int, in, out string) string {
		return spanOf(number, "s1", "langfuse.observation.type=generation", "langfuse.observation.input="+in, "langfuse.observation.output="+out,
			`langfuse.observation.usage_details={"input_tokens":3,"output_tokens":2}`)
	}
	root := spanOf(1, "", "langfuse.observation.type=agent", `langfuse.observation.metadata.item_id="1"`, "langfuse.observation.metadata.reward=1")
	call := `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
	failed := strings.TrimSuffix(spanOf(4, "s1", "langfuse.observation.type=tool"), "}") + `,"status":{"code":2,"message":"no such row"}}`
	_, g, err := importText(t, "otlp", request(root,
		model(2, `{"instructions":"S","input":"Q"}`, `{"output":[`+call+`]}`), failed,
		model(6, `{"instructions":"S","input":[{"role":"user","content":"Q"},`+call+`,{"type":"function_call_output","call_id":"c","output":"E"}]}`, `{"output":[{"type":"message","role":"assistant","content":"A"}]}`)))
	if err != nil || len(g.records) != 1 {
		t.Fatal(err)
	}
	r, it := g.records[0], g.items[0]
	if r.Answer != "A" || len(r.Calls) != 1 || r.Calls[0].Status != rollout.CallError || r.Calls[0].Error != "no such row" || *r.Usage.Input != 6 || *r.Reward != 1 {
		t.Errorf("record is %+v", r)
	}
	if len(it.Messages) != 2 || it.Messages[0].Content != "S" || it.Messages[1].Content != "Q" {
		t.Errorf("item is %+v", it)
	}
}
