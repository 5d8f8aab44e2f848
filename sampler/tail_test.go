package sampler_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// Rollouts that are beyond a server which is well hold up no one, also where they
// come last and nothing is answered any more: pauses for all took minutes there,
// and for requests that hang hours, or gave the endpoint up.
func TestTheLastRolloutsOfARunHoldNobodyUp(t *testing.T) {
	for _, row := range []struct {
		why    string
		beyond func(item int) bool
		answer reply
		wait   time.Duration // for an answer
		graded int
		most   time.Duration
	}{
		{"every second is refused, and the last 14", func(i int) bool { return i%2 == 1 || i >= 200 }, fails(503), time.Minute, 100, time.Minute},
		{"the last two are refused with 500", func(i int) bool { return i >= 212 }, fails(500), time.Minute, 212, time.Minute},
		{"one in twenty hangs, for 5 minutes at each of 4 tries", func(i int) bool { return i%20 == 7 }, reply{wait: time.Hour}, 5 * time.Minute, 203, 21 * time.Minute},
		{"and for 40 seconds", func(i int) bool { return i%20 == 7 }, reply{wait: time.Hour}, 40 * time.Second, 203, 19 * time.Minute},
	} {
		t.Run(row.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Concurrency, w.cfg.ModelTimeout = 16, row.wait
				w.model = func(r modelRequest) reply {
					i, err := strconv.Atoi(strings.TrimPrefix(r.Item, "q"))
					w.check(err)
					if row.beyond(i) {
						return row.answer
					}
					return says("42")
				}
				begin := time.Now()
				stats, err := w.sample(t.Context(), nil, 214, 1, &list{})
				w.check(err)
				if took := time.Since(begin); took > row.most {
					t.Errorf("it took %v, want at most %v", took, row.most)
				}
				if n := stats.Outcomes[rollout.Graded]; n != row.graded || stats.Recorded != 214 {
					t.Errorf("%d graded of %d, want %d", n, stats.Recorded, row.graded)
				}
			})
		})
	}
}
