//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// A disk that becomes full, here by a limit on the size of files, stops the run
// with what to do, and nothing that was recorded is paid again.
func TestAFullDiskStopsTheRun(t *testing.T) {
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	count := &ledger{next: server.Handler()}
	k := crashKind{
		run: filepath.Join(dir, "run"), file: rollout.RolloutsFile, into: "-o",
		args: []string{"sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "3", "--yes"},
	}
	path := filepath.Join(k.run, k.file)
	first, address, settle := count.serve(0)
	t.Setenv(fileSizeEnv, "100000")
	c := k.start(t, address)
	code := c.wait(t)
	settle()
	after := readCrashed(t, path)
	said := c.stderr.String()
	for _, want := range []string{
		"sampling stopped: record rollout ", "append to " + path + ": file too large: raise the limit on the size of files",
		"what was made is in " + k.run, " rollouts are not made yet; run the same command again to continue",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if code != exit.Tool || strings.Count(said, "gonogo: ") != 1 || strings.Contains(said, "goroutine") {
		t.Errorf("exit code is %d, want %d and one message:\n%s", code, exit.Tool, said)
	}
	if lost := after.lost(first); after.torn || after.records == 0 || lost > crashWorkers {
		t.Errorf("%d rollouts are recorded, half a line stands behind them: %v; %d were asked for and are not recorded", after.records, after.torn, lost)
	}

	t.Setenv(fileSizeEnv, "")
	now, address, settle := count.serve(0)
	c = k.start(t, address)
	if code := c.wait(t); code != exit.OK {
		t.Errorf("with room again it ends with exit code %d\n%s", code, c.stderr.String())
	}
	settle()
	whole := readCrashed(t, path)
	k.reconcile(t, after, whole, now, nil)
	k.whole(t, whole)
}

// What cannot be written is reported before anything is paid for.
func TestWhatCannotBeWrittenIsToldFirst(t *testing.T) {
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	address := "sampling.address_map." + fixtures.Origin + "=" + server.URL()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for another user to pass
		t.Fatal(err)
	}
	config := filepath.Join(dir, "gonogo.yaml")
	made := filepath.Join(dir, "made")
	c := startChild(t, made, "sample", "-c", config, "--set", address, "-o", made, "--max-rollouts", "2", "--yes")
	if code := c.wait(t); code != exit.Budget {
		t.Fatalf("exit code is %d\n%s", code, c.stderr.String())
	}
	paid := server.Counts().Rollouts
	for _, tt := range []struct {
		what, run, want string
		command         []string
		prepare         func(run string) error
	}{
		{
			"a new directory, where none may be made", "locked/run", "make the directory RUN: permission denied: let this user write there, or name another directory",
			[]string{"sample", "-o"},
			func(run string) error { return os.Mkdir(filepath.Dir(run), 0o555) },
		},
		{
			"a run in a directory that may only be read", "readonly", "open RUN/run.lock: permission denied: let this user",
			[]string{"run", "-o"},
			func(run string) error { return os.Chmod(run, 0o555) },
		},
		{
			"a run whose rollouts may only be read", "frozen", "append to RUN/rollouts.jsonl: permission denied: let this user",
			[]string{"run", "-o"},
			func(run string) error { return ours(run, rollout.RolloutsFile) },
		},
	} {
		t.Run(tt.what, func(t *testing.T) {
			run := filepath.Join(dir, tt.run)
			if !strings.Contains(tt.run, "/") {
				if err := os.CopyFS(run, os.DirFS(made)); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.prepare(run); err != nil {
				t.Fatal(err)
			}
			c := newChild(t, run, slices.Concat(tt.command, []string{run, "-c", config, "--set", address, "--set", "report.formats=[markdown]"})...)
			c.cmd.Env = append(os.Environ(), powerlessEnv+"=1", "HOME="+dir)
			if err := c.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			code := c.wait(t)
			if want := strings.ReplaceAll(tt.want, "RUN", run); code != exit.Usage || !strings.Contains(c.stderr.String(), want) {
				t.Errorf("exit code is %d, want %d and %q\n%s", code, exit.Usage, want, c.stderr.String())
			}
			if got := server.Counts(); got.Rollouts != paid {
				t.Errorf("%d rollouts were paid for", got.Rollouts-paid)
			}
			_ = os.Chmod(run, 0o755) // for the test's own cleaning up
		})
	}
}

// ours makes a directory everybody's, but for one file that can only be read.
func ours(run, file string) error {
	entries, err := os.ReadDir(run)
	if err != nil {
		return err
	}
	if err := os.Chmod(run, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		mode := os.FileMode(0o666)
		if e.Name() == file {
			mode = 0o444
		}
		if err := os.Chmod(filepath.Join(run, e.Name()), mode); err != nil {
			return err
		}
	}
	return nil
}

// One cause is reported once; another one next to it is reported as well.
func TestAFullDiskIsToldOnce(t *testing.T) {
	first := func(cause error) error {
		return &stage.AbortedError{Text: "sampling stopped", Err: &disk.Error{Doing: "append to", Path: rollout.RolloutsFile, Err: cause}}
	}
	for _, tt := range []struct {
		ended, closed error
		messages      int
	}{
		{syscall.ENOSPC, &fs.PathError{Op: "write", Path: "run.json.tmp1", Err: syscall.ENOSPC}, 1},
		{&fs.PathError{Op: "write", Path: rollout.RolloutsFile, Err: syscall.ENOSPC}, syscall.EIO, 2},
		{disk.ErrGone, disk.ErrGone, 1},
		{errors.New("a record that nobody can read"), syscall.ENOSPC, 2},
	} {
		var said bytes.Buffer
		code := ui.ExitCode(&said, stage.JoinDiskError(first(tt.ended), &disk.Error{Doing: "write", Path: rollout.ManifestFile, Err: tt.closed}))
		if n := strings.Count(said.String(), "gonogo: "); n != tt.messages || code != exit.Tool {
			t.Errorf("%v, then %v: exit code %d and %d messages, want %d:\n%s", tt.ended, tt.closed, code, n, tt.messages, said.String())
		}
	}
}

// A disk that is full at the start is the same failure as one that becomes full.
func TestAFullDiskIsNoUsageError(t *testing.T) {
	for cause, want := range map[error]int{syscall.ENOSPC: exit.Tool, syscall.EFBIG: exit.Tool, syscall.EACCES: exit.Usage} {
		err := exit.AsUsage(&disk.Error{Doing: "make the directory", Path: "run", Err: &fs.PathError{Op: "mkdir", Path: "run", Err: cause}})
		if code := ui.ExitCode(io.Discard, err); code != want {
			t.Errorf("%v: exit code %d, want %d", cause, code, want)
		}
	}
}

// A run directory that is deleted stops the run: what is written there no one
// finds.
func TestADeletedRunDirectoryStopsTheRun(t *testing.T) {
	config, address, server := slowWorld(t)
	run := filepath.Join(t.TempDir(), "run")
	c := startRun(t, config, run, address, "--samples", "64")
	c.await(t, 5)
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	code := c.wait(t)
	want := "sampling stopped: record rollout "
	if said := c.stderr.String(); code != exit.Tool || !strings.Contains(said, want) || !strings.Contains(said, "it no longer exists") || strings.Count(said, "gonogo: ") != 1 {
		t.Errorf("exit code is %d, want %d and one message:\n%s", code, exit.Tool, said)
	}
	if got := server.Counts().Rollouts; got >= 22*64 {
		t.Errorf("all %d rollouts were paid for", got)
	}
	if _, err := os.Stat(run); err == nil {
		t.Error("the directory is there again")
	}
}
