package endpoint

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// longest is how many times its limit a try may take while bytes of the answer arrive: a trickle
// must not hold up a rollout forever.
const longest = 12

// clock is the context of a rollout, a call or one try. It ends when its time is used up, not
// counting waits in queues; progress of the answer restarts the time of a try.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc
	parent *clock // of the rollout or call that this is a part of
	// the cause of its end if it has a fixed limit, which progress of the answer does not extend;
	// nil: context.DeadlineExceeded, and progress extends it
	fixedCause error

	mu        sync.Mutex // guards the fields below
	limit     time.Duration
	timer     *time.Timer   // nil without a limit
	remaining time.Duration // remaining time when it was last started
	started   time.Time
	ran       time.Duration // time it ran before it was last started
	waiting   int           // queues it waits in
	asking    int           // requests in flight from an external program, including those in queues
	still     bool          // stopped: everything in flight waits
	answering bool          // a byte of the answer arrived
	over      bool
}

// newClock starts a clock within a parent, which may be nil. A limit of 0 is none.
func newClock(ctx context.Context, parent *clock, limit time.Duration, fixedCause error) *clock {
	c := stopwatch(ctx, parent)
	c.limit, c.remaining, c.fixedCause = limit, limit, fixedCause
	c.Context, c.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		c.timer = time.AfterFunc(limit, c.expire)
	}
	return c
}

// stopwatch starts a clock that only measures: it ends when ctx does.
func stopwatch(ctx context.Context, parent *clock) *clock {
	return &clock{Context: ctx, cancel: func(error) {}, started: time.Now(), parent: parent}
}

// pause stops the clock and its parents. resume starts them again and may be called twice. If
// several pause a clock at once, the last to resume starts it. Time limits of the run continue.
func (c *clock) pause() (resume func()) { return c.add(1, 0) }

// add changes the counts of the clock and its parents: what waits and what is in flight.
func (c *clock) add(waiting, asking int) (undo func()) {
	for p := c; p != nil; p = p.parent {
		p.note(waiting, asking)
	}
	return sync.OnceFunc(func() {
		for p := c; p != nil; p = p.parent {
			p.note(-waiting, -asking)
		}
	})
}

// hold stops only this clock, not its parents.
func (c *clock) hold() (resume func()) {
	c.note(1, 0)
	return func() { c.note(-1, 0) }
}

func (c *clock) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still || time.Since(c.started) < c.remaining { // it was stopped or reset just now
		return
	}
	c.over = true
	if c.fixedCause != nil {
		c.cancel(c.fixedCause)
		return
	}
	c.cancel(context.DeadlineExceeded)
}

// note changes the counts of what waits and what is in flight, and stops or starts the clock.
func (c *clock) note(waiting, asking int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.asking = c.waiting+waiting, c.asking+asking
	still := c.waiting > 0 && c.waiting >= c.asking
	if still == c.still {
		return
	}
	if c.still = still; still {
		ran := time.Since(c.started)
		c.ran += ran
		c.remaining -= ran
		if c.timer != nil {
			c.timer.Stop()
		}
		return
	}
	c.started = time.Now()
	if c.timer != nil && c.Err() == nil {
		c.remaining = max(c.remaining, 0)
		c.timer.Reset(c.remaining)
	}
}

// progress restarts the time of the try: a byte of the answer arrived.
func (c *clock) progress() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	ran := now.Sub(c.started)
	first := !c.answering
	c.answering = true
	if c.timer == nil || c.fixedCause != nil || c.still || c.over || !first && ran < c.limit/100 ||
		c.ran+ran > longest*c.limit {
		return
	}
	c.ran += ran
	c.started, c.remaining = now, c.limit
	c.timer.Reset(c.limit)
}

// active returns how long the clock has run, not counting queues.
func (c *clock) active() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still {
		return c.ran
	}
	return c.ran + time.Since(c.started)
}

// stop ends the clock and reports whether its time had run out, and whether part of an answer had
// arrived.
func (c *clock) stop() (over, answering bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.cancel(context.Canceled)
	return c.over, c.answering
}

// timeoutError reports a try that timed out.
type timeoutError struct {
	limit     time.Duration
	answering bool // the answer had started
}

func (e *timeoutError) Error() string {
	if e.answering {
		return fmt.Sprintf("the answer started, then no byte of it came for %v", e.limit)
	}
	return fmt.Sprintf("no answer within %v", e.limit)
}

// Timeout reports true, as net.Error requires.
func (e *timeoutError) Timeout() bool { return true }
