package importer

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

// statedIn imports the files, of which the first is the log, and returns the notes.
func statedIn(t *testing.T, score string, files ...[2]string) string {
	t.Helper()
	dir := fstest.MapFS{}
	for _, f := range files {
		dir[f[0]] = &fstest.MapFile{Data: []byte(f[1])}
	}
	var g got
	src := Source{Files: []File{{Name: files[0][0], FS: dir, Path: files[0][0]}}, Options: Options{Score: score}}
	if _, err := Import(context.Background(), Formats(), "", src, g.sink()); err != nil {
		t.Fatal(err)
	}
	return strings.Join(g.notes, "\n")
}

// Each log has two rollouts with the rewards 1 and 0, and states a mean.
func TestMeansThatLogsState(t *testing.T) {
	inspectLog := func(mean string) string {
		return `{"version":2,"status":"success","eval":{"task":"t","model":"m","scorers":[{"name":"s"}]},"results":{"scores":[{"name":"s","scorer":"s","metrics":{"accuracy":{"value":` + mean + `}}}]},"samples":[{"id":1,"epoch":1,"scores":{"s":{"value":"C"}}},{"id":2,"epoch":1,"scores":{"s":{"value":"I"}}}]}`
	}
	verifiersRows := samples["verifiers"] + "\n" + strings.NewReplacer(`"example_id":1`, `"example_id":2`, `"reward":1.0`, `"reward":0.0`).Replace(samples["verifiers"]) + "\n"
	lmRows := samples["lm-eval"] + strings.NewReplacer(`"doc_id":0`, `"doc_id":1`, `"acc":1.0`, `"acc":0.0`).Replace(samples["lm-eval"])
	recorder := func(mean string) string {
		return `{"spec":{}}` + "\n" + `{"final_report":{"accuracy":` + mean + "}}\n" +
			`{"run_id":"r","event_id":0,"sample_id":"a.0","type":"match","data":{"correct":true}}` + "\n" +
			`{"run_id":"r","event_id":1,"sample_id":"a.1","type":"match","data":{"correct":false}}` + "\n"
	}
	for name, c := range map[string]struct {
		metric string
		files  func(mean string) [][2]string
	}{
		"inspect": {"accuracy", func(mean string) [][2]string { return [][2]string{{"log.json", inspectLog(mean)}} }},
		"verifiers": {"avg_reward", func(mean string) [][2]string {
			return [][2]string{{"results.jsonl", verifiersRows}, {"metadata.json", `{"env_id":"e","model":"m","avg_reward":` + mean + `}`}}
		}},
		"lm-eval": {"acc,none", func(mean string) [][2]string {
			return [][2]string{{"samples_t_2026-01-31T10-00-00.000001.jsonl", lmRows}, {"results_2026-01-31T10-00-00.000001.json", `{"model_name":"m","results":{"t":{"alias":"t","acc,none":` + mean + `}}}`}}
		}},
		"evals-recorder": {"accuracy", func(mean string) [][2]string { return [][2]string{{"log.jsonl", recorder(mean)}} }},
	} {
		files := c.files("0.25")
		if notes, want := statedIn(t, "", files...), files[0][0]+" states "+c.metric+" 0.25, and the mean of its 2 graded rollouts is 0.5: "; !strings.Contains(notes, want) {
			t.Errorf("%s: notes lack %q:\n%s", name, want, notes)
		}
		for _, mean := range []string{"0.5", "0.501", "null"} {
			if notes := statedIn(t, "", c.files(mean)...); strings.Contains(notes, "states") {
				t.Errorf("%s states %s:\n%s", name, mean, notes)
			}
		}
	}
}

// The mean of items with different numbers of rollouts may weigh items alike.
func TestMeansOfItems(t *testing.T) {
	rows := `{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true}` + "\n"
	other := strings.NewReplacer(`"example_id":1`, `"example_id":2`, `"reward":1.0`, `"reward":0.0`).Replace(rows)
	for mean, want := range map[string]bool{"0.667": false, "0.5": false, "0.6": true} { // of rollouts 2/3, of items 1/2
		notes := statedIn(t, "", [2]string{"results.jsonl", rows + rows + other}, [2]string{"metadata.json", `{"avg_reward":` + mean + `}`})
		if strings.Contains(notes, "states avg_reward") != want {
			t.Errorf("%s: %s", mean, notes)
		}
	}
}

// The fields are those of inspect_ai 0.3 (scorer/_metric.py, log/_log.py).
func TestInspectEditsAreCounted(t *testing.T) {
	notes := statedIn(t, "", [2]string{"log.json", `{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[` +
		`{"id":1,"epoch":1,"scores":{"s":{"value":"C","history":[{"value":"I"},{"value":"C","provenance":{"author":"x"}}]}}},` +
		`{"id":2,"epoch":1,"invalidation":{"author":"x","reason":"leak"},"scores":{"s":{"value":"C","history":[]}}},` +
		`{"id":3,"epoch":1,"invalidation":null,"scores":{"s":{"value":"I"}}}]}`})
	for _, want := range []string{
		"1 rollout has a score that was edited in the log: the score after the last edit counts",
		"1 rollout is marked as invalidated in the log: it has no grade here (grader), and a score in Inspect's own results",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "ended in an error") {
		t.Errorf("an invalidated rollout did not fail:\n%s", notes)
	}
}
