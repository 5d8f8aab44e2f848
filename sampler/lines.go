package sampler

import (
	"context"
	"errors"

	"gonogo/sampler/limit"
)

// Lines queue the requests of a run, one queue per endpoint, and learn how earlier
// requests ended. Safe for concurrent use. The methods do not fail: a message that
// cannot be delivered is lost with its receiver.
type Lines interface {
	// Enter waits until a request may be made. It stops the clocks of ctx meanwhile,
	// as PauseClock does. The error is ctx's, or the *EndpointError of an endpoint
	// that was given up.
	Enter(ctx context.Context, endpoint string) (Admission, error)
	// Rest notes that a request has failed and will be retried; rise, which is called
	// once, that it is due.
	Rest(endpoint string) (rise func())
	// Arrive notes that the rollout has reached its first queue, or has ended without
	// one.
	Arrive(traceID string)
}

// Admission is the right to make one request. Release returns it, once.
type Admission interface {
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

// Enter waits in the endpoint's line.
func (e *endpoints) Enter(ctx context.Context, name string) (Admission, error) {
	if e.led != nil {
		t, err := e.led.Enter(ctx, name)
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

// Rest notes a request that will be made again.
func (e *endpoints) Rest(name string) (rise func()) {
	if e.led != nil {
		return e.led.Rest(name)
	}
	return e.line(name).rest()
}

// Arrive notes that a rollout which was begun stands in a line, or has ended.
func (e *endpoints) Arrive(traceID string) {
	if e.led != nil {
		e.led.Arrive(traceID)
	}
	if _, there := e.away.LoadAndDelete(traceID); there || !e.elsewhere {
		e.starting.Add(-1)
		e.ease()
	}
}

// begun notes a rollout that is made elsewhere; over, that it has ended. What
// arrives meanwhile may be told twice, or of another call.
func (e *endpoints) begun(traceID string) (over func()) {
	e.away.Store(traceID, true)
	return func() { e.Arrive(traceID) }
}

// given returns why an endpoint was given up; nil when it was not.
func (e *endpoints) given(name string) error {
	if e.led != nil {
		return nil // who asks next hears it
	}
	return e.line(name).given()
}
