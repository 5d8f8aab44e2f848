package sampler

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Isolation starts and stops a session for each rollout.
type Isolation interface {
	// Start makes one try, without retrying, and fills in the session's Values.
	// Stop is called after each Start, also after one that failed.
	Start(ctx context.Context, e *RolloutSession) error
	// Stop makes one try to stop what Start may have started, and does nothing for
	// what is already gone. ctx is not the run's, which may have ended.
	Stop(ctx context.Context, e *RolloutSession) error
}

// SessionBoundary is the name of the endpoint that starts sessions.
const SessionBoundary = "session"

// KindSession is the kind of a rollout that failed because its session could not be
// started.
const KindSession = "session_start_error"

// sessionError is a session that could not be started.
type sessionError struct{ err error }

func (e *sessionError) Error() string { return "the session was not started: " + e.err.Error() }
func (e *sessionError) Unwrap() error { return e.err }

// startSession starts a session for a rollout or a task. Each try has its own,
// so none finds what another left half made. leave stops what was
// started; it is never nil.
func (s *session) startSession(ctx context.Context, e RolloutSession) (box *RolloutSession, leave func(), retries int, err error) {
	if s.cfg.Isolation == nil {
		return nil, func() {}, 0, nil
	}
	on := requestInfo{e.Item, e.TraceID, "session"}
	retries, err = s.ask(ctx, s.gates.start, s.cfg.IsolationTimeout, on, func(ctx context.Context) error {
		try := e
		try.ID, try.secrets = sessionID(), new(sessionSecrets)
		err := s.cfg.Isolation.Start(ctx, &try)
		if err != nil {
			resume := PauseClock(ctx) // stopping is not part of the try
			defer resume()
			s.vacate(ctx, &try)
			return err
		}
		box = &try
		return nil
	})
	if box == nil {
		return nil, func() {}, retries, err
	}
	leave = func() { s.vacate(ctx, box) }
	if err != nil { // the run ended in the moment of the start
		leave()
		return nil, func() {}, retries, err
	}
	return box, leave, retries, nil
}

// sessionID names one start. It is random: a rollout that was broken off is made
// again under the same trace id, and must not find what the first try left.
func sessionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "session_" + hex.EncodeToString(b[:])
}

// vacate stops a session, however the run ended. It is tried as often
// as requests are, though not for longer than two tries may take.
func (s *session) vacate(ctx context.Context, e *RolloutSession) {
	ctx = context.WithoutCancel(ctx)
	if t := s.cfg.IsolationTimeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 2*t)
		defer cancel()
	}
	clock := stopwatch(ctx)
	var tries limit.Tries
	for {
		err := attempt(clock, s.cfg.IsolationTimeout, func(ctx context.Context) error { return s.cfg.Isolation.Stop(ctx, e) })
		if err == nil {
			s.stops.well()
			return
		}
		f, ok := AsFailure(err)
		again := ok && f.Temporary && clock.Err() == nil
		var wait time.Duration
		if again {
			if f.class().Rule().Counted {
				tries.Counted++
			}
			wait, again = s.cfg.Retry.ShouldRetry(f.class(), tries, f.RetryAfter, jitter(e.ID, "stop", tries.Made))
		}
		if !again {
			s.leftOpen(e, err)
			return
		}
		tries.Made++
		s.retried(SessionBoundary, requestInfo{e.Item, e.TraceID, "stop"}, f, f.class(), tries.Made, wait)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-clock.Done():
			timer.Stop()
		}
	}
}

// leftOpen notes a session that could not be stopped. Several in a row end the run as the
// same error of an endpoint does: they pile up.
func (s *session) leftOpen(e *RolloutSession, err error) {
	s.count.leftOpen()
	s.lines.tell("session left open", slog.String("session", e.ID), slog.String("trace_id", e.TraceID), slog.String("error", Brief(err.Error())))
	if n := s.stops.failed(); s.cfg.Breaker > 0 && n >= s.cfg.Breaker {
		s.halt.now(&StuckSessionsError{Times: n, Err: err})
	}
}

// stops counts sessions in a row that could not be stopped.
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
	return fmt.Sprintf("%d sessions in a row could not be stopped: %v; fix session.stop and run again, which stops them first", e.Times, e.Err)
}

// Unwrap returns the last failure.
func (e *StuckSessionsError) Unwrap() error { return e.Err }

// enter starts the rollout's session. What tools keep for the rollout ends before
// it does.
func (e *episode) enter(ctx context.Context) (leave func(), err error) {
	var retries int
	var stop func()
	e.box, stop, retries, err = e.startSession(ctx, RolloutSession{TraceID: e.trace, Item: e.job.Item, Sample: e.job.Sample, Attempt: e.job.Attempt})
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

// notStarted reports whether err is a session's that was not started.
func notStarted(err error) bool {
	_, ok := errors.AsType[*sessionError](err)
	return ok
}
