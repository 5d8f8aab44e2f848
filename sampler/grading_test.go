package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// gradeFunc is a grader of one function.
type gradeFunc func(context.Context, sampler.Output) (sampler.Grade, error)

func (f gradeFunc) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	return f(ctx, out)
}

func always(reward float64) gradeFunc {
	return func(context.Context, sampler.Output) (sampler.Grade, error) {
		return sampler.Grade{Reward: reward}, nil
	}
}

func failsWith(err error) gradeFunc {
	return func(context.Context, sampler.Output) (sampler.Grade, error) { return sampler.Grade{}, err }
}

func TestKindsOfGraderFailures(t *testing.T) {
	parse := &sampler.GradeError{Kind: sampler.KindParse, Err: errors.New("prose")}
	for _, c := range []struct {
		why    string
		grader sampler.Grader
		kind   string
	}{
		{"a status that is no success", failsWith(&endpoint.Failure{Status: 500, Err: errors.New("broken")}), sampler.KindServer},
		{"a broken connection", failsWith(&endpoint.Failure{Err: errors.New("EOF")}), sampler.KindServer},
		{"a connection that timed out", failsWith(&endpoint.Failure{Err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}), sampler.KindTimeout},
		{"a kind of its own", failsWith(parse), sampler.KindParse},
		{"a kind wrapped in a failure", failsWith(fmt.Errorf("judge: %w", &endpoint.Failure{Status: 200, Err: parse})), sampler.KindParse},
		{"a kind with a failure in it", failsWith(&sampler.GradeError{Kind: sampler.KindMalformed, Err: &endpoint.Failure{Status: 200, Err: errors.New("<html>")}}), sampler.KindMalformed},
		{"a try out of time", gradeFunc(func(ctx context.Context, _ sampler.Output) (sampler.Grade, error) {
			<-ctx.Done()
			return sampler.Grade{}, fmt.Errorf("python: %w", ctx.Err())
		}), sampler.KindTimeout},
		{"a reward that is NaN", always(math.NaN()), sampler.KindNotANumber},
		{"a part that is infinite", gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) {
			return sampler.Grade{Parts: map[string]float64{"a": math.Inf(1)}}, nil
		}), sampler.KindNotANumber},
		{"a reward outside the range", always(7), sampler.KindRange},
		{"nothing that is known", failsWith(errors.New("no such part")), sampler.KindOther},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Retry = limit.Retry{}
				w.cfg.GraderTimeout = time.Minute
				w.cfg.RewardRange = &[2]float64{0, 1}
				b := w.serve()
				b.Grader = c.grader
				items := makeItems(1)
				live, err := sampler.Rehearse(t.Context(), w.cfg, 1, sampler.Rollout{Item: &items[0]}, b)
				w.check(err)
				sink := &list{}
				_, err = sampler.Regrade(t.Context(), sampler.RegradeOptions{
					Config: w.cfg, Tasks: feed(tasks(1, 1), nil), Total: 1, Grader: c.grader, Sink: sink,
				})
				w.check(err)
				for _, r := range []*rollout.Record{live, sink.records[0]} {
					if r.Outcome != rollout.GraderFailed || r.Kind != c.kind || r.Error == "" || r.Reward != nil {
						t.Errorf("outcome %s, kind %q, error %q, want %q", r.Outcome, r.Kind, r.Error, c.kind)
					}
				}
			})
		})
	}
}

func TestOnlyGraderFailuresHaveAKind(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(fails(400))
		r, err := w.rollout()
		w.check(err)
		if r.Outcome != rollout.ModelAPI || r.Kind != "" {
			t.Errorf("outcome %s, kind %q", r.Outcome, r.Kind)
		}
		w.model = script(says("42"))
		w.cfg.RolloutTimeout = time.Minute
		w.grade = func(gradeRequest) reply { return reply{wait: time.Hour} }
		r, err = w.rollout()
		w.check(err)
		if r.Outcome != rollout.GraderFailed || r.Kind != sampler.KindTimeout {
			t.Errorf("a grader that outlasts the rollout: outcome %s, kind %q", r.Outcome, r.Kind)
		}
	})
}

