package rollout

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/sampler/rollout/disk"
)

// A run directory that was deleted took records as willingly as before, and
// no one knows.
func TestADeletedRunDirectoryIsTold(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"deleted":            os.RemoveAll,
		"moved":              func(dir string) error { return os.Rename(dir, dir+"-elsewhere") },
		"its file is gone":   func(dir string) error { return os.Remove(filepath.Join(dir, RolloutsFile)) },
		"its file is edited": func(dir string) error { return disk.WriteFile(filepath.Join(dir, RolloutsFile), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "run")
				w, err := Create(dir, Manifest{}, nil, WriterOptions{})
				if err != nil {
					t.Fatal(err)
				}
				appendAll(t, w, graded("a", 0, 1))
				if err := lose(dir); err != nil {
					t.Fatal(err)
				}
				time.Sleep(1500 * time.Millisecond) // a second is the pace of the looks
				synctest.Wait()
				err = w.Append(graded("a", 1, 1))
				if !errors.Is(err, disk.ErrGone) || !strings.Contains(err.Error(), filepath.Join(dir, RolloutsFile)) {
					t.Errorf("the next record: error is %v", err)
				}
				if err := w.Close(); !errors.Is(err, disk.ErrGone) || strings.Count(err.Error(), "put it back") != 1 {
					t.Errorf("closing: error is %v, want one that says so once", err)
				}
				if _, err := os.Stat(filepath.Join(dir, ManifestFile)); strings.HasPrefix(name, "its") != (err == nil) {
					t.Errorf("%s: %v", ManifestFile, err)
				}
			})
		})
	}
}

// A run directory that came from elsewhere may hold links: what they lead to is neither
// written to nor cut off.
func TestLinksInARunDirectoryAreNotFollowed(t *testing.T) {
	for _, name := range []string{RolloutsFile, ItemsFile, lockFile} {
		dir := t.TempDir()
		theirs := filepath.Join(t.TempDir(), "theirs")
		const text = "alias ll='ls -l'\nhalf a line"
		w, err := Create(dir, Manifest{}, nil, WriterOptions{})
		if err == nil {
			err = w.Close()
		}
		if err := errors.Join(err, os.Remove(filepath.Join(dir, name)), os.WriteFile(theirs, []byte(text), 0o644), os.Symlink(theirs, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		w, err = Create(dir, Manifest{}, nil, WriterOptions{})
		if err == nil {
			err = errors.Join(w.Append(graded("a", 0, 1)), w.Close())
		}
		if err == nil || !strings.Contains(err.Error(), name+" is a symbolic link") {
			t.Errorf("%s: error %v", name, err)
		}
		if got, err := os.ReadFile(theirs); string(got) != text || err != nil {
			t.Errorf("%s: what it leads to is now %q, %v", name, got, err)
		}
	}
}

// One that was deleted before the next look is reported at the end.
func TestADeletedRunDirectoryIsToldAtTheEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Manifest{}, nil, WriterOptions{SyncEvery: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, w, graded("a", 0, 1))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, disk.ErrGone) {
		t.Errorf("error is %v", err)
	}
}

// What something else writes behind our records is cut off, and told; records stay
// whole.
func TestForeignLinesAreCutOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Manifest{}, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scribble := func(text string) {
		f, err := os.OpenFile(filepath.Join(dir, RolloutsFile), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	record := func(sample int) *Record {
		return &Record{Item: "a", Split: Train, Sample: sample, Source: Live, Outcome: NoAnswer, Error: "none"}
	}
	scribble("hello\n")
	if err := w.Append(record(0)); err != nil {
		t.Fatal(err)
	}
	scribble("my notes")
	if err := w.Append(record(1)); err != nil {
		t.Fatal(err)
	}
	scribble("{}\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, RolloutsFile))
	if err != nil || strings.Count(string(b), "\n") != 2 || strings.Contains(string(b), "notes") || w.Foreign() != 6+8+3 {
		t.Errorf("%d foreign bytes, %v, and the file holds\n%s", w.Foreign(), err, b)
	}
}

// However it falls between our own steps, what something else writes spoils no
// record.
func TestForeignLinesAtAnyMomentSpoilNoRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Manifest{}, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, RolloutsFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	stop, begun, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			if n == 1 {
				close(begun)
			}
			select {
			case <-stop:
				done <- f.Close()
				return
			default:
				if _, err := f.WriteString("mine\n"); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatal(err)
	}
	const records = 3000
	for i := range records {
		if err := w.Append(&Record{Item: "a", Split: Train, Sample: i, Source: Live, Outcome: NoAnswer, Error: "none"}); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := errors.Join(<-done, w.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, RolloutsFile))
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	if err != nil || len(lines) != records || strings.Contains(string(b), "mine") || w.Foreign() == 0 {
		t.Fatalf("%d lines, %d foreign bytes, %v", len(lines), w.Foreign(), err)
	}
	for i, line := range lines {
		var r Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Sample != i {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
	}
}

// A file that something else cut short stops the writing: its records are gone.
func TestAFileThatIsCutShortIsTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Manifest{}, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec := &Record{Item: "a", Split: Train, Source: Live, Outcome: NoAnswer, Error: "none"}
	if err := w.Append(rec); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, RolloutsFile), 0); err != nil {
		t.Fatal(err)
	}
	rec.Sample = 1
	if err := w.Append(rec); !errors.Is(err, disk.ErrTruncated) {
		t.Errorf("appended with %v", err)
	}
	if err := w.Close(); !errors.Is(err, disk.ErrTruncated) {
		t.Errorf("closed with %v", err)
	}
}
