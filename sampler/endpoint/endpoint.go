package endpoint

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"time"

	"gonogo/sampler/limit"
)

// endpoint is one endpoint of a Set: its first contact, and the queue in which requests wait for
// their turn, first come, first served. It gives the limiter a clock.
type endpoint struct {
	name    string
	set     *Set
	contact contact
	givenUp chan struct{} // closed when it is given up

	mu         sync.Mutex // guards the fields below
	limiter    *limit.Limiter
	breaker    *limit.Breaker
	meter      meter
	queue      list.List // of *waiter
	near       int       // requests about to enter the queue
	resting    int       // requests waiting to be retried
	timer      *time.Timer
	lastAnswer time.Time // time of the last answer, or of the first admission of the requests in flight
	failing    bool      // only failures since then
	dead       *Error    // set once it is given up: all requests fail with it
}

// waiter is one request in the queue. ready is closed when it leaves the queue, with ticket or dead
// set.
type waiter struct {
	ready  chan struct{}
	ticket limit.Ticket
	dead   *Error
}

// enter waits for the request's turn, with its clock stopped. The error is ctx's, or that of an
// endpoint that was given up.
func (e *endpoint) enter(ctx context.Context, c *clock) (limit.Ticket, error) {
	e.mu.Lock()
	if e.dead != nil {
		defer e.mu.Unlock()
		return limit.Ticket{}, e.dead
	}
	var wait time.Duration
	if e.queue.Len() == 0 {
		var t limit.Ticket
		var ok bool
		if t, ok, wait = e.admit(time.Now()); ok {
			e.mu.Unlock()
			return t, nil
		}
	}
	w := &waiter{ready: make(chan struct{})}
	elem := e.queue.PushBack(w)
	e.wake(wait)
	e.mu.Unlock()

	defer c.pause()()
	select {
	case <-w.ready:
	case <-ctx.Done():
		e.abandon(elem, w)
		return limit.Ticket{}, ctx.Err()
	}
	if w.dead != nil {
		return limit.Ticket{}, w.dead
	}
	return w.ticket, nil
}

// admit asks the limiter. The caller holds mu.
func (e *endpoint) admit(now time.Time) (limit.Ticket, bool, time.Duration) {
	t, ok, wait := e.limiter.Admit(now)
	if ok && e.limiter.InFlight() == 1 && !e.failing {
		e.lastAnswer = now
	}
	return t, ok, wait
}

// abandon removes a request that no longer waits from the queue.
func (e *endpoint) abandon(elem *list.Element, w *waiter) {
	defer e.set.ease()
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-w.ready: // its turn came just now
		if w.dead == nil {
			e.limiter.Done(time.Now(), w.ticket, limit.Result{})
		}
	default:
		e.queue.Remove(elem)
	}
	e.advance()
}

// advance admits requests from the queue as far as the limiter allows. The caller holds mu.
func (e *endpoint) advance() {
	for e.queue.Len() > 0 {
		t, ok, wait := e.admit(time.Now())
		if !ok {
			e.wake(wait)
			return
		}
		w := e.queue.Remove(e.queue.Front()).(*waiter)
		w.ticket = t
		close(w.ready)
	}
	if e.timer != nil {
		e.timer.Stop()
	}
}

// wake schedules another look at the queue; 0 leaves that to the next request that ends. The caller
// holds mu.
func (e *endpoint) wake(after time.Duration) {
	switch {
	case after <= 0:
	case e.timer == nil:
		e.timer = time.AfterFunc(after, func() {
			e.mu.Lock()
			e.advance()
			e.mu.Unlock()
			e.set.ease()
		})
	default:
		e.timer.Reset(after)
	}
}

// leave notes the outcome of a request, admits the next ones, and gives the endpoint up if it fails
// too often.
func (e *endpoint) leave(t limit.Ticket, came *Outcome) {
	now, last := time.Now(), e.set.last.Load()
	came.Fault.Last, came.Result.Last = last, last
	e.mu.Lock()
	before := e.limiter.Limit()
	pause, _ := e.limiter.Paused(now)
	fresh := e.limiter.Done(now, t, came.Result)
	after := e.limiter.Limit()
	paused, why := e.limiter.Paused(now)
	e.meter.note(now, now.Sub(t.At()), came.Result.Class, came.Cause)
	switch c := came.Result.Class; {
	case c == limit.Served, c == limit.Refused:
		e.lastAnswer, e.failing = now, false
	case c != limit.Void:
		e.failing = true
	}
	came.Fault.Fresh, came.Fault.Busy = fresh, e.limiter.InFlight() > 0
	open := e.breaker.Record(now, came.Fault)
	e.advance()
	e.mu.Unlock()
	e.set.ease()
	if after < before {
		e.set.Tell("limit", slog.String("boundary", e.name), slog.Int("limit", after), slog.Int("was", before),
			slog.String("after", came.Result.Class.String()))
	}
	if paused > pause && (came.Result.Class.Rule().Pauses || pause == 0 && why == limit.Headers) {
		e.set.Tell("pause", slog.String("boundary", e.name), slog.Float64("pause_s", paused.Seconds()),
			slog.String("after", came.Result.Class.String()), slog.String("why", string(why)))
	}
	if open.Times > 0 {
		e.set.giveUp(e, &Error{
			Boundary: e.name, URL: came.Failure.URL, Err: came.Failure, Times: open.Times,
			For: open.For,
		}, false)
	}
}

// close fails all requests in the queue and all later ones.
func (e *endpoint) close(why *Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dead != nil {
		return
	}
	close(e.givenUp)
	e.dead = why
	for e.queue.Len() > 0 {
		w := e.queue.Remove(e.queue.Front()).(*waiter)
		w.dead = why
		close(w.ready)
	}
}

// fatalError returns why the endpoint was given up; nil if it was not.
func (e *endpoint) fatalError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dead == nil {
		return nil
	}
	return e.dead
}

// stop stops the timer of the queue.
func (e *endpoint) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Stop()
	}
}

// crowded reports whether at least as many requests wait as may be in flight at once.
func (e *endpoint) crowded() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queue.Len()+e.near+e.resting >= e.limiter.Limit()
}

// coming notes a request that waits for something else before it enters the queue.
func (e *endpoint) coming() (arrived func()) {
	e.mu.Lock()
	e.near++
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		e.near--
		e.mu.Unlock()
		e.set.ease()
	}
}

// rest notes that a request will be retried; rise, that it is due.
func (e *endpoint) rest() (rise func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.meter.retries++
	e.resting++
	return func() {
		e.mu.Lock()
		e.resting--
		e.mu.Unlock()
		e.set.ease()
	}
}

// stalled is Set.Stalled for one endpoint; it is stalled as well if nothing waits for it.
func (e *endpoint) stalled(span time.Duration) (waiting int, stalled bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	waiting = e.queue.Len() + e.resting
	return waiting, e.limiter.InFlight() == 0 && (waiting == 0 || e.failing && time.Since(e.lastAnswer) >= span)
}

// state returns the state of the endpoint.
func (e *endpoint) state() State {
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.meter.state(now)
	b.Name, b.InFlight, b.Waiting = e.name, e.limiter.InFlight(), e.queue.Len()
	b.Limit, b.HeldBy = e.limiter.Limit(), e.limiter.HeldBy()
	if b.InFlight > 0 || e.failing {
		b.Silent = now.Sub(e.lastAnswer)
	}
	b.Paused, b.Why = e.limiter.Paused(now)
	return b
}
