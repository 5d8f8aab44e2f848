package sampler_test

import (
	"errors"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// A reward that depends on the other outputs of a batch ends the run at once: every
// further rollout would be graded wrongly as well.
func TestARewardOverABatchEndsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Rollouts, w.cfg.Concurrency = 4, 4
		w.slow()
		b := w.serve()
		b.Grader = failsWith(&sampler.GradeError{Kind: sampler.KindBatch, Err: errors.New("it compares completions")})
		sink := &list{}
		items := makeItems(50)
		stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: w.cfg, Seed: 1, Rollouts: sampler.Plan(items, map[rollout.Split]int{rollout.Train: 4}, nil),
			Boundaries: b, Sink: sink,
		})
		if end, ok := errors.AsType[*sampler.GraderFailedError](err); !ok || end.Items != 0 || stats.StoppedBy != sampler.StoppedByError {
			t.Fatalf("error %v, %+v", err, stats)
		}
		if len(sink.records) == 0 || len(sink.records) > 8 || stats.Begun != stats.Recorded {
			t.Errorf("%d records of %d begun", len(sink.records), stats.Begun)
		}
	})
}
