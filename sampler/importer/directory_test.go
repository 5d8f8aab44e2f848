package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func importedRecord(item string) *rollout.Record {
	one := 1.0
	return &rollout.Record{Item: item, Split: rollout.Train, Source: rollout.Import, Outcome: rollout.Graded, Reward: &one}
}

// What a kill leaves of an import says so; a whole one says how it was made.
func TestAnImportThatWasKilledSaysSo(t *testing.T) {
	run := Directory{Dir: filepath.Join(t.TempDir(), "run"), Manifest: rollout.Manifest{Source: rollout.Import}}
	notes := func() string {
		t.Helper()
		r, err := rollout.Open(run.Dir)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(r.Manifest.Notes, "\n")
	}
	if err := run.item(rollout.Item{ID: "q"}); err != nil {
		t.Fatal(err)
	}
	if err := run.record(importedRecord("q")); err != nil {
		t.Fatal(err)
	}
	if n := notes(); !strings.Contains(n, "was interrupted") {
		t.Errorf("notes are %q while the import goes on", n)
	}
	run.Manifest.Model = "m"
	if err := run.Close("imported"); err != nil {
		t.Fatal(err)
	}
	r, err := rollout.Open(run.Dir)
	if err != nil || notes() != "imported" || r.Manifest.Model != "m" || len(r.Items) != 1 {
		t.Errorf("run is %+v, %v", r, err)
	}
}

// What is taken back is what the import wrote: a directory that was there
// stays, and so does what somebody put into it.
func TestAnImportTakesBackItsOwn(t *testing.T) {
	dir := t.TempDir()
	for _, there := range []bool{false, true} {
		run := Directory{Dir: filepath.Join(dir, "run")}
		if there {
			if err := os.Mkdir(run.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.record(importedRecord("q")); err != nil {
			t.Fatal(err)
		}
		if there {
			if err := os.WriteFile(filepath.Join(run.Dir, "mine.txt"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.TakeBack(); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(run.Dir, "*"))
		if _, statErr := os.Stat(run.Dir); err != nil || (statErr == nil) != there || there != (len(left) == 1) {
			t.Errorf("there before: %t; left are %v, %v", there, left, statErr)
		}
	}
}
