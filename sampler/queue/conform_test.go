package queue_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

func TestEveryRolloutOnceAndTheSameEverywhere(t *testing.T) {
	here, k := newSite(t, 0, nil), new(sink)
	check(here.sample(t.Context(), nil, makeJobs(100), k))(t)
	want := told(k.list())
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

// rest are the jobs that have no record, or one of missing data: then as their
// next attempt.
func rest(jobs []sampler.Rollout, records []*rollout.Record) []sampler.Rollout {
	var out []sampler.Rollout
	for _, j := range jobs {
		done := false
		for _, r := range records {
			if r.Item == j.Item.ID {
				done = !r.Outcome.Missing()
				j.Attempt = r.Attempt + 1
			}
		}
		if !done {
			out = append(out, j)
		}
	}
	return out
}

// whole checks that each of the jobs has one record that counts.
func whole(t *testing.T, jobs []sampler.Rollout, records []*rollout.Record) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range records {
		if !r.Outcome.Missing() {
			seen[r.Item]++
		}
	}
	for _, j := range jobs {
		if n := seen[j.Item.ID]; n != 1 {
			t.Errorf("%s has %d records", j.Item.ID, n)
		}
	}
}

func TestDrainEndsWhatIsBegunAndTheNextCallGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.w.model = func(string) reply { return reply{text: "42", wait: 5 * time.Millisecond} }
		drain := make(chan struct{})
		k := &sink{after: map[int]func(){20: func() { close(drain) }}}
		jobs := makeJobs(100)
		stats := check(s.sample(t.Context(), drain, jobs, k))(t)
		if n := stats.Recorded; stats.StoppedBy != sampler.StoppedByDrain || n < 20 || n > 80 {
			t.Errorf("%d recorded, stopped by %q", n, stats.StoppedBy)
		}
		check(s.sample(t.Context(), nil, rest(jobs, k.list()), k))(t)
		whole(t, jobs, k.list())
		if s.twice != 0 || s.w.again() != 0 {
			t.Errorf("%d paid twice, %d made again", s.twice, s.w.again())
		}
	})
}

func TestDrainWaitsForNoWorker(t *testing.T) {
	s := external(t, 1)
	s.late = func(int) { <-t.Context().Done() }
	drain := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { close(drain) })
	s.members = 0
	c := s.dial()
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	b := s.w.boundaries()
	b.Remote = p
	stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: s.cfg, Seed: 7, Rollouts: makeJobs(50), Boundaries: b, Sink: new(sink), Drain: drain,
	})
	if err != nil || stats.StoppedBy != sampler.StoppedByDrain || stats.Recorded != 0 {
		t.Errorf("%v, stopped by %q, %d recorded", err, stats.StoppedBy, stats.Recorded)
	}
	if err := p.Close(false); err != nil {
		t.Error(err)
	}
}

func TestCancelBreaksOffAndTheNextCallGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.w.model = func(string) reply { return reply{text: "42", wait: 20 * time.Millisecond} }
		ctx, cancel := context.WithCancel(t.Context())
		k := &sink{after: map[int]func(){20: cancel}}
		jobs := makeJobs(100)
		stats, err := s.sample(ctx, nil, jobs, k)
		if !errors.Is(err, context.Canceled) || stats.StoppedBy != sampler.StoppedByCancel {
			t.Errorf("%v, stopped by %q", err, stats.StoppedBy)
		}
		check(s.sample(t.Context(), nil, rest(jobs, k.list()), k))(t)
		answered := map[string]bool{} // whose grading was interrupted: they are graded later, not made again
		for _, r := range k.list() {
			answered[r.Item] = r.Kind == rollout.KindUngraded && r.Answer == "42"
		}
		whole(t, slices.DeleteFunc(jobs, func(j sampler.Rollout) bool { return answered[j.Item.ID] }), k.list())
		if n := s.w.again(); s.twice != 0 || n > s.cfg.Concurrency {
			t.Errorf("%d paid twice, %d asked again", s.twice, n)
		}
	})
}

func TestTheBudgetHoldsForAllWorkersTogether(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.cfg.Budget = limit.NewBudget(limit.Bounds{Rollouts: 30})
		stats := check(s.sample(t.Context(), nil, makeJobs(100), new(sink)))(t)
		if when, _ := s.w.requests(); stats.Recorded != 30 || stats.StoppedBy != sampler.StoppedByBudget || len(when) != 30 {
			t.Errorf("%d recorded by %d requests, stopped by %q", stats.Recorded, len(when), stats.StoppedBy)
		}
	})
}

func TestMissingDataIsMadeByTheNextCall(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.cfg.Retry.Max = 0
		var mu sync.Mutex
		n := 0
		s.w.model = func(string) reply {
			mu.Lock()
			defer mu.Unlock()
			if n++; n%5 == 0 && n < 40 {
				return reply{status: 500, text: `{"error":{"message":"broken"}}`}
			}
			return reply{text: "42"}
		}
		jobs, k := makeJobs(40), new(sink)
		stats := check(s.sample(t.Context(), nil, jobs, k))(t)
		if stats.Outcomes[rollout.ModelAPI] != 7 {
			t.Errorf("outcomes %v", stats.Outcomes)
		}
		stats = check(s.sample(t.Context(), nil, rest(jobs, k.list()), k))(t)
		if stats.Recorded != 7 {
			t.Errorf("%d recorded", stats.Recorded)
		}
		whole(t, jobs, k.list())
	})
}

