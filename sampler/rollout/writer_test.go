package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/sampler/rollout/disk"

	"github.com/google/go-cmp/cmp"
)

func graded(item string, sample int, reward float64) *Record {
	return &Record{Item: item, Split: Train, Sample: sample, Source: Live, Outcome: Graded, Reward: &reward}
}

func create(t *testing.T, dir string, m Manifest, items []Item, opt WriterOptions) *Writer {
	t.Helper()
	w, err := Create(dir, m, items, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func appendAll(t *testing.T, w *Writer, records ...*Record) {
	t.Helper()
	for _, r := range records {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

func closeIt(t *testing.T, w *Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCreateAndResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "run")
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := Manifest{ID: "first", Seed: 7, Started: started, Notes: []string{"old"}, Binding: map[string]string{"model": "m"}}
	a, b := Item{ID: "a", Split: Train, Row: json.RawMessage(`{"x":"<&>"}`)}, Item{ID: "b", Split: Train}
	w := create(t, dir, first, []Item{a}, WriterOptions{})
	appendAll(t, w, graded("a", 0, 1))
	closeIt(t, w)
	if err := w.Append(graded("a", 1, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}

	second := Manifest{ID: "second", Seed: 8, Started: started.Add(time.Hour), Notes: []string{"new"}, Binding: map[string]string{"model": "m"}, Config: json.RawMessage(`{"c":1}`)}
	w = create(t, dir, second, []Item{a, b}, WriterOptions{})
	if m := w.Manifest(); m.ID != "first" || m.Seed != 7 || !m.Started.Equal(started) || m.Notes[0] != "new" || !m.Ended.IsZero() {
		t.Errorf("merged manifest is %+v", m)
	}
	appendAll(t, w, graded("b", 0, 0.5))
	if err := w.AddItems(b, Item{ID: "b", Split: Eval}); err != nil {
		t.Fatal(err)
	}
	if err := w.Amend(func(m *Manifest) { m.Notes, m.Seed = append(m.Notes, "amended"), 99 }); err != nil {
		t.Fatal(err)
	}
	closeIt(t, w)

	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Manifest; m.ID != "first" || m.Seed != 7 || m.Ended.IsZero() || m.Schema != ManifestSchema || !cmp.Equal(m.Notes, []string{"new", "amended"}) {
		t.Errorf("manifest on disk is %+v", m)
	}
	var items []string
	for _, it := range r.Items {
		items = append(items, string(it.Split)+"/"+it.ID)
	}
	if diff := cmp.Diff([]string{"train/a", "train/b", "eval/b"}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if n := countRecords(t, r); n != 2 {
		t.Errorf("%d records, want 2", n)
	}
	for name, want := range map[string]os.FileMode{ManifestFile: 0o644, RolloutsFile: 0o644, ItemsFile: 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&^0o022 != want&^0o022 {
			t.Errorf("%s has mode %v, want %v less the umask (%v)", name, info.Mode(), want, err)
		}
	}
}

// What could not be read again is not written: the run stays readable.
func TestARecordLongerThanWhatIsReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, Manifest{}, []Item{{ID: "a", Split: Train}}, WriterOptions{})
	long := graded("a", 0, 1)
	long.Answer = strings.Repeat("x", MaxLine)
	large, ok := errors.AsType[*TooLargeError](w.Append(long))
	if !ok || large.Bytes < MaxLine || !strings.Contains(large.Error(), "64.1 MB are more than the 64 MB") {
		t.Errorf("%v", large)
	}
	appendAll(t, w, graded("a", 1, 1))
	closeIt(t, w)
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := run.Records(t.Context(), ReadOptions{}, func(*Record) error { return nil })
	if err != nil || in.Records != 1 {
		t.Errorf("%d records, %v", in.Records, err)
	}
}

func TestCreateFillsInIDAndBegin(t *testing.T) {
	one := create(t, t.TempDir(), Manifest{}, nil, WriterOptions{}).Manifest()
	two := create(t, t.TempDir(), Manifest{}, nil, WriterOptions{}).Manifest()
	if one.ID == "" || one.ID == two.ID || one.Started.IsZero() || one.Schema != ManifestSchema {
		t.Errorf("manifests are %+v and %+v", one, two)
	}
}

func TestCreateRefusesWhatIsNotARun(t *testing.T) {
	base := t.TempDir()
	write(t, filepath.Join(base, "full", "thesis.txt"), "x")
	write(t, filepath.Join(base, "bare", RolloutsFile), `{"item":"a","reward":1}`)
	write(t, filepath.Join(base, "foreign", ManifestFile), `{"name":"a web project"}`)
	write(t, filepath.Join(base, "file"), "x")
	for _, tt := range []struct{ dir, want string }{
		{"full", "thesis.txt"}, {"bare", "name an empty or a new directory"}, {"foreign", "its schema is"}, {"file", "name a directory"},
	} {
		dir := filepath.Join(base, tt.dir)
		before, _ := os.ReadDir(dir)
		_, err := Create(dir, Manifest{}, nil, WriterOptions{})
		if !errors.Is(err, ErrNotARun) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error is %v, want ErrNotARun with %q", tt.dir, err, tt.want)
		}
		if after, _ := os.ReadDir(dir); len(after) != len(before) {
			t.Errorf("%s: something was written into it", tt.dir)
		}
	}
}

// A process that is killed within Create leaves a directory that can be used.
func TestCreateGoesOnFromRemains(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, lockFile), "123\n")
	write(t, filepath.Join(dir, ManifestFile+disk.TempMark+"5"), `{"sch`)
	closeIt(t, create(t, dir, Manifest{}, nil, WriterOptions{}))
	if _, err := os.Stat(filepath.Join(dir, ManifestFile+disk.TempMark+"5")); err == nil {
		t.Error("the half-written manifest is still there")
	}
}

