package sampler_test

import (
	"context"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// worked is in a queue and works, in turns.
type worked struct {
	queue, work time.Duration
	rounds      int
}

func (g worked) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	for range g.rounds {
		resume := out.Caller.Pause()
		err := pause(ctx, g.queue)
		resume()
		resume()
		if err == nil {
			err = pause(ctx, g.work)
		}
		if err != nil {
			return sampler.Grade{}, err
		}
	}
	return sampler.Grade{Reward: 1}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestWaitingInAQueueIsNotTheTrysTime(t *testing.T) {
	for _, c := range []struct {
		why     string
		grader  worked
		outcome rollout.Outcome
		took    time.Duration
	}{
		{"an hour in the queue", worked{time.Hour, 9 * time.Second, 1}, rollout.Graded, time.Hour + 9*time.Second},
		{"work between queues adds up, just in time", worked{time.Hour, 3 * time.Second, 3}, rollout.Graded, 3 * (time.Hour + 3*time.Second)},
		{"work between queues adds up, too long", worked{time.Hour, 3 * time.Second, 4}, rollout.GraderFailed, 4*time.Hour + 10*time.Second},
		{"work alone is too long", worked{0, 11 * time.Second, 1}, rollout.GraderFailed, 10 * time.Second},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg := sampler.DefaultConfig()
				cfg.GraderTimeout, cfg.Retry = 10*time.Second, limit.Retry{}
				begin := time.Now()
				sink := &list{}
				if _, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
					Config: cfg, Tasks: feed(tasks(1, 1), nil), Total: 1, Grader: c.grader, Sink: sink,
				}); err != nil {
					t.Fatal(err)
				}
				if r := sink.records[0]; r.Outcome != c.outcome || r.Outcome == rollout.GraderFailed && r.Kind != sampler.KindTimeout {
					t.Errorf("outcome %s, kind %q, error %q", r.Outcome, r.Kind, r.Error)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
			})
		})
	}
}

// Two parts of one try share its clock: it stops while one of them queues.
func TestTheClockStandsWhileAnyPartQueues(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		cfg := sampler.DefaultConfig()
		cfg.GraderTimeout, cfg.Retry = 10*time.Second, limit.Retry{}
		var ended time.Duration
		g := gradeFunc(func(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
			begin := time.Now()
			first, second := out.Caller.Pause(), out.Caller.Pause()
			time.Sleep(time.Minute)
			first()
			time.Sleep(time.Minute)
			second()
			<-ctx.Done()
			ended = time.Since(begin)
			return sampler.Grade{}, ctx.Err()
		})
		if _, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: cfg, Tasks: feed(tasks(1, 1), nil), Total: 1, Grader: g, Sink: &list{},
		}); err != nil {
			t.Fatal(err)
		}
		if want := 2*time.Minute + 10*time.Second; ended != want {
			t.Errorf("the try ended after %v, want %v", ended, want)
		}
	})
}

func TestAQueueEndsWithTheRun(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		stats, err := sampler.Regrade(ctx, sampler.RegradeOptions{
			Config: sampler.DefaultConfig(), Tasks: feed(tasks(1, 1), nil), Total: 1,
			Grader: worked{time.Hour, 0, 1}, Sink: &list{},
		})
		if err == nil || stats.StoppedBy != sampler.StoppedByCancel || stats.Recorded != 0 {
			t.Errorf("stopped by %q, %d records, error %v", stats.StoppedBy, stats.Recorded, err)
		}
	})
}

func TestAQueueOutsideARun(t *testing.T) {
	resume := sampler.Output{}.Caller.Pause()
	resume()
	resume()
}
