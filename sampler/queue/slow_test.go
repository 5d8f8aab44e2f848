package queue_test

import (
	"sync"
	"testing"
	"time"
)

// A worker that never ends holds what it has in flight, and nothing else: all other
// rollouts are recorded before its own.
func TestASlowWorkerHoldsUpWhatItHasInFlightAlone(t *testing.T) {
	t.Parallel()
	s := external(t, 3)
	s.slots = 4
	slow, others := newWorld(t), make(chan struct{})
	begun := make(chan struct{})
	tell := sync.OnceFunc(func() { close(begun) })
	slow.model = func(string) reply {
		tell()
		<-others
		return reply{text: "42"}
	}
	s.w.model = func(string) reply { return reply{text: "42", wait: 5 * time.Millisecond} }
	s.at = func(worker int) *world {
		if worker == 0 {
			return slow
		}
		return s.w
	}
	s.late = func(worker int) {
		if worker > 0 {
			<-begun // or the others make all before it comes
		}
	}
	jobs := makeJobs(60)
	k := &sink{after: map[int]func(){len(jobs) - s.slots: func() { close(others) }}}
	stats := check(s.sample(t.Context(), nil, jobs, k))(t)
	if slowly, _ := slow.requests(); stats.Recorded != len(jobs) || len(slowly) == 0 || s.w.again()+slow.again() > 0 {
		t.Errorf("%d rollouts recorded, %d of them by the slow worker, %d made again", stats.Recorded, len(slowly), s.w.again()+slow.again())
	}
}
