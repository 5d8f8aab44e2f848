package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Communicate writes input, closes the process's standard input and returns
// everything that it writes until it ends, at most most bytes. The process and all
// that it started are gone when it returns. The error is ctx's cause, or wraps
// ErrTooLong, or ErrEnded for an exit code other than 0.
func (p *Peer) Communicate(ctx context.Context, input []byte, most int) (output []byte, err error) {
	var writing sync.WaitGroup
	defer writing.Wait()
	defer p.Kill()
	writing.Go(func() { // it may write before it has read all
		_, _ = p.In.Write(input) // a process need not read what it is given
		_ = p.In.Close()
	})
	stop := context.AfterFunc(ctx, func() { _ = p.Out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	left := make(chan struct{})
	defer close(left)
	writing.Go(func() {
		select {
		case <-p.gone: // what it left behind may hold its output open
			if ctx.Err() == nil {
				_ = p.Out.SetReadDeadline(time.Now().Add(time.Second))
			}
		case <-left:
		}
	})
	output, err = io.ReadAll(io.LimitReader(p.Out, int64(most)+1))
	switch {
	case ctx.Err() != nil:
		return nil, p.late(ctx)
	case len(output) > most:
		return nil, ErrTooLong
	case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
		return nil, err
	}
	select {
	case <-p.gone:
	case <-ctx.Done():
		return nil, p.late(ctx)
	}
	if !p.cmd.ProcessState.Success() {
		return nil, fmt.Errorf("%w: %s%s", ErrEnded, p.cmd.ProcessState, p.StderrTail())
	}
	return output, nil
}

// late is ctx's cause, with what the process has said until then.
func (p *Peer) late(ctx context.Context) error {
	return fmt.Errorf("%w%s", context.Cause(ctx), p.StderrTail())
}

// ExitCode returns the exit code of a process that exited by itself, else -1.
func (p *Peer) ExitCode() int {
	if p.Alive() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}
