package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// The file in testdata/every-eval-ever was written by InstanceLevelEvaluationLog of
// every-eval-ever 0.3.0, by model_dump_json(exclude_none=True).
func TestEveryEvalEver(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/every-eval-ever"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1/0 graded 1", "1/1 graded 0", "2/0 model_api - APIError: 503", "3/0 graded 1"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := g.records[0]; r.Answer != "4" || r.Messages[0].Reasoning != "so" || *r.Usage.Input != 10 || *r.Usage.Reasoning != 1 || r.Elapsed != rollout.Seconds(1.5e9) {
		t.Errorf("record is %+v", r)
	}
	if r := g.records[3]; len(r.Calls) != 1 || r.Calls[0].Name != "add" || r.Calls[0].Output != "4" || r.Turns != 2 || r.Answer != "It is 4." {
		t.Errorf("record is %+v", r)
	}
	if g.items[0].Messages[0].Content != "Q 1" || !strings.Contains(string(g.items[0].Row), `"reference":["4"]`) || g.models[0] != "org/m" {
		t.Errorf("item is %s of %v", g.items[0].Row, g.models)
	}
	g.noted(t, "2 lines with another result for an output, left out")
	_, g, err = importSource(t, "", Paths(Options{Score: "e/1/style"}, "testdata/every-eval-ever"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1/0 graded 0.5", "1/1 graded 0.25"}, told(g)); diff != "" {
		t.Errorf("records by --score (-want +got):\n%s", diff)
	}
}

func TestEveryEval(t *testing.T) {
	line := func(old, changed string) string {
		return strings.Replace(samples["every-eval-ever"], old, changed, 1)
	}
	tryRows(t, "every-eval-ever", []row{
		{name: "NaN, which pydantic writes as NaN or null", file: line(`"score":1.0`, `"score":NaN`), want: []string{"1/0 grader - evaluation.score is missing, null or NaN"}},
		{name: "several evaluations have items of their own", file: line("", "") + strings.NewReplacer(`"g"`, `"h"`, `"raw":"q"`, `"raw":"r"`).Replace(line("", "")), want: []string{"g/1/0 graded 1", "h/1/0 graded 1"}},
		{name: "two results about one output are one rollout", file: line("", "") + line(`"g"`, `"h"`), want: []string{"g/1/0 graded 1"}, note: "1 line with another result"},
		{name: "a repeat with the same words", file: line("", "") + line("", ""), want: []string{"1/0 graded 1", "1/1 graded 1"}},
		{name: "a message of no role", file: line(`"output":{"raw":["4"]}`, `"messages":[{"content":"a"}]`), broken: "a message has no role"},
	})
}

func FuzzEveryEval(f *testing.F) {
	fuzzFormat(f, "every-eval-ever", strings.Replace(samples["every-eval-ever"], `"output":{"raw":["4"]}`, `"messages":[{"role":"assistant","tool_calls":[{}],"tool_call_id":["c"]}],"error":"x"`, 1))
}
