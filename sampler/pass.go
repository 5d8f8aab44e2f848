package sampler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// The names of endpoints.
const (
	ModelBoundary  = "model"
	JudgeBoundary  = "judge"
	GraderBoundary = "grader"
)

// ToolBoundary is the name of a tool's endpoint.
func ToolBoundary(tool string) string { return "tool " + tool }

// Pass is the right to make one request to an endpoint. A nil *Pass is that of a
// request outside a run, which has no limits.
type Pass struct {
	ctx   context.Context
	name  string
	own   admission // at a line of this run
	led   Permit    // at one of another process, in the place of own; nil: own
	heard limit.Quotas
	done  bool
}

// Admit waits until the endpoint called name may take a request of the run that ctx
// belongs to; the wait does not count as the try's time. Packages that make
// requests call it before each, and Done after it. Two names never share a limit.
// The error is ctx's, or the *EndpointError of an endpoint that was given up.
func Admit(ctx context.Context, name string) (*Pass, error) {
	c := clockOf(ctx)
	if c == nil || c.lines == nil {
		return nil, nil
	}
	p := &Pass{ctx: ctx, name: name}
	var err error
	if c.lines.led == nil {
		p.own, err = c.lines.enter(ctx, name)
	} else {
		p.led, err = c.lines.Acquire(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ReadHeaders reads the rate limit headers of an answer.
func (p *Pass) ReadHeaders(h http.Header) {
	if p != nil {
		p.heard = quotasOf(h, time.Now())
	}
}

// Done reports how the request ended: its tokens, as far as they are known, and the
// caller's error. It must be called once; later calls do nothing.
func (p *Pass) Done(u rollout.Usage, err error) {
	if p == nil || p.done {
		return
	}
	p.done = true
	f, known := AsFailure(err)
	class := p.class(err, f)
	if !known && class.Rule().Opens {
		f = &Failure{Err: err}
	}
	came := RequestOutcome{Result: limit.Result{Class: class, Quotas: p.heard, Tokens: plus(u.Input, u.Output), Again: clockOf(p.ctx).again, Of: clockOf(p.ctx).trace}}
	if u.Output != nil {
		came.Result.Output = *u.Output
	}
	fault := limit.Fault{Class: class}
	if f != nil {
		f.Boundary = p.name
		if class == limit.Limited && f.RetryAfter == 0 {
			f.RetryAfter = p.heard.Asks()
		}
		came.Result.RetryAfter = f.RetryAfter
		fault.Status, fault.Text, fault.RetryAfter = f.Status, f.Err.Error(), f.RetryAfter
		fault.Subject = clockOf(p.ctx).about
		if clockOf(p.ctx).late() {
			came.Result.Late, fault.Hung, fault.Text = class == limit.Silent, class == limit.Silent, "no answer in time"
		}
		came.Cause = causeOf(&fault)
		if f.Fatal {
			fault = limit.Fault{} // whether it is meant for all is the gate's business
		}
	}
	came.Fault, came.Failure = fault, f
	if p.led != nil {
		p.led.Release(came)
		return
	}
	p.own.leave(&came)
}

// class is what an error means for the endpoint's pace.
func (p *Pass) class(err error, f *Failure) limit.Class {
	_, agents := errors.AsType[*AgentError](err)
	switch {
	case agents && f != nil: // its own time may be what ended ctx
		return f.class()
	case err == nil:
		return limit.Served
	case p.ctx.Err() != nil && clockOf(p.ctx).late():
		return limit.Silent
	case p.ctx.Err() != nil:
		return limit.Void
	case f != nil:
		return f.class()
	}
	if _, own := errors.AsType[*GradeError](err); own {
		return limit.Served // the judge answered, with nothing to grade by
	}
	return limit.Void
}

// class is the row of limit.Rules that a failure belongs to.
func (f *Failure) class() limit.Class {
	c := limit.ClassOf(cmp.Or(f.Hidden, f.Status))
	switch {
	case f.Fatal:
		return limit.Refused
	case c == limit.Served && f.Temporary:
		return limit.Unusable
	case c == limit.Served:
		return limit.Refused
	case f.Temporary && !c.Rule().Again: // the server says itself that another try may do
		return limit.Unavailable
	case c == limit.Silent && Unreachable(f.Err):
		return limit.Absent
	}
	return c
}

// endpoints are the lines of one session.
type endpoints struct {
	limits  func(name string) limit.Limits
	breaker int
	retry   limit.Retry
	log     *slog.Logger
	give    func(*EndpointError) // gives up the run
	eased   chan struct{}        // a signal that a line may be shorter

	led Throttle // somebody else's, in the place of our own; nil: our own

	elsewhere bool     // rollouts are made elsewhere, and reported when they arrive
	away      sync.Map // trace ids of those that have not

	last     atomic.Bool  // nothing new begins
	starting atomic.Int32 // rollouts begun that have not come to a line yet

	mu    sync.Mutex // guards lines
	lines map[string]*line
}

func (e *endpoints) line(name string) *line {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, ok := e.lines[name]
	if !ok {
		l = &line{name: name, all: e, limiter: limit.NewLimiter(e.limits(name)), breaker: limit.NewBreaker(e.breaker, e.retry)}
		e.lines[name] = l
	}
	return l
}

// list returns the lines in the order they are shown: the agent, the model, who grades,
// the tools by name.
func (e *endpoints) list() []*line {
	e.mu.Lock()
	defer e.mu.Unlock()
	rank := func(name string) int {
		return slices.IndexFunc([]string{AgentBoundary, ModelBoundary, JudgeBoundary, GraderBoundary, ""}, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	return slices.SortedFunc(maps.Values(e.lines), func(a, b *line) int {
		if d := rank(a.name) - rank(b.name); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
}

// ease signals that a line may be shorter.
func (e *endpoints) ease() {
	select {
	case e.eased <- struct{}{}:
	default: // a signal already waits
	}
}

// crowded reports whether rollouts that are under way wait for an endpoint in
// such numbers that another one would only wait with them.
func (e *endpoints) crowded() bool {
	return e.starting.Load() >= mostStarting || slices.ContainsFunc(e.list(), (*line).crowded)
}

// mostStarting are the rollouts that may be on the way to a line at once.
const mostStarting = 8

// states says how all endpoints do.
func (e *endpoints) states() []Boundary {
	var out []Boundary
	for _, l := range e.list() {
		out = append(out, l.state())
	}
	return out
}

// stop ends the timers.
func (e *endpoints) stop() {
	for _, l := range e.list() {
		l.stop()
	}
}

// tell writes an event to the log, if there is one.
func (e *endpoints) tell(event string, attrs ...slog.Attr) {
	if e.log != nil {
		e.log.LogAttrs(context.Background(), slog.LevelInfo, event, attrs...)
	}
}
