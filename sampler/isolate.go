package sampler

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Isolation starts and stops a session for each rollout.
type Isolation interface {
	// Enter waits for a slot, which Stop frees, also if there was no Start.
	Enter(ctx context.Context, e *RolloutSession) error
	// Start makes one try, without retrying, and fills in the session's Values. Stop is called
	// after each Enter that succeeded.
	Start(ctx context.Context, e *RolloutSession) error
	// Stop makes one try to stop what Start may have started; it does nothing for what is already
	// gone. ctx is not the run's context, which may have ended.
	Stop(ctx context.Context, e *RolloutSession) error
}

// KindSession is the kind of a rollout that failed because its session could not be started.
const KindSession = "session_start_error"

// sessionError reports that a session could not be started.
type sessionError struct{ err error }

func (e *sessionError) Error() string { return "the session was not started: " + e.err.Error() }
func (e *sessionError) Unwrap() error { return e.err }

// startSession starts a session for a rollout or a task. Each try has its own session, so no try
// finds what another left half done. leave stops the session; it is never nil.
func (s *session) startSession(ctx context.Context, by *endpoint.Caller,
	e RolloutSession,
) (box *RolloutSession, leave func(), retries int, err error) {
	if s.cfg.Isolation == nil {
		return nil, func() {}, 0, nil
	}
	var try *RolloutSession
	r := endpoint.Request{
		Endpoint: endpoint.Session, Name: "session", Timeout: s.cfg.IsolationTimeout,
		Enter: func(waits context.Context) (leave func(), err error) {
			one := e
			one.ID, one.secrets = sessionID(), new(sessionSecrets)
			try = &one
			leave = func() { // after a try that failed, or was never made
				if box == nil {
					s.vacate(ctx, by, &one)
				}
			}
			return leave, s.cfg.Isolation.Enter(waits, try)
		},
	}
	retries, err = by.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) error {
		try.Try = t
		err := s.cfg.Isolation.Start(ctx, try)
		if err == nil {
			box = try
		}
		return err
	})
	if box == nil {
		return nil, func() {}, retries, err
	}
	leave = func() { s.vacate(ctx, by, box) }
	if err != nil { // the run ended just as the session started
		leave()
		return nil, func() {}, retries, err
	}
	return box, leave, retries, nil
}

// sessionID names one start. It is random: a rollout that was interrupted is made again under the
// same trace id, and must not find what the first try left.
func sessionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "session_" + hex.EncodeToString(b[:])
}

// vacate stops a session, however the run ended. It retries as requests do, but for no longer than
// two tries may take.
func (s *session) vacate(ctx context.Context, by *endpoint.Caller, e *RolloutSession) {
	ctx = context.WithoutCancel(ctx)
	if t := s.cfg.IsolationTimeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 2*t)
		defer cancel()
	}
	r := endpoint.Request{
		Endpoint: endpoint.Session, Name: "stop/" + e.ID, Timeout: s.cfg.IsolationTimeout,
		Local: true,
	}
	var last error // the error of the try, not of the timeout after it
	_, _ = by.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) error {
		e.Try = t
		last = s.cfg.Isolation.Stop(ctx, e)
		return last
	})
	if last != nil {
		s.leftOpen(e, last)
		return
	}
	s.stops.well()
}

// leftOpen notes a session that could not be stopped. Several in a row end the run, as the same
// error of an endpoint does, because open sessions pile up.
func (s *session) leftOpen(e *RolloutSession, err error) {
	s.count.leftOpen()
	s.set.Tell("session left open", slog.String("session", e.ID), slog.String("trace_id", e.TraceID),
		slog.String("error", endpoint.Brief(err.Error())))
	if n := s.stops.failed(); s.cfg.Breaker > 0 && n >= s.cfg.Breaker {
		s.halt.stop(&StuckSessionsError{Times: n, Err: err})
	}
}

// stops counts consecutive sessions that could not be stopped.
type stops struct {
	mu  sync.Mutex // guards row
	row int
}

func (s *stops) well() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row = 0
}

func (s *stops) failed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row++
	return s.row
}

// StuckSessionsError ends a run whose sessions cannot be stopped.
type StuckSessionsError struct {
	Times int // in a row
	Err   error
}

// Error names the last failure and what to do.
func (e *StuckSessionsError) Error() string {
	return fmt.Sprintf("%d sessions in a row could not be stopped: %v; fix session.stop and run again, which stops "+
		"them first", e.Times, e.Err)
}

// Unwrap returns the last failure.
func (e *StuckSessionsError) Unwrap() error { return e.Err }

// enter starts the rollout's session. leave releases what tools keep for the rollout, then stops
// the session.
func (e *episode) enter(ctx context.Context, by *endpoint.Caller) (leave func(), err error) {
	var retries int
	var stop func()
	e.box, stop, retries, err = e.startSession(ctx, by,
		RolloutSession{TraceID: e.trace, Item: e.todo.Item, Sample: e.todo.Sample, Attempt: e.todo.Attempt})
	e.rec.Retries += retries
	leave = func() {
		ReleaseTools(e.b.Tools, e.trace)
		stop()
	}
	if err != nil {
		return leave, &boundaryError{rollout.ToolFailed, &sessionError{err}}
	}
	if e.box != nil {
		e.look.inPlace(e.box)
	}
	return leave, nil
}

// notStarted reports whether err says that a session could not be started.
func notStarted(err error) bool {
	_, ok := errors.AsType[*sessionError](err)
	return ok
}
