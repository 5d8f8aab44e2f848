//go:build unix

package process_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gonogo/sampler/boundary/internal/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// soon is more than anything here takes.
const soon = 20 * time.Second

// shell starts a shell with a mark of its own; at the end of the test nothing that
// carries it may be left.
func shell(t *testing.T, script string, log *lines, env ...string) *process.Peer {
	t.Helper()
	mark := "GONOGO_TEST=" + rand.Text()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), env...)
	var p *process.Peer
	var err error
	if log == nil {
		p, err = process.StartPeer(cmd, mark, nil)
	} else {
		p, err = process.StartPeer(cmd, mark, log)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		until(t, func() bool { return marked(t, mark) == 0 }) // what was killed may take a moment to be gone
	})
	return p
}

// marked counts the processes with that in their environment, where there is
// /proc.
func marked(t *testing.T, mark string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(mark)) {
			n++
		}
	}
	return n
}

// lines is a log.
type lines struct {
	mu     sync.Mutex
	writes []string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, string(b))
	return len(b), nil
}

func (l *lines) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.writes)
}

// until waits for something that comes soon.
func until(t *testing.T, there func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !there(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come")
		}
	}
}

// Whatever a peer answers has its name, and one that did not answer with a line is
// ended with all that it started.
func TestAPeerAnswersWithALine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, script string
		want        string
		err         error
		says        string
	}{
		{"a line", `read x; echo "got $x"; read y`, "got hello", nil, ""},
		{"a line without more", `read x; printf 'got\n'; exec sleep 3141`, "got", nil, ""},
		{"an empty line", `read x; echo; read y`, "", nil, ""},
		{"a line that is too long", `read x; head -c 100000 /dev/zero | tr '\0' x; read y`, "", process.ErrTooLong, ""},
		{"more than one line", `read x; printf 'a\nb\n'; read y`, "", process.ErrExtraOutput, ""},
		{"half a line", `read x; printf half`, "", process.ErrEnded, "exit status 0"},
		{"nothing, an exit code, and a child that holds its output", `read x; echo "out of luck" >&2; sleep 3141 & exit 7`, "", process.ErrEnded, "exit status 7; it printed: out of luck"},
		{"a line, an end, and a child that holds its output", `read x; sleep 3141 & echo $x; exit 7`, "hello", nil, ""},
		{"nothing, and an exit code", `read x; echo "out of luck" >&2; exit 7`, "", process.ErrEnded, "exit status 7; it printed: out of luck"},
		{"nothing, by a signal", `read x; kill -9 $$`, "", process.ErrEnded, "signal: killed"},
		{"nothing, and goes on", `read x; exec >&-; sleep 3141`, "", process.ErrEnded, "signal: killed"},
		{"nothing in time", `read x; echo "thinking" >&2; sleep 3141`, "", process.ErrTimeout, "it printed: thinking"},
		{"nothing, with children", `read x; sleep 3141 & (setsid sleep 3141 &) ; sleep 3141`, "", process.ErrTimeout, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			timeout := soon
			if errors.Is(c.err, process.ErrTimeout) {
				timeout = 500 * time.Millisecond
			}
			p := shell(t, c.script, nil)
			got, err := p.Ask(t.Context(), timeout, []byte("hello\n"), 4096)
			if string(got) != c.want || !errors.Is(err, c.err) || c.says != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, %v; want %q, %v: %s", got, err, c.want, c.err, c.says)
			}
			if c.err != nil && p.Alive() {
				t.Error("it runs still")
			}
		})
	}
}

// A peer that spoke before it was asked, or had ended, is not taken at its word.
func TestAPeerThatIsNotReady(t *testing.T) {
	t.Parallel()
	log := &lines{}
	early := shell(t, `echo "Loading …"; echo "ready" >&2; read x; read y`, log)
	until(t, func() bool { return log.count() > 0 })
	if _, err := early.Ask(t.Context(), soon, []byte("hello\n"), 4096); !errors.Is(err, process.ErrUnsolicited) {
		t.Errorf("%v from one that spoke before", err)
	}
	ended := shell(t, `exit 3`, nil)
	until(t, func() bool { return !ended.Alive() })
	if _, err := ended.Ask(t.Context(), soon, []byte("hello\n"), 4096); !errors.Is(err, process.ErrNotSent) || ended.ExitCode() != 3 {
		t.Errorf("%v, exit code %d from one that had ended", err, ended.ExitCode())
	}
}

