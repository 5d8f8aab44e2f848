package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The ways in which a peer does not answer.
var (
	ErrLate    = errors.New("no line in time")
	ErrLong    = errors.New("a line that is too long")
	ErrTwo     = errors.New("more than one line")
	ErrUnasked = errors.New("it wrote before it was asked")
	ErrEnded   = errors.New("it ended")
	ErrNotSent = errors.New("it had ended before")
)

// Peer is a process that answers a line with a line. One goroutine uses it at a
// time.
type Peer struct {
	cmd   *exec.Cmd
	mark  string
	in    *os.File
	out   *os.File
	lines *bufio.Reader
	said  *tail
	gone  chan struct{} // closed when the process has been waited for
	ended bool
}

// StartPeer starts cmd with pipes to its standard input and output, apart from
// this program. mark is in its environment, so that what it starts is known. Its
// standard error goes to log, which may be nil; its end is kept for messages.
func StartPeer(cmd *exec.Cmd, mark string, log io.Writer) (*Peer, error) {
	p := &Peer{cmd: cmd, mark: mark, said: &tail{log: log}, gone: make(chan struct{})}
	cmd.Env = append(cmd.Env, mark)
	cmd.SysProcAttr = Apart()
	cmd.Stderr = p.said
	cmd.WaitDelay = time.Second // for a process that got away and holds standard error
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	p.in, p.out, p.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	go func() {
		defer close(p.gone)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}()
	return p, nil
}

// Ask writes a line, which ends with a line break, and returns the line that
// answers it, without its own, of at most most bytes. A timeout of 0 is none. The error
// is ctx's cause, or wraps one of those above; then the process is killed.
func (p *Peer) Ask(ctx context.Context, timeout time.Duration, line []byte, most int) (answer []byte, err error) {
	defer func() {
		if err != nil {
			p.Kill()
		}
	}()
	if p.Spoke() {
		return nil, ErrUnasked
	}
	var deadline time.Time
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	if err := errors.Join(p.in.SetDeadline(deadline), p.out.SetDeadline(deadline)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = p.in.SetDeadline(time.Unix(1, 0)), p.out.SetDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() && err == nil { // the deadline that ctx set may come at any time
			err = context.Cause(ctx)
		}
	}()
	if _, err := p.in.Write(line); errors.Is(err, syscall.EPIPE) {
		return nil, p.how(ErrNotSent)
	} else if err != nil {
		return nil, p.why(ctx, err)
	}
	if answer, err = p.line(most); err != nil {
		return nil, p.why(ctx, err)
	}
	if p.lines.Buffered() > 0 {
		return nil, ErrTwo
	}
	return answer, nil
}

// Spoke reports whether the process has written something that nobody read.
func (p *Peer) Spoke() bool {
	if p.lines.Buffered() > 0 {
		return true
	}
	return pending(p.out)
}

// Alive reports whether the process runs, as far as can be told.
func (p *Peer) Alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return !p.ended
	}
}

// line reads one line.
func (p *Peer) line(most int) ([]byte, error) {
	var long []byte
	for {
		b, err := p.lines.ReadSlice('\n')
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(long)+len(b) > most:
			return nil, ErrLong
		}
		if long = append(long, b...); err == nil {
			return bytes.TrimSuffix(long, []byte("\n")), nil
		}
	}
}

// why is why there is no line.
func (p *Peer) why(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.Kill()
		return fmt.Errorf("%w%s", ErrLate, p.Said())
	case errors.Is(err, ErrLong):
		return err
	}
	return p.how(ErrEnded)
}

// how is the end of the process, as its exit code and standard error tell it.
func (p *Peer) how(is error) error {
	select {
	case <-p.gone:
	case <-time.After(time.Second): // it has closed its output, and goes on
	}
	p.Kill()
	return fmt.Errorf("%w: %s%s", is, p.cmd.ProcessState, p.Said())
}

// Said is the end of what it wrote on standard error, as the end of a message.
func (p *Peer) Said() string { return p.said.text() }

// Finish closes the standard input and gives the process so long to end by
// itself; then it is killed, with all that it started.
func (p *Peer) Finish(grace time.Duration) {
	if !p.ended {
		_ = p.in.Close()
		select {
		case <-p.gone:
		case <-time.After(grace):
		}
	}
	p.Kill()
}

// Kill ends the process with all that it has started, and waits for it.
func (p *Peer) Kill() {
	if p.ended {
		return
	}
	p.ended = true
	KillTree(p.cmd.Process.Pid, false)
	<-p.gone
	KillMarked(p.mark)
	_, _ = p.in.Close(), p.out.Close()
}

// tailSize is what is kept of what a process says on standard error.
const tailSize = 2 << 10

// tail is a writer that keeps the end of what it was given, and passes all on.
type tail struct {
	log io.Writer

	mu   sync.Mutex // guards kept
	kept []byte
}

// Write keeps the end of b. It never fails: a log that is full holds nobody up.
func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if t.log != nil {
		_, _ = t.log.Write(b)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return n, nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
	if s == "" {
		return ""
	}
	return "; it printed: " + s
}
