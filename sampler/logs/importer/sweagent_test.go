package importer

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// swe is a folder with the trajectories of testdata/swe-agent, which mini-swe-agent 2.4.6 wrote by
// DefaultAgent.save, with its DeterministicToolcallModel and LocalEnvironment, and with a report.
func swe(t *testing.T, report string) Source {
	t.Helper()
	dir := fstest.MapFS{"run/preds.json": {Data: []byte(`{"repo__a-1":{"model_patch":"patch"}}`)}}
	for _, id := range []string{"repo__a-1", "repo__a-2"} {
		text, err := os.ReadFile("testdata/swe-agent/" + id + "/" + id + ".traj.json")
		if err != nil {
			t.Fatal(err)
		}
		dir["run/"+id+"/"+id+".traj.json"] = &fstest.MapFile{Data: text}
	}
	if report != "" {
		dir["run/m.run-1.json"] = &fstest.MapFile{Data: []byte(report)}
	}
	return Source{Files: []File{{Name: "run", FS: dir, Path: "run"}}}
}

func TestMiniSWEAgent(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		want   []string
		note   string
	}{
		"no report":                  {"", []string{"repo__a-1/0 grader - there is no report of SWE-bench", "repo__a-2/0 grader - there is no report of SWE-bench"}, "2 rollouts without a report of SWE-bench"},
		"a report":                   {`{"submitted_ids":["repo__a-1","repo__a-2"],"resolved_ids":["repo__a-1"],"unresolved_ids":[],"empty_patch_ids":["repo__a-2"]}`, []string{"repo__a-1/0 graded 1", "repo__a-2/0 step_limit 0 LimitsExceeded"}, "1 rollout hit a limit"},
		"SWE-bench Pro's":            {`{"repo__a-1": true, "repo__a-2": false}`, []string{"repo__a-1/0 graded 1", "repo__a-2/0 step_limit 0 LimitsExceeded"}, "1 rollout hit a limit"},
		"SWE-bench Pro's, with null": {`{"repo__a-1": null, "repo__a-2": false}`, []string{"repo__a-1/0 grader - the report has no result for it", "repo__a-2/0 step_limit 0 LimitsExceeded"}, "1 rollout has no grade"},
		"an object of another kind":  {`{"repo__a-1": true, "seed": 7}`, []string{"repo__a-1/0 grader - there is no report of SWE-bench", "repo__a-2/0 grader - there is no report of SWE-bench"}, "as results.json or eval_results.json"},
		"one that lacks one":         {`{"submitted_ids":["repo__a-1"],"resolved_ids":[],"unresolved_ids":["repo__a-1"]}`, []string{"repo__a-1/0 graded 0", "repo__a-2/0 grader - the report of SWE-bench does not list it"}, "1 rollout has no grade"},
		"an evaluation that failed":  {`{"submitted_ids":["repo__a-1","repo__a-2"],"resolved_ids":[],"unresolved_ids":["repo__a-1"],"infra_failure_ids":["repo__a-1"],"error_ids":["repo__a-2"]}`, []string{"repo__a-1/0 grader - the report counts it among infra_failure_ids", "repo__a-2/0 grader - the report counts it among error_ids"}, "2 rollouts have no grade"},
	} {
		_, g, err := importSource(t, "", swe(t, c.report))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, told(g)); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", name, diff)
		}
		g.noted(t, c.note)
		r := g.records[0]
		if len(r.Calls) != 2 || r.Calls[0].Name != "bash" || !strings.Contains(r.Calls[0].Output, "hi") || r.Turns != 2 || len(r.Messages) != 3 || len(g.items[0].Messages) != 2 || g.models[0] != "deterministic_toolcall" {
			t.Errorf("%s: record is %+v of %v, item %s", name, r, g.models, g.items[0].Row)
		}
	}
}

