package importer

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// vfRow is a line of results.jsonl.
func vfRow(id, reward, more string) string {
	return fmt.Sprintf(`{"example_id":%s,"prompt":[{"role":"user","content":"q%s"}],"completion":[{"role":"assistant","content":"a"}],"reward":%s,"is_completed":true%s}`+"\n", id, id, reward, more)
}

func TestVerifiersTraps(t *testing.T) {
	const toolError = `,"error":{"error":"ToolCallError","message":"no shell","error_chain_repr":"ToolCallError('x')","error_chain_str":"ToolCallError"}`
	tryRows(t, "verifiers", []row{
		{name: "repeats are lines of one example", file: vfRow("3", "1.0", "") + vfRow("4", "0.5", "") + vfRow("3", "0.0", ""), want: []string{"3/0 graded 1", "4/0 graded 0.5", "3/1 graded 0"}, note: "sample = how often the example appeared before"},
		{name: "a reward of 0.0 beside an error was never set", file: vfRow("1", "0.0", toolError), want: []string{"1/0 tool - ToolCallError: no shell"}, note: "1 rollout ended in an error"},
		{name: "an error of the model's endpoint", file: vfRow("1", "0.0", `,"error":{"error":"ModelError","message":"503"}`), want: []string{"1/0 model_api - ModelError: 503"}},
		{name: "an error of the rubric", file: vfRow("1", "0.0", `,"error":{"error":"Error","message":"judge gave no answer"}`), want: []string{"1/0 grader - Error: judge gave no answer"}},
		{name: "an error that is null is none", file: vfRow("1", "0.0", `,"error":null`), want: []string{"1/0 graded 0"}},
		{name: "a metric called error, copied to the top level, is no error", file: vfRow("1", "1.0", `,"metrics":{"error":0.5},"error":0.5`), want: []string{"1/0 graded 1"}},
		{name: "a rollout that was not completed was never graded", file: strings.Replace(vfRow("1", "0.0", ""), `"is_completed":true`, `"is_completed":false`, 1), want: []string{"1/0 grader - is_completed is false: its reward was never set"}},
		{name: "NaN is no grade", file: vfRow("1", "NaN", ""), want: []string{"1/0 grader - reward is missing, null or NaN"}},
		{name: "turns used up", file: strings.Replace(vfRow("1", "0.25", `,"stop_condition":"max_turns_reached"`), `"content":"a"`, `"content":"a"},{"role":"user","content":"?"},{"role":"assistant","content":"b"`, 1), want: []string{"1/0 step_limit 0.25 max_turns_reached"}, note: "1 rollout hit a limit"},
		{name: "an environment of one turn ends by max_turns_reached, which is no limit", file: vfRow("1", "0.25", `,"stop_condition":"max_turns_reached"`), want: []string{"1/0 graded 0.25"}},
		{name: "a prompt that became too long", file: vfRow("1", "0.25", `,"stop_condition":"prompt_too_long"`), want: []string{"1/0 step_limit 0.25 prompt_too_long"}},
		{name: "another stop is none", file: vfRow("1", "0.25", `,"stop_condition":"no_tools_called"`), want: []string{"1/0 graded 0.25"}},
		{name: "torn and malformed lines are left out, as verifiers does", file: vfRow("1", "1", "") + `{"example_id":2,"prom` + "\n" + vfRow("2", "1", "") + `{"exam`, want: []string{"1/0 graded 1", "2/0 graded 1"}, note: "2 lines are not JSON and were left out"},
		{name: "a line twice, with its times, is one rollout", file: strings.Repeat(vfRow("1", "1", `,"timing":{"start_time":1.5e9,"total":2}`), 2), want: []string{"1/0 graded 1"}, note: "1 exact duplicate"},
		{name: "a reward in words", file: vfRow("1", `"high"`, ""), broken: "log.json:1: reward must be a number"},
		{name: "a line without an example", file: vfRow("1", "1", "") + "{}\n", broken: `log.json:2: "example_id" is missing`},
	})
}

