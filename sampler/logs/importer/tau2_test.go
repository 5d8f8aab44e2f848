package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// simulation makes a simulation of task 7, given the members that matter.
func simulation(id, trial, reason, reward string) string {
	return fmt.Sprintf(`{"id":%q,"task_id":"7","trial":%s,"termination_reason":%q,"reward_info":%s,"messages":[],"duration":2.5,"start_time":"2026-11-20T09:00:00.5"}`, id, trial, reason, reward)
}

func simulations(list ...string) string {
	return `{"timestamp":"t","info":{"num_trials":4},"tasks":[{"id":"7","description":{"purpose":"x"}}],"simulations":[` + strings.Join(list, ",\n") + `],"simulation_index":null}`
}

func TestTau2(t *testing.T) {
	first, second := simulation("a", "0", "user_stop", `{"reward":1}`), simulation("b", "0", "user_stop", `{"reward":0}`)
	place := fmt.Sprintf("log.json:2: byte %d: entry 1: ", strings.Index(simulations(first, second), second))
	tryRows(t, "tau2-bench", []row{
		{name: "rewards, a missing one, one that is NaN", file: simulations(
			simulation("a", "0", "user_stop", `{"reward":0.0}`),
			simulation("b", "1", "agent_stop", `null`),
			simulation("c", "2", "user_stop", `{"reward":NaN}`),
		), want: []string{
			"7/0 graded 0", "7/1 grader - reward_info is missing, or its reward is null or NaN", "7/2 grader - reward_info is missing, or its reward is null or NaN",
		}, note: "rollouts that are failures (grader), not zeros: 2"},
		{name: "what infrastructure broke is no 0, whatever reward stands there", file: simulations(
			simulation("a", "0", "infrastructure_error", `{"reward":0.0}`),
			simulation("b", "1", "unexpected_error", `{"reward":1}`),
			simulation("c", "2", "timeout", `{"reward":0}`),
			simulation("d", "3", "user_error", `{"reward":0}`),
		), want: []string{"7/0 model_api - infrastructure_error", "7/1 model_api - unexpected_error", "7/2 model_api - timeout", "7/3 tool - user_error"}},
		{name: "what the model brought on itself keeps its reward", file: simulations(
			simulation("a", "0", "max_steps", `{"reward":0.0}`),
			simulation("b", "1", "too_many_errors", `null`),
			simulation("c", "2", "context_window_exceeded", `{"reward":0}`),
			simulation("d", "3", "agent_error", `null`),
		), want: []string{"7/0 step_limit 0 max_steps", "7/1 step_limit - too_many_errors", "7/2 no_answer 0 context_window_exceeded", "7/3 no_answer - agent_error"}, note: "ended before the task was done"},
		{name: "trials that are null are counted", file: simulations(
			simulation("a", "null", "user_stop", `{"reward":1}`), simulation("b", "null", "user_stop", `{"reward":0}`),
		), want: []string{"7/0 graded 1", "7/1 graded 0"}, note: "2 simulations have no trial"},
		{name: "an exact duplicate counts once", file: simulations(simulation("a", "0", "user_stop", `{"reward":1}`), simulation("a", "0", "user_stop", `{"reward":1}`)), want: []string{"7/0 graded 1"}, note: "1 exact duplicate"},
		{name: "a trial twice, with other results", file: simulations(first, second), broken: place + "task 7, trial 0 differs from simulation 0 of log.json"},
		{name: "an end that is not known", file: simulations(simulation("a", "0", "coffee", `{"reward":1}`)), broken: `entry 0: termination_reason "coffee" is not known`},
		{name: "a reward in words", file: simulations(simulation("a", "0", "user_stop", `{"reward":"high"}`)), broken: "reward must be a number"},
		{name: "cut off", file: simulations(simulation("a", "0", "user_stop", `{"reward":1}`))[:150], broken: "cut off"},
		{name: "cut off behind the simulations", file: strings.TrimSuffix(simulations(simulation("a", "0", "user_stop", `{"reward":1}`)), "null}"), broken: "cut off"},
		{name: "no simulations anywhere", file: `{"info":{},"tasks":[]}`, broken: "import the whole run directory"},
	})
}

