// Package endpoint serves the gonogo command; its API may change in any release.
//
// It makes the requests of a run: it queues, paces, times and retries them, measures how many each
// server can handle at once, and gives up a server that has failed.
//
// In: calls, each for a named endpoint, made by the Caller of a rollout. Out: the result of each
// call, or the failure after the last retry. Package limit, below it, knows neither clocks nor
// requests. A Try makes single HTTP requests, so that the endpoint learns their results.
package endpoint

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonogo/sampler/limit"
)

// The names of endpoints.
const (
	Agent   = "agent"
	Model   = "model"
	Judge   = "judge"
	Grader  = "grader"  // those of parts are "grader PART"
	Session = "session" // starts the sessions of rollouts
)

// Tool returns the name of a tool's endpoint.
func Tool(name string) string { return "tool " + name }

// grades reports whether an endpoint grades: answers can be recorded without it.
func grades(name string) bool {
	return name == Judge || name == Grader || strings.HasPrefix(name, Grader+" ")
}

// Config is the configuration of a Set.
type Config struct {
	Limits   func(name string) limit.Limits
	Breaker  int         // consecutive identical failures after which an endpoint is given up; 0 = never
	Retry    limit.Retry // of every request
	Patience int         // consecutive requests that an endpoint which used to work may refuse or not connect for

	// GiveUp ends the run because of an endpoint that no rollout can do without. If abort is true,
	// what is in flight ends too; otherwise it continues as far as it can.
	GiveUp func(end *Error, abort bool)

	Log *slog.Logger // receives retries and reduced limits; nil logs nothing

	Queue     Queue // of another process, instead of the set's own queues; nil: its own
	Elsewhere bool  // rollouts are made in other processes, which report when they arrive
}

// Set is the endpoints of one run or one part of it. It is safe for concurrent use, and a Queue for
// other processes that make rollouts.
type Set struct {
	cfg    Config
	eased  chan struct{} // signals that a queue may be shorter
	remote sync.Map      // trace ids of remote rollouts that have not arrived

	last     atomic.Bool  // nothing new starts
	starting atomic.Int32 // started rollouts that have not reached a queue yet

	mu       sync.Mutex // guards the fields below
	all      map[string]*endpoint
	retries  map[string]int
	ungraded *Error         // set once an endpoint that grades is given up, and with it all that do
	waiting  map[string]int // requests that wait, by the trace id of their rollout
}

// New returns the endpoints of a run. Close stops their timers.
func New(cfg Config) *Set {
	return &Set{cfg: cfg, eased: make(chan struct{}, 1), all: map[string]*endpoint{}}
}

func (s *Set) endpoint(name string) *endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.all[name]
	if !ok {
		e = &endpoint{
			name: name, set: s, contact: newContact(), givenUp: make(chan struct{}),
			limiter: limit.NewLimiter(s.cfg.Limits(name)), breaker: limit.NewBreaker(s.cfg.Breaker, s.cfg.Retry),
		}
		if s.all[name] = e; s.ungraded != nil && grades(name) {
			e.close(s.ungraded)
		}
	}
	return e
}

