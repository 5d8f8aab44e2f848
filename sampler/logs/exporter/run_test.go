package exporter

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func TestOpenRefuses(t *testing.T) {
	train, eval := record("a", 0, 1), record("a", 0, 0)
	eval.Split = rollout.Eval
	run := made(t, []*rollout.Record{train, eval})
	if _, err := Open(context.Background(), run, Options{}); !errors.Is(err, ErrSplits) || !strings.Contains(err.Error(), "name eval or train") {
		t.Errorf("two splits: %v", err)
	}
	if _, err := Open(context.Background(), run, Options{Split: rollout.Production}); err == nil || !strings.Contains(err.Error(), "no rollouts of split production") {
		t.Errorf("a split that is not there: %v", err)
	}
	if _, err := Open(context.Background(), made(t, nil), Options{}); !errors.Is(err, rollout.ErrNoRecords) {
		t.Errorf("no rollouts: %v", err)
	}
	r, err := Open(context.Background(), run, Options{Split: rollout.Eval})
	if err != nil || r.Rollouts() != 1 {
		t.Fatalf("one of two splits: %v", err)
	}
	late := record("b", 0, 1)
	late.Split = rollout.Eval
	line, err := json.Marshal(late)
	if err != nil {
		t.Fatal(err)
	}
	if err := disk.AppendLine(run.File(), line); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.eval")
	if err := inspect.Write(context.Background(), path, r); err != nil {
		t.Fatal(err)
	}
	if _, got := back(t, path); len(got) != 1 {
		t.Errorf("of a run that grew meanwhile %d rollouts are written, want the one that was there", len(got))
	}
	if err := os.Truncate(run.File(), 0); err != nil {
		t.Fatal(err)
	}
	path += "2"
	if err := inspect.Write(context.Background(), path, r); err == nil {
		t.Error("a run that lost its rollouts meanwhile is written")
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// A log of one file goes into a directory that is not there yet.
func TestWriteMakesDirectories(t *testing.T) {
	r, err := Open(context.Background(), made(t, everyOutcome()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		path := filepath.Join(t.TempDir(), "new", "dir", "log.eval")
		if err := f.Write(context.Background(), path, r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// Summaries are written from memory at the end of a log: they hold the beginning
// of an answer, as those of Inspect do, and the sample all of it.
func TestInspectSummariesAreThin(t *testing.T) {
	rec := record("q 2", 0, 1)
	rec.Answer = strings.Repeat("long ", 10_000)
	path, _ := written(t, inspect, made(t, []*rollout.Record{rec}))
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	summaries, err := fs.ReadFile(z, "summaries.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(summaries) > 5000 || !strings.Contains(string(summaries), "long...") {
		t.Errorf("summaries are %d bytes: %.2000s", len(summaries), summaries)
	}
	if _, got := back(t, path); got[rec.Key()].Answer != rec.Answer {
		t.Errorf("the answer is %.100s", got[rec.Key()].Answer)
	}
}