// The simulated user calls tools too, in the same list.
func TestTau2CallsOfTheUserAreNotTheModels(t *testing.T) {
	const messages = `[
	{"role":"assistant","content":"Hi! How can I help?","turn_idx":0},
	{"role":"user","content":"my phone is off","usage":{"prompt_tokens":1000,"completion_tokens":1000}},
	{"role":"assistant","content":null,"tool_calls":[{"id":"c1","name":"look","arguments":{"id":"x"},"requestor":"assistant"},{"id":"c2","name":"fix","arguments":{},"requestor":"assistant"}],"usage":{"prompt_tokens":10,"completion_tokens":2}},
	{"role":"tool","tool_messages":[{"role":"tool","id":"c1","content":"found","requestor":"assistant","error":false},{"role":"tool","id":"c2","content":"no such line","requestor":"assistant","error":true}]},
	{"role":"user","content":null,"tool_calls":[{"id":"u1","name":"toggle","arguments":{},"requestor":"user"}]},
	{"role":"tool","id":"u1","content":"on","requestor":"user","error":false},
	{"role":"assistant","content":"done","usage":{"prompt_tokens":20,"completion_tokens":3}}]`
	file := simulations(strings.Replace(simulation("a", "0", "user_stop", `{"reward":1,"reward_breakdown":{"DB":1,"NL":null}}`), `"messages":[]`, `"messages":`+messages, 1))
	_, g, err := importText(t, "", file)
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	want := []rollout.Call{
		{Turn: 1, ID: "c1", Name: "look", Arguments: `{"id":"x"}`, Output: "found", OutputBytes: 5, Status: rollout.CallOK},
		{Turn: 1, ID: "c2", Name: "fix", Arguments: `{}`, Output: "no such line", OutputBytes: 12, Status: rollout.CallError, Error: "no such line"},
	}
	if diff := cmp.Diff(want, r.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if *r.Usage.Input != 30 || *r.Usage.Output != 5 || r.Answer != "done" || r.Turns != 3 || len(r.Messages) != 6 || r.Elapsed != 2_500_000_000 || r.Started.IsZero() {
		t.Errorf("record is %+v", r)
	}
	if diff := cmp.Diff(map[string]float64{"DB": 1}, r.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if it := g.items[0]; len(it.Messages) != 1 || it.Messages[0].Content != "my phone is off" || !strings.Contains(string(it.Row), "purpose") {
		t.Errorf("item is %+v", it)
	}
	if !strings.Contains(strings.Join(g.notes, "\n"), "1 tool call of the simulated user") {
		t.Errorf("notes are %q", g.notes)
	}
}

// A run in the directory format, named by its directory or by its file.
func TestTau2Directory(t *testing.T) {
	files := map[string]string{
		"results.json":       `{"info":{"num_trials":2},"tasks":[{"id":"7"}]}`,
		"simulations/b.json": simulation("b", "1", "user_stop", `{"reward":0}`),
		"simulations/a.json": simulation("a", "0", "user_stop", `{"reward":1}`),
		"simulations/x.txt":  "notes",
	}
	_, g, err := importSource(t, "", tree(files))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"7/0 graded 1", "7/1 graded 0"}, told(g)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if _, _, err := importText(t, "tau2-bench", `{"info":{},"tasks":7,"simulations":[]}`); err == nil || !strings.Contains(err.Error(), `log.json:1: "tasks": `) {
		t.Errorf("tasks that are no list: %v", err)
	}
	files["simulations/b.json"] = `{"task_id":`
	if _, _, err := importSource(t, "", tree(files)); err == nil || !strings.Contains(err.Error(), "b.json:1: broken JSON") {
		t.Errorf("error is %v", err)
	}
}

// A link beside the simulations may lead anywhere: it is none of them.
func TestTau2DirectoryLeavesLinksAlone(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "b.json")
	for path, text := range map[string]string{
		filepath.Join(dir, "results.json"):          `{"info":{"num_trials":2},"tasks":[{"id":"7"}]}`,
		filepath.Join(dir, "simulations", "a.json"): simulation("a", "0", "user_stop", `{"reward":1}`),
		elsewhere: simulation("b", "1", "user_stop", `{"reward":0}`),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "simulations", "b.json")); err != nil {
		t.Fatal(err)
	}
	_, g, err := importSource(t, "", Paths(Options{}, dir))
	if diff := cmp.Diff([]string{"7/0 graded 1"}, told(g)); err != nil || diff != "" {
		t.Errorf("%v, records (-want +got):\n%s", err, diff)
	}
}

func FuzzTau2(f *testing.F) {
	fuzzFormat(f, "tau2-bench", simulations(simulation("a", "0", "user_stop", `{"reward":1}`), simulation("b", "null", "max_steps", `{"reward":NaN}`)),
		`{"info":{},"tasks":[null],"simulations":[{"task_id":1,"messages":[{"role":"assistant","tool_calls":[{}]},null]}]}`)
}
