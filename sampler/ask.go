package sampler

import (
	"context"
	"time"

	"gonogo/sampler/rollout"
)

// Pacer is an endpoint that bounds how fast it is asked. Wait returns when the
// next request may be made. It is called before each try, outside the try's
// timeout: a queue of our own making is no failure of the endpoint.
type Pacer interface {
	Wait(ctx context.Context) error
}

// errand says for whom a request is made.
type errand struct {
	item  *rollout.Item
	trace string
	name  string // of the request within its trace
}

// ask makes one request through the gate of its endpoint, repeating it as the
// retry policy says, and returns how often it was repeated. Every try has its
// own timeout. The error is the last failure, an *EndpointError when the run
// should end, or ctx's error.
func (s *session) ask(ctx context.Context, g *gate, timeout time.Duration, on errand, try func(context.Context) error) (retries int, err error) {
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
		if !ok || !f.Temporary || !s.cfg.Retry.Again(retries, f.RetryAfter) {
			break
		}
		if err := sleep(ctx, s.cfg.Retry.Delay(retries, f.RetryAfter, jitter(on.trace, on.name, retries))); err != nil {
			return retries, err
		}
		retries++
		s.count.retried(g.boundary)
	}
	if end := g.failed(on.item, err); end != nil {
		s.stop(end)
		return retries, end
	}
	return retries, err
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
