package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// lmDocument makes a line of a samples file.
func lmDocument(id int, filter, resps, metrics string) string {
	return fmt.Sprintf(`{"doc_id":%d,"doc":{"question":"2+2"},"target":"4","arguments":{"gen_args_0":{"arg_0":"Q: 2+2 A:","arg_1":{"until":["\n"]}}},"resps":%s,"filtered_resps":["4"],"filter":%q,"doc_hash":"h%d",%s}`,
		id, resps, filter, id, metrics) + "\n"
}

func TestLMEval(t *testing.T) {
	const notGraded = "grader - not graded: lm-eval keeps no score for each repeat; gonogo grade gives them rewards"
	tryRows(t, "lm-eval", []row{
		{name: "repeats have no score of their own", file: lmDocument(0, "none", `[["4","5"]]`, `"metrics":["exact_match"],"exact_match":1.0`), want: []string{"0/0 " + notGraded, "0/1 " + notGraded}, note: "gonogo grade RUN"},
		{name: "one response has the document's metric", file: lmDocument(0, "none", `[["4"]]`, `"metrics":["exact_match","f1"],"exact_match":1.0,"f1":0.5`) + lmDocument(1, "none", `[["5"]]`, `"metrics":["exact_match","f1"],"exact_match":0.0,"f1":0.5`), want: []string{"0/0 graded 1", "1/0 graded 0"}, note: "its metric exact_match"},
		{
			name: "a metric that means something over all documents alone", file: lmDocument(0, "none", `[["4"]]`, `"metrics":["bleu"],"bleu":["a","b"]`) + lmDocument(1, "none", `[["4"]]`, `"metrics":["bleu"],"bleu":NaN`) + lmDocument(2, "none", `[["4"]]`, `"metrics":[]`),
			want: []string{`0/0 grader - bleu must be a number, not ["a","b"]`, "1/0 grader - not graded: there is no metric bleu", "2/0 grader - not graded: there is no metric bleu"},
		},
		{name: "other filters show the same responses", file: lmDocument(0, "strict-match", `[["4"]]`, `"metrics":["em"],"em":0`) + lmDocument(0, "flexible-extract", `[["4"]]`, `"metrics":["em"],"em":1`), want: []string{"0/0 graded 0"}, note: "lines that show the same responses through other filters, left out: 1"},
		{name: "choices that are rated are no repeats", file: lmDocument(0, "none", `[["(-1.5, False)"],["(-0.5, True)"]]`, `"metrics":["acc"],"acc":1`), want: []string{"0/0 graded 1"}},
		{name: "a document twice", file: lmDocument(0, "none", `[["4"]]`, `"metrics":[]`) + lmDocument(0, "none", `[["4"]]`, `"metrics":[]`), broken: "log.json:2: doc_id 0 already occurs in line 1"},
		{name: "no responses", file: lmDocument(0, "none", `[]`, `"metrics":[]`), broken: "log.json:1: document 0 has no responses"},
	})
}

// The task of the file's name keeps documents of different tasks apart, and
// files of one task make further samples.
func TestLMEvalFiles(t *testing.T) {
	one := lmDocument(0, "none", `[["4"]]`, `"metrics":["em"],"em":1`)
	two := lmDocument(0, "none", `[["5"]]`, `"metrics":["em"],"em":0`)
	_, g, err := importSource(t, "", named("samples_gsm8k_2026-01-01T10-00-00.000001.jsonl", one, "samples_gsm8k_2026-01-02T10-00-00.000001.jsonl", two, "samples_arc_easy_2026-01-01T10-00-00.000001.jsonl", two))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"gsm8k/0/0 graded 1", "gsm8k/0/1 graded 0", "arc_easy/0/0 graded 0"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r, it := g.records[0], g.items[0]; r.Answer != "4" || len(it.Messages) != 1 || it.Messages[0].Content != "Q: 2+2 A:" || !strings.Contains(string(it.Row), `"target":"4"`) {
		t.Errorf("record is %+v of item %+v", r, it)
	}
	other := strings.Replace(two, `"doc_hash":"h0"`, `"doc_hash":"x"`, 1)
	if _, _, err := importSource(t, "", named("samples_a.jsonl", one, "samples_a_2026-01-02T10-00-00.1.jsonl", other)); err == nil || !strings.Contains(err.Error(), "differs from the one before") {
		t.Errorf("error is %v", err)
	}
}

func FuzzLMEval(f *testing.F) {
	fuzzFormat(f, "lm-eval", lmDocument(0, "x", `[[null,{}],[]]`, `"metrics":["doc_id","em"],"em":-Infinity`), `{"doc_id":0,"doc":null,"resps":[["a"]],"arguments":[["p"]]}`)
}

