package sampler

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"time"

	"gonogo/sampler/limit"
)

// line is where requests to one endpoint wait for their turn, first come, first
// served. It gives the limiter a clock.
type line struct {
	name string
	all  *endpoints

	mu      sync.Mutex // guards what follows
	limiter *limit.Limiter
	breaker *limit.Breaker
	meter   meter
	queue   list.List // of *waiter
	resting int       // requests that will be made again, after a while
	timer   *time.Timer
	heard   time.Time      // when an answer came last, or the first request was let through of those under way
	failing bool           // nothing but failures came since
	dead    *EndpointError // no one gets through any more
}

// waiter is one request in the queue. ready is closed when it is out of it, with
// ticket or dead set.
type waiter struct {
	ready  chan struct{}
	ticket limit.Ticket
	dead   *EndpointError
}

// enter waits for the request's turn. The error is ctx's, or that of an endpoint
// which was given up.
func (l *line) enter(ctx context.Context) (limit.Ticket, error) {
	l.mu.Lock()
	if l.dead != nil {
		defer l.mu.Unlock()
		return limit.Ticket{}, l.dead
	}
	var wait time.Duration
	if l.queue.Len() == 0 {
		var t limit.Ticket
		var ok bool
		if t, ok, wait = l.admit(time.Now()); ok {
			l.mu.Unlock()
			return t, nil
		}
	}
	w := &waiter{ready: make(chan struct{})}
	at := l.queue.PushBack(w)
	l.wake(wait)
	l.mu.Unlock()

	resume := PauseClock(ctx)
	defer resume()
	select {
	case <-w.ready:
	case <-ctx.Done():
		l.abandon(at, w)
		return limit.Ticket{}, ctx.Err()
	}
	if w.dead != nil {
		return limit.Ticket{}, w.dead
	}
	return w.ticket, nil
}

// admit asks the limiter. mu is held.
func (l *line) admit(now time.Time) (limit.Ticket, bool, time.Duration) {
	t, ok, wait := l.limiter.Admit(now)
	if ok && l.limiter.InFlight() == 1 && !l.failing {
		l.heard = now
	}
	return t, ok, wait
}

// abandon takes a request out of the queue that waits no longer.
func (l *line) abandon(at *list.Element, w *waiter) {
	defer l.all.ease()
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.ready: // its turn came in the same moment
		if w.dead == nil {
			l.limiter.Done(time.Now(), w.ticket, limit.Result{})
		}
	default:
		l.queue.Remove(at)
	}
	l.advance()
}

// advance lets through who may pass. mu is held.
func (l *line) advance() {
	for l.queue.Len() > 0 {
		t, ok, wait := l.admit(time.Now())
		if !ok {
			l.wake(wait)
			return
		}
		w := l.queue.Remove(l.queue.Front()).(*waiter)
		w.ticket = t
		close(w.ready)
	}
	if l.timer != nil {
		l.timer.Stop()
	}
}

// wake has the queue looked at again after a time; 0 leaves that to the next
// request that is done. mu is held.
func (l *line) wake(after time.Duration) {
	switch {
	case after <= 0:
	case l.timer == nil:
		l.timer = time.AfterFunc(after, func() {
			l.mu.Lock()
			l.advance()
			l.mu.Unlock()
			l.all.ease()
		})
	default:
		l.timer.Reset(after)
	}
}

// leave takes note of the outcome of a request and lets the next one in. It returns
// why the endpoint is to be given up.
func (l *line) leave(t limit.Ticket, came *RequestOutcome) (open limit.Opening) {
	now := time.Now()
	l.mu.Lock()
	before := l.limiter.Limit()
	pause, _ := l.limiter.Paused(now)
	fresh := l.limiter.Done(now, t, came.Result)
	after := l.limiter.Limit()
	paused, why := l.limiter.Paused(now)
	l.meter.note(now, now.Sub(t.At()), came.Result.Class, came.Cause)
	switch c := came.Result.Class; {
	case c == limit.Served, c == limit.Refused:
		l.heard, l.failing = now, false
	case c != limit.Void:
		l.failing = true
	}
	came.Fault.Fresh, came.Fault.Busy = fresh, l.limiter.InFlight() > 0
	open = l.breaker.Record(now, came.Fault)
	l.advance()
	l.mu.Unlock()
	l.all.ease()
	if after < before {
		l.all.tell("limit", slog.String("boundary", l.name), slog.Int("limit", after), slog.Int("was", before), slog.String("after", came.Result.Class.String()))
	}
	if paused > pause && (came.Result.Class.Rule().Pauses || pause == 0 && why == limit.Headers) {
		l.all.tell("pause", slog.String("boundary", l.name), slog.Float64("pause_s", paused.Seconds()), slog.String("after", came.Result.Class.String()), slog.String("why", string(why)))
	}
	return open
}

// close refuses everyone in line and every newcomer.
func (l *line) close(why *EndpointError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = why
	for l.queue.Len() > 0 {
		w := l.queue.Remove(l.queue.Front()).(*waiter)
		w.dead = why
		close(w.ready)
	}
}

// given returns why the endpoint was given up; nil when it was not.
func (l *line) given() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead == nil {
		return nil
	}
	return l.dead
}

// stop ends the line's timer.
func (l *line) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// crowded reports whether more requests wait than may be in flight at once.
func (l *line) crowded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Len()+l.resting >= l.limiter.Limit()
}

// rest notes that a request will come again; rise, that its time has come.
func (l *line) rest() (rise func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meter.retries++
	l.resting++
	return func() {
		l.mu.Lock()
		l.resting--
		l.mu.Unlock()
		l.all.ease()
	}
}

// state says how the endpoint does.
func (l *line) state() Boundary {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.meter.state(now)
	b.Name, b.InFlight, b.Waiting = l.name, l.limiter.InFlight(), l.queue.Len()
	b.Limit, b.HeldBy = l.limiter.Limit(), l.limiter.HeldBy()
	if b.InFlight > 0 || l.failing {
		b.Silent = now.Sub(l.heard)
	}
	b.Paused, b.Why = l.limiter.Paused(now)
	return b
}
