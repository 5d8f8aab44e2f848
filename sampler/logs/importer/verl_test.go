package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files in testdata/verl were written by RayPPOTrainer._write_generations of verl
// 0.9.1, called by itself: 1.jsonl with what a reward function returned next to its score, 2.jsonl
// with the uids that verl/trainer/ppo/v1/trainer_base.py passes to it.
func TestVerlDumps(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/verl"))
	if err != nil {
		t.Fatal(err)
	}
	two, three := hash([]byte("user\n2+2?\nassistant\n")), hash([]byte("user\n3+4?\nassistant\n"))
	want := []string{
		two + "/0 graded 1", two + "/1 graded 0", three + "/0 graded 1", three + "/1 grader - the score of step 1 is missing, null or NaN",
		two + "/0 graded 1", two + "/1 graded 0",
	}
	if diff := cmp.Diff(want, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := g.records[0]; r.Parts["acc"] != 1 || r.Parts["length"] != 1 || len(r.Parts) != 2 || r.Answer != "4" || r.Step == 0 {
		t.Errorf("record is %+v", r)
	}
	if r := g.records[4]; r.Answer != "4" || r.Step == 0 {
		t.Errorf("the last output of a rollout is its answer, not %q", r.Answer)
	}
	if it := g.items[0]; it.Messages[0].Content != "user\n2+2?\nassistant\n" || string(it.Row) != `{"ground_truth":"4","messages":[{"role":"user","content":"user\n2+2?\nassistant\n"}]}` {
		t.Errorf("item is %s", it.Row)
	}
	g.noted(t, "rollouts are from 2 steps", "outputs of a rollout before its last one, left out: 1")

	_, g, err = importSource(t, "", Paths(Options{Score: "acc"}, "testdata/verl/1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{two + "/0 graded 1", two + "/1 graded 0", three + "/0 graded 1", three + "/1 graded 1"}, told(g)); diff != "" {
		t.Errorf("records by --score acc (-want +got):\n%s", diff)
	}
}

func TestVerl(t *testing.T) {
	id := hash([]byte("q"))
	line := func(score, more string) string {
		return `{"input":"q","output":"a","gts":null,"score":` + score + `,"step":3` + more + "}\n"
	}
	tryRows(t, "verl", []row{
		{name: "a score that is null", file: line("null", ""), want: []string{id + "/0 grader - the score of step 3 is missing, null or NaN"}},
		{name: "a uid that is none of a session", file: line("1", `,"uid":"a"`) + line("0", `,"uid":"a"`), want: []string{id + "/0 graded 1", id + "/1 graded 0"}},
		{name: "messages in the place of a text", file: `{"input":[],"output":"a","gts":1,"score":1,"step":1}` + "\n", broken: "input and output must be texts"},
		{name: "a score that is a text", file: line(`"good"`, ""), broken: "score must be a number"},
		{name: "a last line that was cut off", file: line("1", "") + `{"input":"q","out`, want: []string{id + "/0 graded 1"}, note: "incomplete"},
	})
}

func FuzzVerl(f *testing.F) {
	fuzzFormat(f, "verl", `{"input":"q","output":"a","gts":"4","score":NaN,"step":1,"uid":"a_0_0","acc":true}`+"\n"+`{"input":"q","output":"b","gts":"4","score":1,"step":1,"uid":"a_0_1"}`)
}
