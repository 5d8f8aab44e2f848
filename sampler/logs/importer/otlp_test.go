package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// The files in testdata/otlp are what a scripted server and the real SDKs sent to a collector on the same machine, in the
// JSON of the collector's file exporter: opentelemetry-sdk 1.45.2 with opentelemetry-instrumentation-openai-v2 2.4b0 and
// opentelemetry-util-genai 1.1b0 (genai), openinference-instrumentation-openai 0.1.66, opentelemetry-instrumentation-openai
// 0.62.4 (OpenLLMetry), and pydantic-evals 2.62.0 with logfire 5.4.0. Stack traces, hosts and process ids are left out. The agent
// answered "sum" with a tool, and 1 is the score of an answer with a 5; "broken" met a server that refused, "cut" ends at
// the token limit, and "open" has no score.
func TestTracesOfRealSDKs(t *testing.T) {
	names := []string{"sum/0 graded", "sum/1 graded", "plain/0 graded", "broken/0 model_api", "cut/0 graded", "open/0 grader"}
	for _, file := range []string{"genai", "openinference", "openllmetry"} {
		t.Run(file, func(t *testing.T) {
			_, g, err := importSource(t, "", Paths(Options{}, "testdata/otlp/"+file+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range g.records {
				got = append(got, fmt.Sprintf("%s/%d %s", r.Item, r.Sample, r.Outcome))
				if r.Reward != nil && (*r.Reward == 1) != strings.Contains(r.Answer, "5") {
					t.Errorf("%s/%d earns %g for %q", r.Item, r.Sample, *r.Reward, r.Answer)
				}
			}
			if diff := cmp.Diff(names, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if broken := g.records[3].Error; !strings.Contains(broken, "no such model") {
				t.Errorf("the refused call failed with %q", broken)
			}
			r := g.records[1]
			want := rollout.Call{Turn: 0, ID: "call_1", Name: "add", Arguments: `{"a": 2, "b": 3}`, Output: "5", OutputBytes: 1, Status: rollout.CallOK}
			if len(r.Calls) != 1 || strings.ReplaceAll(r.Calls[0].Arguments, " ", "") != `{"a":2,"b":3}` {
				t.Fatalf("calls are %+v", r.Calls)
			}
			want.Arguments = r.Calls[0].Arguments
			if diff := cmp.Diff(want, r.Calls[0]); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
			// Two calls of the model, with 20 tokens in and 7 out each.
			if *r.Usage.Input != 40 || *r.Usage.Output != 14 || r.Turns != 2 || !strings.HasPrefix(r.Answer, "The answer is ") || r.Elapsed <= 0 || r.Started.IsZero() || r.Finish != rollout.FinishStop {
				t.Errorf("record is %+v", r)
			}
			if cut := g.records[4]; cut.Finish != rollout.FinishLength {
				t.Errorf("finish of the cut answer is %q", cut.Finish)
			}
			if m := g.items[0].Messages; len(m) != 2 || m[0].Role != "system" || m[1].Content != "What is 2+3?" || !strings.HasPrefix(g.models[0], "toy") {
				t.Errorf("item is %+v of %v", m, g.models)
			}
		})
	}
}

// pydantic-evals reported a mean of 0.75 for Near (1, 1, 0.25) and of 2/3 for EqualsExpected over its three cases that
// ended, and three failures, which are in neither mean.
func TestCasesOfPydanticEvals(t *testing.T) {
	for score, want := range map[string][]string{
		"":               {"a/0 graded 1", "a/1 graded 1", "a/2 graded 0.25"},
		"EqualsExpected": {"a/0 graded 1", "a/1 graded 1", "a/2 graded 0"},
	} {
		_, g, err := importSource(t, "", Paths(Options{Score: score}, "testdata/otlp/pydantic-evals.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for sample := range 3 {
			want = append(want, "b/"+string(rune('0'+sample))+" model_api - RuntimeError: model overloaded")
		}
		if diff := cmp.Diff(want, told(g)); diff != "" {
			t.Errorf("records by %q (-want +got):\n%s", score, diff)
		}
		if r := g.records[0]; r.Answer != "5" || g.items[0].Messages[0].Content != "2+3" || len(r.Parts) != 1 {
			t.Errorf("record is %+v of %+v", r, g.items[0])
		}
	}
}

func TestOTLP(t *testing.T) {
	of := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(samples["otlp"]) }
	const (
		reward = `{"key":"reward","value":{"doubleValue":1}}`
		item   = `{"key":"item.id","value":{"stringValue":"1"}},`
		event  = `"events":[{"name":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.name","value":{"stringValue":"right"}},{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":0.5}}]}],`
	)
	second := of(`"a1"`, `"a2"`, `"doubleValue":1`, `"intValue":"0"`)
	tryRows(t, "otlp", []row{
		{name: "two traces of an item", file: of() + second, want: []string{"1/0 graded 1", "1/1 graded 0"}, note: "item = item.id"},
		{name: "a trace over two lines, its root last", file: of(`{"traceId":"a1","spanId":"b2"`, `]}]}]}`+"\n"+`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b2"`, `"status":{}},`, `"status":{}}`), want: []string{"1/0 graded 1"}},
		{name: "an evaluation event", file: of(reward, `{"key":"k","value":{"boolValue":true}}`, `"name":"run",`, `"name":"run",`+event), want: []string{"1/0 graded 0.5"}},
		{name: "a word before a number", file: of(reward, `{"key":"k","value":{"boolValue":true}}`, `"name":"run",`, `"name":"run",`+strings.Replace(event, `"events":[`, `"events":[{"name":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.name","value":{"stringValue":"polite"}},{"key":"gen_ai.evaluation.score.label","value":{"stringValue":"no"}}]},`, 1)), want: []string{"1/0 graded 0.5"}, note: "(right, polite), and right counts"},
		{name: "an evaluation in a log", file: of(reward, `{"key":"k","value":{"boolValue":true}}`) + `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"a1","spanId":"b1","eventName":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.score.label","value":{"stringValue":"pass"}}]}]}]}]}` + "\n", want: []string{"1/0 graded 1"}},
		{name: "no score is no zero", file: of(reward, `{"key":"k","value":{"boolValue":true}}`), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "NaN is no score", file: of(`"doubleValue":1`, `"doubleValue":"NaN"`), want: []string{"1/0 grader - the trace holds no score"}},
		{name: "a failure with a score is a failure", file: of(`"status":{}},`, `"status":{"code":2,"message":"sandbox died"}},`), want: []string{"1/0 tool - sandbox died"}},
		{name: "the model failed", file: strings.Replace(of(), `"status":{}}]}`, `"status":{"code":"STATUS_CODE_ERROR","message":"503"}}]}`, 1), want: []string{"1/0 model_api - 503"}},
		{name: "no name: the prompt", file: of(item, "") + strings.ReplaceAll(second, item, ""), want: []string{"7e4b56cc7c349201/0 graded 1", "7e4b56cc7c349201/1 graded 0"}, note: "no span names an item"},
		{name: "the model of an evaluator is not the rollout's", file: of(`"name":"chat m"`, `"name":"chat m"},{"traceId":"a1","spanId":"b3","parentSpanId":"b1","name":"judge","startTimeUnixNano":"81","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"EVALUATOR"}}]},{"traceId":"a1","spanId":"b4","parentSpanId":"b3","startTimeUnixNano":"82","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"other"}}]},{"traceId":"a1","spanId":"b5","parentSpanId":"b1"`), want: []string{"1/0 graded 1"}},
		{name: "a span twice", file: of() + of(), want: []string{"1/0 graded 1"}, note: "2 spans are in the file twice"},
		{name: "the same ids at another time", file: of() + of(`"10"`, `"11"`), broken: "two processes that seeded Python's random"},
		{name: "metrics and other traces are left out", file: `{"resourceMetrics":[]}` + "\n" + of() + of(`"a1"`, `"a2"`, item, "", `gen_ai.operation.name`, `x`), want: []string{"1/0 graded 1"}, note: "1 trace without a call of a model"},
		{name: "neither a name nor messages", file: of(item, "", "put.messages", "put.m"), broken: "names no item and holds no messages"},
		{name: "half a line is left out", file: of() + second[:200], want: []string{"1/0 graded 1"}, note: "the last line was incomplete"},
		{name: "a span without an id", file: of(`"spanId":"b2",`, ""), broken: "has no traceId or no spanId"},
		{name: "parents in a circle", file: of(`"spanId":"b1"`, `"spanId":"b1","parentSpanId":"b2"`), broken: "span b1 is its own ancestor"},
	})
	for _, pretty := range []string{"{\n" + strings.TrimPrefix(of(), "{"), strings.Replace(of(), "[", "[\n", 1)} {
		if _, g, err := importText(t, "otlp", pretty); err != nil || len(g.records) != 1 {
			t.Errorf("a request over several lines: %v", err)
		}
	}
}

// spanOf writes a span of trace t that begins at its number and takes five; attributes are KEY=TEXT.
func spanOf(number int, parent string, attributes ...string) string {
	var list []string
	for _, a := range attributes {
		key, value, _ := strings.Cut(a, "=")
		list = append(list, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value))
	}
	return fmt.Sprintf(`{"traceId":"t","spanId":"s%d","parentSpanId":%q,"name":"span","startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s]}`,
		number, parent, number, number+5, strings.Join(list, ","))
}

func request(spans ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}` + "\n"
}

// Shapes of traces in which a wrong span was the rollout, or a score was not read.
func TestWhichSpanIsTheRollout(t *testing.T) {
	chat := func(number int, parent, answer string, more ...string) string {
		return spanOf(number, parent, append(more, "openinference.span.kind=LLM", "llm.model_name=m", "llm.input_messages.0.message.role=user", "llm.input_messages.0.message.content=Q",
			"llm.output_messages.0.message.role=assistant", "llm.output_messages.0.message.content="+answer, "llm.token_count.prompt=10")...)
	}
	tryRows(t, "otlp", []row{
		{name: "a tool's item is no item", file: request(spanOf(1, "", "reward=1", "item.id=q"), chat(2, "s1", "A"), spanOf(3, "s1", "openinference.span.kind=TOOL", "item_id=SKU-9")), want: []string{"q/0 graded 1"}},
		{name: "an item that only the calls name", file: request(spanOf(1, "", "reward=0.5"), chat(2, "s1", "A", "item.id=q"), chat(3, "s1", "B", "item.id=q")), want: []string{"q/0 graded 0.5"}},
		{name: "cases within a named experiment", file: request(spanOf(1, "", "task_id=exp"), spanOf(2, "s1", "case_name=a", "reward=1"), spanOf(3, "s1", "case_name=b", "reward=0")), want: []string{"a/0 graded 1", "b/0 graded 0"}},
		{name: "an item within another", file: request(spanOf(1, "", "item.id=a"), spanOf(2, "s1", "item.id=b")), broken: "a span of item b is within one of item a"},
		{name: "a root that is not in the file", file: request(chat(2, "s1", "A", "item.id=q"), chat(3, "s1", "B", "item.id=q")), want: []string{"q/0 grader - the trace holds no score"}, note: "1 trace lacks a span"},
		{name: "a reward in the metadata", file: request(spanOf(1, "", `metadata={"item_id":"q","reward":0.25}`), chat(2, "s1", "A")), want: []string{"q/0 graded 0.25"}},
		{name: "the score of a search is no grade", file: request(spanOf(1, "", "item.id=q"), chat(2, "s1", "A"), spanOf(3, "s1", "openinference.span.kind=RERANKER", "score=0.83")), want: []string{"q/0 grader - the trace holds no score"}},
		{name: "another score than elsewhere", file: request(spanOf(1, "", "item.id=q", "reward=1"), chat(2, "s1", "A")) + strings.ReplaceAll(request(spanOf(1, "", "item.id=q", "score=1"), chat(2, "s1", "A")), `"t"`, `"u"`), want: []string{"q/0 graded 1", "q/1 grader - the trace holds no score reward, but score"}},
		{name: "calls outside named spans", file: request(spanOf(1, "", "item.id=q", "reward=1"), chat(2, "s1", "A"), chat(20, "", "B")), want: []string{"q/0 graded 1"}, note: "1 call of a model outside"},
		{name: "a span that was exported twice", file: request(strings.Replace(spanOf(1, "", "item.id=q"), `"6"`, `"0"`, 1), chat(2, "s1", "A")) + request(spanOf(1, "", "item.id=q", "reward=1")), want: []string{"q/0 graded 1"}},
	})
	_, g, err := importText(t, "otlp", request(spanOf(1, "", "item.id=q", "reward=1"), chat(2, "s1", "A", "llm.output_messages.1.message.role=assistant", "llm.output_messages.1.message.content=other"), chat(3, "s2", "A")))
	if err != nil {
		t.Fatal(err)
	}
	if r := g.records[0]; r.Answer != "A" || r.Turns != 1 || *r.Usage.Input != 10 {
		t.Errorf("answer %q in %d turns with %d tokens, want the first choice, and the call within a call once", r.Answer, r.Turns, *r.Usage.Input)
	}
	const deep = 20_000
	chain := []string{spanOf(1, "", "item.id=q", "reward=1")}
	for i := 2; i <= deep; i++ {
		chain = append(chain, spanOf(i, fmt.Sprintf("s%d", i-1)))
	}
	if _, g, err := importText(t, "otlp", request(chain...)); err != nil || len(g.records) != 1 {
		t.Errorf("spans %d deep: %v", deep, err)
	}
}

func FuzzOTLP(f *testing.F) {
	f.Add(samples["otlp"])
	for _, export := range []string{"mlflow.json", "phoenix-spans.json", "phoenix-annotations.csv"} {
		text, err := os.ReadFile(filepath.Join("testdata", "otlp", export))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	fuzzFormat(f, "otlp", strings.Replace(samples["otlp"], `"boolValue"`, `"kvlistValue"`, 1))
}
