package rollout

import (
	"context"
	"testing"
)

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
	if err := w.Close(); err != nil {
		t.Fatal(err)
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