func TestARefusedKeyEndsTheRunEverywhereInTheSameWords(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.w.model = func(string) reply {
			return reply{status: 401, text: `{"error":{"message":"no such key planted-key-1"}}`}
		}
		k := new(sink)
		stats, err := s.sample(t.Context(), nil, makeJobs(100), k)
		end, ok := errors.AsType[*endpoint.Error](err)
		if !ok || end.Boundary != endpoint.Model || stats.StoppedBy != sampler.StoppedByError || len(k.list()) > 0 {
			t.Fatalf("%v, stopped by %q, %d recorded", err, stats.StoppedBy, len(k.list()))
		}
		if want := "model endpoint " + s.w.url + "/v1/responses refuses the request with status 401: no such key **********; check the key and the headers sent to it"; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	})
}

func TestTheBreakerCountsWhatAllWorkersSee(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.cfg.Concurrency, s.cfg.Retry.Max = 1, 0
		s.w.model = func(string) reply { return reply{status: 500, text: `{"error":{"message":"broken"}}`} }
		stats, err := s.sample(t.Context(), nil, makeJobs(100), new(sink))
		if end, ok := errors.AsType[*endpoint.Error](err); !ok || end.Times != 5 {
			t.Errorf("%v, stopped by %q", err, stats.StoppedBy)
		}
		if when, _ := s.w.requests(); len(when) != 5 {
			t.Errorf("%d requests", len(when))
		}
	})
}

func TestTheConcurrencyIsOfAllWorkersTogether(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.cfg.Concurrency, s.cfg.Rollouts = 4, 40
		full := make(chan struct{})
		var once sync.Once
		s.w.model = func(string) reply { // the first are answered when as many are there as may be, and then more had time to come
			if _, most := s.w.requests(); most >= 4 {
				once.Do(func() { close(full) })
			}
			select {
			case <-full:
			case <-time.After(5 * time.Second):
			}
			return reply{text: "42", wait: 10 * time.Millisecond}
		}
		check(s.sample(t.Context(), nil, makeJobs(40), new(sink)))(t)
		if _, most := s.w.requests(); most != 4 {
			t.Errorf("%d requests at once", most)
		}
	})
}

func TestRequestsPerMinuteAreOfAllWorkersTogether(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.cfg.Minute = map[string]limit.Limits{endpoint.Model: {Requests: 2400}} // 40 at once, then 40 a second
		check(s.sample(t.Context(), nil, makeJobs(60), new(sink)))(t)
		when, _ := s.w.requests()
		slices.SortFunc(when, time.Time.Compare)
		if took := when[59].Sub(when[0]); took < 450*time.Millisecond {
			t.Errorf("60 requests in %v", took)
		}
	})
}

func TestRetryAfterHoldsForAllWorkers(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		var mu sync.Mutex
		n := 0
		var refused time.Time
		s.w.model = func(string) reply {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == 20 {
				refused = time.Now()
				return reply{status: 429, header: map[string]string{"Retry-After-Ms": "3000"}, text: `{"error":{"message":"slow down"}}`}
			}
			if n > 20 && time.Since(refused) < 2900*time.Millisecond { // let through before all workers have heard of it: no slot is free again until they have
				return reply{text: "42", wait: time.Second}
			}
			return reply{text: "42", wait: 2 * time.Millisecond}
		}
		check(s.sample(t.Context(), nil, makeJobs(60), new(sink)))(t)
		when, _ := s.w.requests()
		early := 0
		for _, at := range when {
			if d := at.Sub(refused); d > 0 && d < 2900*time.Millisecond {
				early++
			}
		}
		if early > s.cfg.Concurrency {
			t.Errorf("%d requests within the three seconds", early)
		}
	})
}

func TestLargeRowsAndRecordsTravel(t *testing.T) {
	raw := make([]byte, 300<<10)
	_, _ = rand.Read(raw)
	text := base64.StdEncoding.EncodeToString(raw) // what nothing makes smaller than what the server passes on
	test := func(t *testing.T, s *site) {
		s.w.model = func(string) reply { return reply{text: text} }
		jobs, k := makeJobs(1), new(sink)
		for _, j := range jobs {
			row, err := json.Marshal(map[string]any{"messages": []any{map[string]string{"role": "user", "content": text}}})
			if err != nil {
				t.Fatal(err)
			}
			j.Item.Row = row
			if err := j.Item.Decode(); err != nil {
				t.Fatal(err)
			}
		}
		check(s.sample(t.Context(), nil, jobs, k))(t)
		for _, r := range k.list() {
			if r.Answer != text {
				t.Errorf("an answer of %d bytes", len(r.Answer))
			}
		}
		whole(t, jobs, k.list())
	}
	t.Parallel()
	url := serve(t, server.Options{JetStream: true, Authorization: token, MaxPayload: 128 << 10})
	test(t, newSite(t, 0, nil))
	test(t, newSite(t, 2, func() *queue.Conn { return dialTCP(t, url) }))
}
