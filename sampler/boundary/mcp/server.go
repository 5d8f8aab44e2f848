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
	old     atomic.Bool    // the server knows only old versions of the protocol

	mu    sync.Mutex // guards slots
	slots map[string]*slot
}

// slot holds a session. Each rollout has its own slot, keyed by its trace id, or all share the slot "".
type slot struct {
	turn    chan struct{} // holds a token while someone uses the fields below
	session *session      // nil if there is none
	used    bool          // it has answered, so a server of one rollout may have state
	lost    error         // why the rollout's state is lost; nil if it is not
}

// slot returns the slot of a rollout.
func (s *server) slot(trace string) *slot {
	if !s.cfg.PerRollout {
		trace = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sl, ok := s.slots[trace]
	if !ok {
		sl = &slot{turn: make(chan struct{}, 1)}
		s.slots[trace] = sl
	}
	return sl
}

// take waits until the slot is free and takes it.
func (sl *slot) take(ctx context.Context) error {
	select {
	case sl.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (sl *slot) release() { <-sl.turn }

// session returns the session of a slot: the open one, or a new one.
func (s *server) session(ctx context.Context, t *endpoint.Try, sl *slot, trace string) (*session, error) {
	if err := sl.take(ctx); err != nil {
		return nil, s.fails(&endpoint.Failure{Temporary: true, Err: err})
	}
	defer sl.release()
	if sl.session != nil && !sl.session.alive() {
		s.drop(sl, errors.New("the connection ended"))
	}
	if sl.lost != nil {
		return nil, sl.lost
	}
	if !s.cfg.PerRollout {
		trace = "" // all rollouts share the session, whichever starts it
	}
	if sl.session == nil {
		c, err := s.connect(ctx, t, trace)
		if err != nil {
			return nil, err
		}
		sl.session = c
	}
	return sl.session, nil
}

// drop abandons a slot's session. If the rollout has its own server, its state is lost: a new server
// would not know what the rollout did. The caller must have taken the slot.
func (s *server) drop(sl *slot, why error) {
	c := sl.session
	sl.session = nil
	s.ending.Go(c.close)
	if s.cfg.PerRollout && sl.used {
		if c.pipe != nil && c.pipe.broken() != nil {
			why = c.pipe.broken()
		}
		sl.lost = s.fails(&endpoint.Failure{Err: fmt.Errorf("the rollout's own server is gone, and with it what the "+
			"rollout did there: %w", why)})
	}
}

// call calls a tool in the session of its rollout.
func (s *server) call(ctx context.Context, remote string, call sampler.Call) (sampler.Result, error) {
	sl := s.slot(call.TraceID)
	c, err := s.session(ctx, call.Try, sl, call.TraceID)
	if err != nil {
		return sampler.Result{}, err
	}
	res, err := c.call(ctx, remote, call)
	res.Error = s.secrets.Mask(res.Error)
	if err == nil || s.stays(ctx, c, err) {
		_ = sl.take(context.WithoutCancel(ctx)) // a short wait, or until a start ends
		sl.used = sl.used || err == nil
		sl.release()
		return res, err
	}
	_ = sl.take(context.WithoutCancel(ctx))
	defer sl.release()
	if sl.session == c {
		s.drop(sl, err)
	}
	if sl.lost != nil {
		err = sl.lost
	}
	return res, err
}

// stays reports whether a session can be used again after a call that failed.
func (s *server) stays(ctx context.Context, c *session, err error) bool {
	f, ok := endpoint.AsFailure(err)
	switch {
	case !c.alive():
		return false
	case ctx.Err() != nil:
		// A shared program that answers none of its calls hangs. A rollout's own server ends with it.
		return s.cfg.PerRollout || c.pipe == nil || c.flying.Load() > 0
	case c.pipe != nil:
		return true
	}
	// A new session over HTTP costs only one request, and few errors show whether this one is open.
	return ok && f.Status != http.StatusNotFound && (f.Status != 0 || endpoint.Unreachable(f))
}

// leave ends the session of a finished rollout.
func (s *server) leave(trace string) {
	if !s.cfg.PerRollout {
		return
	}
	s.mu.Lock()
	sl, ok := s.slots[trace]
	delete(s.slots, trace)
	s.mu.Unlock()
	if ok {
		sl.end()
	}
}

// end closes the session of a slot that is no longer used.
func (sl *slot) end() {
	sl.turn <- struct{}{}
	defer sl.release()
	if sl.session != nil {
		sl.session.close()
		sl.session = nil
	}
}

// close ends all sessions.
func (s *server) close() {
	s.mu.Lock()
	slots := s.slots
	s.slots = make(map[string]*slot)
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, sl := range slots {
		all.Go(sl.end)
	}
	all.Wait()
	s.ending.Wait()
}

// fails returns a failure with the server's name, and without its secrets.
func (s *server) fails(f *endpoint.Failure) error {
	f.URL = credential.BareURL(s.cfg.URL)
	f.Err = &serverError{s.cfg.Name, s.secrets, f.Err}
	return f
}

// serverError is the error of a server.
type serverError struct {
	name    string
	secrets endpoint.Secrets
	err     error
}

// Error returns the server's name and the cause, without secrets.
func (e *serverError) Error() string {
	return e.secrets.Mask(fmt.Sprintf("the MCP server %s: %v", e.name, e.err))
}

// Unwrap returns the cause.
func (e *serverError) Unwrap() error { return e.err }
