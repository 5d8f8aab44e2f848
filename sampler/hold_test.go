package sampler_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// holding is a sink that keeps answers whose grades take long.
type holding struct {
	list
	held []*rollout.Record
	at   []time.Time
}

func (h *holding) Hold(r *rollout.Record) error {
	h.held, h.at = append(h.held, r), append(h.at, time.Now())
	return nil
}

// An answer is recorded ten seconds after the model gave it if its grade takes
// longer than that; with a quicker grader each rollout is written once.
func TestAnAnswerIsRecordedBeforeItsGrade(t *testing.T) {
	for _, c := range []struct {
		why  string
		wait time.Duration
		held int
	}{
		{"a quick grader", 7 * time.Second, 0},
		{"a slow one", 13 * time.Second, 6},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.GraderTimeout = time.Hour
				w.grade = func(gradeRequest) reply { return reply{wait: c.wait, body: `{"score":1}`} }
				w.model = script(wants("search"), says("42"))
				sink := &holding{}
				stats, err := w.sample(t.Context(), nil, 3, 2, sink)
				w.check(err)
				if len(sink.held) != c.held || len(sink.records) != 6 || stats.Recorded != 6 || stats.Outcomes[rollout.Graded] != 6 || stats.Outcomes[rollout.GraderFailed] != 0 {
					t.Fatalf("%d held, want %d; %d records, %+v", len(sink.held), c.held, len(sink.records), stats)
				}
				ended := map[rollout.Key]*rollout.Record{}
				for _, r := range sink.records {
					ended[r.Key()] = r
				}
				for _, r := range sink.held {
					end := ended[r.Key()]
					if r.Kind != rollout.KindUngraded || r.Outcome != rollout.GraderFailed || r.Reward != nil || r.Answer != "42" || len(r.Calls) != 1 ||
						r.Usage.Output == nil || *r.Usage.Output != *end.Usage.Output || r.Attempt != end.Attempt || r.TraceID != end.TraceID {
						t.Errorf("held %+v, which ended as %+v", r, end)
					}
				}
			})
		})
	}
}

// What is graded when a run is broken off has been paid for: the answer is kept.
// What the model was still at leaves nothing.
func TestARunBrokenOffKeepsItsAnswers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 8
		w.cfg.GraderTimeout = time.Hour
		w.model = func(r modelRequest) reply {
			a := says("42")
			if r.Item == "q1" || r.Item == "q3" {
				a.wait = time.Hour
			}
			return a
		}
		w.cfg.ModelTimeout = 2 * time.Hour
		w.grade = func(gradeRequest) reply { return reply{wait: 30 * time.Minute, body: `{"score":1}`} }
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("a second Ctrl-C")
		time.AfterFunc(10*time.Minute, func() { cancel(why) })
		sink := &list{}
		stats, err := w.sample(ctx, nil, 4, 1, sink)
		if !errors.Is(err, why) || stats.StoppedBy != sampler.StoppedByCancel || len(sink.records) != 2 || stats.Recorded != 2 {
			t.Fatalf("%d records, error %v, %+v", len(sink.records), err, stats)
		}
		for _, r := range sink.records {
			if r.Item == "q1" || r.Item == "q3" || r.Kind != rollout.KindUngraded || r.Answer != "42" {
				t.Errorf("%s: kind %q, answer %q", r.Item, r.Kind, r.Answer)
			}
		}
	})
}

// A grader that dies ends the run, and what the model is at is not thrown away:
// all of it is recorded, and graded when the run goes on.
func TestAGraderThatDiesCostsNoRollout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Rollouts, w.cfg.Concurrency = 20, 20
		var graded atomic.Int32
		w.model = func(modelRequest) reply {
			a := says("42")
			a.wait = time.Minute
			return a
		}
		w.vanished = func(host string) error {
			if host == "grader.test" && graded.Load() >= 30 {
				return errors.New("connect: connection refused")
			}
			return nil
		}
		w.grade = func(gradeRequest) reply {
			graded.Add(1)
			return reply{header: map[string]string{"Connection": "close"}, body: `{"score":1}`}
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 50, 4, sink)
		end, dead := errors.AsType[*endpoint.Error](err)
		if !dead || end.Boundary != endpoint.Grader || stats.StoppedBy != sampler.StoppedByError {
			t.Fatalf("error %v, %+v", err, stats)
		}
		if stats.Begun != stats.Recorded || w.count("model") != len(sink.records) {
			t.Errorf("%d rollouts were begun and %d recorded; the model answered %d times", stats.Begun, len(sink.records), w.count("model"))
		}
		for _, r := range sink.records {
			if r.Outcome != rollout.Graded && (r.Outcome != rollout.GraderFailed || r.Answer != "42") {
				t.Errorf("outcome %s, kind %q, answer %q", r.Outcome, r.Kind, r.Answer)
			}
		}
		if n := stats.Outcomes[rollout.GraderFailed]; n == 0 || stats.Outcomes[rollout.Graded] < 30 {
			t.Errorf("outcomes %v", stats.Outcomes)
		}
	})
}
