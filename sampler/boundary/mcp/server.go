package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// server is one server, with its sessions.
type server struct {
	cfg     Config
	opts    Options
	secrets endpoint.Secrets
	ending  sync.WaitGroup // sessions that are being closed
	old     atomic.Bool    // it knows old versions of the protocol alone

	mu    sync.Mutex // guards slots
	slots map[string]*slot
}

// slot holds a session: one of each rollout, by its trace id, or "",
// the one that all share.
type slot struct {
	turn    chan struct{} // holds a token: the right to what follows
	session *session      // nil when there is none
	used    bool          // it has answered: a server for one rollout may hold its state
	lost    error         // why the state of the rollout is lost
}

// slot returns the slot of a rollout.
func (s *server) slot(trace string) *slot {
	if !s.cfg.PerRollout {
		trace = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.slots[trace]
	if !ok {
		at = &slot{turn: make(chan struct{}, 1)}
		s.slots[trace] = at
	}
	return at
}

// take waits for the right to a slot.
func (at *slot) take(ctx context.Context) error {
	select {
	case at.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (at *slot) release() { <-at.turn }

// session returns the session of a slot: the open one, or a new one.
func (s *server) session(ctx context.Context, t *endpoint.Try, at *slot, trace string) (*session, error) {
	if err := at.take(ctx); err != nil {
		return nil, s.fails(&endpoint.Failure{Temporary: true, Err: err})
	}
	defer at.release()
	if at.session != nil && !at.session.alive() {
		s.drop(at, errors.New("the connection ended"))
	}
	if at.lost != nil {
		return nil, at.lost
	}
	if !s.cfg.PerRollout {
		trace = "" // all rollouts share it, whichever one started it
	}
	if at.session == nil {
		c, err := s.connect(ctx, t, trace)
		if err != nil {
			return nil, err
		}
		at.session = c
	}
	return at.session, nil
}

// drop gives up a session. The state of a rollout that had a server of its own is
// lost with it: a new one would not know what the rollout has done. The slot is
// taken.
func (s *server) drop(at *slot, why error) {
	c := at.session
	at.session = nil
	s.ending.Go(c.close)
	if s.cfg.PerRollout && at.used {
		if c.pipe != nil && c.pipe.broken() != nil {
			why = c.pipe.broken()
		}
		at.lost = s.fails(&endpoint.Failure{Err: fmt.Errorf("the rollout's own server is gone, and with it what the "+
			"rollout did there: %w", why)})
	}
}

// call calls a tool in the session of its rollout.
func (s *server) call(ctx context.Context, remote string, call sampler.Call) (sampler.Result, error) {
	at := s.slot(call.TraceID)
	c, err := s.session(ctx, call.Try, at, call.TraceID)
	if err != nil {
		return sampler.Result{}, err
	}
	res, err := c.call(ctx, remote, call)
	res.Error = s.secrets.Mask(res.Error)
	if err == nil || s.stays(ctx, c, err) {
		_ = at.take(context.WithoutCancel(ctx)) // it is held for moments, or until a start ends
		at.used = at.used || err == nil
		at.release()
		return res, err
	}
	_ = at.take(context.WithoutCancel(ctx))
	defer at.release()
	if at.session == c {
		s.drop(at, err)
	}
	if at.lost != nil {
		err = at.lost
	}
	return res, err
}

// stays reports whether a session is good for more after a call that failed.
func (s *server) stays(ctx context.Context, c *session, err error) bool {
	f, ok := endpoint.AsFailure(err)
	switch {
	case !c.alive():
		return false
	case ctx.Err() != nil:
		// A program that answers no request hangs; a rollout's own is ended with it.
		return s.cfg.PerRollout || c.pipe == nil || c.flying.Load() > 0
	case c.pipe != nil:
		return true
	}
	// Over HTTP a session costs a request, and few errors tell whether it is open.
	return ok && f.Status != http.StatusNotFound && (f.Status != 0 || endpoint.Unreachable(f))
}

// leave ends the session of a rollout that is over.
func (s *server) leave(trace string) {
	if !s.cfg.PerRollout {
		return
	}
	s.mu.Lock()
	at, ok := s.slots[trace]
	delete(s.slots, trace)
	s.mu.Unlock()
	if ok {
		at.end()
	}
}

// end closes the session of a slot that is no longer used.
func (at *slot) end() {
	at.turn <- struct{}{}
	defer at.release()
	if at.session != nil {
		at.session.close()
		at.session = nil
	}
}

// close ends all sessions.
func (s *server) close() {
	s.mu.Lock()
	slots := s.slots
	s.slots = make(map[string]*slot)
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, at := range slots {
		all.Go(at.end)
	}
	all.Wait()
	s.ending.Wait()
}

// fails names the server in a failure, and hides its secrets.
func (s *server) fails(f *endpoint.Failure) error {
	f.URL = credential.BareURL(s.cfg.URL)
	f.Err = &serverError{s.cfg.Name, s.secrets, f.Err}
	return f
}

// serverError is an error of a server.
type serverError struct {
	name    string
	secrets endpoint.Secrets
	err     error
}

// Error names the server and the cause.
func (e *serverError) Error() string {
	return e.secrets.Mask(fmt.Sprintf("the MCP server %s: %v", e.name, e.err))
}

// Unwrap returns the cause.
func (e *serverError) Unwrap() error { return e.err }
