package sampler

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Pacer is an endpoint that bounds how fast it is asked. Wait returns when the
// next request may be made. It is called before each try, outside the try's
// timeout: a queue of our own making is no failure of the endpoint.
type Pacer interface {
	Wait(ctx context.Context) error
}

// ask makes one request through the gate of its endpoint, repeating it as the
// retry policy says, and returns how often it was repeated. Every try has its
// own timeout. The error is the last failure, an *EndpointError when the run
// should end, or ctx's error.
func (e *episode) ask(ctx context.Context, g *gate, timeout time.Duration, request string, try func(context.Context) error) (retries int, err error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	for {
		if g.pacer != nil {
			if err := g.pacer.Wait(ctx); err != nil {
				return retries, err
			}
		}
		err = attempt(ctx, timeout, try)
		if ctx.Err() != nil {
			return retries, ctx.Err()
		}
		g.heard(err)
		f, ok := AsFailure(err)
		if !ok || !f.Temporary || !e.cfg.Retry.Again(retries, f.RetryAfter) {
			break
		}
		if err := sleep(ctx, e.cfg.Retry.Delay(retries, f.RetryAfter, jitter(e.trace, request, retries))); err != nil {
			return retries, err
		}
		retries++
		e.count.retried(g.boundary)
	}
	if end := g.failed(e.job.Item, err); end != nil {
		e.stop(end)
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
