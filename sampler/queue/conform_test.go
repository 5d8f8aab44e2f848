package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryRolloutOnceAndTheSameEverywhere(t *testing.T) {
	want := func() []string {
		s, k := newSite(t, 0, nil), new(sink)
		check(s.sample(t.Context(), nil, makeJobs(100), k))(t)
		return told(k.list())
	}()
	everywhere(t, func(t *testing.T, s *site) {
		k := new(sink)
		stats := check(s.sample(t.Context(), nil, makeJobs(100), k))(t)
		if stats.Recorded != 100 || stats.StoppedBy != "" || s.twice != 0 || s.w.again() != 0 {
			t.Errorf("%d recorded, stopped by %q, %d paid twice, %d made again", stats.Recorded, stats.StoppedBy, s.twice, s.w.again())
		}
		if d := cmp.Diff(want, told(k.list())); d != "" {
			t.Error(d)
		}
	})
}
