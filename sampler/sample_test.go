package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// list is a sink that keeps the records, and notices two writers at once.
type list struct {
	records []*rollout.Record
	writing atomic.Int32
	fail    error
	failAt  int
	after   func(n int)
}

func (l *list) Append(r *rollout.Record) error {
	if l.writing.Add(1) != 1 {
		panic("two goroutines write at once")
	}
	defer l.writing.Add(-1)
	if l.fail != nil && len(l.records) == l.failAt {
		return l.fail
	}
	l.records = append(l.records, r)
	if l.after != nil {
		l.after(len(l.records))
	}
	return nil
}

func (w *world) sample(ctx context.Context, drain <-chan struct{}, n, samples int, sink sampler.Sink) (sampler.Stats, error) {
	w.t.Helper()
	jobs := sampler.Plan(makeItems(n), map[rollout.Split]int{rollout.Train: samples}, nil)
	return sampler.Sample(ctx, sampler.SampleOptions{
		Config: w.cfg, Seed: 7, Rollouts: jobs, Boundaries: w.serve(), Sink: sink, Drain: drain,
	})
}

// slow makes every model reply take a minute.
func (w *world) slow() {
	inner := w.model
	w.model = func(r modelRequest) reply { a := inner(r); a.wait += time.Minute; return a }
}

func TestSampleMakesEveryRollout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 5
		w.model = func(r modelRequest) reply {
			a := script(wants("search"), says("42"))(r)
			a.wait = time.Second
			return a
		}
		sink := &list{}
		begin := time.Now()
		stats, err := w.sample(t.Context(), nil, 10, 4, sink)
		w.check(err)
		if n := w.busiest(); n != 5 {
			t.Errorf("%d requests at once with a concurrency of 5", n)
		}
		if n := len(w.traceIDs()); n != 40 {
			t.Errorf("%d trace ids for 40 rollouts", n)
		}
		want := sampler.Stats{Rollouts: 40, Begun: 40, Recorded: 40, Outcomes: map[rollout.Outcome]int{rollout.Graded: 40}, ToolCalls: 40, Tokens: 40 * 30}
		stats.Elapsed, stats.Boundaries = 0, nil
		if d := cmp.Diff(want, stats); d != "" {
			t.Errorf("stats (-want +got):\n%s", d)
		}
		if took := time.Since(begin); took > 18*time.Second {
			t.Errorf("took %v: 40 rollouts of 2 s by 5 at a time are 16 s, and 1 s to see that the model is there", took)
		}
	})
}

func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64, concurrency int) (ids []string) {
		inWorld(t, func(t *testing.T, w *world) {
			w.cfg.Concurrency = concurrency
			var got []string
			w.model = func(r modelRequest) reply {
				w.mu.Lock()
				defer w.mu.Unlock()
				got = append(got, r.ID)
				return script(wants("search"), says("42"))(r)
			}
			jobs := sampler.Plan(makeItems(5), map[rollout.Split]int{rollout.Train: 3}, nil)
			_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
				Config: w.cfg, Seed: seed, Rollouts: jobs, Boundaries: w.serve(), Sink: &list{},
			})
			w.check(err)
			slices.Sort(got)
			ids = got
		})
		return ids
	}
	one := run(1, 1)
	if d := cmp.Diff(one, run(1, 16)); d != "" {
		t.Errorf("request ids depend on the concurrency (-1 +16):\n%s", d)
	}
	if other := run(2, 16); slices.Equal(one, other) {
		t.Error("request ids do not depend on the seed")
	}
}

func TestTheRehearsalHasATraceOfItsOwn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		jobs := sampler.Plan(makeItems(1), map[rollout.Split]int{rollout.Train: 1}, nil)
		b := w.serve()
		var ids []string
		for range 2 {
			r, err := sampler.Rehearse(t.Context(), w.cfg, 7, jobs[0], b)
			w.check(err)
			ids = append(ids, r.TraceID)
		}
		sink := &list{}
		_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: w.cfg, Seed: 7, Rollouts: jobs, Boundaries: b, Sink: sink,
		})
		w.check(err)
		if run := sink.records[0].TraceID; ids[0] != ids[1] || ids[0] == run {
			t.Errorf("rehearsals %v, run %s", ids, run)
		}
	})
}

func TestDrainLetsRolloutsEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 4
		w.slow()
		drain := make(chan struct{})
		sink := &list{after: func(n int) {
			if n == 6 {
				close(drain)
			}
		}}
		stats, err := w.sample(t.Context(), drain, 100, 1, sink)
		w.check(err)
		if stats.StoppedBy != sampler.StoppedByDrain || stats.Recorded != stats.Begun || stats.Recorded < 6 || stats.Recorded > 6+4+4 {
			t.Errorf("stats %+v: want every rollout begun to be recorded, and none begun after", stats)
		}
		if stats.NotRun() != 100-stats.Recorded {
			t.Errorf("NotRun() = %d with %d of 100 recorded", stats.NotRun(), stats.Recorded)
		}
	})
}

func TestCancelLeavesNoRecord(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 4
		w.slow()
		ctx, cancel := context.WithCancel(t.Context())
		sink := &list{}
		time.AfterFunc(90*time.Second, cancel)
		begin := time.Now()
		stats, err := w.sample(ctx, nil, 100, 1, sink)
		if !errors.Is(err, context.Canceled) || stats.StoppedBy != sampler.StoppedByCancel {
			t.Errorf("error %v, stopped by %q", err, stats.StoppedBy)
		}
		if time.Since(begin) != 90*time.Second {
			t.Errorf("cancelling took %v", time.Since(begin)-90*time.Second)
		}
		// The model's endpoint lets the first request in alone for two seconds: four
		// rollouts have ended soon after a minute, and four more were under way.
		if len(sink.records) != 4 || stats.Recorded != 4 || stats.Begun != 8 {
			t.Errorf("%d records, stats %+v", len(sink.records), stats)
		}
	})
}

func TestBudgets(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget = limit.NewBudget(limit.Bounds{Rollouts: 7})
		stats, err := w.sample(t.Context(), nil, 100, 1, &list{})
		w.check(err)
		if stats.Recorded != 7 || stats.StoppedBy != sampler.StoppedByBudget {
			t.Errorf("stats %+v, want 7 rollouts and budget", stats)
		}
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{Tokens: 150}), 4 // a rollout uses 15
		w.slow()
		stats, err := w.sample(t.Context(), nil, 100, 1, &list{})
		w.check(err)
		if stats.Tokens < 150 || stats.Tokens > 150+4*15 || stats.StoppedBy != sampler.StoppedByBudget {
			t.Errorf("%d tokens used, stopped by %q; want 150 and at most the rollouts in flight more", stats.Tokens, stats.StoppedBy)
		}
	})
}

func TestABoundOnTokensThatNobodyTellsStopsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{Tokens: 1_000_000}), 2
		silent := says("42")
		silent.body = strings.Replace(silent.body, ","+usage, "", 1)
		n := 0
		w.model = func(modelRequest) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			if n++; n <= 3 { // failures tell nothing of the server's habits
				return fails(400)
			}
			return silent
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 100, 1, sink)
		if !errors.Is(err, sampler.ErrUnknownUsage) || stats.StoppedBy != sampler.StoppedByUnknownUsage || !strings.Contains(err.Error(), "max_rollouts") {
			t.Fatalf("error %v, stopped by %q", err, stats.StoppedBy)
		}
		if graded := stats.Outcomes[rollout.Graded]; graded < 3 || graded > 3+2 || stats.TokensUnknown != graded || stats.Recorded != graded+3 || len(sink.records) != stats.Recorded {
			t.Errorf("stats %+v: want three rollouts that did not tell, and what was in flight with them", stats)
		}
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget, w.cfg.Concurrency, w.cfg.Breaker = limit.NewBudget(limit.Bounds{Tokens: 1_000_000}), 2, 0
		w.model = script(fails(400))
		stats, err := w.sample(t.Context(), nil, 20, 1, &list{})
		w.check(err)
		if stats.Outcomes[rollout.ModelAPI] != 20 || stats.TokensUnknown != 0 {
			t.Errorf("stats %+v: failures have no tokens to tell", stats)
		}
	})
}

func TestASinkThatFailsStopsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		full := errors.New("disk full")
		sink := &list{fail: full, failAt: 3}
		w.slow()
		w.cfg.Concurrency = 2
		stats, err := w.sample(t.Context(), nil, 100, 1, sink)
		if !errors.Is(err, full) || stats.Recorded != 3 || stats.StoppedBy != sampler.StoppedByError || stats.Begun > 8 {
			t.Errorf("error %v, stats %+v", err, stats)
		}
	})
}

func TestWatchSeesTheCountsGrow(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var seen []int
		jobs := sampler.Plan(makeItems(4), map[rollout.Split]int{rollout.Train: 2}, nil)
		_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: w.cfg, Seed: 1, Rollouts: jobs, Boundaries: w.serve(), Sink: &list{},
			Watch: func(e sampler.Event) {
				seen = append(seen, e.Recorded)
				if e.Rollouts != 8 || e.InFlight != e.Begun-e.Recorded || e.Outcomes[rollout.Graded] != e.Recorded {
					t.Errorf("event %+v", e)
				}
			},
		})

		w.check(err)
		if d := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, seen); d != "" {
			t.Errorf("recorded (-want +got):\n%s", d)
		}
	})
}

func TestSampleRefusesWhatItCannotObey(t *testing.T) {
	cfg := sampler.DefaultConfig()
	if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 1, Boundaries: sampler.Boundaries{}, Sink: &list{},
	}); err == nil {
		t.Error("a run without a model is accepted")
	}
	for _, change := range []func(*sampler.Config){
		func(c *sampler.Config) { c.Concurrency = -1 },
		func(c *sampler.Config) { c.Rollouts = -1 },
		func(c *sampler.Config) { c.Breaker = -1 },
		func(c *sampler.Config) { c.MaxSteps = -1 },
		func(c *sampler.Config) { c.ToolTimeout = -1 },
		func(c *sampler.Config) { c.Budget = limit.NewBudget(limit.Bounds{Tokens: -1}) },
		func(c *sampler.Config) { c.Retry.Max = -1 },
	} {
		c := cfg
		change(&c)
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// discard is a sink that keeps the size of the heap, now and then.
type discard struct {
	n    int
	heap []uint64
}

func (d *discard) Append(*rollout.Record) error {
	if d.n++; d.n%200 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		d.heap = append(d.heap, m.HeapAlloc)
	}
	return nil
}

func TestMemoryDoesNotGrowWithRollouts(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 4
		w.model = script(wants("search"), says("42"))
		long := strings.Repeat("x", 20_000)
		w.tool = func(toolRequest) reply { return gives(long) }
		sink := &discard{}
		_, err := w.sample(t.Context(), nil, 400, 2, sink)
		w.check(err)
		// 600 more rollouts of 20 KB would be 12 MB, were they kept. The
		// world's own notes of what it saw are less than 1 MB.
		if first, last := sink.heap[0], sink.heap[len(sink.heap)-1]; last > first+5<<20 {
			t.Errorf("the heap grew from %d to %d bytes", first, last)
		}
	})
}

func TestNoJobsIsNoError(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		stats, err := w.sample(t.Context(), nil, 0, 4, &list{})
		w.check(err)
		if stats.Rollouts != 0 || stats.StoppedBy != "" {
			t.Errorf("stats %+v", stats)
		}
	})
}

func ExamplePlan() {
	items := makeItems(2)
	recorded := map[rollout.Key]rollout.Outcome{
		{Split: rollout.Train, Item: "q0", Sample: 0}: rollout.Graded,
		{Split: rollout.Train, Item: "q1", Sample: 0}: rollout.ToolFailed,
	}
	jobs := sampler.Plan(items, map[rollout.Split]int{rollout.Train: 2}, func(k rollout.Key) (rollout.RolloutState, bool) {
		o, ok := recorded[k]
		return rollout.RolloutState{Outcome: o}, ok
	})
	for _, j := range jobs {
		fmt.Println(j.Item.ID, "sample", j.Sample, "attempt", j.Attempt)
	}
	// Output:
	// q1 sample 0 attempt 1
	// q0 sample 1 attempt 0
	// q1 sample 1 attempt 0
}
