package peers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

// MLflow's file store, what "mlflow traces search" writes of a database, and the data frame of search_traces() are
// imported with the scores, failures, tool calls and tokens that the agent itself counted; and an evaluation with the
// means that mlflow.genai.evaluate reports.
func TestTracesOfMLflow(t *testing.T) {
	p := meet(t, "mlflow")
	dir := t.TempDir()
	p.python("agent.py", dir)
	text, err := os.ReadFile(filepath.Join(dir, "saw.json"))
	if err != nil {
		t.Fatal(err)
	}
	theirs := decode[struct {
		Saw   map[string]map[string][]saw
		Means map[string]float64
		Rows  int
	}](p, text)
	for file, store := range map[string]string{"mlruns": "file", "traces.json": "database", "traces.csv": "database"} {
		ours, _ := p.imported(filepath.Join(dir, file), "--score", "right")
		p.sameRollouts(file, theirs.Saw[store], ours)
	}
	for _, score := range []string{"right", "words"} {
		ours, _ := p.imported(filepath.Join(dir, "evaluated.json"), "--score", score)
		sum, graded, failed := 0.0, 0, 0
		for _, r := range ours {
			switch {
			case r.Reward != nil:
				sum, graded = sum+*r.Reward, graded+1
			case r.Outcome == rollout.ModelAPI:
				failed++
			}
		}
		if want := theirs.Means[score+"/mean"]; graded == 0 || !near(sum/float64(graded), want) || failed != 3 || graded+failed != theirs.Rows {
			t.Errorf("%s: %d graded with the sum %v and %d failed, by MLflow a mean of %v over %d rows, of which 3 failed", score, graded, sum, failed, want, theirs.Rows)
		}
	}
}

// The spans and annotations of Phoenix's REST API, and its data frames, are imported with what the agent itself counted.
func TestTracesOfPhoenix(t *testing.T) {
	p := meet(t, "phoenix")
	dir := t.TempDir()
	theirs := decode[map[string][]saw](p, p.python("agent.py", dir))
	for _, form := range [][2]string{{"spans.json", "annotations.json"}, {"spans_frame.json", "annotations_frame.csv"}} {
		ours, _ := p.imported(filepath.Join(dir, form[0]), filepath.Join(dir, form[1]), "--score", "right")
		p.sameRollouts(form[0], theirs, ours)
	}
}

// What the SDKs of Langfuse and LangSmith send to a collector is imported with what the agent itself counted.
func TestTracesOfTracingSDKs(t *testing.T) {
	p := meet(t, "tracing-sdks")
	for _, sdk := range []string{"langfuse", "langsmith"} {
		file := filepath.Join(t.TempDir(), sdk+".jsonl")
		var theirs map[string][]saw
		if err := json.Unmarshal(p.python("agent.py", sdk, file), &theirs); err != nil {
			t.Fatal(err)
		}
		ours, _ := p.imported(file)
		p.sameRollouts(sdk, theirs, ours)
	}
}
