package sampler_test

import (
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// A server that works on a few requests at once and queues the others loses no rollout
// to a time-out that a shorter queue would not have had.
func TestAServerThatQueuesIsNotOverrun(t *testing.T) {
	for _, c := range []struct{ slots, n int }{{1, 130}, {2, 221}, {4, 364}} {
		inWorld(t, func(t *testing.T, w *world) {
			const takes = 500 * time.Millisecond
			slots, made, now, most := make(chan bool, c.slots), 0, 0, 0
			w.cfg.ModelTimeout = 10 * takes
			w.model = func(modelRequest) reply {
				w.mu.Lock()
				now++
				if made >= 40 {
					most = max(most, now)
				}
				w.mu.Unlock()
				slots <- true
				time.Sleep(takes)
				<-slots
				w.mu.Lock()
				defer w.mu.Unlock()
				made, now = made+1, now-1
				return says("42")
			}
			begin := time.Now()
			stats, err := w.sample(t.Context(), nil, c.n, 1, &list{})
			w.check(err)
			took, best := time.Since(begin), time.Duration((c.n-1+c.slots-1)/c.slots+1)*takes
			t.Logf("%d slots: %v, at best %v; %d answers for %d rollouts, at most %d at once after 40", c.slots, took, best, made, c.n, most)
			if stats.Outcomes[rollout.Graded] != c.n || float64(made) > 1.02*float64(c.n) || float64(took) > 1.05*float64(best) || most > 2*c.slots {
				t.Errorf("outcomes %v: want all graded, 1.02 of the answers, 1.05 of the time and twice the slots at once", stats.Outcomes)
			}
			if b := boundary(t, stats, "model"); b.HeldBy != "queue" || b.P95 > 2*takes+takes/2 {
				t.Errorf("the boundary is %+v", b)
			}
		})
	}
}
