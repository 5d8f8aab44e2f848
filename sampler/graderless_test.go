package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// hopelessGrader fails on every item but those named.
type hopelessGrader map[string]bool

func (h hopelessGrader) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	if h[out.Item.ID] {
		return sampler.Grade{Reward: 1}, nil
	}
	return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindFormula, Err: errors.New("division by zero")}
}

// A grader that could never give a grade let a run go on to its end, every
// rollout of which was paid for.
func TestAGraderThatGradesNothingEndsTheRun(t *testing.T) {
	tasks := func(n int) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) {
			for i := range n {
				id := fmt.Sprintf("q%d", i)
				rec := &rollout.Record{Item: id, Split: rollout.Train, Source: rollout.Probe, Outcome: rollout.Graded, Answer: "42"}
				if !yield(sampler.Task{Record: rec, Times: 1}, nil) {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		why    string
		grader hopelessGrader
		n      int
		atOnce int
		ends   bool
	}{
		{"nothing is ever graded", nil, 60, 2, true},
		// One at a time: with two, ten others may fail before that one has its turn.
		{"one of the first items is graded", hopelessGrader{"q4": true}, 60, 1, false},
		{"too few items to tell", nil, 9, 2, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			cfg := sampler.DefaultConfig()
			cfg.Concurrency = c.atOnce
			sink := &list{}
			_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
				Config: cfg, Tasks: tasks(c.n), Total: c.n, Grader: c.grader, Sink: sink,
			})
			e, ok := errors.AsType[*sampler.GraderFailedError](err)
			if ok != c.ends || !ok && err != nil {
				t.Fatalf("the run ended with %v", err)
			}
			if !c.ends {
				if len(sink.records) != c.n {
					t.Errorf("%d records of %d", len(sink.records), c.n)
				}
				return
			}
			if e.Items != 10 || len(sink.records) < 10 || len(sink.records) > 12 || !strings.Contains(err.Error(), "division by zero") {
				t.Errorf("%v after %d records", err, len(sink.records))
			}
			for _, r := range sink.records {
				if r.Outcome != rollout.GraderFailed || r.Reward != nil || r.Kind != sampler.KindFormula {
					t.Errorf("record %+v", r)
				}
			}
		})
	}
}