// list returns the endpoints in the order in which they are shown: the agent, the model, judge and
// graders, the tools by name.
func (s *Set) list() []*endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	rank := func(name string) int {
		return slices.IndexFunc([]string{Agent, Model, Judge, Grader, ""},
			func(p string) bool { return strings.HasPrefix(name, p) })
	}
	return slices.SortedFunc(maps.Values(s.all), func(a, b *endpoint) int {
		if d := rank(a.name) - rank(b.name); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
}

// Enter waits in the endpoint's queue.
func (s *Set) Enter(ctx context.Context, name string) (leave func(Outcome), err error) {
	return s.enter(ctx, s.endpoint(name), nil)
}

// enter waits in a queue, with a clock stopped.
func (s *Set) enter(ctx context.Context, e *endpoint, c *clock) (leave func(Outcome), err error) {
	if s.cfg.Queue == nil {
		t, err := e.enter(ctx, c)
		return func(came Outcome) { e.leave(t, &came) }, err
	}
	resume := c.pause()
	defer resume()
	return s.cfg.Queue.Enter(ctx, e.name)
}

// giveUp ends the run because of an endpoint. If it grades, all others that grade are closed, too:
// every grade needs each of them.
func (s *Set) giveUp(e *endpoint, end *Error, abort bool) {
	abort = abort && !grades(e.name)
	if !abort { // first: the rollouts that close ends make room for others
		s.cfg.GiveUp(end, false)
	}
	e.close(end)
	if grades(e.name) {
		s.mu.Lock()
		s.ungraded = end
		s.mu.Unlock()
		for _, other := range s.list() {
			if grades(other.name) {
				other.close(end)
			}
		}
	}
	if abort {
		s.cfg.GiveUp(end, true)
	}
}

// Rest notes a request that will be retried.
func (s *Set) Rest(name string) (rise func()) {
	if s.cfg.Queue != nil {
		return s.cfg.Queue.Rest(name)
	}
	return s.endpoint(name).rest()
}

// Begin notes that a rollout is about to start; Arrived, that it has reached its first queue.
func (s *Set) Begin() { s.starting.Add(1) }

// Arrived notes that a rollout which was started is in a queue, or has ended.
func (s *Set) Arrived(traceID string) {
	if s.cfg.Queue != nil {
		s.cfg.Queue.Arrived(traceID)
	}
	if _, remote := s.remote.LoadAndDelete(traceID); remote || !s.cfg.Elsewhere {
		s.Forget()
	}
}

// Forget undoes one Begin.
func (s *Set) Forget() {
	s.starting.Add(-1)
	s.ease()
}

// Away notes a remote rollout; over, that it has ended. An arrival may be reported twice, or belong
// to another call.
func (s *Set) Away(traceID string) (over func()) {
	s.remote.Store(traceID, true)
	return func() { s.Arrived(traceID) }
}

// Eased signals that a queue may be shorter.
func (s *Set) Eased() <-chan struct{} { return s.eased }

func (s *Set) ease() {
	select {
	case s.eased <- struct{}{}:
	default: // a signal is already pending
	}
}

// Crowded reports whether enough rollouts in progress wait for an endpoint that another one would
// only wait with them.
func (s *Set) Crowded() bool {
	return s.starting.Load() >= mostStarting || slices.ContainsFunc(s.list(), (*endpoint).crowded)
}

// mostStarting bounds the started rollouts that have not reached a queue.
const mostStarting = 8

// Last notes whether nothing new starts: the coming requests are then the last ones.
func (s *Set) Last(last bool) { s.last.Store(last) }

// States returns the state of each endpoint that has one of the set's own queues.
func (s *Set) States() []State {
	if s.cfg.Queue != nil {
		return nil
	}
	var out []State
	for _, e := range s.list() {
		out = append(out, e.state())
	}
	return out
}

// Stalled reports whether no request is in flight and every endpoint that requests wait for has
// answered nothing but failures for that long, and returns how many rollouts have requests that wait;
// of rollouts made elsewhere, how many requests wait. A worker does not know: its planner does.
func (s *Set) Stalled(span time.Duration) (waiting int, stalled bool) {
	if s.cfg.Queue != nil {
		return 0, false
	}
	for _, e := range s.list() {
		n, stuck := e.stalled(span)
		if !stuck {
			return 0, false
		}
		waiting += n
	}
	if !s.cfg.Elsewhere {
		s.mu.Lock()
		defer s.mu.Unlock()
		waiting = len(s.waiting)
	}
	return waiting, waiting > 0
}

// waits notes that a request of the rollout waits until done is called.
func (s *Set) waits(traceID string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[string]int{}
	}
	s.waiting[traceID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting[traceID]--; s.waiting[traceID] == 0 {
			delete(s.waiting, traceID)
		}
	}
}

// Retries returns the number of retries by endpoint.
func (s *Set) Retries() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.retries)
}

// Close stops the timers.
func (s *Set) Close() {
	for _, e := range s.list() {
		e.stop()
	}
}

// Tell writes an event to the log, if there is one.
func (s *Set) Tell(event string, attrs ...slog.Attr) {
	if s.cfg.Log != nil {
		s.cfg.Log.LogAttrs(context.Background(), slog.LevelInfo, event, attrs...)
	}
}

// down reports whether an endpoint has answered no request at all since a time, so that a request
// which failed since then shows nothing about that request.
func (e *endpoint) down(since time.Time) bool {
	if e.set.cfg.Queue != nil {
		return false // the other process knows
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	down, absent := e.breaker.Down(since)
	return absent || down && e.limiter.Down()
}
