package importer

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The files in testdata/terminal-bench were written by BenchmarkResults, TrialResults and RunMetadata of
// terminal-bench 0.2.18, by model_dump_json; one trial has its own file as well.
func TestTerminalBenchRun(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/terminal-bench"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"hello/0 graded 1", "hello/1 step_limit 0 agent_timeout", "hello/2 grader - test_timeout",
		"bye/0 model_api - unknown_agent_error", "bye/1 no_answer 0 fatal_llm_parse_error", "bye/2 grader - parse_error",
	}
	if diff := cmp.Diff(want, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := g.records[1]; r.Parts["tests_passed"] != 0.5 || r.Usage.Input != nil || *g.records[0].Usage.Output != 10 || r.Elapsed == 0 {
		t.Errorf("record is %+v", r)
	}
	if g.models[0] != "m (terminus)" || g.items[0].Messages[0].Content != "Say hello." {
		t.Errorf("models %v, item %s", g.models, g.items[0].Row)
	}
	g.noted(t, "1 trial was in two files, and counts once")
}

func TestTerminalBench(t *testing.T) {
	trial := func(more string) string {
		return `{"results":[{"id":"1","trial_name":"t.1","task_id":"t",` + more + `}]}`
	}
	tryRows(t, "terminal-bench", []row{
		{name: "no verdict", file: trial(`"is_resolved":null,"failure_mode":"unset"`), want: []string{"t/0 grader - is_resolved is null"}},
		{name: "a failure next to a verdict", file: trial(`"is_resolved":false,"failure_mode":"agent_installation_failed"`), want: []string{"t/0 tool - agent_installation_failed"}},
		{name: "one trial by itself", file: `{"id":"1","trial_name":"t.1","task_id":"t","is_resolved":false,"failure_mode":"none"}`, want: []string{"t/0 graded 0"}},
		{name: "a trial of no task", file: `{"results":[{"trial_name":"t.1","task_id":"","failure_mode":"none"}]}`, broken: `"task_id" is missing`},
		{name: "a file that is cut off", file: trial(`"failure_mode":"none"`)[:50], broken: "cut off"},
	})
}

// What one run planned is not held against the rollouts of another that does not say.
func TestTerminalBenchPlanOfOneRun(t *testing.T) {
	run := func(ids ...string) *fstest.MapFile {
		var trials []string
		for _, id := range ids {
			trials = append(trials, fmt.Sprintf(`{"id":%q,"trial_name":"t.%s","task_id":"t","is_resolved":true,"failure_mode":"unset"}`, id, id))
		}
		return &fstest.MapFile{Data: []byte(`{"results":[` + strings.Join(trials, ",") + `]}`)}
	}
	dir := fstest.MapFS{
		"a/results.json": run("1", "2"), "a/run_metadata.json": {Data: []byte(`{"task_ids":["t"],"n_attempts":2}`)},
		"b/results.json": run("3", "4"),
	}
	_, g, err := importSource(t, "", Source{Files: []File{{Name: "a/results.json", FS: dir, Path: "a/results.json"}, {Name: "b/results.json", FS: dir, Path: "b/results.json"}}})
	if err != nil || len(g.records) != 4 {
		t.Fatalf("%d rollouts, %v", len(g.records), err)
	}
	if notes := strings.Join(g.notes, "\n"); strings.Contains(notes, "planned") {
		t.Errorf("notes are:\n%s", notes)
	}
}

func FuzzTerminalBench(f *testing.F) {
	fuzzFormat(f, "terminal-bench", `{"id":"1","trial_name":"t.1","task_id":"t","is_resolved":false,"failure_mode":"none","total_input_tokens":-1}`)
}
