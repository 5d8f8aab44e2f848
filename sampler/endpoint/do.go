package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Caller makes the requests of one rollout or one grading, and has its clock. Outside a run, the
// methods Do, Until, Inside, Pause and Track of a nil *Caller make each request once, without
// queue, limit or clock. It is safe for concurrent use.
type Caller struct {
	set    *Set // nil: each request is made once
	clock  *clock
	within *Try // the try that its requests are part of; nil without one
	item   *rollout.Item
	trace  string
	arrive func() // reports that the first request was sent
}

// Caller returns the caller of a rollout or a grading of an item. Its clock runs until ctx ends.
func (s *Set) Caller(ctx context.Context, item *rollout.Item, traceID string) *Caller {
	return &Caller{
		set: s, clock: stopwatch(ctx, nil), item: item, trace: traceID,
		arrive: sync.OnceFunc(func() { s.Arrived(traceID) }),
	}
}

// Until returns the same caller with its own clock, which ends after a time limit that does not
// include queues; 0 is no limit. If why is not nil, it is the cause of the clock's end, and bytes
// of an answer do not extend the limit. ctx, usually the caller's own, ends the clock as well. Stop
// must be called.
func (c *Caller) Until(ctx context.Context, limit time.Duration, why error) *Caller {
	d := Caller{}
	var parent *clock
	if c != nil {
		d, parent = *c, c.part()
	}
	d.within = nil
	if d.clock = stopwatch(ctx, parent); limit > 0 || why != nil {
		d.clock = newClock(ctx, parent, limit, why)
	}
	return &d
}

// Inside returns the same caller for requests that are part of a try: the clock of the try stops
// while they are made.
func (c *Caller) Inside(t *Try) *Caller {
	if c == nil || t == nil {
		return c
	}
	d := *c
	d.within = t
	return &d
}

// part returns the innermost clock.
func (c *Caller) part() *clock {
	if c.within != nil {
		return c.within.clock
	}
	return c.clock
}

// Context returns a context that ends with the caller's clock.
func (c *Caller) Context() context.Context { return c.clock }

// Stop ends the caller's clock.
func (c *Caller) Stop() { c.clock.stop() }

// Active returns how long the clock has run, without the time spent in queues.
func (c *Caller) Active() time.Duration { return c.clock.active() }

// Pause stops the clock, and that of the current try, while the caller waits in one of our own
// queues, such as for a free worker: that is not a failure of the endpoint, and not time of the
// rollout. resume starts them again and may be called twice. If several pause a clock at once, the
// last to resume starts it.
func (c *Caller) Pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	return c.part().pause()
}

// Track notes a request in flight from an external program. While other requests of the program are
// being served, one that waits in a queue does not stop the clock: the program can continue. ended
// ends the request and may be called twice.
func (c *Caller) Track() (ended func()) {
	if c == nil {
		return func() {}
	}
	return c.part().add(0, 1)
}

// Arrived notes that a rollout has ended, unless it has already made a request.
func (c *Caller) Arrived() { c.arrive() }

// Request is one request to be made.
type Request struct {
	Endpoint string        // its name
	Name     string        // name of the request within its rollout
	Timeout  time.Duration // longest time without a byte of the answer; 0 = no limit

	// Local says that no server is used: there is no queue, and no endpoint to give up.
	Local bool
	// Once says that another program retries the request: it is made once, and its failure ends
	// nothing until Caller.Ended reports it.
	Once bool

	// Enter waits before each try until the endpoint's own pace or capacity allows it; this is not
	// time of the try. leave, which may be nil, ends the try. A nil Enter waits for nothing.
	Enter func(ctx context.Context) (leave func(), err error)
}

// Try is one try of a request, as seen by the call that makes it. A nil *Try is a try outside a
// run: its methods do no more than the request needs.
type Try struct {
	clock  *clock
	used   rollout.Usage
	failed *error                       // how the request itself ended; nil if as the call did
	quotas atomic.Pointer[limit.Quotas] // of the last answer; nil without one
	nested atomic.Int64                 // retries of requests that are part of it
}

// lastQuotas returns the rate limits of the last answer.
func (t *Try) lastQuotas() limit.Quotas {
	if q := t.quotas.Load(); q != nil {
		return *q
	}
	return limit.Quotas{}
}

// Used reports the tokens of the answer, as far as known.
func (t *Try) Used(u rollout.Usage) {
	if t != nil {
		t.used = u
	}
}

// Failed reports how the request itself failed, nil if it did not, if the call returns another
// error: the endpoint is judged by this one.
func (t *Try) Failed(err error) {
	if t != nil {
		t.failed = &err
	}
}

// Pause is Caller.Pause.
func (t *Try) Pause() (resume func()) {
	if t == nil {
		return func() {}
	}
	return t.clock.pause()
}

