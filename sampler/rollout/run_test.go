package rollout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes a file and its directories.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func slurp(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func countRecords(t *testing.T, r *Run) int {
	t.Helper()
	in, err := r.Records(context.Background(), ReadOptions{}, func(*Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return in.Records
}

func TestOpenNothingButRollouts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, RolloutsFile), `{"item":"q1","reward":0.5}`)
	for _, path := range []string{dir, filepath.Join(dir, RolloutsFile)} {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Dir != dir || r.Manifest != nil || r.Items != nil || countRecords(t, r) != 1 {
			t.Errorf("Open(%s) gave %+v", path, r)
		}
	}
}

func TestOpenSingleFileLeavesItsNeighboursAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ManifestFile), `{"schema":"of somebody else"}`)
	write(t, filepath.Join(dir, "mine.jsonl"), `{"item":"q1","reward":0.5}`)
	r, err := Open(filepath.Join(dir, "mine.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Manifest != nil || countRecords(t, r) != 1 || r.File() != filepath.Join(dir, "mine.jsonl") {
		t.Errorf("run is %+v", r)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "foreign", ManifestFile), `{"schema":"gonogo/run/9"}`)
	write(t, filepath.Join(dir, "broken", ManifestFile), `{"schema":`)
	write(t, filepath.Join(dir, "other", "notes.txt"), "x")
	write(t, filepath.Join(dir, "items", RolloutsFile), "")
	write(t, filepath.Join(dir, "items", ItemsFile), "{\"id\":\"a\"}\n{\"id\":\n{\"id\":\"b\"}\n")
	tests := []struct {
		dir  string
		is   error
		want string
	}{
		{"missing", fs.ErrNotExist, "missing"},
		{"foreign", ErrNotARun, "gonogo/run/9"},
		{"broken", ErrNotARun, "run.json"},
		{"other", ErrNotARun, "neither run.json nor rollouts.jsonl"},
		{"items", nil, "items.jsonl:2: broken JSON"},
	}
	for _, tt := range tests {
		_, err := Open(filepath.Join(dir, tt.dir))
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", tt.dir, err, tt.want)
		}
	}
}

func TestOpenItems(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, RolloutsFile), "")
	write(t, filepath.Join(dir, ItemsFile), "\uFEFF"+`{"id":"a","split":"train","row":{"messages":[{"role":"user","content":"old"}]}}
{"id":7,"split":"eval","category":"c","row":{"x":NaN}}

{"id":"a","split":"train","row":{"messages":[{"role":"user","content":"new"}],"tools":[]}}
{"id":"a","spl`)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range r.Items {
		text := ""
		if len(it.Messages) > 0 {
			text = it.Messages[0].Content
		}
		got = append(got, string(it.Split)+"/"+it.ID+" "+text)
	}
	if diff := cmp.Diff([]string{"train/a new", "eval/7 "}, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestState(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ManifestFile), `{"schema":"gonogo/run/1","source":"live"}`)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if state, _, err := r.State(context.Background()); err != nil || len(state) != 0 || state == nil {
		t.Errorf("state of a run without rollouts is %v, error %v", state, err)
	}
	write(t, filepath.Join(dir, RolloutsFile), `{"item":"a","sample":0,"outcome":"tool"}
{"item":"a","sample":0,"attempt":1,"reward":1}
{"item":"a","sample":1,"outcome":"model_api"}
{"item":"b","sample":0,"outcome":"grader","answer":"42"}
{"item":"a","samp`)
	state, in, err := r.State(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := map[Key]RolloutState{{Train, "a", 0, 0}: {Attempt: 1, Outcome: Graded}, {Train, "a", 1, 0}: {Outcome: ModelAPI}, {Train, "b", 0, 0}: {Outcome: GraderFailed, Output: true}}
	if diff := cmp.Diff(want, state); diff != "" || in.Torn != 1 {
		t.Errorf("state (-want +got):\n%s\ninput %+v", diff, in)
	}
}

// The manifest says where lines come from that do not say it themselves.
func TestRecordsTakeSourceFromManifest(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, RolloutsFile), `{"item":"a","reward":1}`)
	for _, tt := range []struct {
		manifest string
		want     Source
	}{{"", Import}, {`{"schema":"gonogo/run/1","source":"live"}`, Live}} {
		manifest, want := tt.manifest, tt.want
		if manifest != "" {
			write(t, filepath.Join(dir, ManifestFile), manifest)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Records(context.Background(), ReadOptions{}, func(rec *Record) error {
			if rec.Source != want {
				t.Errorf("with manifest %q the source is %s, want %s", manifest, rec.Source, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
