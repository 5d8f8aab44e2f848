package sampler

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ask makes one request through the gate of its endpoint, repeating it as the
// retry policy says, and returns how often it was repeated. Every try has its
// own timeout. The error is the last failure, an *EndpointError when the run
// should end, or ctx's error.
func (s *session) ask(ctx context.Context, g *gate, timeout time.Duration, trace, request string, try func(context.Context) error) (retries int, err error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	for {
		err = attempt(ctx, timeout, try)
		if ctx.Err() != nil {
			return retries, ctx.Err()
		}
		if there(err) {
			g.answered()
		}
		f, ok := AsFailure(err)
		if !ok || !f.Temporary || !s.cfg.Retry.Again(retries, f.RetryAfter) {
			break
		}
		if err := sleep(ctx, s.cfg.Retry.Delay(retries, f.RetryAfter, jitter(trace, request, retries))); err != nil {
			return retries, err
		}
		retries++
		s.count.retried(g.boundary)
	}
	if end := g.failed(err); end != nil {
		s.stop(end)
		return retries, end
	}
	return retries, err
}

// attempt makes one try. A try that ran out of its own time is a failure worth
// repeating.
func attempt(ctx context.Context, timeout time.Duration, try func(context.Context) error) error {
	inner := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	err := try(inner)
	if err == nil || ctx.Err() != nil || !errors.Is(inner.Err(), context.DeadlineExceeded) {
		return err
	}
	f := &Failure{Temporary: true, Err: fmt.Errorf("no answer within %v", timeout)}
	if g, ok := AsFailure(err); ok {
		f.URL = g.URL
	}
	return f
}

// there reports whether a try shows that the endpoint is there and knows us.
func there(err error) bool {
	f, ok := AsFailure(err)
	if !ok {
		return true
	}
	return !f.Fatal && (f.Status != 0 || !Unreachable(f))
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