func TestVerifiersRecord(t *testing.T) {
	const line = `{"example_id":7,"prompt":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{}}]}],"completion":[
{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":["{\"id\":\"c1\",\"name\":\"look\",\"arguments\":\"{\\\"a\\\":1}\"}","broken"]},
{"role":"tool","tool_call_id":"c1","content":"seen"},{"role":"assistant","content":"done"}],"answer":"42","info":{},"task":"x",
"reward":0.75,"metrics":{"exact":1.0,"style":0.5,"none":NaN},"exact":1.0,"style":0.5,"is_completed":true,"is_truncated":false,"stop_condition":null,
"timing":{"start_time":1700000000.5,"total":12.25,"generation":{"duration":10}},"token_usage":{"input_tokens":100.0,"output_tokens":20.0}}`
	src := named("results.jsonl", strings.ReplaceAll(line, "\n", " ")+"\n")
	src.Files[0].FS.(fstest.MapFS)["metadata.json"] = &fstest.MapFile{Data: []byte(`{"env_id":"gsm8k","model":"m1","num_examples":1,"rollouts_per_example":1}`)}
	f, g, err := importSource(t, "", src)
	if err != nil || f.Name != "verifiers" || len(g.records) != 1 {
		t.Fatalf("format %q, %d records, %v", f.Name, len(g.records), err)
	}
	if len(g.models) != 1 || g.models[0] != "m1" {
		t.Errorf("models are %v", g.models)
	}
	r := g.records[0]
	if r.Answer != "done" || r.Turns != 2 || *r.Usage.Input != 100 || *r.Usage.Output != 20 || r.Elapsed != rollout.Seconds(12250*time.Millisecond) || r.Started != time.UnixMilli(1700000000500).UTC() {
		t.Errorf("record is %+v", r)
	}
	if diff := cmp.Diff(map[string]float64{"exact": 1, "style": 0.5}, r.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	want := []rollout.Call{
		{Turn: 0, ID: "c1", Name: "look", Arguments: `{"a":1}`, Output: "seen", OutputBytes: 4, Status: rollout.CallOK},
		{Turn: 0, Arguments: "broken", Status: rollout.CallMalformed},
	}
	if diff := cmp.Diff(want, r.Calls); diff != "" {
		t.Errorf("calls are JSON texts within the list (-want +got):\n%s", diff)
	}
	if it := g.items[0]; len(it.Messages) != 2 || it.Messages[1].Content != "look\n[image_url]" || !strings.Contains(string(it.Row), `"answer":"42"`) {
		t.Errorf("item is %s", it.Row)
	}
	src.Options.Score = "style"
	if _, g, err = importSource(t, "", src); err != nil || *g.records[0].Reward != 0.5 || len(g.records[0].Parts) != 1 {
		t.Errorf("by --score style: %v, %v", told(g), err)
	}
}

func TestVerifiersSeveralFiles(t *testing.T) {
	meta := func(env, model string) string { return fmt.Sprintf(`{"env_id":%q,"model":%q}`, env, model) }
	runs := func(env, model string) Source {
		return tree(map[string]string{
			"a/results.jsonl": vfRow("1", "1", ""), "a/metadata.json": meta("e", "m"),
			"b/results.jsonl": vfRow("1", "0", ""), "b/metadata.json": meta(env, model),
		})
	}
	_, g, err := importSource(t, "verifiers", runs("e", "m"))
	if diff := cmp.Diff([]string{"1/0 graded 1", "1/1 graded 0"}, told(g)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, _, err := importSource(t, "verifiers", runs("e", "m2")); err == nil || !strings.Contains(err.Error(), `model is "m2"`) {
		t.Errorf("two models: %v", err)
	}
	if _, _, err := importSource(t, "verifiers", runs("f", "m")); err == nil || !strings.Contains(err.Error(), `environment is "f"`) {
		t.Errorf("two environments: %v", err)
	}
	three := runs("", "m")
	maps.Copy(three.Files[0].FS.(fstest.MapFS), fstest.MapFS{"c/results.jsonl": {Data: []byte(vfRow("1", "0", ""))}, "c/metadata.json": {Data: []byte(meta("f", "m"))}})
	if _, _, err := importSource(t, "verifiers", three); err == nil || !strings.Contains(err.Error(), `environment is "f"`) {
		t.Errorf("two environments, and between them a file that names none: %v", err)
	}
}

// v1 is a line of traces.jsonl with these traces.
func v1(id, key, more string, traces ...string) string {
	return fmt.Sprintf(`{"id":%q,"task":{"type":"t","key":%q,"data":{"idx":3,"prompt":"q"}}%s,"traces":[%s]}`+"\n", id, key, more, strings.Join(traces, ","))
}

// v1Trace is a trace of a trainable agent with these rewards.
func v1Trace(rewards, more string) string {
	return fmt.Sprintf(`{"version":1,"agent":{"name":"solver","trainable":true},"rewards":%s%s}`, rewards, more)
}

func TestVerifiersV1Traps(t *testing.T) {
	ok := `{"r":{"score":1.0,"weight":0.5}}`
	tryRows(t, "verifiers-v1", []row{
		{name: "the reward is the sum of score times weight", file: v1("e1", "k", "", v1Trace(`{"a":{"score":1.0,"weight":0.5},"b":{"score":0.5}}`, "")), want: []string{"k/0 graded 1"}},
		{name: "repeats are lines of one key", file: v1("e1", "k", "", v1Trace(ok, "")) + v1("e2", "k", "", v1Trace(ok, "")), want: []string{"k/0 graded 0.5", "k/1 graded 0.5"}},
		{name: "without a key the index names the item", file: v1("e1", "", "", v1Trace(ok, "")), want: []string{"3/0 graded 0.5"}},
		{name: "agents that are not trained are not scored", file: v1("e1", "k", "", `{"agent":{"name":"user","trainable":false},"rewards":{"r":{"score":9}}}`, v1Trace(ok, "")), want: []string{"k/0 graded 0.5"}},
		{name: "the traces of a best-of-n are samples", file: v1("e1", "k", "", v1Trace(ok, ""), v1Trace(`{"r":{"score":0}}`, "")), want: []string{"k/0 graded 0.5", "k/1 graded 0"}},
		{name: "several trained agents are items of their own", file: v1("e1", "k", "", v1Trace(ok, ""), strings.Replace(v1Trace(ok, ""), "solver", "critic", 1)), want: []string{"k/solver/0 graded 0.5", "k/critic/0 graded 0.5"}},
		{name: "an episode that is not ok is a failure", file: v1("e1", "k", `,"ok":false,"errors":[{"type":"SandboxError","message":"gone"}]`, v1Trace(ok, "")), want: []string{"k/0 tool - SandboxError: gone"}},
		{name: "an episode that broke off before a trace is a failure", file: v1("e1", "k", `,"ok":false,"errors":[{"type":"ModelError","message":"503"}]`), want: []string{"k/0 model_api - ModelError: 503"}},
		{name: "a trace that is not ok is a failure", file: v1("e1", "k", `,"ok":true`, v1Trace(ok, `,"ok":false`)), want: []string{"k/0 model_api - ok is false"}},
		{name: "a reward that is null was not given", file: v1("e1", "k", "", v1Trace(`{"a":null,"b":{"score":1}}`, "")), want: []string{"k/0 grader - reward a was not given"}},
		{name: "no rewards are no grade", file: v1("e1", "k", "", v1Trace(`{}`, "")), want: []string{"k/0 grader - it has no rewards"}},
		{name: "turns used up", file: v1("e1", "k", "", v1Trace(ok, `,"stop_condition":"max_turns"`)), want: []string{"k/0 step_limit 0.5 max_turns"}},
		{name: "one episode twice", file: v1("e1", "k", "", v1Trace(ok, "")) + v1("e1", "k", "", v1Trace(ok, "")), broken: "log.json:2: episode e1 already occurs at log.json:1"},
		{name: "a graph that turns in a circle", file: v1("e1", "k", "", v1Trace(ok, `,"nodes":[{"parent":1,"message":{"role":"user"}},{"parent":1,"message":{"role":"user"}}]`)), broken: "log.json:1: node 1: its parent is 1"},
		{name: "a torn last line", file: v1("e1", "k", "", v1Trace(ok, "")) + `{"id":`, want: []string{"k/0 graded 0.5"}, note: "incomplete"},
	})
}

func TestVerifiersV1Record(t *testing.T) {
	line := v1("e1", "k", "", v1Trace(`{"a":{"score":0.5}}`, `,"metrics":{"len":3,"x":null},
"nodes":[{"parent":null,"message":{"role":"system","content":"s"},"sampled":false},{"parent":0,"message":{"role":"user","content":"q"}},
 {"parent":1,"message":{"role":"assistant","content":"a branch that was left"},"sampled":true},
 {"parent":1,"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","name":"look","arguments":"{}"}]},"sampled":true},
 {"parent":3,"message":{"role":"tool","tool_call_id":"c","content":"seen"}},{"parent":4,"message":{"role":"assistant","content":"done"},"sampled":true}],
"calls":[{"node":3,"model":"m","usage":{"prompt_tokens":10,"completion_tokens":2,"cached_input_tokens":5}},{"node":5,"model":"m","usage":{"prompt_tokens":20,"completion_tokens":3,"cached_input_tokens":0}}],
"timing":{"start":1700000000,"agent":{"start":1700000001,"end":1700000011},"scoring":{"start":1700000011,"end":1700000012.5}}`))
	_, g, err := importText(t, "", strings.ReplaceAll(line, "\n", "")+"\n")
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if len(r.Messages) != 3 || r.Answer != "done" || r.Turns != 2 || len(r.Calls) != 1 || r.Calls[0].Output != "seen" {
		t.Errorf("the conversation is the path to the last leaf: %+v", r)
	}
	if *r.Usage.Input != 35 || *r.Usage.Output != 5 || *r.Usage.Cached != 5 || r.Usage.Reasoning != nil {
		t.Errorf("prompt_tokens leaves the cache out, and a count that is missing is not known: %d, %d, %d, %v", *r.Usage.Input, *r.Usage.Output, *r.Usage.Cached, r.Usage.Reasoning)
	}
	if r.Elapsed != rollout.Seconds(12500*time.Millisecond) || r.Started != time.Unix(1700000000, 0).UTC() {
		t.Errorf("%v from %v", time.Duration(r.Elapsed), r.Started)
	}
	if diff := cmp.Diff(map[string]float64{"a": 0.5, "len": 3}, r.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if len(g.models) != 1 || g.models[0] != "m" || len(g.items[0].Messages) != 2 {
		t.Errorf("models %v, item %s", g.models, g.items[0].Row)
	}
}

func FuzzVerifiers(f *testing.F) {
	f.Add(vfRow("1", "NaN", `,"metrics":{"a":Infinity},"stop_condition":"max_turns"`) + vfRow(`"x"`, "0.5", `,"error":{"error":"E"}`))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "verifiers", text(file)) })
}

