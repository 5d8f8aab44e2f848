package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named lists the items of the rollouts, each once, with the steps.
func (g *got) named() []string {
	var list []string
	for _, r := range g.records {
		name := r.Item
		if r.Step > 0 {
			name += fmt.Sprintf(" at step %d", r.Step)
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Two values under a key that names the policy, the environment or the reference are two
// items, in plain lines and in tables with and without a mapping.
func TestRowsThatDifferInWhatTheyNameAreNotOneItem(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, c := range []struct {
		key, a, b string
		want      []string
	}{
		{"model", `"base"`, `"tuned"`, []string{"q", "q/tuned"}},
		{"Model-Name", `"base"`, `"tuned"`, []string{"q", "q/tuned"}},
		{"checkpoint", `"c-0"`, `"c-40"`, []string{"q", "q/c-40"}},
		{"model_id", `"base"`, `"tuned"`, []string{"q", "q/tuned"}},
		{"ckpt", `"c-0"`, `"c-40"`, []string{"q", "q/c-40"}},
		{"adapter_path", `"a"`, `"b"`, []string{"q", "q/b"}},
		{"model_version", `"v1"`, `"v2"`, []string{"q", "q/v2"}},
		{"model_version", `1`, `2`, []string{"q at step 1", "q at step 2"}},
		{"metadata.model", `"base"`, `"tuned"`, []string{"q", "q/tuned"}},
		{"policy", `"p0"`, `"p40"`, []string{"q", "q/p40"}},
		{"env", `"gsm8k"`, `"math"`, []string{"q", "q/math"}},
		{"env_id", `"gsm8k"`, `"math"`, []string{"q", "q/math"}},
		{"data_source", `"gsm8k"`, `"math"`, []string{"q", "q/math"}},
		{"task", `"gsm8k"`, `"math"`, []string{"q", "q/math"}},
		{"agent_name", `"a"`, `"b"`, []string{"q", "q/b"}},
		{"ground_truth", `1`, `2`, []string{"q", "q/2"}},
		{"expected_answer", `"2026-01-01"`, `"2026-01-02"`, []string{"q", "q/2026-01-02"}},
		{"system_prompt", `"You are A"`, `"You are B"`, []string{"q", "q/system_prompt-0f43c4ef"}},
		{"system_prompt", `"` + long + `A"`, `"` + long + `B"`, []string{"q", "q/system_prompt-402bfb07"}},
		{"policy_version", `"a1"`, `"b2"`, []string{"q", "q/b2"}},
		{"policy_version", `0`, `40`, []string{"q", "q at step 40"}},
		{"weight_version", `"40"`, `"0"`, []string{"q at step 40", "q"}},
		{"global_step", `3`, `40`, []string{"q at step 3", "q at step 40"}},

		{"model", `"base"`, `"base"`, []string{"q"}},
		{"global_step", `40`, `40`, []string{"q"}},
		{"system_prompt", `"It is 2026-01-01."`, `"It is 2026-01-02."`, []string{"q"}},
		{"env_id", `0`, `1`, []string{"q"}},
		{"env", `"123e4567-e89b-12d3-a456-426614174000"`, `"00000000-0000-4000-8000-000000000000"`, []string{"q"}},
		{"task", `{"worker":1}`, `{"worker":2}`, []string{"q"}},
		{"temperature", `0`, `1`, []string{"q"}},
		{"epoch", `0`, `1`, []string{"q"}},
		{"iteration", `0`, `1`, []string{"q"}},
		{"seed", `0`, `1`, []string{"q"}},
		{"worker", `0`, `1`, []string{"q"}},
		{"answer", `"1"`, `"2"`, []string{"q"}},
	} {
		lines := fmt.Sprintf("{%[1]q:\"q\",%[2]q:0,%[3]q:%[4]s}\n{%[1]q:\"q\",%[2]q:1,%[3]q:%[5]s}\n{%[1]q:\"q\",%[2]q:1,%[3]q:%[4]s}\n{%[1]q:\"q\",%[2]q:1}\n", "item", "reward", c.key, c.a, c.b)
		inCSV := func(v string) string { return `"` + strings.ReplaceAll(strings.Trim(v, `"`), `"`, `""`) + `"` }
		csv := fmt.Sprintf("item,reward,%s\nq,0,%s\nq,1,%s\nq,1,%[2]s\nq,1,\n", c.key, inCSV(c.a), inCSV(c.b))
		for way, read := range map[string]func() (*got, error){
			"plain lines":  func() (*got, error) { _, g, err := importText(t, "gonogo", lines); return g, err },
			"mapped lines": func() (*got, error) { return mappedAs(t, "jsonl", "item=item,reward=reward", lines) },
			"mapped list": func() (*got, error) {
				return mappedAs(t, "jsonl", "item=item,reward=reward", "["+strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",")+"]")
			},
			"csv":        func() (*got, error) { _, g, err := importText(t, "csv", csv); return g, err },
			"mapped csv": func() (*got, error) { return mappedAs(t, "csv", "item=item,reward=reward", csv) },
		} {
			g, err := read()
			if err != nil {
				t.Errorf("%s, %s: %v", c.key, way, err)
				continue
			}
			want := c.want
			if len(want) > 1 && !slices.Contains(want, "q") { // the last row names no step
				want = append(slices.Clone(want), "q")
			}
			if diff := cmp.Diff(want, g.named()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.key, way, diff)
			}
			if split := strings.Contains(strings.Join(g.notes, "\n"), "differ in"); split != strings.Contains(strings.Join(want, " "), "/") {
				t.Errorf("%s, %s: the notes are %q", c.key, way, g.notes)
			}
		}
	}
}

func TestNoteOfItemsThatWereSplit(t *testing.T) {
	const lines = `{"item":"q1","reward":0,"model":"base"}
{"item":"q1","reward":1,"model":"tuned"}
{"item":"q2","reward":0,"model":"tuned"}
{"item":"q3","reward":0,"model":"tuned"}
{"item":"q3","reward":1,"model":"base"}
`
	_, g, err := importText(t, "", lines)
	if err != nil {
		t.Fatal(err)
	}
	g.noted(t, `2 items hold rollouts that differ in "model" (item q1: "base" and "tuned") and therefore do not form one group: rollouts with the first value keep the id, others become separate items (ID/VALUE); --item item keeps the ids of the log`)
	src := text(lines)
	src.Options.Item = itemKept
	if _, g, err = importSource(t, "", src); err != nil || cmp.Diff([]string{"q1", "q2", "q3"}, g.named()) != "" {
		t.Errorf("--item item: %v, %v", g.named(), err)
	}
}

// The name of an item that was split may be that of another one.
func TestNamesOfSplitItemsAreUnique(t *testing.T) {
	_, g, err := importText(t, "", `{"item":"q/b","reward":0,"model":"a"}
{"item":"q","reward":0,"model":"a","env":"x"}
{"item":"q","reward":0,"model":"b","env":"x"}
{"item":"q","reward":0,"model":"a","env":"b"}
{"item":"q","reward":0,"model":"b","env":"x"}
`)
	if err != nil {
		t.Fatal(err)
	}
	if names := g.named(); len(names) != 4 || names[0] != "q/b" || names[1] != "q" || g.records[2].Item != g.records[4].Item {
		t.Errorf("items are %q", names)
	}
}

// A prompt in a column that the mapping leaves out is compared, and not kept.
func TestPromptThatAMappingLeavesOut(t *testing.T) {
	for _, column := range []string{
		`"question":"Q%d"`, `"input":"Q%d"`, `"prompt":[{"role":"user","content":"Q%d"}]`,
		`"messages":[{"role":"user","content":"Q%d"},{"role":"assistant","content":"x"}]`,
	} {
		row := func(item, asks int) string {
			return fmt.Sprintf(`{"q":"i%d","s":1,`+column+"}\n", item, asks)
		}
		if _, err := mappedAs(t, "jsonl", "item=q,reward=s", row(1, 1)+row(1, 2)); err == nil || !strings.Contains(err.Error(), "1 of 1 items hold rollouts of different prompts") {
			t.Errorf("%s: error is %v", column, err)
		}
		g, err := mappedAs(t, "jsonl", "item=q,reward=s", row(1, 1)+row(1, 1)+row(2, 2))
		if err != nil || len(g.items) != 2 || len(g.items[0].Row) > 0 || cmp.Diff([]string{"i1", "i2"}, g.named()) != "" {
			t.Errorf("%s: %v, items are %+v", column, err, g.items)
		}
	}
	turns := `{"q":"i","s":1,"messages":[{"role":"assistant","content":"%d"}]}` + "\n"
	if _, err := mappedAs(t, "jsonl", "item=q,reward=s", fmt.Sprintf(turns+turns, 1, 2)); err != nil {
		t.Errorf("answers alone: %v", err)
	}
}

// Parquet columns that hold lists cannot tell rows apart, and do not stop the import.
func TestParquetColumnsOfListsAreNotCompared(t *testing.T) {
	type row struct {
		Item   string   `parquet:"item"`
		Reward float64  `parquet:"reward"`
		Model  string   `parquet:"model"`
		Target []string `parquet:"target"`
	}
	_, g, err := importText(t, "parquet", parquetFileOf([]row{{"q", 1, "a", []string{"x"}}, {"q", 0, "b", []string{"y"}}}))
	if err != nil || cmp.Diff([]string{"q", "q/b"}, g.named()) != "" {
		t.Errorf("%v, items are %q", err, g.named())
	}
}

// Rollouts of other formats that differ in what the log names are not one item either.
func TestFormatsKeepApartWhatTheirLogsName(t *testing.T) {
	verifiers := `{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true,%s}`
	nemo := `{"responses_create_params":{"input":"2+2?"%s},"response":{"model":"m","output":[]},"reward":1.0,"_ng_task_index":0,"_ng_rollout_index":%d%s}`
	lines := func(a, b string) string { return a + "\n" + b + "\n" + a + "\n" }
	aAndB := func(form string) string { return fmt.Sprintf(form+"\n", "a") + fmt.Sprintf(form+"\n", "b") }
	for _, c := range []struct{ about, format, file, differ string }{
		{"task", "verifiers", lines(fmt.Sprintf(verifiers, `"task":"gsm8k"`), fmt.Sprintf(verifiers, `"task":"math"`)), "task"},
		{"answer", "verifiers", lines(fmt.Sprintf(verifiers, `"answer":"1"`), fmt.Sprintf(verifiers, `"answer":"2"`)), "answer"},
		{"info", "verifiers", lines(fmt.Sprintf(verifiers, `"info":{"x":1}`), fmt.Sprintf(verifiers, `"info":{"x":2}`)), "info"},
		{"env_id", "verifiers", lines(fmt.Sprintf(verifiers, `"env_id":"a"`), fmt.Sprintf(verifiers, `"env_id":"b"`)), "env_id"},
		{"one task", "verifiers", lines(fmt.Sprintf(verifiers, `"task":"gsm8k","info":{"x":1}`), fmt.Sprintf(verifiers, `"task":"gsm8k","info":{"x":1},"date":"b"`)), ""},
		{"reference", "nemo-gym", fmt.Sprintf(nemo, "", 0, `,"expected_answer":"1"`) + "\n" + fmt.Sprintf(nemo, "", 1, `,"expected_answer":"2"`) + "\n", "expected_answer"},
		{"metadata", "nemo-gym", fmt.Sprintf(nemo, "", 0, `,"verifier_metadata":{"a":1}`) + "\n" + fmt.Sprintf(nemo, "", 1, `,"verifier_metadata":{"a":2}`) + "\n", "verifier_metadata"},
		{"instructions", "nemo-gym", fmt.Sprintf(nemo, `,"instructions":"be A"`, 0, "") + "\n" + fmt.Sprintf(nemo, `,"instructions":"be B"`, 1, "") + "\n", "system_prompt"},
		{"weight_version", "nemo-gym", fmt.Sprintf(nemo, "", 0, `,"weight_version":0`) + "\n" + fmt.Sprintf(nemo, "", 1, `,"weight_version":9`) + "\n", "weight_version"},
		{"a step of the environment", "nemo-gym", fmt.Sprintf(nemo, "", 0, `,"step":0`) + "\n" + fmt.Sprintf(nemo, "", 1, `,"step":40`) + "\n", ""},
		{"a step of the environment", "verifiers", lines(fmt.Sprintf(verifiers, `"step":0`), fmt.Sprintf(verifiers, `"step":40`)), ""},
		{"policy version", "verifiers", lines(fmt.Sprintf(verifiers, `"policy_version":0`), fmt.Sprintf(verifiers, `"policy_version":9`)), "policy_version"},
		{"policy", "verifiers-v1", aAndB(`{"id":%[1]q,"run":{"work":{"policy":{"start":%[1]q}}},"task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}}}]}`), "policy"},
		{"temperature", "nemo-gym", fmt.Sprintf(nemo, `,"temperature":0`, 0, "") + "\n" + fmt.Sprintf(nemo, `,"temperature":1`, 1, "") + "\n", ""},
		{"task data", "verifiers-v1", aAndB(`{"id":%[1]q,"task":{"key":"k","data":{"x":%[1]q}},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}}}]}`), "task.data"},
		{"model", "verifiers-v1", aAndB(`{"id":%[1]q,"task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true,"model":%[1]q},"rewards":{"r":{"score":1}}}]}`), "model"},
		{"environment", "verifiers-v1", aAndB(`{"id":%[1]q,"env":{"id":%[1]q},"task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}}}]}`), "env_id"},
		{"truth", "eval-protocol", aAndB(`{"ground_truth":%[1]q,"input_metadata":{"row_id":"r"},"evaluation_result":{"score":1.0,"is_score_valid":true}}`), "ground_truth"},
		{"evaluation", "eval-protocol", aAndB(`{"eval_metadata":{"name":%[1]q},"input_metadata":{"row_id":"r"},"evaluation_result":{"score":1.0,"is_score_valid":true}}`), "eval_name"},
		{"evaluation", "openai-evals", aAndB(`{"object":"eval.run.output_item","eval_id":%[1]q,"run_id":%[1]q,"datasource_item_id":3,"results":[{"name":"g","score":1,"passed":true}],"sample":{}}`), "eval_id"},
		{"reference", "every-eval-ever", aAndB(`{"model_id":"m","evaluation_name":"e","sample_id":"s","interaction_type":"single_turn","input":{"raw":"Q","reference":[%[1]q]},"output":{"raw":[%[1]q]},"evaluation":{"score":1}}`), "reference"},
	} {
		_, g, err := importText(t, c.format, c.file)
		if err != nil {
			t.Errorf("%s of %s: %v", c.about, c.format, err)
			continue
		}
		want := 1
		if c.differ != "" {
			want = 2
			g.noted(t, fmt.Sprintf("1 item holds rollouts that differ in %q", c.differ))
		}
		if n := len(g.named()); n != want || len(g.items) != want {
			t.Errorf("%s of %s: items are %q, and %d were passed on", c.about, c.format, g.named(), len(g.items))
		}
	}
}

// Earlier attempts at a rollout are of its item, also where that is an item of its own.
func TestSettingsOfInspectLogs(t *testing.T) {
	log := func(eval, target string) string {
		return `{"version":2,"status":"success","eval":{"task":"t","model":"m"` + eval + `},"samples":[{"id":1,"epoch":1,"input":"q","target":"` + target + `","scores":{"s":{"value":"C"}},"error_retries":[{"message":"boom","traceback":""}]}]}`
	}
	for differ, b := range map[string]string{
		"task_args": log(`,"task_args":{"difficulty":"hard"}`, "1"), "solver": log(`,"task_args":{},"solver":"react"`, "1"), "target": log(`,"task_args":{}`, "2"),
		"revision": log(`,"task_args":{},"model_args":{"revision":"step-100"}`, "1"), "": log(`,"task_args":{},"config":{"max_connections":2}`, "1"),
	} {
		a := log(`,"task_args":{},"solver":"generate","model_args":{"revision":"step-0"}`, "1")
		_, g, err := importSource(t, "", Paths(Options{}, writeFiles(t, map[string]string{"1.json": a, "2.json": b})))
		want := []string{"1", "1"}
		if differ != "" {
			want = g.named()
			g.noted(t, fmt.Sprintf("differ in %q", differ))
		}
		if err != nil || len(g.records) != 4 || len(want) != 2 || g.records[2].Item != want[1] || g.records[3].Item != want[1] || g.records[2].Attempt != 0 || g.records[3].Attempt != 1 {
			t.Errorf("%s: %v, rollouts are %v", differ, err, told(g))
		}
	}
}

// The samples of lm-eval do not name the model, and the results next to them do.
func TestModelsOfLMEvalFolders(t *testing.T) {
	const samples = `{"doc_id":0,"doc":{"q":"a"},"target":"1","arguments":{"gen_args_0":{"arg_0":"Q"}},"resps":[["1"]],"filter":"none","metrics":["acc"],"doc_hash":"d","acc":1}` + "\n"
	files := map[string]string{
		"a/samples_t_2026-01-01T00-00-00.jsonl": samples, "a/results_2026-01-01T00-00-00.json": `{"model_name":"base"}`,
		"b/samples_t_2026-01-01T00-00-00.jsonl": samples, "b/results_2026-01-01T00-00-00.json": `{"model_name":"tuned"}`,
	}
	if _, _, err := importSource(t, "lm-eval", Paths(Options{}, writeFiles(t, files))); err == nil || !strings.Contains(err.Error(), `its model is "tuned"`) {
		t.Errorf("error is %v", err)
	}
	files["b/results_2026-01-01T00-00-00.json"] = `{"model_name":"base"}`
	if _, g, err := importSource(t, "lm-eval", Paths(Options{}, writeFiles(t, files))); err != nil || len(g.records) != 2 {
		t.Errorf("one model: %v, %d rollouts", err, len(g.records))
	}
}

// writeFiles writes files to a new folder.
func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A folder of prime-rl for each step tells the step where the rollouts do not; tau-bench
// names the model in the name of a file.
func TestWhatPathsTell(t *testing.T) {
	const old, now = `{"example_id":1,"prompt":"a","completion":[],"reward":1.0,"is_completed":true}`, `{"task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}}}]}`
	for name, text := range map[string]string{
		"step_%d/results.jsonl": old, "step_%d/traces.jsonl": now, "checkpoint-%d/traces.jsonl": now, "global_step_%d/a/traces.jsonl": now,
	} {
		files := map[string]string{fmt.Sprintf(name, 40): text}
		_, g, err := importSource(t, "", Paths(Options{}, writeFiles(t, files)))
		if err != nil || g.records[0].Step != 0 {
			t.Errorf("%s in one folder: %v, %v", name, err, g.named())
		}
		files[fmt.Sprintf(name, 60)] = text
		_, g, err = importSource(t, "", Paths(Options{}, writeFiles(t, files)))
		if err != nil || len(g.records) != 2 || g.records[0].Step != 40 || g.records[1].Step != 60 || g.records[1].Sample != 0 {
			t.Errorf("%s in two folders: %v, %v", name, err, g.named())
		}
	}
	_, _, err := importSource(t, "", Paths(Options{}, writeFiles(t, map[string]string{
		"tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1.json": samples["tau-bench"], "tool-calling-qwen-0.0_range_0--1_user-gpt-4o-llm_1.json": samples["tau-bench"],
	})))
	if err == nil || !strings.Contains(err.Error(), `its model is "tool-calling-qwen"`) {
		t.Errorf("tau-bench: error is %v", err)
	}
}