// Do makes a request through the queue of its endpoint, retries it by the retry policy, and returns
// the number of retries. Each try has its own time limit. The error is the last failure, an *Error
// if the run should end, or the cause of ctx's end.
func (c *Caller) Do(ctx context.Context, r Request, call func(context.Context, *Try) error) (retries int, err error) {
	switch {
	case c == nil:
		return 0, call(ctx, nil)
	case c.set == nil:
		return 0, c.once(ctx, r, call)
	case c.within != nil:
		defer c.within.clock.hold()()
		defer func() { c.within.nested.Add(int64(retries)) }()
	}
	d := &doing{Caller: c, Request: r}
	if !r.Local {
		d.target = c.set.endpoint(r.Endpoint)
	}
	if d.target != nil && !r.Once {
		done := c.set.waits(c.trace)
		leave, err := d.target.reach(ctx, c.clock)
		done()
		if err != nil {
			return 0, context.Cause(ctx)
		}
		defer leave()
		if end := d.target.fatalError(); end != nil {
			return 0, end
		}
	}
	err = d.do(stopwatch(ctx, c.clock), call)
	if _, failed := AsFailure(err); failed && d.target != nil && !r.Once && ctx.Err() == nil {
		err = c.ended(d.target, err)
	}
	if err != nil && c.within != nil {
		err = &triedError{err}
	}
	return d.tries.Made + int(d.nested), err
}

// Ended notes the last failure of requests that were made Once, nil if the last one succeeded, and
// returns the error that ends the run, if it should end.
func (c *Caller) Ended(name string, err error) error {
	e := c.set.endpoint(name)
	e.observe(err)
	if end, ok := errors.AsType[*Error](c.ended(e, err)); ok {
		return end
	}
	return nil
}

// ended returns the *Error with which a final failure ends the run, or else the failure.
func (c *Caller) ended(e *endpoint, err error) error {
	if _, ends := errors.AsType[*Error](err); ends {
		return err
	}
	if end := e.verdict(c.about(), err); end != nil {
		c.set.giveUp(e, end, true)
		return end
	}
	return err
}

// about returns a name of the item.
func (c *Caller) about() string { return string(c.item.Split) + "/" + c.item.ID }

// once makes a request outside a run.
func (c *Caller) once(ctx context.Context, r Request, call func(context.Context, *Try) error) error {
	if r.Enter != nil {
		resume := c.clock.pause()
		leave, err := r.Enter(ctx)
		resume()
		if err != nil {
			return err
		}
		if leave != nil {
			defer leave()
		}
	}
	return call(ctx, &Try{clock: c.clock})
}

// doing is a request in progress.
type doing struct {
	*Caller
	Request
	target *endpoint // nil if it is local
	made   bool      // the current try has made its call
	tries  limit.Tries
	nested int64
}

// do makes tries until one succeeds or no more are allowed.
func (d *doing) do(watch *clock, call func(context.Context, *Try) error) error {
	var first time.Duration // when the first try had failed
	var vain inVain
	for {
		err := d.try(watch, call)
		if watch.Err() != nil {
			return context.Cause(watch)
		}
		if end, ok := errors.AsType[*Error](err); ok {
			return end
		}
		if !d.made {
			return err
		}
		if d.target != nil && !d.Once {
			d.target.observe(err)
		}
		f, ok := AsFailure(err)
		if _, tried := errors.AsType[*triedError](err); !ok || !f.Temporary || tried || d.Once {
			return err
		}
		if first == 0 {
			first = watch.active()
		}
		class := f.Class()
		d.tries.Since = watch.active() - first
		if class.Rule().Counted {
			d.tries.Counted = vain.count(d.tries.Counted, d.set.cfg.Retry.Max,
				func(since time.Time) bool { return d.target != nil && d.target.down(since) })
		}
		wait, again := d.set.cfg.Retry.ShouldRetry(class, d.tries, f.RetryAfter,
			limit.Jitter(d.trace, d.Name, d.tries.Made))
		if !again {
			return err
		}
		d.tries.Made++
		d.set.retried(d.Endpoint, f, d.tries.Made, wait, d.item.ID, d.trace)
		if err := d.rest(watch, wait); err != nil {
			return err
		}
	}
}

// try makes one try, once it is its turn.
func (d *doing) try(watch *clock, call func(context.Context, *Try) error) error {
	d.made = false
	d.arrive()
	if d.Enter != nil {
		leave, err := d.enter(watch)
		if err != nil {
			return err
		}
		if leave != nil {
			defer func() {
				defer watch.pause()()
				leave()
			}()
		}
	}
	if d.target == nil {
		_, err := d.attempt(watch, call)
		return err
	}
	if !d.Once {
		defer d.target.start()()
	}
	done := d.set.waits(d.trace)
	leave, err := d.set.enter(watch, d.target, watch)
	done()
	if err != nil {
		if end, ok := errors.AsType[*Error](err); ok && d.set.cfg.Queue != nil {
			d.set.giveUp(d.target, end, false)
		}
		return err
	}
	came, err := d.attempt(watch, call)
	leave(came)
	return err
}

