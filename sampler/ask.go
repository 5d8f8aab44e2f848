package sampler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Pacer is an endpoint that limits the rate of its requests. Wait returns when the
// next request may be made. It is called before each try, outside the try's
// timeout: waiting in our own queue is not a failure of the endpoint.
type Pacer interface {
	Wait(ctx context.Context) error
}

// requestInfo says what a request belongs to.
type requestInfo struct {
	item  *rollout.Item
	trace string
	name  string // of the request within its trace
}

// ask makes one request through the gate of its endpoint, repeating it as the
// retry policy says, and returns how often it was repeated. Every try has its
// own timeout. The error is the last failure, an *EndpointError when the run
// should end, or the cause of ctx's end.
func (s *session) ask(ctx context.Context, g *gate, timeout time.Duration, on requestInfo, try func(context.Context) error) (retries int, err error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return 0, context.Cause(ctx)
	}
	defer leave()
	if end := g.given(); end != nil {
		return 0, end
	}
	spent := stopwatch(ctx)
	var tries limit.Tries
	var first time.Duration // when the first try had failed
	var vain inVain
	for {
		if err := g.pace(spent); err != nil {
			return tries.Made, err
		}
		spent.arrive()
		spent.again = tries.Made > 0
		ended := g.asked()
		err = attempt(spent, timeout, try)
		ended()
		if ctx.Err() != nil {
			return tries.Made, context.Cause(ctx)
		}
		if end, ok := errors.AsType[*EndpointError](err); ok {
			return tries.Made, end
		}
		g.heard(err)
		f, ok := AsFailure(err)
		if !ok || !f.Temporary {
			break
		}
		if first == 0 {
			first = spent.active()
		}
		class := f.class()
		tries.Since = spent.active() - first
		boundary := cmp.Or(f.Boundary, g.boundary)
		if class.Rule().Counted {
			tries.Counted = vain.count(tries.Counted, s.cfg.Retry.Max, func(since time.Time) bool { return s.lines.down(boundary, since) })
		}
		wait, again := s.cfg.Retry.ShouldRetry(class, tries, f.RetryAfter, jitter(on.trace, on.name, tries.Made))
		if !again {
			break
		}
		tries.Made++
		s.retried(boundary, on, f, class, tries.Made, wait)
		if err := s.sleep(ctx, g, boundary, wait); err != nil {
			return tries.Made, err
		}
	}
	if end := g.failed(on.item, err); end != nil {
		s.giveUp(g, end)
		return tries.Made, end
	}
	return tries.Made, err
}

// inVain counts the tries of a request since when its endpoint has answered no one.
type inVain struct {
	since time.Time
	tries int
}

// count returns how many tries count against most of them: none of those while the
// endpoint answered no one, which say nothing about the request.
func (v *inVain) count(counted, most int, down func(since time.Time) bool) int {
	if !down(v.since) {
		*v = inVain{since: time.Now()}
	}
	counted, v.tries = counted+1, v.tries+1
	if counted > most && down(v.since) {
		counted, v.tries = counted-v.tries, 0
	}
	return counted
}

// giveUp ends the run for an endpoint that no rollout can do without. What is in
// flight is broken off, but where only the grader is gone: answers can be recorded
// without it, and graded when the run goes on.
func (s *session) giveUp(g *gate, end error) {
	if g != s.gates.grader {
		s.stop(end)
		return
	}
	g.close(end)
	s.halt.now(end)
}

// retried notes that a request will be made again.
func (s *session) retried(boundary string, on requestInfo, f *Failure, c limit.Class, n int, wait time.Duration) {
	s.count.retried(boundary)
	s.lines.tell("retry", slog.String("boundary", boundary), slog.String("class", c.String()), slog.Int("status", f.Status), slog.String("error", Brief(f.Err.Error())),
		slog.Int("retry", n), slog.Float64("wait_s", wait.Seconds()), slog.String("item", on.item.ID), slog.String("trace_id", on.trace))
}

// sleep waits for d, or until ctx ends or the endpoint is given up.
func (s *session) sleep(ctx context.Context, g *gate, boundary string, d time.Duration) error {
	defer s.lines.Backoff(boundary)()
	t := time.NewTimer(d)
	defer t.Stop()
	halted := s.halt.done
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
			return nil
		case <-halted:
			if end := cmp.Or(g.given(), s.lines.given(boundary)); end != nil {
				return end
			}
			halted = nil // for another reason
		}
	}
}
