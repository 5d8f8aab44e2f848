package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonogo/sampler/rollout/disk"

	"github.com/google/go-cmp/cmp"
)

// probed is a record of a probe.
func probed(name string, sample int, reward float64) *Record {
	r := graded("a", sample, reward)
	r.Source, r.Answer = Probe, name+" payload"
	r.Probe = &ProbeInfo{Name: name, Expect: Bottom, Limit: number(0.25)}
	return r
}

// aRun makes a run directory with one rollout.
func aRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	w := create(t, dir, Manifest{}, []Item{{ID: "a", Split: Train}}, WriterOptions{SyncEvery: -1})
	appendAll(t, w, graded("a", 0, 1))
	closeIt(t, w)
	return dir
}

// writeProbes appends probes to a run.
func writeProbes(t *testing.T, dir string, keep func(*Record) bool, probes ...*Record) {
	t.Helper()
	w, err := OpenProbes(dir, keep, WriterOptions{SyncEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range probes {
		if err := w.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(probed("late", 0, 0)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after Close: error is %v", err)
	}
}

// readProbeFile returns the probes of a run as they were yielded.
func readProbeFile(t *testing.T, dir string) ([]*Record, Input, error) {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []*Record
	in, err := r.Probes(context.Background(), func(rec *Record) error {
		got = append(got, rec)
		return nil
	})
	return got, in, err
}

func TestProbesAreReadOnceEach(t *testing.T) {
	dir := aRun(t)
	if got, in, err := readProbeFile(t, dir); err != nil || len(got) != 0 || in.Lines != 0 || in.Bad == nil {
		t.Fatalf("a run without probes: %d of them, %+v, error %v", len(got), in, err)
	}
	detector := probed("detector/regex", 0, 1)
	eval := probed("empty", 0, 0)
	eval.Split = Eval
	again := probed("empty", 0, 0.5)
	failed := probed("empty", 1, 0)
	failed.Outcome, failed.Reward, failed.Error, failed.Kind = GraderFailed, nil, "broken", "malformed_reply"
	writeProbes(t, dir, nil, probed("empty", 0, 0), detector, eval, failed)
	writeProbes(t, dir, nil, again, failed)
	got, in, err := readProbeFile(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*Record{detector, eval, failed, again}, got, sameJSON); d != "" {
		t.Errorf("probes (-want +got):\n%s", d)
	}
	if in.Lines != 6 || in.Records != 4 || in.Superseded != 1 || in.Duplicates != 1 {
		t.Errorf("input is %+v", in)
	}
	if n := countRecords(t, opened(t, dir)); n != 1 {
		t.Errorf("the run has %d rollouts beside its probes, want 1", n)
	}
}

func TestOpeningProbesKeepsWhatItIsToldTo(t *testing.T) {
	dir := aRun(t)
	old := probed("empty", 0, 0)
	old.Extra = map[string]json.RawMessage{"mine": json.RawMessage("1")}
	writeProbes(t, dir, nil, probed("empty", 0, 1), old, probed("echo", 0, 0))
	writeProbes(t, dir, func(r *Record) bool { return r.Probe.Name != "echo" }, probed("label", 0, 1))
	got, in, err := readProbeFile(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*Record{old, probed("label", 0, 1)}, got, sameJSON); d != "" {
		t.Errorf("probes (-want +got):\n%s", d)
	}
	if in.Lines != 2 {
		t.Errorf("%d lines were kept: superseded ones go", in.Lines)
	}
}

func TestWhatDoesNotBelongIntoAFile(t *testing.T) {
	dir := aRun(t)
	live, nameless, sourceless, hidden, eager := probed("p", 0, 1), probed("", 0, 1), probed("p", 0, 1), graded("a", 1, 1), probed("p", 0, 1)
	live.Source, live.Probe = Live, nil
	sourceless.Source = Live
	hidden.Probe = probed("p", 0, 1).Probe
	eager.Probe = &ProbeInfo{Name: "p", Expect: "fail"}
	w, err := OpenProbes(dir, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why  string
		rec  *Record
		want string
	}{
		{"a rollout among probes", live, "not a probe"},
		{"a probe without a name", nameless, "has no name"},
		{"a probe that says it is live", sourceless, "not a probe"},
		{"an expectation that is none", eager, "unknown expectation"},
	} {
		if err := w.Append(c.rec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v", c.why, err)
		}
		line, err := json.Marshal(c.rec)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ProbesFile), append(line, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readProbeFile(t, dir); lineOf(err) != 1 || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ProbesFile+":1") {
			t.Errorf("%s, read: error is %v", c.why, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	runs := create(t, aRun(t), Manifest{}, nil, WriterOptions{})
	for _, rec := range []*Record{probed("p", 5, 1), hidden} {
		if err := runs.Append(rec); err == nil || !strings.Contains(err.Error(), ProbesFile) {
			t.Errorf("a probe among rollouts: error is %v", err)
		}
		line, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAll(`{"item":"a","reward":1}`+"\n"+string(line)+"\n", ReadOptions{Lean: true}); lineOf(err) != 2 || !strings.Contains(err.Error(), "probe") {
			t.Errorf("a probe among rollouts, read: error is %v", err)
		}
	}
}

func TestProbesShareTheLockOfTheRun(t *testing.T) {
	dir := aRun(t)
	w := create(t, dir, Manifest{}, nil, WriterOptions{})
	if _, err := OpenProbes(dir, nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("beside a writer of rollouts: error is %v", err)
	}
	if err := AppendLabels(dir, []Label{{Item: "a", Output: "x", Mark: "right"}}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("labels beside a writer of rollouts: error is %v", err)
	}
	if pid, held := LockedBy(dir); !held || pid != strconv.Itoa(os.Getpid()) {
		t.Errorf("while it is written: held %v by %q", held, pid)
	}
	closeIt(t, w)
	if pid, held := LockedBy(dir); held {
		t.Errorf("when it is written: held by %q", pid)
	}
	p, err := OpenProbes(dir, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, Manifest{}, nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a writer of rollouts beside one of probes: error is %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	create(t, dir, Manifest{}, nil, WriterOptions{})
}

func TestSecretsDoNotReachProbes(t *testing.T) {
	dir := aRun(t)
	secret := probed("echo", 0, 0)
	secret.Answer = "the key is planted-key-1"
	writeProbes(t, dir, nil, secret) // as an older gonogo without that secret would
	w, err := OpenProbes(dir, nil, WriterOptions{Redact: NewRedactor("planted-key-1", "bottom")})
	if err != nil {
		t.Fatal(err)
	}
	secret.Sample = 1
	if err := errors.Join(w.Append(secret), w.Close()); err != nil {
		t.Fatal(err)
	}
	if text := slurp(t, filepath.Join(dir, ProbesFile)); strings.Contains(text, "planted") {
		t.Errorf("the secret stands in %s", text)
	}
	if got, _, err := readProbeFile(t, dir); err != nil || len(got) != 2 || got[0].Probe.Expect != Bottom {
		t.Errorf("read again: %d probes, error %v", len(got), err)
	}
}

func TestATornProbeIsLeftOut(t *testing.T) {
	dir := aRun(t)
	writeProbes(t, dir, nil, probed("empty", 0, 0), probed("empty", 1, 0))
	path := filepath.Join(dir, ProbesFile)
	text := slurp(t, path)
	if err := os.WriteFile(path, []byte(text[:len(text)-20]), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, in, err := readProbeFile(t, dir); err != nil || len(got) != 1 || in.Torn != 1 {
		t.Errorf("%d probes, %+v, error %v", len(got), in, err)
	}
	writeProbes(t, dir, nil, probed("empty", 2, 0))
	if got, in, err := readProbeFile(t, dir); err != nil || len(got) != 2 || in.Torn != 0 {
		t.Errorf("after appending: %d probes, %+v, error %v", len(got), in, err)
	}
}

func TestAFileThatCannotBeReadIsNotReplaced(t *testing.T) {
	dir := aRun(t)
	path := filepath.Join(dir, ProbesFile)
	broken := "{broken\n" + `{"item":"a","source":"probe","probe":{"name":"p","expect":"top"},"reward":1}` + "\n"
	if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenProbes(dir, nil, WriterOptions{}); lineOf(err) != 1 {
		t.Errorf("error is %v", err)
	}
	if slurp(t, path) != broken {
		t.Error("the file was changed")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), disk.TempMark) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	create(t, dir, Manifest{}, nil, WriterOptions{}) // the lock was given back
}

func TestOnlyRunsHaveProbes(t *testing.T) {
	dir := aRun(t)
	writeProbes(t, dir, nil, probed("empty", 0, 0))
	file := filepath.Join(dir, "mine.jsonl")
	if err := os.WriteFile(file, []byte(`{"item":"a","reward":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _, err := readProbeFile(t, file); err != nil || len(got) != 0 {
		t.Errorf("a single file took its neighbour's %d probes, error %v", len(got), err)
	}
	if got, _, err := readProbeFile(t, filepath.Join(dir, RolloutsFile)); err != nil || len(got) != 1 {
		t.Errorf("the run by the name of its rollouts has %d probes, error %v", len(got), err)
	}
	for _, path := range []string{file, t.TempDir(), filepath.Join(dir, "missing")} {
		if w, err := OpenProbes(path, nil, WriterOptions{}); err == nil {
			t.Errorf("%s was opened", path)
			_ = w.Close()
		}
	}
}

// Whoever is handed a probe by Probes may rely on these, whatever the file
// holds.
func FuzzProbes(f *testing.F) {
	line, err := probed("empty", 0, 0).MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(line, '\n'))
	f.Add([]byte(`{"item":"a","probe":{"name":"p","expect":"top","limit":null,"base":{"sample":1,"reward":NaN}},"reward":NaN}` + "\n{"))
	f.Add([]byte(`{"item":"a","probe":{"name":"p","expect":"note"},"source":"live","reward":1}`))
	f.Add([]byte(`{"item":"a","probe":null,"source":"probe","reward":1}`))
	f.Add([]byte(fmt.Sprintf("%s\n%s\n", line, line)))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, in, err := probesIn(text)
		if err != nil {
			return
		}
		if in.Records != len(first) || in.Records+in.Duplicates+in.Superseded+in.Torn != in.Lines {
			t.Errorf("%d probes, input %+v", len(first), in)
		}
		seen := map[probeKey]bool{}
		var lines []byte
		for _, p := range first {
			k := probeKey{p.Probe.Name, p.Key()}
			if seen[k] {
				t.Errorf("probe %s was yielded twice", show(p))
			}
			seen[k] = true
			if err := p.check(Probe); err != nil {
				t.Errorf("probe %s was read but cannot be appended: %v", show(p), err)
			}
			line, err := p.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			lines = append(append(lines, line...), '\n')
		}
		second, in, err := probesIn(lines)
		if err != nil || in.Lines != len(first) {
			t.Fatalf("rewritten: %+v, error %v", in, err)
		}
		if d := cmp.Diff(first, second, sameJSON); d != "" {
			t.Errorf("rewritten (-first +second):\n%s", d)
		}
	})
}

func probesIn(text []byte) (got []*Record, in Input, err error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	in, err = readProbes(context.Background(), ProbesFile, open, func(r *Record) error {
		got = append(got, r)
		return nil
	})
	return got, in, err
}
