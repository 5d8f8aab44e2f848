package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// hung is a model of somebody else's making, which hands the end of its context
// on as it is: no *endpoint.Failure.
type hung struct{}

func (hung) Reply(ctx context.Context, _ sampler.Request) (sampler.Reply, error) {
	<-ctx.Done()
	return sampler.Reply{}, ctx.Err()
}

// The breaker of a model that hung, and whose error was no *endpoint.Failure,
// read the failure that there was not: a panic.
func TestAHungModelWithAnErrorOfItsOwnIsGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var jobs []sampler.Rollout
		for i := range 20 {
			jobs = append(jobs, sampler.Rollout{Item: &rollout.Item{ID: fmt.Sprint(i), Split: rollout.Train}})
		}
		never := gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) { return sampler.Grade{}, nil })
		stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: sampler.DefaultConfig(), Seed: 1, Rollouts: jobs,
			Boundaries: sampler.Boundaries{Model: hung{}, Grader: never}, Sink: &list{},
		})
		var dead *endpoint.Error
		if !errors.As(err, &dead) || dead.Boundary != endpoint.Model || dead.Times < 5 {
			t.Errorf("it ended with %v, %+v", err, stats)
		}
	})
}
