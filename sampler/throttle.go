package sampler

import (
	"context"
	"errors"
	"time"

	"gonogo/sampler/limit"
)

// Throttle queues the requests of a run, one queue per endpoint, and learns how earlier
// requests ended. Safe for concurrent use. The methods do not fail: a message that
// cannot be delivered is lost with its receiver.
type Throttle interface {
	// Acquire waits until a request may be made. It stops the clocks of ctx meanwhile,
	// as PauseClock does. The error is ctx's, or the *EndpointError of an endpoint
	// that was given up.
	Acquire(ctx context.Context, endpoint string) (Permit, error)
	// Backoff notes that a request has failed and will be retried; rise, which is called
	// once, that it is due.
	Backoff(endpoint string) (rise func())
	// Queued notes that the rollout has reached its first queue, or has ended without
	// one.
	Queued(traceID string)
}

// Permit is the right to make one request. Release returns it, once.
type Permit interface {
	Release(came RequestOutcome)
}

// RequestOutcome is how a request ended.
type RequestOutcome struct {
	Result  limit.Result
	Fault   limit.Fault // what the endpoint's breaker hears; that of class Void is nothing
	Failure *Failure    // never nil where Fault is one that opens a breaker
	Cause   string      // of the failure, for people
}

// admission is one at a line of our own.
type admission struct {
	line   *line
	ticket limit.Ticket
}

// Acquire waits in the endpoint's line.
func (e *endpoints) Acquire(ctx context.Context, name string) (Permit, error) {
	if e.led != nil {
		t, err := e.led.Acquire(ctx, name)
		if end, ok := errors.AsType[*EndpointError](err); ok {
			e.give(end)
		}
		return t, err
	}
	return e.enter(ctx, name)
}

// enter waits in a line of our own.
func (e *endpoints) enter(ctx context.Context, name string) (admission, error) {
	l := e.line(name)
	t, err := l.enter(ctx)
	return admission{l, t}, err
}

// Release lets the next one in, and gives up an endpoint that fails too often.
func (t admission) Release(came RequestOutcome) { t.leave(&came) }

func (t *admission) leave(came *RequestOutcome) {
	all := t.line.all
	came.Fault.Last = all.last.Load()
	came.Result.Last = came.Fault.Last
	if open := t.line.leave(t.ticket, came); open.Times > 0 {
		end := &EndpointError{Boundary: t.line.name, URL: came.Failure.URL, Err: came.Failure, Times: open.Times, For: open.For}
		t.line.close(end)
		all.give(end)
	}
}

// Backoff notes a request that will be made again.
func (e *endpoints) Backoff(name string) (rise func()) {
	if e.led != nil {
		return e.led.Backoff(name)
	}
	return e.line(name).rest()
}

// Queued notes that a rollout which was begun is in a line, or has ended.
func (e *endpoints) Queued(traceID string) {
	if e.led != nil {
		e.led.Queued(traceID)
	}
	if _, there := e.away.LoadAndDelete(traceID); there || !e.elsewhere {
		e.starting.Add(-1)
		e.ease()
	}
}

// begun notes a rollout that is made elsewhere; over, that it has ended. What arrives
// meanwhile may be reported twice, or be of another call.
func (e *endpoints) begun(traceID string) (over func()) {
	e.away.Store(traceID, true)
	return func() { e.Queued(traceID) }
}

// down reports whether an endpoint has answered nothing to anyone since a time, so that a
// request that was made in vain since then says nothing about the request.
func (e *endpoints) down(name string, since time.Time) bool {
	if e.led != nil {
		return false // that of the other process knows
	}
	l := e.line(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	down, absent := l.breaker.Down(since)
	return absent || down && l.limiter.Down()
}

// given returns why an endpoint was given up; nil when it was not.
func (e *endpoints) given(name string) error {
	if e.led != nil {
		return nil // the next caller gets it
	}
	return e.line(name).given()
}
