package sampler_test

import (
	"context"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// queueing makes rollouts elsewhere: all ask one endpoint, and those that have to
// wait there give up after a while, as a worker's do that is lost.
type queueing struct{ begun chan time.Time }

func (q queueing) Open(lines endpoint.Queue, _ <-chan struct{}) (sampler.Maker, func()) {
	return func(ctx context.Context, job sampler.Rollout) (*rollout.Record, func(bool), error) {
		trace := sampler.TraceID(1, job.Item.Split, job.Item.ID, job.Sample, job.Attempt)
		q.begun <- time.Now()
		waits, lost := context.WithTimeout(ctx, time.Minute)
		defer lost()
		lines.Arrived(trace)
		leave, err := lines.Enter(waits, endpoint.Model)
		time.Sleep(time.Hour)
		if err == nil {
			leave(endpoint.Outcome{})
		}
		return &rollout.Record{Item: job.Item.ID, Split: job.Item.Split, TraceID: trace, Outcome: rollout.Graded}, func(bool) {}, nil
	}, func() {}
}

// Requests that leave a line make room for rollouts, as those do that are answered:
// none began before the next answer.
func TestRequestsThatWaitNoLongerMakeRoom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		begin, q := time.Now(), queueing{make(chan time.Time, 100)}
		never := gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) { return sampler.Grade{}, nil })
		jobs := sampler.Plan(makeItems(40), map[rollout.Split]int{rollout.Train: 1}, nil)
		stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: sampler.DefaultConfig(), Seed: 1, Rollouts: jobs,
			Boundaries: sampler.Boundaries{Model: hung{}, Grader: never, Remote: q}, Sink: &list{},
		})
		if err != nil || stats.Recorded != 40 {
			t.Fatalf("%d recorded, %v", stats.Recorded, err)
		}
		for range 39 {
			<-q.begun
		}
		if last := (<-q.begun).Sub(begin); last < time.Minute || last > 5*time.Minute {
			t.Errorf("the last began after %v, want a few minutes", last)
		}
	})
}
