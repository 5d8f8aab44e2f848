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

// Communicate writes input, closes the process's standard input, and returns everything that the process
// writes until it ends, at most limit bytes. When Communicate returns, the process and everything that it
// started are gone. The error wraps ctx's cause, ErrTooLong, or ErrEnded for an exit code other than 0.
func (p *Peer) Communicate(ctx context.Context, input []byte, limit int) (output []byte, err error) {
	var writing sync.WaitGroup
	defer writing.Wait()
	defer p.Kill()
	writing.Go(func() { // the process may write before it has read everything
		_, _ = p.In.Write(input) // fails if the process does not read its input, which is fine
		_ = p.In.Close()
	})
	stop := context.AfterFunc(ctx, func() { _ = p.Out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	returned := make(chan struct{})
	defer close(returned)
	writing.Go(func() {
		select {
		case <-p.gone: // a process that it left behind may keep its output open
			if ctx.Err() == nil {
				_ = p.Out.SetReadDeadline(time.Now().Add(time.Second))
			}
		case <-returned:
		}
	})
	output, err = io.ReadAll(io.LimitReader(p.Out, int64(limit)+1))
	switch {
	case ctx.Err() != nil:
		return nil, p.late(ctx)
	case len(output) > limit:
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

// late returns ctx's cause with the end of the process's standard error.
func (p *Peer) late(ctx context.Context) error {
	return fmt.Errorf("%w%s", context.Cause(ctx), p.StderrTail())
}

// ExitCode returns the exit code of a process that exited by itself; -1 if it is running or was killed.
func (p *Peer) ExitCode() int {
	if p.Alive() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}
