package isolation

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/sampler"
)

// A full disk left half a line, and its end swallowed the next one: a session
// that no one would have stopped.
func TestALineAfterAHalfWrittenOneIsReadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	if err := os.WriteFile(path, []byte(`{"id":"session_half","trace`), 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.Open(path) // writing fails
	if err != nil {
		t.Fatal(err)
	}
	j := &Journal{path: path, f: full, left: map[string]line{}}
	if err := j.started(&sampler.RolloutSession{ID: "session_half"}, nil); err == nil {
		t.Fatal("nothing can be written, and nobody said so")
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if j.f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		t.Fatal(err)
	}
	defer j.f.Close()
	for _, id := range []string{"session_a", "session_b"} {
		if err := j.started(&sampler.RolloutSession{ID: id}, nil); err != nil {
			t.Fatal(err)
		}
	}
	next := &Journal{path: path, left: map[string]line{}}
	if order, err := next.read(); err != nil || len(order) != 2 || order[0] != "session_a" {
		t.Errorf("the next call finds %v, %v", order, err)
	}
}
