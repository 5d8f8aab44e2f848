package importer

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"gonogo/sampler/rollout"
)

// What a tool itself marks as not judged is missing in every format, whatever number is beside
// it; what looks like a mark and is none leaves the grade.
func TestMarksOfFailure(t *testing.T) {
	verl := func(more string) string {
		return `{"input":"q","output":"a","gts":"1","score":0.0,"step":0` + more + "}\n"
	}
	id := hash([]byte("q")) + "/"
	nemo := func(more string) string {
		return `{"responses_create_params":{"input":"q"},"response":{"model":"m","output":[]},"_ng_task_index":0,"reward":0.0` + more + "}\n"
	}
	line := func(more string) string { return `{"item":"q","reward":0` + more + "}\n" }
	for format, rows := range map[string][]row{
		"nemo-gym": {
			{name: "a masked sample", file: nemo(`,"mask_sample":true`) + nemo(`,"instance_config":{"mask_sample":true}`) + nemo(`,"mask_sample":false,"instance_config":{"mask_sample":false}`), want: []string{"0/0 grader - mask_sample", "0/1 grader - mask_sample", "0/2 graded 0"}},
			{name: "an exception, an error and a failed response", file: nemo(`,"exception_type":"ConnectError"`) + nemo(`,"error":"judge gone"`) + strings.Replace(nemo(""), `"output":[]`, `"output":[],"status":"failed"`, 1), want: []string{"0/0 model_api - exception_type: ConnectError", "0/1 grader - judge gone", "0/2 model_api - status: failed"}},
			{name: "an exception, whatever the mask says, and the data row", file: nemo(`,"mask_sample":false,"exception_type":"TimeoutError"`) + nemo(`,"metadata":{"error":"a label"}`), want: []string{"0/0 model_api - exception_type: TimeoutError", "0/1 graded 0"}},
			{name: "a reason in words, which no mask denies, and a code", file: nemo(`,"failure_reason":"session could not be reset"`) + nemo(`,"mask_sample":false,"failure_reason":"the session was slow"`) + nemo(`,"failure_reason":"judge_not_equivalent"`), want: []string{"0/0 model_api - failure_reason: session could not be reset", "0/1 graded 0", "0/2 graded 0"}},
		},
		"verl": {
			{name: "the data row and counts", file: verl(`,"extra_info":{"error":"a label"},"failed":1`) + verl(`,"timeout":true,"acc":0.5`), want: []string{id + "0 graded 0", id + "1 grader - timeout"}},
			{name: "a timeout and an error of the reward function", file: verl(`,"timeout":true`) + verl(`,"error":"JSONDecodeError: empty"`) + verl(`,"timeout":null,"error":""`) + verl(`,"timeout":false`), want: []string{id + "0 grader - timeout", id + "1 grader - JSONDecodeError: empty", id + "2 graded 0", id + "3 graded 0"}},
		},
		"gonogo": {
			{name: "keys in any case", file: line(`,"Error":"503"`) + line(`,"errorMessage":"judge down"`) + line(`,"exception_type":"X"`) + line(`,"Timeout":"True"`) + line(`,"status":"errored"`) + line(`,"stop_reason":"rollout_error"`), want: []string{"q/0 model_api - 503", "q/1 grader - errorMessage: judge down", "q/2 model_api - exception_type: X", "q/3 model_api - Timeout", "q/4 model_api - status: errored", "q/5 model_api - rollout_error"}},
			{name: "what is no failure", file: line(`,"error":"nan","exception":null,"failed":0,"timeout":30,"status":"ok","errors":[]`) + line(`,"error_rate":0.5,"errors":3,"success":false,"message":"error in line 2"`), want: []string{"q/0 graded 0", "q/1 graded 0"}},
			{name: "counts, and a status of the answer", file: line(`,"passed":4,"failed":1`) + line(`,"verification_status":"failed"`) + line(`,"status":"failed"`), want: []string{"q/0 graded 0", "q/1 graded 0", "q/2 graded 0"}, note: `1 graded rollout says by "status" that it failed: read as a verdict`},
			{name: "a mark next to an outcome of graded", file: line(`,"outcome":"graded","exception_type":"TimeoutError"`) + line(`,"outcome":"graded","source":"import","exception_type":"TimeoutError"`) + line(`,"outcome":"graded","stop_reason":"rollout_error"`), want: []string{"q/0 model_api - exception_type: TimeoutError", "q/1 graded 0", "q/2 model_api - rollout_error"}},
			{name: "marks one level down", file: line(`,"metadata":{"error":"boom"}`) + line(`,"result":{"exception":"boom"}`), want: []string{"q/0 model_api - boom", "q/1 model_api - exception: boom"}},
			{name: "other words for the end", file: line(`,"termination_reason":"rollout_error"`) + line(`,"finish_reason":"stop","exitReason":"env_crashed"`) + line(`,"end_reason":"max_turns"`), want: []string{"q/0 model_api - rollout_error", "q/1 model_api - env_crashed", "q/2 graded 0"}},
			{name: "a word for the end that is not known", file: line(`,"stop_reason":"went_home"`), want: []string{"q/0 graded 0"}, note: `1 of 1 rollout ends with "went_home"`},
		},
		"tau-bench": {
			{name: "an error of the entry", file: `[{"task_id":0,"reward":0,"info":{},"traj":[{"role":"user","content":"hi"}],"trial":0,"error":"user simulator: 429"}]`, want: []string{"0/0 model_api - user simulator: 429"}},
			{name: "an info without an error", file: `[{"task_id":0,"reward":0,"info":{"error":null},"traj":[{"role":"user","content":"hi"}],"trial":0,"error":""}]`, want: []string{"0/0 graded 0"}},
		},
		"item-index":        {{name: "an error", file: `{"item_index":3,"score":0,"trajectory":"[]","error":"boom"}` + "\n", want: []string{"3/0 model_api - boom"}}},
		"build-hours":       {{name: "a failed row", file: `{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":0},"error":"","exception":"boom"}` + "\n", want: []string{"3/0 model_api - exception: boom"}}},
		"build-hours-evals": {{name: "an error", file: `{"datasource_item_id":3,"item_id":"q","prediction":"4","score":0,"error":"boom"}` + "\n", want: []string{"q/0 grader - boom"}}},
		"every-eval-ever":   {{name: "an error", file: strings.Replace(samples["every-eval-ever"], `{"schema`, `{"error":"503","schema`, 1), want: []string{"1/0 model_api - 503"}}},
		"eval-protocol":     {{name: "an error of the row", file: `{"input_metadata":{"row_id":"r"},"evaluation_result":{"score":0,"is_score_valid":true,"error":"none"},"exception":"boom"}`, want: []string{"r/0 model_api - exception: boom"}}},
		"promptfoo":         {{name: "success of false is a verdict", file: strings.Replace(samples["promptfoo"], `"score":1`, `"score":0,"success":false,"failureReason":1,"error":"expected 4"`, 1), want: []string{"p0-" + hash([]byte("{}")) + "/0 graded 0"}}},
		"lm-eval":           {{name: "a metric with the name of a mark", file: strings.ReplaceAll(samples["lm-eval"], `"acc"`, `"error"`), want: []string{"0/0 graded 1"}}},
		"verifiers": {
			{name: "a metric that is copied to the line", file: `{"example_id":1,"prompt":"a","completion":[],"reward":0,"metrics":{"timeout":1.0},"timeout":1.0,"is_completed":true}` + "\n", want: []string{"1/0 graded 0"}},
			{name: "a key of its own", file: `{"example_id":1,"prompt":"a","completion":[],"reward":0,"exception_type":"X","is_completed":true}` + "\n", want: []string{"1/0 model_api - exception_type: X"}},
		},
		"terminal-bench": {{name: "an error without a failure_mode", file: strings.NewReplacer(`"is_resolved":`, `"error":"docker gone","is_resolved":`).Replace(samples["terminal-bench"]), want: []string{"t/0 model_api - docker gone"}}},
		"harbor":         {{name: "an error without an exception", file: harborTrialOf(`,"error":"sandbox gone","verifier_result":{"rewards":{"reward":0}}`), want: []string{"t/0 tool - sandbox gone"}}},
		"verifiers-v1":   {{name: "a mark without a verdict", file: v1("e", "k", "", v1Trace(`{"r":{"score":1}}`, `,"exception":"boom"`)) + v1("f", "k", "", v1Trace(`{"r":{"score":1}}`, `,"ok":true,"exception":"boom"`)), want: []string{"k/0 model_api - exception: boom", "k/1 graded 1"}}},
		"evals-recorder": {{name: "an error beside a score", file: `{"spec":{}}` + "\n" + `{"run_id":"r","event_id":0,"sample_id":"a.0","type":"metrics","data":{"score":0,"error":"judge 500"}}` + "\n", want: []string{"a.0/0 grader - judge 500"}}},
		"inspect":        {{name: "a sample that is invalidated", file: inspectJSON(`{"id":1,"epoch":1,"invalidation":{"reason":"leak"},"scores":{"match":{"value":"I"}}}`), want: []string{`1/0 grader - invalidation: {"reason":"leak"}`}}},
		"openai-evals":   {{name: "an exception of a result", file: strings.Replace(samples["openai-evals"], `"passed":true`, `"passed":false,"exception":"boom"`, 1), want: []string{"3/0 grader - exception: boom"}}},
		"tau2-bench":     {{name: "an error of the simulation", file: strings.Replace(samples["tau2-bench"], `"trial":0`, `"trial":0,"error":"boom"`, 1), want: []string{"7/0 model_api - boom"}}},
	} {
		t.Run(format, func(t *testing.T) { tryRows(t, format, rows) })
	}
}

