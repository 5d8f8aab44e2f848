package endpoint

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// longest is how often a try may use its time over again, as long as bytes of
// the answer come: a trickle must not hold a rollout for ever.
const longest = 12

// clock is the context of a rollout, a call or one try. It ends when its time is
// used up, not counting what was waited in queues; progress of the answer gives
// a try its time again.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc
	parent *clock // of the rollout or call that this is a part of
	// the cause of its end if its time is that of all that it is for, so that bytes of an answer give it
	// none; nil: context.DeadlineExceeded, and they do
	whole error

	mu      sync.Mutex // guards what follows
	limit   time.Duration
	timer   *time.Timer   // nil without a limit
	left    time.Duration // when it was started last
	started time.Time
	ran     time.Duration // before it was started last
	waiting int           // queues that it is in
	asking  int           // requests of somebody else's program, those in queues included
	still   bool          // it does not run: all that is asked waits
	heard   bool          // a byte of the answer came
	over    bool
}

// newClock starts a clock within a parent, which may be nil. A limit of 0 is none.
func newClock(ctx context.Context, parent *clock, limit time.Duration, whole error) *clock {
	c := stopwatch(ctx, parent)
	c.limit, c.left, c.whole = limit, limit, whole
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

// pause stops the clock and those that it is a part of. resume starts them again;
// calling it twice does no harm. Of several that wait at once the last one to resume
// starts a clock. Time limits of the run go on.
func (c *clock) pause() (resume func()) { return c.tell(1, 0) }

// tell notes on the clock and on its parents what waits and what is in flight.
func (c *clock) tell(waiting, asking int) (undo func()) {
	for at := c; at != nil; at = at.parent {
		at.note(waiting, asking)
	}
	return sync.OnceFunc(func() {
		for at := c; at != nil; at = at.parent {
			at.note(-waiting, -asking)
		}
	})
}

// hold stops this clock alone.
func (c *clock) hold() (resume func()) {
	c.note(1, 0)
	return func() { c.note(-1, 0) }
}

func (c *clock) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still || time.Since(c.started) < c.left { // it was stopped or reset in the same moment
		return
	}
	c.over = true
	if c.whole != nil {
		c.cancel(c.whole)
		return
	}
	c.cancel(context.DeadlineExceeded)
}

// note takes down what begins or ends to wait or to be asked, and stops the clock
// or starts it.
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
		c.left -= ran
		if c.timer != nil {
			c.timer.Stop()
		}
		return
	}
	c.started = time.Now()
	if c.timer != nil && c.Err() == nil {
		c.left = max(c.left, 0)
		c.timer.Reset(c.left)
	}
}

// progress gives the try its time again: a byte of the answer came.
func (c *clock) progress() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	ran := now.Sub(c.started)
	first := !c.heard
	c.heard = true
	if c.timer == nil || c.whole != nil || c.still || c.over || !first && ran < c.limit/100 ||
		c.ran+ran > longest*c.limit {
		return
	}
	c.ran += ran
	c.started, c.left = now, c.limit
	c.timer.Reset(c.limit)
}

// active is how long the clock has run, queues not counted.
func (c *clock) active() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still {
		return c.ran
	}
	return c.ran + time.Since(c.started)
}

// stop ends the clock and reports whether the time had run out, and whether
// that was in the middle of an answer.
func (c *clock) stop() (over, heard bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.cancel(context.Canceled)
	return c.over, c.heard
}

// timeoutError is a try that hung.
type timeoutError struct {
	limit time.Duration
	heard bool // the answer had begun
}

func (e *timeoutError) Error() string {
	if e.heard {
		return fmt.Sprintf("the answer started, then no byte of it came for %v", e.limit)
	}
	return fmt.Sprintf("no answer within %v", e.limit)
}

// Timeout reports true, as net.Error requires.
func (e *timeoutError) Timeout() bool { return true }