func TestTheRewardRange(t *testing.T) {
	for _, c := range []struct {
		why    string
		given  float64
		reward float64 // NaN: refused
	}{
		{"inside", 0.5, 0.5},
		{"the lower bound", -1, -1},
		{"the upper bound", 3, 3},
		{"rounding beyond the upper bound is the bound", math.Nextafter(3, 4), 3},
		{"rounding beyond the lower bound is the bound", -1 - 1e-10, -1},
		{"above", 3.001, math.NaN()},
		{"below", -1.001, math.NaN()},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.RewardRange = &[2]float64{-1, 3}
				w.cfg.Retry = limit.Retry{Max: 3}
				asked := 0
				sink := &list{}
				_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
					Config: w.cfg, Tasks: feed(tasks(1, 1), nil), Total: 1,
					Grader: gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) {
						asked++
						return sampler.Grade{Reward: c.given}, nil
					}),
					Sink: sink,
				})

				w.check(err)
				r := sink.records[0]
				switch {
				case math.IsNaN(c.reward):
					for _, part := range []string{fmt.Sprint(c.given), "[-1, 3]", "reward_range"} {
						if r.Reward != nil || !strings.Contains(r.Error, part) {
							t.Errorf("reward %v, error %q lacks %q", r.Reward, r.Error, part)
						}
					}
				case r.Reward == nil || *r.Reward != c.reward || r.Clipped:
					t.Errorf("reward %v, want %g", r.Reward, c.reward)
				}
				if asked != 1 {
					t.Errorf("asked %d times: a range does not change by asking again", asked)
				}
			})
		})
	}
}

// A grader of another scale makes nothing useful: the run ends, and what is
// paid for is kept.
func TestAGraderWhoseGradesNeverFitEndsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.RewardRange = &[2]float64{0, 1}
		w.cfg.Concurrency = 4
		w.slow()
		w.grade = func(gradeRequest) reply { return reply{body: `{"score":85}`} }
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 50, 2, sink)
		e, ok := errors.AsType[*sampler.RangeError](err)
		if !ok || e.Items != 3 || e.Value != 85 || stats.StoppedBy != sampler.StoppedByError {
			t.Fatalf("stopped by %q, error %v", stats.StoppedBy, err)
		}
		for _, part := range []string{"gave 85", "[0, 1]", "reward_range", "3 items"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		}
		if stats.Begun != stats.Recorded || len(sink.records) < 3 || len(sink.records) > 8 {
			t.Errorf("%d rollouts were begun and %d recorded: what is in flight is paid for", stats.Begun, len(sink.records))
		}
		for _, r := range sink.records {
			if r.Kind != sampler.KindRange || r.Answer == "" {
				t.Errorf("kind %q, answer %q", r.Kind, r.Answer)
			}
		}
	})
}

// Where no one set the range, exactly the right answers were missing: 1 + 0.2 for the form is
// outside of 0 to 1. The run ends at the first, and its reward is kept.
func TestAGradeOutsideAnAssumedRangeEndsTheRunAndIsKept(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.RewardRange, w.cfg.RangeAssumed = &[2]float64{0, 1}, true
		w.cfg.Concurrency = 4
		w.slow()
		n := 0
		w.grade = func(gradeRequest) reply {
			if n++; n < 10 {
				return reply{body: `{"score":0.2}`}
			}
			return reply{body: `{"score":1.2}`}
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 50, 2, sink)
		e, ok := errors.AsType[*sampler.RangeError](err)
		if !ok || !e.Assumed || e.Value != 1.2 || stats.StoppedBy != sampler.StoppedByError || len(sink.records) > 20 {
			t.Fatalf("stopped by %q, error %v, after %d", stats.StoppedBy, err, len(sink.records))
		}
		for _, part := range []string{"gave 1.2", "[0, 1], the default", "reward_range", "the lowest and highest reward"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		}
		kept := 0
		for _, r := range sink.records {
			if r.Outcome != rollout.Graded || r.Reward == nil {
				t.Fatalf("outcome %q, reward %v", r.Outcome, r.Reward)
			}
			if *r.Reward == 1.2 {
				kept++
			}
		}
		if kept == 0 || stats.Begun != stats.Recorded {
			t.Errorf("%d are kept as graded; %d were begun and %d recorded", kept, stats.Begun, stats.Recorded)
		}
	})
}

func TestAGradeThatFitsKeepsTheRunGoing(t *testing.T) {
	for _, c := range []struct {
		why    string
		n      int // items
		values []string
	}{
		{"the third item's grade fits", 30, []string{"85", "85", "1", "85"}},
		{"it is about two items only", 2, []string{"85"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.RewardRange, w.cfg.Concurrency = &[2]float64{0, 1}, 1
				w.grade = scores(c.values...)
				sink := &list{}
				_, err := w.sample(t.Context(), nil, c.n, 3, sink)
				w.check(err)
				if len(sink.records) != 3*c.n {
					t.Errorf("%d records of %d", len(sink.records), 3*c.n)
				}
			})
		})
	}
}

func TestRewardRangesThatAreNone(t *testing.T) {
	for _, r := range [][2]float64{{1, 0}, {1, 1}, {math.NaN(), 1}, {0, math.Inf(1)}} {
		cfg := sampler.DefaultConfig()
		cfg.RewardRange = &r
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "reward_range") {
			t.Errorf("%v: error is %v", r, err)
		}
	}
}