// A column that --map leaves out still says that a row failed.
func TestMarksInTables(t *testing.T) {
	mapped := map[string]string{"item": "q", "reward": "score", "finish": "stop_reason"}
	for name, c := range map[string]struct{ file, want string }{
		"csv":           {"q,score,stop_reason,error,errors\na,0,stop,,2\na,0,stop,boom,0\na,0,rollout_error,,0\na,0,stop,nan,0\n", "a/0 graded 0|a/1 model_api - boom|a/2 model_api - rollout_error|a/3 graded 0"},
		"csv of counts": {"q,score,passed,failed,error\na,0.8,4,1,NA\na,1,5,0,0.25\n", "a/0 graded 0.8|a/1 graded 1"},
		"jsonl, below":  {`{"q":"a","score":0,"metadata":{"error":"boom"}}` + "\n" + `{"q":"a","score":1,"metadata":{"error":null}}` + "\n", "a/0 model_api - boom|a/1 graded 1"},
		"jsonl, inside": {`{"q":"a","score":0,"verification_status":"failed"}` + "\n" + `{"q":"a","score":1,"verification_status":"passed"}` + "\n", "a/0 graded 0|a/1 graded 1"},
		"jsonl":         {`{"q":"a","score":0,"stop_reason":"stop","Timeout":true}` + "\n" + `{"q":"a","score":1,"stop_reason":"length","timeout":false}` + "\n", "a/0 model_api - Timeout|a/1 graded 1"},
	} {
		src := text(c.file)
		src.Options.Map = maps.Clone(mapped)
		if !strings.Contains(c.file, "stop_reason") {
			delete(src.Options.Map, "finish")
		}
		format, _, _ := strings.Cut(strings.ReplaceAll(name, ",", " "), " ")
		_, g, err := importSource(t, format, src)
		if err != nil || strings.Join(told(g), "|") != c.want {
			t.Errorf("%s: %v, %v; want %s", name, told(g), err, c.want)
		}
	}
	src := text("q,score,stop_reason\na,0,stop\na,0,rollout_error\na,0,went_home\n")
	src.Options.Map = map[string]string{"item": "q", "reward": "score"}
	_, g, err := importSource(t, "csv", src)
	if err != nil || strings.Join(told(g), "|") != "a/0 graded 0|a/1 model_api - rollout_error|a/2 graded 0" {
		t.Errorf("an end that is not mapped: %v, %v", told(g), err)
	}
	g.noted(t, `1 of 3 rollouts end with "went_home"`)
	src = text("q,score,status,finish_reason,termination_reason\na,1,passed,stop,\na,0,failed,length,max_turns\na,0,errored,,\na,0,passed,stop,env_crashed\n")
	src.Options.Map = map[string]string{"item": "q", "reward": "score"}
	_, g, err = importSource(t, "csv", src)
	if err != nil || strings.Join(told(g), "|") != "a/0 graded 1|a/1 graded 0|a/2 model_api - status: errored|a/3 model_api - env_crashed" {
		t.Errorf("a status and two ends: %v, %v", told(g), err)
	}
	g.noted(t, `1 graded rollout says by "status" that it failed`)
	_, g, err = importText(t, "csv", "item,reward,exception_type\nq,0,None\nq,0,KeyError\n")
	if err != nil || strings.Join(told(g), "|") != "q/0 graded 0|q/1 model_api - exception_type: KeyError" {
		t.Errorf("without a mapping: %v, %v", told(g), err)
	}
}

