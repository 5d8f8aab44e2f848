package rollout_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

func burstOf(t *testing.T, dir string) (*rollout.Burst, []rollout.BurstCall, error) {
	t.Helper()
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var calls []rollout.BurstCall
	b, err := rollout.ReadBurst(context.Background(), run, func(c *rollout.BurstCall) error {
		calls = append(calls, *c)
		return nil
	})
	return b, calls, err
}

// runDir is a run directory without rollouts.
func runDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := rollout.Create(dir, rollout.Manifest{Source: rollout.Live}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestABurstComesBackAsItWasWritten(t *testing.T) {
	dir := runDir(t)
	if b, calls, err := burstOf(t, dir); b != nil || len(calls) > 0 || err != nil {
		t.Fatalf("a run without a burst has %+v, %v", b, err)
	}
	b := &rollout.Burst{
		ID: "b", Started: time.Unix(1, 0).UTC(), Rollouts: 2, GroupSize: 2, Split: rollout.Train, Retries: 3,
		Endpoints: []rollout.BurstEndpoint{{Name: "tool search", Recorded: 2}}, Waves: []rollout.Wave{{Purpose: rollout.BurstWave, Size: 2, Rollouts: 2}}, Notes: []string{},
	}
	calls := []rollout.BurstCall{
		{Endpoint: "tool search", Item: "a", TraceID: "trace_1", CallID: "call_1", Elapsed: rollout.Seconds(time.Second), Flight: 2, Status: 200, Odd: []string{rollout.NoCallID}},
		{Endpoint: "tool search", Item: "a", TraceID: "trace_2", Rollout: 1, Try: 1, Failed: true, Kind: "status 503", Error: "status 503: the planted-key is no good"},
	}
	if err := writeBurst(dir, b, calls, "planted-key", "elapsed_s", "no_call_id"); err != nil {
		t.Fatal(err)
	}
	got, read, err := burstOf(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b, got); d != "" {
		t.Errorf("burst.json (-want +got):\n%s", d)
	}
	calls[1].Error = "status 503: the ********** is no good"
	if d := cmp.Diff(calls, read); d != "" {
		t.Errorf("calls.jsonl, its secrets masked (-want +got):\n%s", d)
	}
	// Another one takes its place.
	if err := writeBurst(dir, b, calls[:1]); err != nil {
		t.Fatal(err)
	}
	if _, read, err := burstOf(t, dir); err != nil || len(read) != 1 {
		t.Errorf("%d requests, %v", len(read), err)
	}
}

func TestABurstThatDoesNotFitItsCalls(t *testing.T) {
	for what, c := range map[string]struct{ head, calls, want string }{
		"a line is gone":    {`{"schema":"gonogo/burst/1","calls":2,"waves":[{}]}`, "{\"wave\":0}\n", "run gonogo burst again"},
		"a broken line":     {`{"schema":"gonogo/burst/1","calls":1,"waves":[{}]}`, "{\n", "calls.jsonl:1"},
		"an unknown wave":   {`{"schema":"gonogo/burst/1","calls":1,"waves":[{}]}`, `{"wave":7}`, "wave 7"},
		"another schema":    {`{"schema":"gonogo/burst/9"}`, "", "gonogo/burst/9"},
		"no JSON":           {`{`, "", "burst.json"},
		"without its lines": {`{"schema":"gonogo/burst/1"}`, "-", "no such file"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := runDir(t)
			if err := os.WriteFile(filepath.Join(dir, rollout.BurstFile), []byte(c.head), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.calls != "-" {
				if err := os.WriteFile(filepath.Join(dir, rollout.CallsFile), []byte(c.calls), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := burstOf(t, dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// No text of either file panics, and what is read was there.
func FuzzBurst(f *testing.F) {
	f.Add([]byte(`{"schema":"gonogo/burst/1","calls":1,"waves":[{"purpose":"burst","size":1}]}`), []byte(`{"wave":0,"endpoint":"grader","elapsed_s":0.5,"odd":["no_score"]}`))
	f.Add([]byte(`{"schema":"gonogo/burst/1","calls":2,"waves":[{}]}`), []byte("{\"wave\":0}\n\n{\"wave\":-1}"))
	f.Add([]byte(`[]`), []byte(`null`))
	f.Fuzz(func(t *testing.T, head, lines []byte) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{rollout.RolloutsFile: nil, rollout.BurstFile: head, rollout.CallsFile: lines} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, calls, err := burstOf(t, dir)
		if err == nil && (b == nil || len(calls) != b.Calls) {
			t.Errorf("%d requests are read as %+v", len(calls), b)
		}
	})
}

func writeBurst(dir string, b *rollout.Burst, calls []rollout.BurstCall, secrets ...string) error {
	w, err := rollout.OpenBurst(dir, rollout.NewRedactor(secrets...))
	if err != nil {
		return err
	}
	return errors.Join(w.Write(b, calls), w.Close())
}
