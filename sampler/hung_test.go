package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// hung is a model of somebody else's making, which hands the end of its context
// on as it is: no *sampler.Failure.
type hung struct{}

func (hung) Reply(ctx context.Context, _ sampler.Request) (reply sampler.Reply, err error) {
	pass, err := sampler.Admit(ctx, sampler.ModelBoundary)
	if err != nil {
		return sampler.Reply{}, err
	}
	defer func() { pass.Done(reply.Usage, err) }()
	<-ctx.Done()
	return sampler.Reply{}, ctx.Err()
}

// The breaker of a model that hung, and whose error was no *sampler.Failure,
// read the failure that there was not: a panic.
func TestAHungModelWithAnErrorOfItsOwnIsGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var jobs []sampler.Job
		for i := range 20 {
			jobs = append(jobs, sampler.Job{Item: &rollout.Item{ID: fmt.Sprint(i), Split: rollout.Train}})
		}
		never := gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) { return sampler.Grade{}, nil })
		stats, err := sampler.Sample(t.Context(), nil, sampler.DefaultConfig(), 1, jobs, sampler.Boundaries{Model: hung{}, Grader: never}, &list{}, nil)
		var dead *sampler.EndpointError
		if !errors.As(err, &dead) || dead.Boundary != sampler.ModelBoundary || dead.Times < 5 {
			t.Errorf("it ended with %v, %+v", err, stats)
		}
	})
}