func TestBinding(t *testing.T) {
	dir := t.TempDir()
	was := map[string]string{"model": "m1", "data": strings.Repeat("a", 200), "same": "x", "key": "sk-planted-secret-0123"}
	opt := WriterOptions{Redact: NewRedactor("sk-planted-secret-0123")}
	w := create(t, dir, Manifest{Binding: was}, nil, opt)
	appendAll(t, w, graded("a", 0, 1))
	closeIt(t, w)
	closeIt(t, create(t, dir, Manifest{Binding: was}, nil, opt)) // a masked value is equal to itself
	_, err := Create(dir, Manifest{Binding: map[string]string{"model": "m2", "same": "x", "seed": "9", "key": was["key"]}}, nil, opt)
	e, ok := errors.AsType[*BindingError](err)
	if !ok {
		t.Fatalf("error is %v, want a BindingError", err)
	}
	if diff := cmp.Diff([]string{"data", "model", "seed"}, e.Keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	for _, want := range []string{dir, `model was "m1" and is now "m2"`, `seed was not set and is now "9"`, `…" and is now not set`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	if len(err.Error()) > 500 {
		t.Errorf("error has %d bytes: values are not cut", len(err.Error()))
	}
	closeIt(t, create(t, dir, Manifest{Binding: was}, nil, opt)) // the refused one let go of the lock
}

// A first try with a wrong setting, of which no rollout came, blocked its
// directory.
func TestARunWithoutRolloutsBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	first := create(t, dir, Manifest{Seed: 1, Binding: map[string]string{"model.api": "responses"}}, []Item{{ID: "a", Split: Train}}, WriterOptions{})
	closeIt(t, first)
	now := map[string]string{"model.api": "chat"}
	w := create(t, dir, Manifest{Seed: 2, Binding: now}, []Item{{ID: "b", Split: Train}}, WriterOptions{})
	if m := w.Manifest(); m.ID == first.Manifest().ID || m.Seed != 2 || m.Binding["model.api"] != "chat" {
		t.Errorf("manifest is %+v", m)
	}
	appendAll(t, w, graded("b", 0, 1))
	closeIt(t, w)
	r, err := Open(dir)
	if err != nil || len(r.Items) != 1 || r.Items[0].ID != "b" {
		t.Errorf("items are %+v, %v", r.Items, err)
	}
	if _, err := Create(dir, Manifest{Binding: map[string]string{"model.api": "responses"}}, nil, WriterOptions{}); err == nil {
		t.Error("a run with a rollout was begun again")
	}
}

func TestCreateMendsTornTails(t *testing.T) {
	whole := `{"item":"a","sample":0,"reward":1}` + "\n"
	long := strings.Repeat("x", 200<<10)
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"whole lines", whole, whole},
		{"a torn line", whole + `{"item":"b","rew`, whole},
		{"a torn line alone", `{"item"`, ""},
		{"a long torn line", whole + `{"item":"` + long, whole},
		{"NULs after a power cut", whole + "\x00\x00\x00", whole},
		{"a whole line without newline", whole + `{"item":"b","reward":NaN}`, whole + `{"item":"b","reward":NaN}` + "\n"},
		{"a whole line alone behind a byte order mark", "\uFEFF" + strings.TrimSpace(whole), "\uFEFF" + whole},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			closeIt(t, create(t, dir, Manifest{}, []Item{{ID: "a", Split: Train}}, WriterOptions{}))
			write(t, filepath.Join(dir, RolloutsFile), tt.text)
			items := filepath.Join(dir, ItemsFile)
			write(t, items, slurp(t, items)+`{"id":"b","spl`)
			w := create(t, dir, Manifest{}, []Item{{ID: "a", Split: Train}, {ID: "b", Split: Train}}, WriterOptions{})
			if got := slurp(t, filepath.Join(dir, RolloutsFile)); got != tt.want {
				t.Errorf("file is %.80q, want %.80q", got, tt.want)
			}
			appendAll(t, w, graded("z", 0, 1))
			r, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := countRecords(t, r), strings.Count(tt.want, "\n")+1; got != want || len(r.Items) != 2 {
				t.Errorf("%d records and %d items, want %d and 2", got, len(r.Items), want)
			}
		})
	}
}

func TestAppendRefusesWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, Manifest{}, nil, WriterOptions{})
	change := func(f func(*Record)) *Record {
		r := graded("a", 0, 1)
		f(r)
		return r
	}
	for name, r := range map[string]*Record{
		"no item":                   change(func(r *Record) { r.Item = "" }),
		"an unknown split":          change(func(r *Record) { r.Split = "test" }),
		"a negative sample":         change(func(r *Record) { r.Sample = -1 }),
		"graded without a reward":   change(func(r *Record) { r.Reward = nil }),
		"a failure with a reward":   change(func(r *Record) { r.Outcome = ToolFailed }),
		"a reward that is NaN":      change(func(r *Record) { r.Reward = number(math.NaN()) }),
		"a part that is infinite":   change(func(r *Record) { r.Parts = map[string]float64{"p": math.Inf(1)} }),
		"an extra key that is none": change(func(r *Record) { r.Extra = map[string]json.RawMessage{"x": json.RawMessage(`{`)} }),
	} {
		if err := w.Append(r); err == nil || !strings.Contains(err.Error(), RolloutsFile) {
			t.Errorf("%s: error is %v, want one that names the file", name, err)
		}
	}
	if got := slurp(t, filepath.Join(dir, RolloutsFile)); got != "" {
		t.Errorf("file holds %q", got)
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, Manifest{}, nil, WriterOptions{})
	if _, err := Create(dir, Manifest{}, nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), dir) {
		t.Errorf("error is %v", err)
	}
	closeIt(t, w)
	closeIt(t, create(t, dir, Manifest{}, nil, WriterOptions{}))
}

// Records are forced to disk at the pace that was asked for, and a flush that
// fails is reported.
func TestFlusher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := disk.OpenAppender(filepath.Join(t.TempDir(), "f"), wholeRecord)
		if err != nil {
			t.Fatal(err)
		}
		f := startFlusher(a, time.Second)
		if err := f.wrote(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if f.dirty.Load() {
			t.Error("a second passed and nothing was flushed")
		}
		a.Close() // now forcing to disk fails
		if err := f.wrote(); err != nil {
			t.Errorf("error before the flush: %v", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if err := f.wrote(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("error after a failed flush is %v", err)
		}
		if err := f.stop(); err != nil {
			t.Errorf("an error was told twice: %v", err)
		}
	})
}

func TestWholeRecordSurvivesTheDisk(t *testing.T) {
	var rec Record
	if err := json.Unmarshal([]byte(fullLine), &rec); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	probe := rec
	probe.Source = Probe
	rec.Probe = nil
	w := create(t, dir, Manifest{}, nil, WriterOptions{SyncEvery: -1})
	appendAll(t, w, &rec)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeProbes(t, dir, nil, &probe)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same := func(want *Record) func(*Record) error {
		return func(got *Record) error {
			if diff := cmp.Diff(want, got, sameJSON); diff != "" {
				t.Errorf("record differs (-written +read):\n%s", diff)
			}
			return nil
		}
	}
	if _, err := r.Records(context.Background(), ReadOptions{}, same(&rec)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Probes(context.Background(), same(&probe)); err != nil {
		t.Fatal(err)
	}
}
