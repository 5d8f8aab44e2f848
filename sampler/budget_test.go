package sampler_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// priced costs a thousandth of a dollar an input token that was not cached, a
// tenth of that one that was, and two thousandths an output token.
func priced(r *rollout.Record) (float64, bool) {
	usd := 0.0
	for _, u := range []rollout.Usage{r.Usage, r.Judge} {
		if u == (rollout.Usage{}) {
			continue
		}
		if u.Input == nil || u.Output == nil {
			return 0, false
		}
		cached := 0.0
		if u.Cached != nil {
			cached = float64(*u.Cached)
		}
		usd += (float64(*u.Input)-0.9*cached)/1000 + 2*float64(*u.Output)/1000
	}
	return usd, true
}

// perRollout is what one takes in this world: 10 tokens in, 1 of them cached, and
// 5 out.
const perRollout = 0.0091 + 0.010

func TestMoneyIsBounded(t *testing.T) {
	for _, at := range []int{1, 4, 16} {
		t.Run(fmt.Sprintf("%d at once", at), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				const most = 0.5
				w.cfg.Budget, w.cfg.Cost, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{USD: most}), priced, at
				w.slow()
				stats, err := w.sample(t.Context(), nil, 100, 1, &list{})
				w.check(err)
				usd := stats.USD.Total
				if math.Abs(usd-perRollout*float64(stats.Recorded)) > 1e-9 || stats.Begun != stats.Recorded {
					t.Errorf("$%v for %d rollouts of $%v, %d begun", usd, stats.Recorded, perRollout, stats.Begun)
				}
				if usd < most || usd > most+perRollout*float64(at) || stats.StoppedBy != sampler.StoppedByBudget || w.cfg.Budget.Exceeded() != limit.USD {
					t.Errorf("$%v used of $%v, stopped by %q %q", usd, most, stats.StoppedBy, w.cfg.Budget.Exceeded())
				}
			})
		})
	}
}

// The run, another run after it and the grading of what is recorded draw on one
// budget, a judge's tokens among it.
func TestOneBudgetForAllStages(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.judge = func(int) reply {
			return reply{body: `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"steps\":[],\"result\":1}"}]}],` + usage + `}`}
		}
		const grading = perRollout // the judge tells the same usage
		w.cfg.Budget, w.cfg.Cost, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{USD: 1}), priced, 1
		first, err := w.sample(t.Context(), nil, 10, 1, &list{})
		w.check(err)
		if math.Abs(first.USD.Total-10*(perRollout+grading)) > 1e-9 || first.StoppedBy != "" {
			t.Fatalf("%+v", first)
		}
		w.cfg.Uncounted = true
		w.cfg.Cost = func(r *rollout.Record) (float64, bool) { return priced(&rollout.Record{Judge: r.Judge}) }
		graded, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: w.cfg, Tasks: feed(tasks(100, 1), nil), Total: 100, Grader: w.serve().Grader, Sink: &list{},
		})
		w.check(err)
		usd, _ := w.cfg.Budget.Used()
		if math.Abs(usd-first.USD.Total-graded.USD.Total) > 1e-9 || usd < 1 || usd > 1+grading || graded.StoppedBy != sampler.StoppedByBudget {
			t.Errorf("$%v used of $1, of it $%v and $%v; stopped by %q", usd, first.USD.Total, graded.USD.Total, graded.StoppedBy)
		}
		again, err := w.sample(t.Context(), nil, 10, 1, &list{})
		w.check(err)
		if again.Begun != 0 || again.StoppedBy != sampler.StoppedByBudget {
			t.Errorf("the budget is used up, and %d rollouts began", again.Begun)
		}
	})
}

func TestARehearsalIsPaidToo(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget, w.cfg.Cost = limit.NewBudget(limit.Bounds{Rollouts: 1, USD: 1}), priced
		_, err := w.rollout()
		w.check(err)
		if usd, tokens := w.cfg.Budget.Used(); math.Abs(usd-perRollout) > 1e-9 || tokens != 15 || w.cfg.Budget.Spent(time.Now(), true) != "" {
			t.Errorf("$%v and %d tokens used, %q", usd, tokens, w.cfg.Budget.Spent(time.Now(), true))
		}
	})
}

func TestTheDeadlineIsKept(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.slow() // a rollout takes a minute
		begin := time.Now()
		w.cfg.Budget, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{Deadline: begin.Add(10*time.Minute + 30*time.Second)}), 4
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 100, 1, sink)
		w.check(err)
		if took := time.Since(begin); took > 10*time.Minute+30*time.Second || took < 9*time.Minute {
			t.Errorf("the run took %v of 10.5 minutes", took)
		}
		if stats.StoppedBy != sampler.StoppedByBudget || w.cfg.Budget.Exceeded() != limit.Deadline || stats.Recorded != stats.Begun || len(sink.records) != stats.Recorded || stats.Recorded < 36 {
			t.Errorf("%d records, stats %+v", len(sink.records), stats)
		}
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Budget = limit.NewBudget(limit.Bounds{Deadline: time.Now().Add(-time.Second)})
		stats, err := w.sample(t.Context(), nil, 5, 1, &list{})
		w.check(err)
		if stats.Begun != 0 || stats.StoppedBy != sampler.StoppedByBudget {
			t.Errorf("past the deadline: %+v", stats)
		}
	})
}

// No two rollouts share a trace id, further attempts and the rehearsal included,
// and the repeated requests of one rollout have that rollout's.
func TestNoTwoRolloutsShareATrace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency, w.cfg.Breaker = 8, 0
		failed := map[string]int{}
		calls := map[string]string{} // trace ids by the item they were seen with
		w.model = func(r modelRequest) reply {
			if r.Turn == 0 {
				return wants("search")
			}
			return says("42")
		}
		w.tool = func(r toolRequest) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			if was, seen := calls[r.Trace]; seen && was != string(r.Item) {
				t.Errorf("trace %s of two items", r.Trace)
			}
			calls[r.Trace] = string(r.Item)
			if failed[r.Trace]++; failed[r.Trace]%2 == 1 { // each call needs a second try
				return fails(503)
			}
			return gives("x")
		}
		sink := &list{}
		items := makeItems(5)
		b := w.serve()
		var want []string
		for attempt := range 3 {
			jobs := sampler.Plan(items, map[rollout.Split]int{rollout.Train: 4}, nil)
			for i := range jobs {
				jobs[i].Attempt = attempt
			}
			_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
				Config: w.cfg, Seed: 1, Rollouts: jobs, Boundaries: b, Sink: sink,
			})
			w.check(err)
		}
		rehearsed, err := sampler.Rehearse(t.Context(), w.cfg, 1, sampler.Rollout{Item: &items[0]}, b)
		w.check(err)
		for _, r := range append(sink.records, rehearsed) {
			if r.Retries != 1 || r.Outcome != rollout.Graded {
				t.Errorf("%s: outcome %s, %d retries", r.TraceID, r.Outcome, r.Retries)
			}
			want = append(want, r.TraceID)
		}
		slices.Sort(want)
		if len(want) != 5*4*3+1 || len(slices.Compact(slices.Clone(want))) != len(want) {
			t.Errorf("%d rollouts with %d trace ids", len(want), len(slices.Compact(want)))
		}
		if seen := w.traceIDs(); !slices.Equal(seen, want) {
			t.Errorf("the servers saw %d trace ids, the records hold %d", len(seen), len(want))
		}
	})
}