// The last attempt is the rollout: earlier failures are its history, and what happened to a
// sibling takes no grade away.
func TestAttemptsThatRecovered(t *testing.T) {
	failed := `,"errors":[{"type":"ProviderError","message":"503"}]`
	one := func(ok string) string { return v1Trace(`{"r":{"score":1.0}}`, ok) }
	tryRows(t, "verifiers-v1", []row{
		{name: "a trace that recovered", file: v1("e", "k", `,"ok":true,"errors":[]`, one(`,"ok":true`+failed)), want: []string{"k/0 model_api - ProviderError: 503", "k/0 graded 1"}, note: "1 attempt that ended in an error was made again"},
		{name: "an episode that recovered", file: v1("e", "k", `,"ok":true`+failed, one(`,"ok":true`)), want: []string{"k/0 model_api - ProviderError: 503", "k/0 graded 1"}},
		{name: "a trace that failed twice", file: v1("e", "k", `,"ok":false`, one(`,"ok":false,"errors":[{"type":"A"},{"type":"B"}]`)), want: []string{"k/0 model_api - A", "k/0 model_api - B"}},
		{name: "the best of two of which one failed", file: v1("e", "k", `,"ok":false`+failed, one(`,"ok":true`), one(`,"ok":false`+failed)), want: []string{"k/0 graded 1", "k/1 model_api - ProviderError: 503", "k/1 model_api - ProviderError: 503"}, note: "1 rollout of an episode in which another one failed keeps its grade"},
		{name: "an episode that failed by itself", file: v1("e", "k", `,"ok":false`+failed, one(`,"ok":true`)), want: []string{"k/0 model_api - ProviderError: 503"}},
		{name: "cancelled", file: v1("e", "k", `,"ok":false,"errors":[{"type":"CancelledError"}]`, one(`,"ok":false`)) + v1("f", "k", `,"ok":true`, one(`,"ok":true`)), want: []string{"k/0 graded 1"}, note: "1 rollout was cancelled and left out"},
		{name: "cancelled after another error", file: v1("e", "k", `,"ok":false,"errors":[{"type":"ProviderError"},{"type":"CancelledError"}]`, one(`,"ok":false`)), want: []string{"k/0 model_api - ProviderError", "k/0 model_api - CancelledError"}},
		{name: "errors without a verdict", file: v1("e", "k", failed, one("")), want: []string{"k/0 model_api - ProviderError: 503"}},
	})
	cancelled := `{"id":2,"epoch":1,"error":{"message":"CancelledError('Cancelled via cancel scope')","traceback":"asyncio.exceptions.CancelledError: Cancelled"}}`
	tryRows(t, "inspect", []row{
		{name: "cancelled because another one failed", file: inspectJSON(oneSample("1", "1", `"C"`), cancelled), want: []string{"1/0 graded 1"}, note: "1 rollout was cut short by the operator, or cancelled because another one failed, and left out"},
		{
			name: "an error with a score", file: strings.Replace(inspectJSON(oneSample("1", "1", `"C"`), `{"id":2,"epoch":1,"error":{"message":"RuntimeError"},"scores":{"match":{"value":"I"}}}`), `"samples":`, `"results":{"scores":[{"name":"match","scorer":"match","metrics":{"accuracy":{"value":0.5}}}]},"samples":`, 1),
			want: []string{"1/0 graded 1", "2/0 model_api - RuntimeError"}, note: "1 rollout that ended in an error has a score, which Inspect counts (accuracy 0.5): it is a failure all the same",
		},
	})
	log := func(created string, samples ...string) []byte {
		head := `{"version":2,"status":"success","eval":{"task":"t","task_id":"T","created":"` + created + `","model":"m","dataset":{"samples":2,"sample_ids":[1,2]},"config":{"epochs":2}},"samples":[`
		return []byte(head + strings.Join(samples, ",") + "]}")
	}
	sample := func(id, epoch, uuid, more string) string {
		return `{"id":` + id + `,"epoch":` + epoch + `,"uuid":"` + uuid + `"` + more + `}`
	}
	good := `,"scores":{"s":{"value":"C"}}`
	first := log("2026-11-27T02:03:15+00:00", sample("1", "1", "a", good), sample("2", "1", "b", good), sample("1", "2", "c", good), sample("2", "2", "d", `,"error":{"message":"gone"}`))
	retry := log("2026-11-27T02:04:55+00:00", sample("1", "1", "a", good), sample("2", "1", "b", good), sample("1", "2", "c", good), sample("2", "2", "e", good+`,"error_retries":[{"message":"gone"}]`))
	for _, names := range [][]string{{"first.json", "retry.json"}, {"retry.json", "first.json"}} {
		src := Source{}
		for _, name := range names {
			src.Files = append(src.Files, File{Name: name, FS: fstest.MapFS{"first.json": {Data: first}, "retry.json": {Data: retry}}, Path: name})
		}
		_, g, err := importSource(t, "inspect", src)
		if want := "1/0 graded 1|2/0 graded 1|1/1 graded 1|2/1 model_api - gone|2/1 graded 1"; err != nil || strings.Join(told(g), "|") != want {
			t.Errorf("%v: %v, %v; want %s", names, told(g), err, want)
		}
		g.noted(t, "1 rollout was made again in a later log of the same evaluation", "3 rollouts are in several logs")
		if strings.Contains(strings.Join(g.notes, "\n"), "planned") {
			t.Errorf("a whole evaluation is said to lack rollouts: %v", g.notes)
		}
	}
}

