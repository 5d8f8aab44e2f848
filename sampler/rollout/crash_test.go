//go:build unix

package rollout

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// child is what a child process of these tests does: job is a word and a
// directory.
func child(job string) int {
	name, dir, _ := strings.Cut(job, " ")
	var err error
	switch name {
	case "append":
		err = appendForever(dir)
	case "probes":
		err = probeForever(dir)
	case "full":
		err = appendToFullDisk(dir)
	default:
		err = fmt.Errorf("unknown job %q", name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startChild runs this test binary once more, as child.
func startChild(t *testing.T, job, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+job+" "+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// appendForever appends rollouts and says so after each.
func appendForever(dir string) error {
	w, err := Create(dir, Manifest{}, []Item{{ID: "a", Split: Train}}, WriterOptions{})
	if err != nil {
		return err
	}
	r, err := Open(dir)
	if err != nil {
		return err
	}
	state, _, err := r.State(context.Background())
	if err != nil {
		return err
	}
	for sample := len(state); ; sample++ {
		rec := graded("a", sample, 1)
		rec.Answer = strings.Repeat("x", rand.IntN(20_000))
		if err := w.Append(rec); err != nil {
			return err
		}
		fmt.Println(sample)
	}
}

// What was acknowledged before kill -9 is there afterwards, and the run goes
// on from it.
func TestKilledWriterLosesNothing(t *testing.T) {
	dir := t.TempDir()
	acknowledged := -1
	for round := range 3 {
		cmd := startChild(t, "append", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		until := acknowledged + 1 + rand.IntN(80)
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
				t.Fatal(err)
			}
			if acknowledged == until {
				if _, err := Create(dir, Manifest{}, nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(cmd.Process.Pid)) {
					t.Errorf("a second writer beside process %d: error is %v", cmd.Process.Pid, err)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || acknowledged < until {
			t.Fatalf("round %d: child ended by itself (%v) after %d rollouts", round, err, acknowledged)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		state, _, err := r.State(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for sample := range acknowledged + 1 {
			if _, there := state[Key{Train, "a", sample, 0}]; !there {
				t.Fatalf("round %d: sample %d was acknowledged and is lost", round, sample)
			}
		}
	}
	tear(t, filepath.Join(dir, RolloutsFile))
	w := create(t, dir, Manifest{}, nil, WriterOptions{})
	appendAll(t, w, graded("after", 0, 1))
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if state, in, err := r.State(context.Background()); err != nil || in.Torn != 0 || state[Key{Train, "after", 0, 0}].Outcome != Graded {
		t.Errorf("after resuming: %+v, error %v", in, err)
	}
}

// probeForever appends probes, says so after each, and opens their file again
// time and again.
func probeForever(dir string) error {
	for sample := 0; ; {
		w, err := OpenProbes(dir, func(r *Record) bool {
			sample = max(sample, r.Sample+1)
			return true
		}, WriterOptions{})
		if err != nil {
			return err
		}
		for range 3 {
			rec := probed("p", sample, 0)
			rec.Answer = strings.Repeat("x", rand.IntN(20_000))
			if err := w.Append(rec); err != nil {
				return err
			}
			fmt.Println(sample)
			sample++
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
}

// What was acknowledged of probes before kill -9 is there afterwards, also when
// it came while their file was being replaced.
func TestKilledProbeWriterLosesNothing(t *testing.T) {
	dir := aRun(t)
	acknowledged := -1
	for round := range 4 {
		cmd := startChild(t, "probes", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		until := acknowledged + 1 + rand.IntN(12)
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
				t.Fatal(err)
			}
			if acknowledged == until {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || acknowledged < until {
			t.Fatalf("round %d: child ended by itself (%v) after %d probes", round, err, acknowledged)
		}
		got, _, err := readProbeFile(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		there := make(map[int]bool)
		for _, p := range got {
			there[p.Sample] = true
		}
		for sample := range acknowledged + 1 {
			if !there[sample] {
				t.Fatalf("round %d: probe %d was acknowledged and is lost", round, sample)
			}
		}
	}
}

// tear leaves half of the last line, as a kill within a write does.
func tear(t *testing.T, path string) {
	t.Helper()
	text := strings.TrimSuffix(slurp(t, path), "\n")
	last := strings.LastIndexByte(text, '\n') + 1
	if err := os.Truncate(path, int64(last+(len(text)-last)/2)); err != nil {
		t.Fatal(err)
	}
}

// appendToFullDisk fills a file up to the size that the system allows, and
// then gets more room.
func appendToFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	w, err := Create(dir, Manifest{}, nil, WriterOptions{})
	if err != nil {
		return err
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	small := was
	small.Cur = 10_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	path := filepath.Join(dir, RolloutsFile)
	written := 0
	for ; ; written++ {
		rec := graded("a", written, 1)
		rec.Answer = strings.Repeat("x", 700)
		if err = w.Append(rec); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), path) {
		return fmt.Errorf("append to a full disk: error is %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if written == 0 || strings.Count(string(text), "\n") != written || !strings.HasSuffix(string(text), "}\n") {
		return fmt.Errorf("after %d rollouts the file holds %d lines and ends with %q", written, strings.Count(string(text), "\n"), text[max(0, len(text)-20):])
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := w.Append(graded("b", 0, 1)); err != nil {
		return fmt.Errorf("append after there is room again: %w", err)
	}
	return w.Close()
}

func TestFullDiskLeavesWholeLines(t *testing.T) {
	dir := t.TempDir()
	if err := startChild(t, "full", dir).Run(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	state, in, err := r.State(context.Background())
	if err != nil || in.Torn != 0 || state[Key{Train, "b", 0, 0}].Outcome != Graded {
		t.Errorf("state has %d rollouts, input %+v, error %v", len(state), in, err)
	}
}