func FuzzVerifiersV1(f *testing.F) {
	f.Add(v1("e", "k", "", v1Trace(`{"a":{"score":1e308,"weight":1e308}}`, `,"nodes":[{"message":{"role":"user","content":[{"type":"text"}]}}]`)))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "verifiers-v1", text(file)) })
}

// The page has the keys of SamplesResponse of prime-evals (models.py, by its aliases), with rows of
// results.jsonl as `prime eval push` sends them.
func TestVerifiersHostedByPrime(t *testing.T) {
	text := strings.TrimSuffix(samples["verifiers"], "}")
	page := func(more string) string {
		return `{"samples":[` + text + `,"metrics":{"style":0.5}},` + strings.Replace(text, `"example_id":1`, `"exampleId":2`, 1) + `,"error":{"error":"ModelError","message":"429"}}],"total":3,"page":1,"limit":2,"hasMore":` + more + `}`
	}
	tryRows(t, "verifiers", []row{
		{name: "a page", file: page("false"), want: []string{"1/0 graded 1", "2/0 model_api - ModelError: 429"}},
		{name: "one of several", file: page("true"), want: []string{"1/0 graded 1", "2/0 model_api - ModelError: 429"}, note: "there are more samples"},
		{name: "one that is cut off", file: page("true")[:150], broken: "cut off"},
	})
}
