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

// The reasons why a peer does not answer.
var (
	ErrTimeout     = errors.New("no line in time")
	ErrTooLong     = errors.New("a line that is too long")
	ErrExtraOutput = errors.New("more than one line")
	ErrUnsolicited = errors.New("it wrote before it was asked")
	ErrEnded       = errors.New("it ended")
	ErrNotSent     = errors.New("it had ended before")
)

// Peer is a process that answers each line with one line. It is not safe for concurrent use.
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

// Ask writes line, which must end with a line break, and returns the answer without its line break, at
// most limit bytes. A timeout of 0 means no limit. On an error, which is ctx's cause or wraps one of the
// errors above, Ask kills the process.
func (p *Peer) Ask(ctx context.Context, timeout time.Duration, line []byte, limit int) (answer []byte, err error) {
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
		if !stop() && err == nil { // the deadline that ctx set may take effect at any time
			err = context.Cause(ctx)
		}
	}()
	defer p.stopReadingAtExit()()
	if _, err := p.In.Write(line); errors.Is(err, syscall.EPIPE) {
		return nil, p.exitError(ErrNotSent)
	} else if err != nil {
		return nil, p.failure(ctx, err)
	}
	if answer, err = p.line(limit); err != nil {
		return nil, p.failure(ctx, err)
	}
	if p.lines.Buffered() > 0 {
		return nil, ErrExtraOutput
	}
	return answer, nil
}

// stopReadingAtExit ends a read one second after the process has exited: a process that it started may
// keep its output open. The time is enough to read what it wrote before.
func (p *Peer) stopReadingAtExit() (stop func()) {
	stopped := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-p.gone:
			_ = p.Out.SetReadDeadline(time.Now().Add(time.Second)) // fails if it is already closed
		case <-stopped:
		}
	})
	return func() {
		close(stopped)
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

// line reads one line, without its line break.
func (p *Peer) line(limit int) ([]byte, error) {
	var long []byte
	for {
		b, err := p.lines.ReadSlice('\n')
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(long)+len(b) > limit:
			return nil, ErrTooLong
		}
		if long = append(long, b...); err == nil {
			return bytes.TrimSuffix(long, []byte("\n")), nil
		}
	}
}

// failure returns the error that says why there is no line.
func (p *Peer) failure(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded) && p.Alive():
		p.Kill()
		return fmt.Errorf("%w%s", ErrTimeout, p.StderrTail())
	case errors.Is(err, ErrTooLong):
		return err
	}
	return p.exitError(ErrEnded)
}

// exitError wraps an error with the way in which the process ended.
func (p *Peer) exitError(err error) error { return fmt.Errorf("%w: %s", err, p.ExitReason()) }