func TestRecorder(t *testing.T) {
	event := func(id int, sample, kind, data string) string {
		return fmt.Sprintf(`{"run_id":"r","event_id":%d,"sample_id":%q,"type":%q,"data":%s,"created_by":"","created_at":"2026-11-20 09:00:00.5+00:00"}`, id, sample, kind, data) + "\n"
	}
	const spec, report = `{"spec":{"run_id":"r","eval_name":"a.dev.v0"}}` + "\n", `{"final_report":{"accuracy":0.5}}` + "\n"
	sampled := `{"prompt":[{"role":"user","content":"2+2?"}],"sampled":["4"]}`
	tryRows(t, "evals-recorder", []row{
		{
			name: "events of samples lie between each other", file: spec + event(0, "a.dev.0", "sampling", sampled) + event(1, "a.dev.1", "sampling", sampled) + event(2, "a.dev.1", "match", `{"correct":false,"expected":"5"}`) + event(3, "a.dev.0", "match", `{"correct":true,"expected":"4"}`) + report,
			want: []string{"a.dev.1/0 graded 0", "a.dev.0/0 graded 1"},
		},
		{
			name: "metrics, when there is no match", file: spec + event(0, "a", "metrics", `{"text":"x","accuracy":0.25,"score":0.75}`) + event(1, "b", "metrics", `{"accuracy":1}`) + event(2, "c", "metrics", `{"score":true}`) + report,
			want: []string{"a/0 graded 0.75", "b/0 grader - there is no number in the metric score", "c/0 graded 1"}, note: "their metric score",
		},
		{name: "several matches of one sample", file: spec + event(0, "a", "match", `{"correct":true}`) + event(1, "a", "match", `{"correct":false}`) + report, want: []string{"a/0 graded 0.5"}, note: "rollouts with several match events: 1"},
		{name: "an error is no 0; one that was made good is none", file: spec + event(0, "a", "error", `{"type":"RateLimitError","message":"429"}`) + event(1, "b", "error", `{"type":"X","message":"y"}`) + event(2, "b", "match", `{"correct":true}`) + report, want: []string{"a/0 model_api - RateLimitError", "b/0 graded 1"}},
		{name: "an output that nobody graded", file: spec + event(0, "a", "sampling", sampled) + event(1, "b", "raw_sample", `{"input":"x"}`) + report, want: []string{"a/0 grader - not graded: there is no match event and no metrics event", "b/0 model_api - neither an output nor a grade was recorded"}},
		{name: "broken off", file: spec + event(0, "a", "match", `{"correct":true}`) + `{"run_id":"r","eve`, want: []string{"a/0 graded 1"}, note: "there is no final report"},
		{name: "two runs in one file", file: spec + event(0, "a", "match", `{"correct":true}`) + report + spec, broken: "log.json:4: a second run begins here"},
		{name: "a line that is neither", file: spec + `{"x":1}` + "\n", broken: "log.json:2: it is neither a spec nor an event"},
		{name: "a match that says nothing", file: spec + event(0, "a", "match", `{}`), broken: `log.json:2: match event of a: "correct" is missing`},
	})
	src := named("1.jsonl", spec+event(0, "a", "sampling", sampled)+event(1, "a", "function_call", `{"name":"f","arguments":"{}","output":"ok"}`)+event(2, "a", "match", `{"correct":true,"expected":"4"}`)+report, "2.jsonl", spec+event(0, "a", "match", `{"correct":false}`)+report)
	_, g, err := importSource(t, "", src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/0 graded 1", "a/1 graded 0"}, told(g)); diff != "" {
		t.Errorf("one run is one repeat (-want +got):\n%s", diff)
	}
	r, it := g.records[0], g.items[0]
	if r.Answer != "4" || len(r.Calls) != 1 || r.Calls[0].Status != rollout.CallOK || len(it.Messages) != 1 || !strings.Contains(string(it.Row), `"expected":"4"`) || r.Started.IsZero() {
		t.Errorf("record is %+v of item %+v", r, it)
	}
}

// The judge of a model-graded evaluation is recorded like the model, and is not its
// answer. The lines are those of oaieval 3.0.1, whose report may stand first.
func TestRecorderJudge(t *testing.T) {
	const log = `{"spec":{"run_id":"r","completion_fns":["m"]}}
{"final_report":{"score":1},"run_id":"r"}
{"run_id":"r","event_id":0,"sample_id":"a","type":"sampling","data":{"prompt":[{"role":"user","content":"2+2?"}],"sampled":["4"],"model":"m","usage":{"completion_tokens":5,"prompt_tokens":11,"total_tokens":16}}}
{"run_id":"r","event_id":1,"sample_id":"a","type":"function_call","data":{"name":"f","arguments":"{}","return_value":"seen"}}
{"run_id":"r","event_id":2,"sample_id":"a","type":"sampling","data":{"prompt":[{"role":"user","content":"Is 4 right?"}],"sampled":["Y"],"model":"m","usage":{"completion_tokens":2,"prompt_tokens":30,"total_tokens":32}}}
{"run_id":"r","event_id":3,"sample_id":"a","type":"metrics","data":{"choice":"Y","score":1.0}}
`
	_, g, err := importSource(t, "", named("1.jsonl", log))
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if r.Answer != "4" || r.Turns != 1 || r.Reward == nil || *r.Reward != 1 || r.JudgeCalls != 1 || len(r.Messages) != 2 || r.Calls[0].Output != "seen" {
		t.Errorf("record is %+v", r)
	}
	if r.Usage.Input == nil || *r.Usage.Input != 11 || *r.Usage.Output != 5 || r.Judge.Input == nil || *r.Judge.Input != 30 || *r.Judge.Output != 2 {
		t.Errorf("tokens are %+v, of the judge %+v", r.Usage, r.Judge)
	}
}

func FuzzRecorder(f *testing.F) {
	fuzzFormat(f, "evals-recorder", `{"spec":{}}
{"run_id":"r","event_id":0,"sample_id":"a","type":"sampling","data":{"prompt":"x","sampled":[]}}
{"run_id":"r","event_id":1,"sample_id":"a","type":"metrics","data":{"score":NaN,"a":1,"a":2}}
{"run_id":"r","event_id":2,"sample_id":"b","type":"function_call","data":{"name":"f"}}`, `{"event_id":0,"sample_id":"a","type":"match","data":null}`)
}
