package sampler

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Queued stops the clock of the try that ctx belongs to while it waits in a
// queue of our own making, such as the one for a free worker: that is no
// failure of the endpoint. resume starts it again; calling it twice does no
// harm. Of several that wait at once the last one to resume starts the clock.
// Time limits of the rollout and of the run go on. A ctx without such a clock
// is fine.
func Queued(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(clockKey{}).(*clock)
	if !ok {
		return func() {}
	}
	c.pause()
	return sync.OnceFunc(c.resume)
}

type clockKey struct{}

// clock is the context of one try: it ends when the try has used up its time,
// not counting what it waited in queues.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex // guards what follows
	timer   *time.Timer
	left    time.Duration // when it was started last
	started time.Time
	waiting int // queues that the try stands in
	over    bool
}

func startClock(ctx context.Context, limit time.Duration) *clock {
	c := &clock{left: limit, started: time.Now()}
	c.Context, c.cancel = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(limit, c.expire)
	return c
}

// Value finds the clock itself beside what ctx holds.
func (c *clock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func (c *clock) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 0 { // it was stopped in the same moment
		return
	}
	c.over = true
	c.cancel(context.DeadlineExceeded)
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.started)
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting == 0 && c.Err() == nil {
		c.started = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// stop ends the clock and reports whether the time had run out.
func (c *clock) stop() (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.cancel(context.Canceled)
	return c.over
}

// attempt makes one try. A try that ran out of its own time is a failure worth
// repeating.
func attempt(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	if limit <= 0 {
		return try(ctx)
	}
	c := startClock(ctx, limit)
	err := try(c)
	if over := c.stop(); err == nil || ctx.Err() != nil || !over {
		return err
	}
	f := &Failure{Temporary: true, Err: timeoutError(limit)}
	if g, ok := AsFailure(err); ok {
		f.URL = g.URL
	}
	return f
}

// timeoutError is a try that ran out of its time.
type timeoutError time.Duration

func (e timeoutError) Error() string { return fmt.Sprintf("no answer within %v", time.Duration(e)) }

// Timeout reports that it is one, as net.Error has it.
func (e timeoutError) Timeout() bool { return true }
