package sampler_test

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// places is a heap of the moments at which places become free.
type places []time.Duration

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *places) Push(x any)        { *p = append(*p, x.(time.Duration)) }
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// makespan is how long jobs take that begin in their order, each as soon as one
// of n places is free, and when the last one begins: Graham's list scheduling
// (1969, SIAM Journal on Applied Mathematics 17(2)). In that order, and without
// knowing how long a job will take, no one is faster.
func makespan(jobs []time.Duration, n int) (span, last time.Duration) {
	free := make(places, n)
	for _, took := range jobs {
		last = free[0]
		free[0] += took
		span = max(span, free[0])
		heap.Fix(&free, 0)
	}
	return span, last
}

func TestMakespan(t *testing.T) {
	for _, row := range []struct {
		why        string
		jobs       []time.Duration
		n          int
		span, last time.Duration
	}{
		{"one place: one after the other", []time.Duration{3, 1, 2}, 1, 6, 4},
		{"the long one comes last", []time.Duration{1, 1, 1, 1, 4}, 2, 6, 2},
		{"the long one comes first", []time.Duration{4, 1, 1, 1, 1}, 2, 4, 3},
		{"more places than jobs", []time.Duration{4, 1}, 5, 4, 0},
		{"nothing to do", nil, 3, 0, 0},
	} {
		if span, last := makespan(row.jobs, row.n); span != row.span || last != row.last {
			t.Errorf("%s: %d, and the last begins at %d, want %d and %d", row.why, span, last, row.span, row.last)
		}
	}
}

// No place is idle while a rollout waits: a run at concurrency 64 takes no longer
// than its rollouts do when they begin in its order, each as soon as one of 64
// places is free. Where the endpoint is found out about it takes longer by the
// time that this takes.
func TestLongDeepNoStragglerTail(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const places, samples = 64, 16
	items := 40
	if os.Getenv("GONOGO_DEEP") != "" {
		items = 400
	}
	for _, row := range []struct {
		why   string
		work  lasting
		fixed int
		most  float64 // of the time, in shares of the best
	}{
		{"the model takes all the time, and ten minutes over the first rollout", lasting{first: 10 * time.Minute}, places, 1.03},
		{"tools and grader take most of it", lasting{tool: 0.4, grader: 0.4}, places, 1.03},
		{"one request in twenty is made again", lasting{failing: 0.05}, places, 1.03},
		{"a model that bears 64 requests at once, which nobody has said", lasting{bears: places}, 0, 1.2},
	} {
		t.Run(row.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				jobs := sampler.PlanBlocks(sampler.Blocks(makeItems(items), 7, 32), func(*rollout.Item) int { return samples }, nil)
				row.work.of(w, traceOf(jobs[0]))
				w.cfg.Concurrency, w.cfg.ModelTimeout, w.cfg.ToolTimeout, w.cfg.GraderTimeout = row.fixed, 0, 0, 0
				b, sink := w.serve(), &list{}
				begin := time.Now()
				stats, err := sampler.Sample(context.Background(), sampler.SampleOptions{
					Config: w.cfg, Seed: 7, Rollouts: jobs, Boundaries: b, Sink: sink,
				})
				took, began := time.Since(begin), time.Duration(0)
				w.check(err)
				if again := stats.Retries["model"]; (again > 0) != (row.work.failing > 0 || row.work.bears > 0) {
					t.Errorf("%d requests were made again", again)
				}
				elapsed := make(map[string]time.Duration)
				for _, r := range sink.records {
					elapsed[r.TraceID] = time.Duration(r.Elapsed)
					began = max(began, r.Started.Sub(begin))
				}
				var spans []time.Duration
				for _, j := range jobs {
					spans = append(spans, elapsed[traceOf(j)])
				}
				best, last := makespan(spans, places)
				t.Logf("%.1f s, the best is %.1f s: %.4f; the last begins at %.1f s, at best %.1f s: %.4f", took.Seconds(), best.Seconds(), took.Seconds()/best.Seconds(), began.Seconds(), last.Seconds(), began.Seconds()/last.Seconds())
				if len(elapsed) != len(jobs) || float64(took) > row.most*float64(best) || row.fixed > 0 && float64(began) > row.most*float64(last) {
					t.Errorf("%d of %d rollouts took %v, and the last began at %v; the best is %v and %v", len(elapsed), len(jobs), took, began, best, last)
				}
			})
		})
	}
}

func traceOf(j sampler.Rollout) string {
	return sampler.TraceID(7, j.Item.Split, j.Item.ID, j.Sample, j.Attempt)
}

// lasting is a world's rollouts that take lognormal times (sigma 1, median 20 s).
type lasting struct {
	tool, grader float64       // their shares of a rollout's time; the model has the rest
	first        time.Duration // of the first rollout; 0 draws it as the others
	failing      float64       // share of the model's requests that fail once
	bears        int           // requests that the model answers at once; 0 = any number
}

// of makes the world so. first is the trace of the first rollout.
func (l lasting) of(w *world, first string) {
	luck := func(trace string) *rand.Rand {
		var seed [32]byte
		copy(seed[:], trace[len("trace_"):])
		return rand.New(rand.NewChaCha8(seed))
	}
	part := func(trace string, share float64) time.Duration {
		took := time.Duration(float64(20*time.Second) * math.Exp(luck(trace).NormFloat64()))
		if trace == first && l.first > 0 {
			took = l.first
		}
		return time.Duration(share * float64(took))
	}
	p, failed := &pound{max: l.bears}, map[string]bool{}
	w.model = func(r modelRequest) reply {
		w.mu.Lock()
		again := failed[r.Trace]
		failed[r.Trace] = true
		w.mu.Unlock()
		if draw := luck("trace_x" + r.Trace[len("trace_"):]); !again && draw.Float64() < l.failing {
			return fails(503)
		}
		if l.tool > 0 && r.Turn == 0 {
			return wants("search")
		}
		if !p.enter() {
			return fails(429)
		}
		took := part(r.Trace, 1-l.tool-l.grader)
		time.Sleep(took)
		p.leave()
		a := says("42")
		// A server that is not crowded takes the same time for each token.
		a.body = strings.Replace(a.body, `"output_tokens":5`, fmt.Sprintf(`"output_tokens":%d`, 5+int(20*took.Seconds())), 1)
		return a
	}
	w.tool = func(r toolRequest) reply { a := gives("x"); a.wait = part(r.Trace, l.tool); return a }
	w.grade = func(r gradeRequest) reply { return reply{body: `{"score":1}`, wait: part(r.Trace, l.grader)} }
}