// enter waits for what the request needs besides its turn.
func (d *doing) enter(watch *clock) (leave func(), err error) {
	defer watch.pause()()
	if d.target != nil {
		defer d.target.coming()()
	}
	return d.Enter(watch)
}

// attempt makes the call. A call that exceeds its time limit is a failure worth a retry.
func (d *doing) attempt(watch *clock, call func(context.Context, *Try) error) (Outcome, error) {
	d.made = true
	t := &Try{clock: newClock(watch, watch, d.Timeout, nil)}
	err := call(t.clock, t)
	broken := t.clock.Err() != nil
	over, answering := t.clock.stop()
	d.nested += t.nested.Load()
	reqErr := err
	if t.failed != nil {
		reqErr = *t.failed
	}
	came := d.outcome(t, reqErr, broken, over)
	if err == nil || watch.Err() != nil || !over {
		return came, err
	}
	f := &Failure{Temporary: true, Err: &timeoutError{d.Timeout, answering}}
	if g, ok := AsFailure(err); ok {
		f.URL = g.URL
	}
	return came, f
}

// outcome returns what a try says about its endpoint. broken says that its context had ended, over
// that the time limit was the cause.
func (d *doing) outcome(t *Try, err error, broken, over bool) Outcome {
	f, known := AsFailure(err)
	class := limit.Void
	switch {
	case err == nil:
		class = limit.Served
	case broken && over:
		class = limit.Silent
	case known && !broken:
		class = f.Class()
	}
	if !known && class.Rule().TripsBreaker {
		f = &Failure{Err: err}
	}
	came := Outcome{Failure: f, Result: limit.Result{
		Class: class, Quotas: t.lastQuotas(), Again: d.tries.Made > 0,
		Of: d.trace,
	}}
	if u := t.used; u.Input != nil && u.Output != nil {
		n := *u.Input + *u.Output
		came.Result.Tokens = &n
	}
	if t.used.Output != nil {
		came.Result.Output = *t.used.Output
	}
	came.Fault = limit.Fault{Class: class}
	if f == nil {
		return came
	}
	if class == limit.Limited && f.RetryAfter == 0 {
		f.RetryAfter = came.Result.Quotas.Asks()
	}
	came.Result.RetryAfter = f.RetryAfter
	fault := &came.Fault
	fault.Status, fault.Text, fault.RetryAfter, fault.Subject = f.Status, f.Err.Error(), f.RetryAfter, d.about()
	if over && broken {
		came.Result.Late, fault.Hung, fault.Text = true, true, "no answer in time"
	}
	came.Cause = causeOf(fault)
	if f.Fatal {
		*fault = limit.Fault{} // the contact decides whether it applies to all
	}
	return came
}

// inVain counts the tries of a request since its endpoint stopped answering any request.
type inVain struct {
	since time.Time
	tries int
}

// count returns how many tries count against those allowed. Tries while the endpoint answered no
// request at all say nothing about this request and do not count.
func (v *inVain) count(counted, allowed int, down func(since time.Time) bool) int {
	if !down(v.since) {
		*v = inVain{since: time.Now()}
	}
	counted, v.tries = counted+1, v.tries+1
	if counted > allowed && down(v.since) {
		counted, v.tries = counted-v.tries, 0
	}
	return counted
}

// retried notes that a request is retried for the nth time after a wait.
func (s *Set) retried(name string, f *Failure, n int, wait time.Duration, item, traceID string) {
	s.mu.Lock()
	if s.retries == nil {
		s.retries = map[string]int{}
	}
	s.retries[name]++
	s.mu.Unlock()
	s.Tell("retry", slog.String("boundary", name), slog.String("class", f.Class().String()),
		slog.Int("status", f.Status), slog.String("error", Brief(f.Err.Error())),
		slog.Int("retry", n), slog.Float64("wait_s", wait.Seconds()), slog.String("item", item),
		slog.String("trace_id", traceID))
}

// rest waits until the time has passed, ctx ends or the endpoint is given up.
func (d *doing) rest(ctx context.Context, wait time.Duration) error {
	var givenUp chan struct{}
	if d.target != nil {
		defer d.set.waits(d.trace)()
		defer d.set.Rest(d.Endpoint)()
		givenUp = d.target.givenUp
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	case <-givenUp:
		return d.target.fatalError()
	}
}
