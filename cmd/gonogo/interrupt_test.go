package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonogo/analysis/archive"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// child is gonogo as a process of its own.
type child struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	run    string
}

// startRun starts `gonogo run` on the tiny world.
func startRun(t *testing.T, config, run, address string, more ...string) *child {
	t.Helper()
	return startChild(t, run, append([]string{"run", "-c", config, "-o", run, "--concurrency", "4", "--seed", "9", "--set", address}, more...)...)
}

func startChild(t *testing.T, run string, args ...string) *child {
	t.Helper()
	c := newChild(t, run, args...)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// newChild is a process that is not started yet.
func newChild(t *testing.T, run string, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(exe), run: run}
	// The test binary is gonogo when it is called so.
	c.cmd.Args = append([]string{"gonogo"}, args...)
	c.cmd.Stderr = &c.stderr
	return c
}

// await waits until that many rollouts are recorded.
func (c *child) await(t *testing.T, rollouts int) {
	t.Helper()
	c.awaitLines(t, "rollouts.jsonl", rollouts)
}

// waitAtMost is how long a process may take to write a line: one with the race detector
// in it, beside others on two cores, takes half a minute to judge a night.
const waitAtMost = 5 * time.Minute

// awaitLines waits until a file of the run has that many lines.
func (c *child) awaitLines(t *testing.T, file string, lines int) {
	t.Helper()
	deadline := time.Now().Add(waitAtMost)
	for time.Now().Before(deadline) {
		b, err := os.ReadFile(filepath.Join(c.run, file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Count(b, []byte("\n")) >= lines {
			return
		}
		time.Sleep(5 * time.Millisecond) // a process outside: there is nothing to wait on but its file
	}
	t.Fatalf("no %d lines of %s within %v:\n%s", lines, file, waitAtMost, c.stderr.String())
}

func (c *child) wait(t *testing.T) int {
	t.Helper()
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.cmd.ProcessState.ExitCode()
}

// slowWorld serves the tiny world, slowly enough to be interrupted.
func slowWorld(t *testing.T) (config, address string, server *fixtures.Server) {
	t.Helper()
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{Latency: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return filepath.Join(dir, "gonogo.yaml"), "sampling.address_map." + fixtures.Origin + "=" + server.URL(), server
}

const (
	tinyRollouts = 22 * 8 // items of both splits x samples
	childWorkers = 4
)

func TestLongCtrlCDrainsAndTheNextRunGoesOn(t *testing.T) {
	long(t)
	t.Parallel()
	config, address, server := slowWorld(t)
	run := filepath.Join(t.TempDir(), "run")
	c := startRun(t, config, run, address)
	c.await(t, 10)
	if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := c.wait(t); code != exit.Interrupted {
		t.Fatalf("exit code is %d, want %d\n%s", code, exit.Interrupted, c.stderr.String())
	}
	for _, text := range []string{"Finishing the rollouts in flight", "run the same command again to continue: gonogo run -c " + config + " -o " + run} {
		if !strings.Contains(c.stderr.String(), text) {
			t.Errorf("standard error lacks %q:\n%s", text, c.stderr.String())
		}
	}
	made := len(readRewards(t, run))
	if made >= tinyRollouts {
		t.Fatal("the run was not interrupted")
	}
	if got := server.Counts().Rollouts; got != made {
		t.Errorf("the server saw %d rollouts, and %d are recorded: a drained run loses none", got, made)
	}
	if code := startRun(t, config, run, address).wait(t); code != exit.Undecided {
		t.Errorf("the second run ends with exit code %d", code)
	}
	if got := server.Counts().Rollouts; got != tinyRollouts {
		t.Errorf("the server saw %d rollouts in all, want %d: nothing is paid twice", got, tinyRollouts)
	}
}

// A judge that takes its time is interrupted in the audit of `gonogo run`: the
// rollouts stay, and no payload is paid twice.
func TestLongCtrlCInTheAuditAndTheNextRunGoesOn(t *testing.T) {
	long(t)
	t.Parallel()
	world, err := fixtures.Find("noisy")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := world.Write(dir); err != nil {
		t.Fatal(err)
	}
	server, err := world.Serve(fixtures.ServeOptions{Latency: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	config, run := filepath.Join(dir, "gonogo.yaml"), filepath.Join(t.TempDir(), "run")
	address := "sampling.address_map." + fixtures.Origin + "=" + server.URL()
	few := []string{"--items", "4", "--samples", "2", "--set", "audit.items=8", "--set", "audit.regrades=16"}
	c := startRun(t, config, run, address, few...)
	c.awaitLines(t, "probes.jsonl", 10)
	if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := c.wait(t); code != exit.Interrupted {
		t.Fatalf("exit code is %d, want %d\n%s", code, exit.Interrupted, c.stderr.String())
	}
	if !strings.Contains(c.stderr.String(), "the audit was interrupted; what was made is in "+run) {
		t.Errorf("standard error:\n%s", c.stderr.String())
	}
	before := server.Counts().Judged
	c = startRun(t, config, run, address, few...)
	c.wait(t)
	if c = startRun(t, config, run, address, few...); c.wait(t) == exit.Interrupted {
		t.Error("the third run was interrupted by nobody")
	}
	if !strings.Contains(c.stderr.String(), "8 items, 0 gradings") {
		t.Errorf("the third run finds something left to grade:\n%s", c.stderr.String())
	}
	probes := 0
	opened, err := rollout.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Probes(t.Context(), func(r *rollout.Record) error {
		if r.Probe.Name != rollout.ProbeConsensus {
			probes++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rollouts := len(readRewards(t, run))
	if got := int(server.Counts().Judged); got > rollouts+probes || int(before) >= got {
		t.Errorf("the judge was asked %d times, %d of them before the interruption, for %d rollouts and %d payloads: something is paid twice", got, before, rollouts, probes)
	}
}

// A night that is killed when its line is there is whole but for the page.
func TestLongANightKilledAfterItsLineIsNotMadeAgain(t *testing.T) {
	long(t)
	t.Parallel()
	config, address, server := slowWorld(t)
	nights := filepath.Join(t.TempDir(), "nights")
	args := []string{"nightly", "-c", config, "--history", nights, "--set", address, "--no-audit", "--yes"}
	c := startChild(t, nights, args...)
	c.awaitLines(t, archive.NightsFile, 1)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	page := filepath.Join(nights, "report", "index.html")
	if err := os.RemoveAll(filepath.Dir(page)); err != nil { // it may have been quicker than the kill
		t.Fatal(err)
	}
	made := server.Counts().Rollouts
	c = startChild(t, nights, args...)
	if code := c.wait(t); code == exit.Tool || code == exit.Usage || code == exit.Interrupted {
		t.Errorf("the second call ends with exit code %d\n%s", code, c.stderr.String())
	}
	lines, err := os.ReadFile(filepath.Join(nights, archive.NightsFile))
	if n := bytes.Count(lines, []byte("\n")); err != nil || n != 1 || server.Counts().Rollouts != made {
		t.Errorf("%d nights, %v; %d rollouts, and %d before the kill", n, err, server.Counts().Rollouts, made)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
}

func TestASecondCtrlCLeavesAtOnce(t *testing.T) {
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{Latency: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	c := startRun(t, filepath.Join(dir, "gonogo.yaml"), filepath.Join(dir, "run"), "sampling.address_map."+fixtures.Origin+"="+server.URL())
	for server.Counts().Rollouts == 0 { // in flight, for an hour
		time.Sleep(5 * time.Millisecond)
	}
	for range 2 {
		if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // signals sent at once may merge into one
	}
	done := make(chan int, 1)
	go func() { done <- c.wait(t) }()
	select {
	case code := <-done:
		if code != exit.Interrupted {
			t.Errorf("exit code is %d, want %d", code, exit.Interrupted)
		}
	case <-time.After(2 * time.Minute):
		t.Error("the process is still there two minutes after the second Ctrl-C")
	}
}
