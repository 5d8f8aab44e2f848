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
	"sync"
	"syscall"
	"time"
)

// The ways in which a peer does not answer.
var (
	ErrTimeout     = errors.New("no line in time")
	ErrTooLong     = errors.New("a line that is too long")
	ErrExtraOutput = errors.New("more than one line")
	ErrUnsolicited = errors.New("it wrote before it was asked")
	ErrEnded       = errors.New("it ended")
	ErrNotSent     = errors.New("it had ended before")
)

// Peer is a process that answers each line with one line. It is not safe for
// concurrent use.
type Peer struct {
	*Child
	lines *bufio.Reader
}

// StartPeer starts a peer, as Start does.
func StartPeer(cmd *exec.Cmd, mark string, log io.Writer) (*Peer, error) {
	c, err := Start(cmd, mark, log)
	if err != nil {
		return nil, err
	}
	return &Peer{c, bufio.NewReaderSize(c.Out, 1<<16)}, nil
}

// Ask writes a line, which ends with a line break, and returns the answer without
// its line break, at most most bytes. A timeout of 0 is none. The error is ctx's
// cause, or wraps one of the errors above; the process is then killed.
func (p *Peer) Ask(ctx context.Context, timeout time.Duration, line []byte, most int) (answer []byte, err error) {
	defer func() {
		if err != nil {
			p.Kill()
		}
	}()
	if p.HasUnread() {
		return nil, ErrUnsolicited
	}
	var deadline time.Time
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	if err := errors.Join(p.In.SetDeadline(deadline), p.Out.SetDeadline(deadline)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = p.In.SetDeadline(time.Unix(1, 0)), p.Out.SetDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() && err == nil { // the deadline that ctx set may come at any time
			err = context.Cause(ctx)
		}
	}()
	defer p.untilItEnds()()
	if _, err := p.In.Write(line); errors.Is(err, syscall.EPIPE) {
		return nil, p.how(ErrNotSent)
	} else if err != nil {
		return nil, p.why(ctx, err)
	}
	if answer, err = p.line(most); err != nil {
		return nil, p.why(ctx, err)
	}
	if p.lines.Buffered() > 0 {
		return nil, ErrExtraOutput
	}
	return answer, nil
}

// untilItEnds has no one wait for the line of a process that ended, when what it has
// started holds its output open. What it wrote before is there, and is read.
func (p *Peer) untilItEnds() (stop func()) {
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-p.gone:
			_ = p.Out.SetReadDeadline(time.Now().Add(time.Second)) // it may be closed already
		case <-over:
		}
	})
	return func() {
		close(over)
		watch.Wait()
	}
}

// HasUnread reports whether the process has written anything that was not read.
func (p *Peer) HasUnread() bool {
	if p.lines.Buffered() > 0 {
		return true
	}
	return pending(p.Out)
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
			return nil, ErrTooLong
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
	case errors.Is(err, os.ErrDeadlineExceeded) && p.Alive():
		p.Kill()
		return fmt.Errorf("%w%s", ErrTimeout, p.StderrTail())
	case errors.Is(err, ErrTooLong):
		return err
	}
	return p.how(ErrEnded)
}

// how is the end of the process.
func (p *Peer) how(is error) error { return fmt.Errorf("%w: %s", is, p.ExitReason()) }