// A report that is given by itself is that of all trajectories; two that list one
// instance are refused.
func TestSWEReportsThatAreGiven(t *testing.T) {
	src := swe(t, "")
	dir := src.Files[0].FS.(fstest.MapFS)
	report := `{"submitted_ids":["repo__a-1"],"resolved_ids":["repo__a-1"]}`
	dir["a.json"], dir["b.json"] = &fstest.MapFile{Data: []byte(report)}, &fstest.MapFile{Data: []byte(report)}
	src.Files = append(src.Files, File{Name: "a.json", FS: dir, Path: "a.json"})
	_, g, err := importSource(t, "", src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"repo__a-1/0 graded 1", "repo__a-2/0 grader - the report of SWE-bench does not list it"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	src.Files = append(src.Files, File{Name: "b.json", FS: dir, Path: "b.json"})
	if _, _, err := importSource(t, "", src); err == nil || !strings.Contains(err.Error(), "a.json and b.json both report on it") {
		t.Errorf("error is %v", err)
	}
}

// sweTraj is a trajectory of SWE-agent in the shape of trajectories/demonstrations at 3ea751c0.
func sweTraj(exit string) string {
	return fmt.Sprintf(`{"environment":"main","trajectory":[],"history":[
{"role":"system","content":"Be brief.","agent":"main","message_type":"system_prompt"},
{"role":"user","content":"A demonstration","is_demo":true,"agent":"main"},
{"role":"user","content":"Fix it.","agent":"main","message_type":"observation"},
{"role":"assistant","content":"Look.","thought":"Look.","action":"ls","tool_calls":[{"function":{"arguments":"{\"command\":\"ls\"}","name":"bash"},"id":"c1","type":"function"}],"thinking_blocks":[{"type":"thinking","thinking":"hm"}]},
{"role":"tool","content":"a.py","tool_call_ids":["c1"]}],
"info":{"exit_status":%s,"submission":"diff","model_stats":{"instance_cost":0.1,"tokens_sent":100,"tokens_received":20,"api_calls":1}},
"replay_config":"{\"agent\":{\"model\":{\"name\":\"gpt\"}}}"}`, exit)
}

func TestSWEAgentExits(t *testing.T) {
	for exit, want := range map[string]string{
		`"submitted"`:                  "x/0 graded 0",
		`"submitted (exit_cost)"`:      "x/0 step_limit 0 submitted (exit_cost)",
		`"exit_context"`:               "x/0 step_limit 0 exit_context",
		`"submitted (exit_api)"`:       "x/0 model_api - submitted (exit_api)",
		`"exit_environment_error"`:     "x/0 tool - exit_environment_error",
		`"exit_format"`:                "x/0 graded 0",
		`null`:                         "x/0 graded 0",
		`"RateLimitError"`:             "x/0 model_api - RateLimitError",
		`"ContextWindowExceededError"`: "x/0 step_limit 0 ContextWindowExceededError",
	} {
		dir := fstest.MapFS{"x/x.traj": {Data: []byte(sweTraj(exit))}, "results.json": {Data: []byte(`{"submitted_ids":["x"],"resolved_ids":[],"unresolved_ids":["x"]}`)}}
		_, g, err := importSource(t, "", Source{Files: []File{{Name: "run", FS: dir, Path: "."}}})
		if err != nil {
			t.Errorf("%s: %v", exit, err)
			continue
		}
		if diff := cmp.Diff([]string{want}, told(g)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", exit, diff)
		}
		r := g.records[0]
		if len(r.Calls) != 1 || r.Calls[0].Output != "a.py" || r.Messages[0].Reasoning != "hm" || *r.Usage.Input != 100 || g.models[0] != "gpt" || len(g.items[0].Messages) != 2 {
			t.Errorf("record is %+v of %v, item %s", r, g.models, g.items[0].Row)
		}
	}
}

// mini-swe-agent keeps what the Responses API answered as it is.
func TestMiniSWEAgentResponses(t *testing.T) {
	_, g, err := importText(t, "swe-agent", `{"trajectory_format":"mini-swe-agent-1.1","instance_id":"x","info":{"exit_status":"Submitted"},"messages":[
{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]},
{"object":"response","output":[{"type":"function_call","call_id":"c","name":"bash","arguments":"{}"}]},
{"type":"function_call_output","call_id":"c","output":"out"},
{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]},
{"role":"exit","content":""}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if r := g.records[0]; len(r.Calls) != 1 || r.Calls[0].Output != "out" || r.Answer != "done" || r.Turns != 2 || len(g.items[0].Messages) != 1 {
		t.Errorf("record is %+v", r)
	}
}

func FuzzSWEAgent(f *testing.F) {
	fuzzFormat(f, "swe-agent", sweTraj(`"submitted"`), `{"submitted_ids":["x"],"resolved_ids":[]}`)
}

// Where there is no exit_status, marks of failure count.
func TestSWEAgentMarks(t *testing.T) {
	for _, more := range []string{`"info":{"error":"api gone"}`, `"info":{},"error":"api gone"`} {
		dir := fstest.MapFS{
			"run/x/x.traj":     {Data: []byte(`{"trajectory":[],"history":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],` + more + `}`)},
			"run/results.json": {Data: []byte(`{"submitted_ids":["x"],"resolved_ids":[],"unresolved_ids":["x"]}`)},
		}
		_, g, err := importSource(t, "swe-agent", Source{Files: []File{{Name: "run/x/x.traj", FS: dir, Path: "run/x/x.traj"}}})
		if err != nil || len(g.records) != 1 || g.records[0].Error != "api gone" || !g.records[0].Outcome.Missing() {
			t.Errorf("%s: %v, %v", more, told(g), err)
		}
	}
}