// A trial whose agent left nothing says nothing about the model, where others of its job left
// something; an agent that never reports is no failure.
func TestHarborTrialsThatNeverBegan(t *testing.T) {
	trial := func(tokens string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(harborTrialOf(`,"agent_result":{"n_input_tokens":` + tokens + `},"verifier_result":{"rewards":{"reward":0}}`))}
	}
	job := func(trials ...*fstest.MapFile) Source {
		dir := fstest.MapFS{"job/result.json": {Data: []byte(`{"n_total_trials":3}`)}}
		src := Source{}
		for i, one := range trials {
			path := "job/" + string(rune('a'+i)) + "/result.json"
			dir[path] = one
			src.Files = append(src.Files, File{Name: path, FS: dir, Path: path})
		}
		return src
	}
	for want, src := range map[string]Source{
		"t/0 graded 0|t/1 tool - the agent never started: there are no tokens and no trajectory, unlike in other trials": job(trial("12"), trial("null")),
		"t/0 graded 0|t/1 graded 0": job(trial("null"), trial("0")),
	} {
		_, g, err := importSource(t, "harbor", src)
		if err != nil || strings.Join(told(g), "|") != want {
			t.Errorf("%v, %v; want %s", told(g), err, want)
		}
		g.noted(t, "2 of 3 rollouts that the run planned are in the log")
	}
}

