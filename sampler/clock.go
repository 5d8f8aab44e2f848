package sampler

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// PauseClock stops the clocks of the try and of the rollout that ctx belongs to
// while it waits in a queue of our own making, such as the one for a free worker
// or for a turn at an endpoint: that is not a failure of the endpoint, and no time
// that the rollout takes. resume starts them again; calling it twice does no
// harm. Of several that wait at once the last one to resume starts a clock. Time
// limits of the run go on. A ctx without such a clock is fine.
func PauseClock(ctx context.Context) (resume func()) { return tell(ctx, 1, 0) }

// TrackRequest notes a request in flight from an external program in the rollout of
// ctx. While others of its requests are being served, one that waits in a queue
// does not stop the clock: the program can continue. ended ends the request; it may
// be called twice.
func TrackRequest(ctx context.Context) (ended func()) { return tell(ctx, 0, 1) }

// tell notes on all clocks of ctx what waits and what is in flight.
func tell(ctx context.Context, waiting, asking int) (undo func()) {
	inner := clockOf(ctx)
	for c := inner; c != nil; c = c.parent {
		c.note(waiting, asking)
	}
	return sync.OnceFunc(func() {
		for c := inner; c != nil; c = c.parent {
			c.note(-waiting, -asking)
		}
	})
}

type clockKey struct{}

// clockOf is the innermost clock of ctx; nil when there is none.
func clockOf(ctx context.Context) *clock {
	c, _ := ctx.Value(clockKey{}).(*clock)
	return c
}

// longest is how often a try may use its time over again, as long as bytes of
// the answer come: a trickle must not hold a rollout for ever.
const longest = 12

// clock is the context of a rollout, a call or one try. It ends when its time is
// used up, not counting what was waited in queues; progress of the answer gives
// a try its time again.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc
	parent *clock     // of the rollout or call that this is a part of
	lines  *endpoints // of the session; nil outside one
	about  string     // the item
	trace  string     // the rollout's
	again  bool       // the request is made again
	arrive func()     // tells the session that the first request is on its way
	whole  bool       // its time is that of all that it is for: bytes of an answer give it none

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

// startClock starts a clock within that of ctx. A limit of 0 is none.
func startClock(ctx context.Context, limit time.Duration) *clock { return newClock(ctx, limit, false) }

func newClock(ctx context.Context, limit time.Duration, whole bool) *clock {
	c := stopwatch(ctx)
	c.limit, c.left, c.whole = limit, limit, whole
	c.Context, c.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		c.timer = time.AfterFunc(limit, c.expire)
	}
	return c
}

// stopwatch starts a clock that only measures: it ends when ctx does.
func stopwatch(ctx context.Context) *clock {
	c := &clock{Context: ctx, cancel: func(error) {}, started: time.Now(), parent: clockOf(ctx)}
	if c.parent != nil {
		c.lines, c.about, c.trace, c.again, c.arrive = c.parent.lines, c.parent.about, c.parent.trace, c.parent.again, c.parent.arrive
	}
	return c
}

// Value returns the clock itself in addition to the values of ctx.
func (c *clock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func (c *clock) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still || time.Since(c.started) < c.left { // it was stopped or reset in the same moment
		return
	}
	c.over = true
	if c.whole {
		c.cancel(ErrAgentTimeout)
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
	if c.timer == nil || c.whole || c.still || c.over || !first && ran < c.limit/100 || c.ran+ran > longest*c.limit {
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

// late reports whether the time of a try has run out.
func (c *clock) late() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over && !c.whole
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

// attempt makes one try. A try that hung for longer than the limit is a failure
// worth repeating.
func attempt(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	c := startClock(ctx, limit)
	err := try(c)
	over, heard := c.stop()
	if err == nil || ctx.Err() != nil || !over {
		return err
	}
	f := &Failure{Temporary: true, Err: &timeoutError{limit, heard}}
	if g, ok := AsFailure(err); ok {
		f.URL, f.Boundary = g.URL, g.Boundary
	}
	return f
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
