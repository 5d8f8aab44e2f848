package importer

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func importedRecord(item string) *rollout.Record {
	one := 1.0
	return &rollout.Record{Item: item, Split: rollout.Train, Source: rollout.Import, Outcome: rollout.Graded, Reward: &one}
}

// What a kill leaves of an import is no run, and the next import replaces it; a whole one
// says how it was made.
func TestHalfAnImportIsNoRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	killed := Directory{Dir: dir, Manifest: rollout.Manifest{Source: rollout.Import}}
	if err := errors.Join(killed.record(importedRecord("old")), killed.writer.Close()); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, rollout.ManifestFile))
	if err == nil {
		manifest = regexp.MustCompile(`,\s*"ended_at": "[^"]*"`).ReplaceAll(manifest, nil) // as before its end
		err = os.WriteFile(filepath.Join(dir, rollout.ManifestFile), manifest, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := Directory{Dir: dir, Manifest: rollout.Manifest{Source: rollout.Import}}
	if err := run.Vacant(); err != nil {
		t.Fatal(err)
	}
	if err := run.item(rollout.Item{ID: "q"}); err != nil {
		t.Fatal(err)
	}
	if err := run.record(importedRecord("q")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, rollout.RolloutsFile)} {
		if _, err := rollout.Open(path); !errors.Is(err, rollout.ErrHalfImported) {
			t.Errorf("%s can be read while the import goes on: %v", path, err)
		}
	}
	if err := (&Directory{Dir: dir}).Vacant(); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second import at the same time: %v", err)
	}
	run.Manifest.Model = "m"
	if err := run.Close("imported"); err != nil {
		t.Fatal(err)
	}
	r, err := rollout.Open(dir)
	if err != nil || !slices.Equal(r.Manifest.Notes, []string{"imported"}) || r.Manifest.Model != "m" || len(r.Items) != 1 || r.Items[0].ID != "q" {
		t.Errorf("run is %+v, %v", r, err)
	}
	if err := (&Directory{Dir: dir}).Vacant(); err == nil || !strings.Contains(err.Error(), "name a new directory") {
		t.Errorf("a whole import would be replaced: %v", err)
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