// What the run behind a log planned is compared with what is there. A note that is always
// printed is none.
func TestCoverage(t *testing.T) {
	one := func(name, text string, beside ...string) Source {
		dir := fstest.MapFS{name: {Data: []byte(text)}}
		for i := 0; i < len(beside); i += 2 {
			dir[beside[i]] = &fstest.MapFile{Data: []byte(beside[i+1])}
		}
		return Source{Files: []File{{Name: name, FS: dir, Path: name}}}
	}
	tau2 := func(trials string) string {
		return strings.Replace(samples["tau2-bench"], `"num_trials":1`, `"num_trials":`+trials, 1)
	}
	promptfoo := func(stats string) string {
		return strings.Replace(samples["promptfoo"], `"version":3`, `"version":3,"stats":`+stats, 1)
	}
	inspect := func(eval string) string {
		return strings.Replace(samples["inspect"], `"model":"m"`, `"model":"m",`+eval, 1)
	}
	nemo := samples["nemo-gym"]
	for _, c := range []struct {
		why, format string
		src         Source
		there, all  string // "" is no note
	}{
		{"verifiers, whole", "verifiers", one("r.jsonl", samples["verifiers"], "metadata.json", `{"num_examples":1,"rollouts_per_example":1}`), "", ""},
		{"verifiers, in part", "verifiers", one("r.jsonl", samples["verifiers"], "metadata.json", `{"num_examples":4,"rollouts_per_example":3}`), "1", "12"},
		{"verifiers, all examples there are", "verifiers", one("r.jsonl", samples["verifiers"], "metadata.json", `{"num_examples":-1,"rollouts_per_example":3}`), "", ""},
		{"verifiers 1", "verifiers-v1", one("traces.jsonl", samples["verifiers-v1"], "configs/resolved/eval.json", `{"num_rollouts":2,"select":{"limit":50}}`), "1", "2"},
		{"verifiers 1, whole", "verifiers-v1", one("traces.jsonl", samples["verifiers-v1"], "configs/resolved/eval.json", `{"num_rollouts":1}`), "", ""},
		{"verifiers 1, settings of an earlier version", "verifiers-v1", one("traces.jsonl", samples["verifiers-v1"], "configs/eval.json", `{"num_rollouts":3}`), "1", "3"},
		{"Inspect, whole", "inspect", one("l.json", inspect(`"dataset":{"samples":1,"sample_ids":[1]},"config":{"epochs":1}`)), "", ""},
		{"Inspect, in part", "inspect", one("l.json", inspect(`"dataset":{"samples":2,"sample_ids":[1,2]},"config":{"epochs":4}`)), "1", "8"},
		{"Inspect, of a data set that was limited", "inspect", one("l.json", inspect(`"dataset":{"samples":100},"config":{"epochs":1,"limit":1}`)), "", ""},
		{"NeMo Gym", "nemo-gym", one("rollouts.jsonl", nemo, "rollouts_materialized_inputs.jsonl", "{}\n{}\n{}\n"), "1", "3"},
		{"NeMo Gym, without its inputs", "nemo-gym", one("rollouts.jsonl", nemo), "", ""},
		{"tau2, whole", "tau2-bench", one("results.json", tau2("1")), "", ""},
		{"tau2, in part", "tau2-bench", one("results.json", tau2("4")), "1", "4"},
		{"promptfoo, whole", "promptfoo", one("r.json", promptfoo(`{"successes":1,"failures":0,"errors":0}`)), "", ""},
		{"promptfoo, in part", "promptfoo", one("r.json", promptfoo(`{"successes":1,"failures":2,"errors":1}`)), "1", "4"},
		{"eval-protocol", "eval-protocol", one("r.jsonl", strings.TrimSuffix(samples["eval-protocol"], "}")+`,"eval_metadata":{"num_runs":2}}`), "1", "2"},
		{"Terminal-Bench", "terminal-bench", one("results.json", samples["terminal-bench"], "run_metadata.json", `{"model_name":"m","task_ids":["t","u"],"n_attempts":2}`), "1", "4"},
		{"plain lines have no plan", "gonogo", one("rollouts.jsonl", samples["gonogo"]), "", ""},
	} {
		planned := 0
		var g got
		sink := g.sink()
		sink.Planned = func(_ rollout.Split, n int) { planned = n }
		if _, err := Import(t.Context(), Formats(), c.format, c.src, sink); err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		notes := strings.Join(g.notes, "\n")
		if c.all == "" && strings.Contains(notes, "planned") || c.all != "" && (!strings.Contains(notes, c.there+" of "+c.all+" rollouts that the run planned") || strconv.Itoa(planned) != c.all) {
			t.Errorf("%s: planned %d, notes:\n%s", c.why, planned, notes)
		}
	}
	_, g, err := importSource(t, "verifiers", one("r.jsonl", samples["verifiers"]+"\n"+samples["verifiers"]+"\n", "metadata.json", `{"num_examples":1,"rollouts_per_example":1}`))
	if err != nil {
		t.Fatal(err)
	}
	g.noted(t, "2 rollouts, and the run planned 1")
}
