//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
)

// Whatever asks a run to end lets what is in flight end, also where no one reads
// any more what it prints: the tee behind it has had the same Ctrl-C.
func TestWhatAsksARunToEndLosesNothing(t *testing.T) {
	for _, tt := range []struct {
		what   string
		signal os.Signal
		unread bool
	}{
		{"a container is stopped", syscall.SIGTERM, false},
		{"the terminal is closed", syscall.SIGHUP, true},
		{"Ctrl-C, and nobody reads", os.Interrupt, true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			config, address, server := slowWorld(t)
			run := filepath.Join(t.TempDir(), "run")
			c := newChild(t, run, "sample", "-c", config, "-o", run, "--concurrency", "4", "--set", address)
			closeReader := func() {}
			if tt.unread {
				c.cmd.Stderr = nil
				reader, err := c.cmd.StderrPipe()
				if err != nil {
					t.Fatal(err)
				}
				closeReader = func() { _ = reader.Close() }
			}
			// Tests below nohup hand down that SIGHUP is ignored, unless they catch it.
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, syscall.SIGHUP)
			defer signal.Stop(caught)
			if err := c.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.cmd.Process.Kill() })
			c.await(t, 5)
			closeReader()
			if err := c.cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if tt.signal == syscall.SIGHUP { // the shell says so, and then the kernel
				time.Sleep(20 * time.Millisecond)
				_ = c.cmd.Process.Signal(tt.signal)
			}
			if code := c.wait(t); code != exit.Interrupted {
				t.Errorf("exit code is %d, want %d\n%s", code, exit.Interrupted, c.stderr.String())
			}
			made := len(readRewards(t, run))
			if got := server.Counts().Rollouts; got != made || made >= tinyRollouts {
				t.Errorf("the server saw %d rollouts, and %d are recorded", got, made)
			}
		})
	}
}

// A third Ctrl-C ends a process that still waits for something: for a session's
// stop, or for somebody to read what it says.
func TestAThirdCtrlCEndsTheProcess(t *testing.T) {
	release := make(chan struct{})
	sessions := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stop" {
			<-release
		}
		_, _ = io.WriteString(w, "{}")
	}))
	defer sessions.Close()
	defer close(release)
	for _, tt := range []struct {
		waits  string
		more   []string
		unread bool
	}{
		{"for the stop of a session", []string{"--set", "session.start=" + sessions.URL + "/start", "--set", "session.stop=" + sessions.URL + "/stop"}, false},
		{"for who reads what it says", nil, true},
	} {
		t.Run(tt.waits, func(t *testing.T) {
			world, dir := tinyWorld(t)
			server, err := world.Serve(fixtures.ServeOptions{Latency: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Close() }()
			run := filepath.Join(dir, "run")
			c := newChild(t, run, append([]string{"sample", "-c", filepath.Join(dir, "gonogo.yaml"), "-o", run, "--concurrency", "4", "--set", "sampling.address_map." + fixtures.Origin + "=" + server.URL()}, tt.more...)...)
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			defer writer.Close()
			if tt.unread {
				c.cmd.Stderr = writer
			}
			if err := c.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.cmd.Process.Kill() })
			for end := time.Now().Add(time.Minute); server.Counts().Rollouts == 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("nothing was begun within a minute")
				}
			}
			if tt.unread {
				fill(t, writer)
			}
			done := make(chan int, 1)
			go func() { done <- c.wait(t) }()
			again := time.NewTicker(200 * time.Millisecond) // signals sent at once merge into one; on a busy machine these may, too
			defer again.Stop()
			late := time.After(2 * time.Minute)
			for sent := 0; ; sent++ {
				if err := c.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
				select {
				case <-done:
					if said := c.stderr.String(); sent < 2 || !tt.unread && !strings.Contains(said, "press Ctrl-C again to end the process at once") {
						t.Errorf("it ended after %d Ctrl-C; standard error:\n%s", sent+1, said)
					}
					return
				case <-late:
					t.Fatalf("the process is still there two minutes and %d Ctrl-C later", sent+1)
				case <-again.C:
				}
			}
		})
	}
}

// fill writes into a pipe as much as it holds.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	fd := int(pipe.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{4096, 1} {
		for err := error(nil); err == nil; {
			_, err = syscall.Write(fd, make([]byte, n))
		}
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}

// nohup has a run go on when its terminal is closed.
func TestARunBelowNohupGoesOn(t *testing.T) {
	config, address, _ := slowWorld(t)
	run := filepath.Join(t.TempDir(), "run")
	signal.Ignore(syscall.SIGHUP)
	c := startChild(t, run, "sample", "-c", config, "-o", run, "--samples", "2", "--concurrency", "4", "--set", address)
	signal.Reset(syscall.SIGHUP)
	c.await(t, 5)
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := c.wait(t); code != exit.OK || len(readRewards(t, run)) != 22*2 {
		t.Errorf("exit code is %d with %d rollouts\n%s", code, len(readRewards(t, run)), c.stderr.String())
	}
}

// A second process learns who writes to the run, and pays for nothing. The lock
// of one that was killed is no one's.
func TestTwoProcessesOnOneRun(t *testing.T) {
	config, address, _ := slowWorld(t)
	run := filepath.Join(t.TempDir(), "run")
	first := startRun(t, config, run, address, "--samples", "100") // more than it gets to make
	first.await(t, 3)
	for _, command := range [][]string{
		{"sample", "-c", config, "--set", address, "--samples", "100", "-o", run},
		{"audit", "-c", config, "--set", address, run},
		{"burst", "-c", config, "--set", address, "--yes", run},
	} {
		second := startChild(t, run, command...)
		code := second.wait(t)
		want := fmt.Sprintf("run directory %s: another process (pid %d) is writing to it: wait for it to end, or stop it", run, first.cmd.Process.Pid)
		if code != exit.Usage || !strings.Contains(second.stderr.String(), want) {
			t.Errorf("%s: exit code is %d, want %d and %q\n%s", command[0], code, exit.Usage, want, second.stderr.String())
		}
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.wait(t)
	third := startChild(t, run, "sample", "-c", config, "-o", run, "--seed", "9", "--concurrency", "4", "--set", address, "--samples", "100", "--max-rollouts", "1")
	if code := third.wait(t); code != exit.Budget {
		t.Errorf("after a kill: exit code is %d\n%s", code, third.stderr.String())
	}
}
