package sampler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

func TestRetries(t *testing.T) {
	// In the bubble time passes only by waiting, so the gaps between requests
	// are the delays.
	for _, c := range []struct {
		why      string
		failures int
		reply    reply
		requests int
		min, max time.Duration // of all delays together
		outcome  rollout.Outcome
	}{
		{"429 is repeated and then graded", 2, fails(429), 3, 0, 1500 * time.Millisecond, rollout.Graded},
		{"503 is repeated and then graded", 3, fails(503), 4, 0, 3500 * time.Millisecond, rollout.Graded},
		{"408, 409 and 425 are repeated", 1, fails(425), 2, 0, time.Second, rollout.Graded},
		{"three repeats, no more", 99, fails(500), 4, 0, 3500 * time.Millisecond, rollout.ModelAPI},
		{"a broken connection is repeated", 1, reply{hangUp: true}, 2, 0, time.Second, rollout.Graded},
		{"Retry-After in seconds is a floor", 1, reply{status: 429, header: map[string]string{"Retry-After": "20"}}, 2, 20 * time.Second, 21 * time.Second, rollout.Graded},
		{"Retry-After-Ms comes first", 1, reply{status: 429, header: map[string]string{"Retry-After": "20", "Retry-After-Ms": "3000"}}, 2, 3 * time.Second, 4 * time.Second, rollout.Graded},
		{"a Retry-After past our patience ends it", 1, reply{status: 429, header: map[string]string{"Retry-After": "86400"}}, 1, 0, 0, rollout.ModelAPI},
		{"x-should-retry: false is obeyed", 1, reply{status: 500, header: map[string]string{"X-Should-Retry": "false"}}, 1, 0, 0, rollout.ModelAPI},
		{"x-should-retry: true is obeyed", 1, reply{status: 400, header: map[string]string{"X-Should-Retry": "true"}}, 2, 0, time.Second, rollout.Graded},
		{"400 is not repeated", 1, fails(400), 1, 0, 0, rollout.ModelAPI},
		{"a request that takes too long is repeated", 1, reply{wait: time.Hour}, 2, 10 * time.Minute, 10*time.Minute + time.Second, rollout.Graded},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				failed := 0
				w.model = func(modelRequest) reply {
					if failed++; failed <= c.failures {
						return c.reply
					}
					return says("42")
				}
				r, err := w.rollout()
				w.check(err)
				if n := w.count("model"); n != c.requests || r.Retries != c.requests-1 || r.Outcome != c.outcome {
					t.Errorf("%d requests, %d retries, outcome %s; want %d requests and %s (%s)", n, r.Retries, r.Outcome, c.requests, c.outcome, r.Error)
				}
				if d := time.Duration(r.Elapsed); d < c.min || d > c.max {
					t.Errorf("took %v, want between %v and %v", d, c.min, c.max)
				}
			})
		})
	}
}

func TestRetriesOfEveryBoundaryAreCounted(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := map[string]bool{}
		once := func(key string, then reply) reply {
			if !first[key] {
				first[key] = true
				return fails(502)
			}
			return then
		}
		w.cfg.Retry = limit.Retry{Max: 1, Wait: time.Second, Cap: time.Second}
		w.model = func(r modelRequest) reply {
			return once(fmt.Sprint("model", r.Turn), script(wants("search"), says("42"))(r))
		}
		w.tool = func(r toolRequest) reply { return once("tool", gives("x")) }
		w.grade = func(gradeRequest) reply { return once("grade", reply{body: `{"score":0.5}`}) }
		r, err := w.rollout()
		w.check(err)
		if r.Outcome != rollout.Graded || r.Retries != 4 || r.Calls[0].Retries != 1 {
			t.Errorf("outcome %s, %d retries, %d of them the tool's; want graded, 4 (two model turns, tool, grader), 1", r.Outcome, r.Retries, r.Calls[0].Retries)
		}
	})
}

func TestTimeoutsAreOfEachTry(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.GraderTimeout = 7 * time.Second
		w.cfg.Retry = limit.Retry{Max: 2}
		w.grade = func(gradeRequest) reply { return reply{wait: time.Hour} }
		r, err := w.rollout()
		w.check(err)
		if r.Outcome != rollout.GraderFailed || !strings.Contains(r.Error, "no answer within 7s") || !strings.Contains(r.Error, "http://grader.test/grade") {
			t.Errorf("outcome %s, error %q", r.Outcome, r.Error)
		}
		if got, want := time.Duration(r.Elapsed), 21*time.Second; got != want {
			t.Errorf("three tries took %v, want %v", got, want)
		}
	})
}

func TestWaitingForTheGradersRateLimitIsNoFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.rate, w.cfg.Concurrency, w.cfg.GraderTimeout = 0.5, 8, 3*time.Second
		first := true
		w.grade = func(gradeRequest) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			if first {
				first = false
				return fails(503) // the repeat waits its turn as well
			}
			return reply{body: `{"score":1}`}
		}
		begin := time.Now()
		stats, err := w.sample(t.Context(), nil, 16, 1, &list{})
		w.check(err)
		if stats.Outcomes[rollout.Graded] != 16 || stats.Retries["grader"] != 1 {
			t.Errorf("outcomes %v, retries %v; the rollouts waited longer than grader_timeout for their turn, which is no failure", stats.Outcomes, stats.Retries)
		}
		if took := time.Since(begin); took != 32*time.Second {
			t.Errorf("17 requests, one each two seconds, took %v, want 32s", took)
		}
	})
}
