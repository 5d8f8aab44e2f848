package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Child is a process with pipes to its standard input and output.
type Child struct {
	In  *os.File // write its standard input here
	Out *os.File // read its standard output here

	cmd    *exec.Cmd
	mark   string
	stderr *tail
	gone   chan struct{} // closed after the process was waited for
	kill   sync.Once
}

// Environment returns this program's environment without the named variables.
func Environment(without []string) []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(without, name)
	})
}

// unbuffered is the environment variable that makes Python write its output immediately. Otherwise it
// buffers output to a pipe, and an expected line may never arrive.
const unbuffered = "PYTHONUNBUFFERED"

// Start starts cmd with pipes to its standard input and output, detached from this program. It adds
// mark to the environment, so that the processes that cmd starts can be found. Standard error goes to
// log, which may be nil; its end is kept for messages.
func Start(cmd *exec.Cmd, mark string, log io.Writer) (*Child, error) {
	c := &Child{cmd: cmd, mark: mark, stderr: &tail{log: log}, gone: make(chan struct{})}
	cmd.Env = append(cmd.Env, mark)
	if !slices.ContainsFunc(cmd.Env, func(pair string) bool { return strings.HasPrefix(pair, unbuffered+"=") }) {
		cmd.Env = append(cmd.Env, unbuffered+"=1")
	}
	cmd.SysProcAttr = Detach()
	cmd.Stderr = c.stderr
	cmd.WaitDelay = 250 * time.Millisecond // an escaped process may keep standard error open
	var err error
	if c.In, c.Out, err = StartPiped(cmd); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.gone)
		_ = cmd.Wait() // the exit state is in cmd.ProcessState
		c.stderr.end()
	}()
	return c, nil
}

// StartPiped starts cmd with pipes to its standard input and output, and returns the other ends, which
// support deadlines.
func StartPiped(cmd *exec.Cmd) (in, out *os.File, err error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	defer stdout.Close()
	cmd.Stdin, cmd.Stdout = stdin, stdout
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// Alive reports whether the process seems to be running.
func (c *Child) Alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// ExitReason says how the process ended: its exit state and the end of its standard error. If the
// process is still running after a second, ExitReason kills it.
func (c *Child) ExitReason() string {
	select {
	case <-c.gone:
	case <-time.After(time.Second): // it closed its output but keeps running
	}
	c.Kill()
	return c.cmd.ProcessState.String() + c.StderrTail()
}

// StderrTail returns the end of its standard error, to append to a message; "" if it is empty.
func (c *Child) StderrTail() string { return c.stderr.text() }

// Finish closes the standard input, gives the process the time grace to exit, and then kills it with
// everything that it started.
func (c *Child) Finish(grace time.Duration) {
	_ = c.In.Close() // it may be closed already
	select {
	case <-c.gone:
	case <-time.After(grace):
	}
	c.Kill()
}

// Kill kills the process with everything that it started, and waits for it. It may be called more than
// once.
func (c *Child) Kill() {
	c.kill.Do(func() {
		if pid := c.cmd.Process.Pid; c.Alive() || !exists(pid) { // another process may have the pid by now
			KillTree(pid, false)
		}
		<-c.gone
		KillMarked(c.mark)
		_, _ = c.In.Close(), c.Out.Close()
	})
}

// summarySize is the number of bytes of standard error in a message. Records keep 500 bytes of a
// message.
const summarySize = 400

// longestLine is the number of bytes of an incomplete line that are held back before they are forwarded.
const longestLine = 64 << 10

// tail is a writer that keeps the end of what was written and forwards everything to log in whole lines,
// so that the lines of several processes do not mix and no secret is forwarded in two pieces.
type tail struct {
	log io.Writer

	mu   sync.Mutex // guards the fields below
	kept []byte
	line []byte // the last, incomplete line
}

// Write keeps the end of b and forwards whole lines. It never fails: a full log must not block the
// process.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil {
		t.line = append(t.line, b...)
		end := bytes.LastIndexByte(t.line, '\n') + 1
		if len(t.line)-end > longestLine {
			end = len(t.line)
		}
		t.forward(end)
	}
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - 2*summarySize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// forward writes the first n bytes of line to log. The caller must hold mu.
func (t *tail) forward(n int) {
	if n > 0 {
		_, _ = t.log.Write(t.line[:n])
		t.line = append(t.line[:0], t.line[n:]...)
	}
}

// end forwards the last, incomplete line.
func (t *tail) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil && len(t.line) > 0 {
		t.line = append(t.line, '\n')
		t.forward(len(t.line))
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
	if s == "" {
		return ""
	}
	return "; it printed: " + summarize(s)
}