// The end of the context ends the wait, and the process.
func TestAPeerAndTheEndOfTheRun(t *testing.T) {
	t.Parallel()
	why := errors.New("the run was stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { stop(why) })
	p := shell(t, `read x; sleep 3141`, nil)
	if _, err := p.Ask(ctx, soon, []byte("hello\n"), 4096); !errors.Is(err, why) || p.Alive() {
		t.Errorf("%v, alive %v", err, p.Alive())
	}
}

// What a process writes until its end is given, however little it reads.
func TestGive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, script, want string
		err               error
	}{
		{"all that it reads", `cat | wc -c | tr -d ' \n'`, "1000000", nil},
		{"without reading", `printf 1`, "1", nil},
		{"with a child that holds its output", `sleep 3141 & printf 1`, "1", nil},
		{"more than is read", `head -c 5000 /dev/zero`, "", process.ErrTooLong},
		{"with an exit code", `printf 1; exit 2`, "", process.ErrEnded},
		{"not in time", `sleep 3141`, "", context.DeadlineExceeded},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			timeout := soon
			if errors.Is(c.err, context.DeadlineExceeded) {
				timeout = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			got, err := shell(t, c.script, nil).Communicate(ctx, bytes.Repeat([]byte("x"), 1e6), 4096)
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

// What a process has started is ended with it, wherever it went.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a session of its own gets away")
	}
	for why, script := range map[string]string{
		"a child":                                `sleep 3141 & echo ready; sleep 3141`,
		"a session of its own":                   `setsid sleep 3141 & echo ready; sleep 3141`,
		"one whose parent has ended":             `(setsid sh -c 'sleep 3141 & setsid sleep 3141 &' &); sleep 0.2; echo ready; sleep 3141`,
		"without an environment":                 `setsid env -i sleep 3141.5 & echo ready; sleep 3141`,
		"one that stops itself":                  `(kill -STOP $(exec sh -c 'echo $PPID')) & echo ready; sleep 3141`,
		"one that forks and forks":               `f() { sleep 0.01; (f &); }; (f &); echo ready; sleep 3141`,
		"one whose leader has ended":             `setsid sleep 3141 & sleep 3141 & echo ready`,
		"one that takes no notice of being told": `trap '' TERM INT HUP; echo ready; sleep 3141`,
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			p := shell(t, script, nil)
			line := make([]byte, 6)
			if _, err := p.Out.Read(line); err != nil || string(line) != "ready\n" {
				t.Fatalf("it said %q, %v", line, err)
			}
			p.Finish(100 * time.Millisecond)
			if why == "without an environment" { // which holds no mark to look for
				until(t, func() bool { return !bytes.Contains(commands(t), []byte("sleep\x003141.5")) })
			}
		})
	}
}

// commands are the command lines of all processes.
func commands(t *testing.T) (all []byte) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, _ := os.ReadFile(file) // it may have ended
		all = append(all, b...)
	}
	return all
}

// A process sees the environment without what it must not see, and Python in it
// does not hold back what it prints.
func TestTheEnvironmentOfAProcess(t *testing.T) {
	t.Setenv("GONOGO_TEST_KEY", "secret")
	t.Setenv("PYTHONUNBUFFERED", "")
	if env := strings.Join(process.Environment([]string{"GONOGO_TEST_KEY", "PYTHONUNBUFFERED"}), "\n"); strings.Contains(env, "GONOGO_TEST_KEY") || !strings.Contains(env, "PATH=") {
		t.Errorf("the environment is\n%s", env)
	}
	for _, c := range []struct{ set, want string }{{"OTHER=x", "1"}, {"PYTHONUNBUFFERED=x", "x"}} {
		cmd := exec.Command("/bin/sh", "-c", `read x; echo "$PYTHONUNBUFFERED $GONOGO_TEST"; read y`)
		cmd.Env = append(process.Environment([]string{"PYTHONUNBUFFERED"}), c.set)
		p, err := process.StartPeer(cmd, "GONOGO_TEST=mark", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Ask(t.Context(), soon, []byte("hello\n"), 4096)
		if p.Kill(); err != nil || string(got) != c.want+" mark" {
			t.Errorf("with %s it sees %q, %v", c.set, got, err)
		}
	}
}

// What a process says on standard error is passed on by whole lines, and its end is
// kept.
func TestWhatAProcessSays(t *testing.T) {
	log := &lines{}
	p := shell(t, `printf 'my key is se' >&2; sleep 0.2; printf 'cret\nand ' >&2; head -c 70000 /dev/zero | tr '\0' x >&2; printf 'the end' >&2`, log)
	p.Finish(soon)
	log.mu.Lock()
	defer log.mu.Unlock()
	whole := strings.TrimSuffix(strings.Join(log.writes, ""), "\n")
	if len(log.writes) < 2 || log.writes[0] != "my key is secret\n" || !strings.HasSuffix(whole, "the end") || len(whole) != len("my key is secret\nand the end")+70000 {
		t.Errorf("%d bytes in %d writes, the first %q", len(whole), len(log.writes), log.writes[0])
	}
	if said := p.StderrTail(); !strings.HasPrefix(said, "; it printed: … xxx") || !strings.HasSuffix(said, "the end") || len(said) > 430 {
		t.Errorf("kept %d bytes: …%s", len(said), said[len(said)-20:])
	}
}

// The process that was used last is taken first, and none that has ended.
func TestIdleProcesses(t *testing.T) {
	var idle process.IdlePool
	if idle.Take() != nil {
		t.Error("there is one from the beginning")
	}
	a, b, dead := shell(t, `read x`, nil), shell(t, `read x`, nil), shell(t, `exit`, nil)
	until(t, func() bool { return !dead.Alive() })
	for _, p := range []*process.Peer{a, b, dead} {
		idle.Put(p)
	}
	if got := idle.Take(); got != b {
		t.Errorf("took %v", got)
	}
	idle.Put(b)
	idle.Finish(soon)
	if a.Alive() || b.Alive() || idle.Take() != nil {
		t.Error("some are left")
	}
}
