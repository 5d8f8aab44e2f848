package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
)

// Ctrl-C and SIGTERM take an import back. What a kill leaves is no run to any command, and the same
// import replaces it.
func TestLongAnImportThatIsBrokenOff(t *testing.T) {
	long(t)
	t.Parallel()
	const lines = 60_000
	dir := t.TempDir()
	log := filepath.Join(dir, "log.jsonl")
	var text bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&text, "{\"item\":\"q%d\",\"reward\":%d,\"answer\":\"%d\"}\n", i%500, i%2, i)
	}
	if err := os.WriteFile(log, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "SIGTERM": syscall.SIGTERM, "a kill": syscall.SIGKILL} {
		run := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		args := []string{"import", log, "-o", run}
		c := startChild(t, run, args...)
		c.await(t, 1)
		if err := c.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		code := c.wait(t)
		_, err := os.Stat(run)
		if signal != syscall.SIGKILL && (code != exit.Interrupted || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(c.stderr.String(), "nothing of it is kept")) {
			t.Errorf("%s: exit code %d, the directory: %v\n%s", name, code, err, c.stderr.String())
		}
		if signal == syscall.SIGKILL {
			refusedAsHalf(t, run)
		}
		if c := startChild(t, run, args...); c.wait(t) != exit.OK {
			t.Errorf("%s: the same import: %s", name, c.stderr.String())
		}
		if got := len(readRewards(t, run)); got != lines {
			t.Errorf("%s: %d rollouts, want %d", name, got, lines)
		}
	}
}

// refusedAsHalf expects that no command takes a directory for a run, and that each says what to do.
func refusedAsHalf(t *testing.T, dir string) {
	t.Helper()
	other := t.TempDir()
	for _, args := range [][]string{
		{"analyze", dir},
		{"report", dir},
		{"compare", dir, dir},
		{"curate", dir},
		{"grade", dir, "-o", filepath.Join(other, "graded")},
		{"audit", dir},
		{"plan", dir, "--for", "trl"},
		{"export", dir, "--format", "csv", "-o", filepath.Join(other, "x.csv")},
		{"view", dir},
		{"analyze", filepath.Join(dir, "rollouts.jsonl")},
	} {
		var told bytes.Buffer
		if code := run(t.Context(), append([]string{"gonogo"}, args...), strings.NewReader(""), io.Discard, &told); code != exit.Usage || !strings.Contains(told.String(), "import again into the same directory") {
			t.Errorf("gonogo %s: exit code %d: %s", strings.Join(args, " "), code, told.String())
		}
	}
}
