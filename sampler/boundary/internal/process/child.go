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
	In  *os.File // what is written here it reads
	Out *os.File // what it writes is read here

	cmd  *exec.Cmd
	mark string
	said *tail
	gone chan struct{} // closed when the process has been waited for
	kill sync.Once
}

// Environment returns this program's environment without the named variables.
func Environment(without []string) []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(without, name)
	})
}

// unbuffered has Python write what it prints at once: into a pipe it would hold it
// back until it ends, and the line that is waited for never comes.
const unbuffered = "PYTHONUNBUFFERED"

// Start starts cmd with pipes to its standard input and output, detached from this
// program. mark is put into its environment, so the processes it starts can be
// found. Its standard error goes to log, which may be nil; the end of it is kept
// for messages.
func Start(cmd *exec.Cmd, mark string, log io.Writer) (*Child, error) {
	c := &Child{cmd: cmd, mark: mark, said: &tail{log: log}, gone: make(chan struct{})}
	cmd.Env = append(cmd.Env, mark)
	if !slices.ContainsFunc(cmd.Env, func(pair string) bool { return strings.HasPrefix(pair, unbuffered+"=") }) {
		cmd.Env = append(cmd.Env, unbuffered+"=1")
	}
	cmd.SysProcAttr = Detach()
	cmd.Stderr = c.said
	cmd.WaitDelay = 250 * time.Millisecond // for a process that got away and holds standard error
	var err error
	if c.In, c.Out, err = StartPiped(cmd); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.gone)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
		c.said.end()
	}()
	return c, nil
}

// StartPiped starts cmd with pipes to its standard input and output. Our ends
// support deadlines.
func StartPiped(cmd *exec.Cmd) (in, out *os.File, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// Alive reports whether the process is running, as far as is known.
func (c *Child) Alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// ExitReason kills the process if it still runs and says how it ended: its exit
// code and the end of its standard error.
func (c *Child) ExitReason() string {
	select {
	case <-c.gone:
	case <-time.After(time.Second): // it has closed its output, and goes on
	}
	c.Kill()
	return c.cmd.ProcessState.String() + c.StderrTail()
}

// StderrTail is the end of its standard error, to be appended to a message.
func (c *Child) StderrTail() string { return c.said.text() }

// Finish closes the standard input and gives the process grace to exit; then it is
// killed with all that it started.
func (c *Child) Finish(grace time.Duration) {
	_ = c.In.Close() // it may be closed already
	select {
	case <-c.gone:
	case <-time.After(grace):
	}
	c.Kill()
}

// Kill kills the process with all that it started, and waits for it. It may be
// called twice.
func (c *Child) Kill() {
	c.kill.Do(func() {
		if pid := c.cmd.Process.Pid; c.Alive() || !there(pid) { // its number may be another's by now
			KillTree(pid, false)
		}
		<-c.gone
		KillMarked(c.mark)
		_, _ = c.In.Close(), c.Out.Close()
	})
}

// summarySize is how many bytes of standard error go into a message: records keep
// 500 bytes of a message.
const summarySize = 400

// longestLine is how much of a line waits for its end before it is passed on.
const longestLine = 64 << 10

// tail is a writer that keeps the end of what it was given, and passes all on, by
// whole lines: those of several processes do not run into each other, and no
// secret is passed on in two halves.
type tail struct {
	log io.Writer

	mu   sync.Mutex // guards what follows
	kept []byte
	line []byte // that has not ended
}

// Write keeps the end of b. It never fails: a full log must not block the process.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil {
		t.line = append(t.line, b...)
		end := bytes.LastIndexByte(t.line, '\n') + 1
		if len(t.line)-end > longestLine {
			end = len(t.line)
		}
		t.pass(end)
	}
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - 2*summarySize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// pass passes that many bytes on. mu is held.
func (t *tail) pass(n int) {
	if n > 0 {
		_, _ = t.log.Write(t.line[:n])
		t.line = append(t.line[:0], t.line[n:]...)
	}
}

// end passes on what is left.
func (t *tail) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil && len(t.line) > 0 {
		t.line = append(t.line, '\n')
		t.pass(len(t.line))
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
