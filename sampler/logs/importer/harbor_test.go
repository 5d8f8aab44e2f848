package importer

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// The files in testdata/harbor were written by the models of harbor 0.25.0: TrialResult and
// Trajectory (ATIF 1.8), by model_dump_json and format_trajectory_json.
func TestHarborJob(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/harbor"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"fix-git/0 graded 1", "fix-git/1 step_limit 0 AgentTimeoutError: it took too long",
		"hello/0 grader - VerifierTimeoutError: it took too long", "hello/1 model_api - ApiRateLimitError: it took too long", "hello/2 graded 0.5", "hello/3 grader - the verifier gave no reward",
	}
	if diff := cmp.Diff(want, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	r := g.records[0]
	if len(r.Calls) != 1 || r.Calls[0].Name != "bash_command" || r.Calls[0].Arguments != `{"keystrokes":"git status\n"}` || r.Calls[0].Output != "clean" || r.Turns != 2 || r.Answer != "Done." || r.Messages[0].Reasoning != "so" {
		t.Errorf("record is %+v", r)
	}
	if *r.Usage.Input != 120 || *r.Usage.Cached != 20 || *r.Usage.Output != 30 || r.Elapsed != rollout.Seconds(90e9) || g.records[4].Parts["style"] != 1 {
		t.Errorf("record is %+v, parts %v", r, g.records[4].Parts)
	}
	if it := g.items[0]; len(it.Messages) != 1 || it.Messages[0].Content != "Fix the repository." || g.models[0] != "p/m (terminus-2)" {
		t.Errorf("item is %s of %v", it.Row, g.models)
	}
	g.noted(t, "1 trial was cancelled, and left out", "5 trials have no trajectory.json", "there are several rewards, and reward counts")
	// By --score, another reward; where there is none of that name, no grade.
	_, g, err = importSource(t, "", Paths(Options{Score: "style"}, "testdata/harbor/hello__c", "testdata/harbor/fix-git__a"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello/0 graded 1", "fix-git/0 grader - the verifier gave no reward style"}, told(g)); diff != "" {
		t.Errorf("records by --score style (-want +got):\n%s", diff)
	}
}

// The result of the job is above the folder of a trial that is imported by itself.
func TestHarborTrialByItself(t *testing.T) {
	_, g, err := importSource(t, "", Paths(Options{}, "testdata/harbor/fix-git__a/result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"fix-git/0 graded 1"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func harborTrialOf(more string) string {
	return `{"task_name":"t","trial_name":"t__a","task_checksum":"c","agent_info":{"name":"a"},"finished_at":"2026-11-20T09:00:00Z"` + more + "}"
}

func TestHarbor(t *testing.T) {
	failed := func(kind string) string {
		return harborTrialOf(`,"verifier_result":{"rewards":{"reward":0.0}},"exception_info":{"exception_type":"` + kind + `","exception_message":"x\ny"}`)
	}
	tryRows(t, "harbor", []row{
		{name: "a sandbox", file: failed("SandboxBuildFailedError"), want: []string{"t/0 tool - SandboxBuildFailedError: x"}},
		{name: "an exception that is not known", file: failed("ValueError"), want: []string{"t/0 model_api - ValueError: x"}},
		{name: "a refusal: its reward is valid, harbor/models/trial/error_policy.py", file: failed("AgentSafetyRefusalError"), want: []string{"t/0 no_answer 0 AgentSafetyRefusalError: x"}, note: "1 of 1 rollout ends with a refusal"},
		{name: "an exception of a step", file: harborTrialOf(`,"verifier_result":{"rewards":{"reward":1}},"step_results":[{"step_name":"s","exception_info":null},{"step_name":"../s","exception_info":{"exception_type":"VerifierOutputParseError"}}]`), want: []string{"t/0 grader - VerifierOutputParseError"}},
		{name: "a reward that is null", file: harborTrialOf(`,"verifier_result":{"rewards":{"reward":null}}`), want: []string{"t/0 grader - the verifier gave no reward"}},
		{name: "a trial that is running", file: `{"task_name":"t","trial_name":"t__a","task_checksum":"c"}`, broken: "1 trial was running, and left out"},
		{name: "a reward that is a text", file: harborTrialOf(`,"verifier_result":{"rewards":{"reward":"good"}}`), broken: "must be a number"},
		{name: "a file that is cut off", file: failed("ValueError")[:60], broken: "log.json:1"},
	})
}

// A trajectory may go on in another file, which begins with what was copied into it.
func TestHarborContinuedTrajectory(t *testing.T) {
	dir := fstest.MapFS{
		"t__a/result.json":                  {Data: []byte(harborTrialOf(`,"verifier_result":{"rewards":{"reward":1}}`))},
		"t__a/agent/trajectory.json":        {Data: []byte(`{"steps":[{"source":"user","message":"go"},{"source":"agent","message":"one"}],"continued_trajectory_ref":"trajectory.cont-1.json"}`)},
		"t__a/agent/trajectory.cont-1.json": {Data: []byte(`{"steps":[{"source":"user","message":"go","is_copied_context":true},{"source":"agent","message":"one","is_copied_context":true},{"source":"agent","message":[{"type":"text","text":"two"}],"tool_calls":[{"tool_call_id":"","function_name":"f","arguments":{}}],"observation":{"results":[{"content":"out"}]}}]}`)},
		"t__b/result.json":                  {Data: []byte(harborTrialOf(`,"verifier_result":{"rewards":{"reward":1}}`))},
		"t__b/agent/trajectory.json":        {Data: []byte(`{"steps":[{"source":"agent","message":"me"}],"continued_trajectory_ref":"../../t__a/agent/trajectory.json"}`)},
		"t__c/result.json":                  {Data: []byte(harborTrialOf(`,"verifier_result":{"rewards":{"reward":1}}`))},
	}
	src := Source{Files: []File{{Name: "job", FS: dir, Path: "."}}}
	_, _, err := importSource(t, "", src)
	if err == nil || !strings.Contains(err.Error(), "more than 1000 files") { // t__b goes on in itself
		t.Errorf("error is %v", err)
	}
	delete(dir, "t__b/agent/trajectory.json")
	_, g, err := importSource(t, "", src)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if r.Turns != 2 || r.Messages[0].Content != "one" || r.Answer != "two" || len(r.Calls) != 1 || r.Calls[0].Output != "out" || len(g.items[0].Messages) != 1 {
		t.Errorf("record is %+v", r)
	}
}

func FuzzHarbor(f *testing.F) {
	fuzzFormat(f, "harbor", harborTrialOf(`,"step_results":[{"step_name":"s","agent_result":{"n_input_tokens":-1}}]`))
}

func FuzzATIF(f *testing.F) {
	f.Add(`{"steps":[{"source":"agent","message":"a","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"c","content":"out"},{"content":null}]}}],"continued_trajectory_ref":"x"}`)
	f.Fuzz(func(t *testing.T, trajectory string) {
		dir := fstest.MapFS{"result.json": {Data: []byte(samples["harbor"])}, "agent/trajectory.json": {Data: []byte(trajectory)}}
		_, g, err := importSource(t, "harbor", Source{Files: []File{{Name: "dir", FS: dir, Path: "."}}})
		if err == nil && len(g.records) != 1 {
			t.Errorf("%d records", len(g.records))
		}
	})
}
