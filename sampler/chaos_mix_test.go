package sampler_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/fixtures/chaos"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// deep is n where the deep tests are asked for, else few.
func deep(few, n int) int {
	if os.Getenv("GONOGO_DEEP") != "" {
		return n
	}
	return few
}

// mixed are the faults of the mix: errors, stalls, and what should do no harm.
// Left out are those that a test of its own has: they last, or end a run.
func mixed() (errors, stalls, harmless []chaos.Fault) {
	for _, f := range chaos.Faults() {
		switch {
		case slices.Contains(strings.Fields("429_seconds 429_date endless_trickle endless redirect_away closed_unsaid twice foreign"), f.Name):
		case f.Hangs:
			stalls = append(stalls, f)
		case f.Whole:
			harmless = append(harmless, f)
		default:
			errors = append(errors, f)
		}
	}
	return errors, stalls, harmless
}

// meets says which fault makes sense at which boundary.
func meets(boundary string, f chaos.Fault) bool {
	kind, _, _ := strings.Cut(boundary, " ")
	switch f.Name {
	case "foreign": // no one else says whom he answers
		return kind == "tool"
	case "long": // where that is too long, and not for the model to read
		return kind == "grader"
	case "empty", "no_content": // what the start of a session may answer
		return kind != "session"
	case "page", "wrong_shape": // a stop that says that it was one is believed
		return boundary != "session stop"
	}
	return true
}

// At 2 % errors and 1 % stalls over all boundaries, and as many oddities that
// should do no harm, every rollout is graded rightly or missing with the
// boundary named that failed it; none is lost, none is there twice.
func TestLongDeepChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	errors, stalls, harmless := mixed()
	for name, o := range map[string]ordeal{
		"adaptive, responses, an endpoint grades": {},
		"fixed, chat, a judge grades":             {api: "chat", judged: true, cfg: sampler.Config{Concurrency: 32}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixed := o.cfg.Concurrency
			o.cfg = chaosConfig(stalled)
			o.cfg.Concurrency = fixed
			o.items, o.samples = 24, deep(8, 200)
			o.plan = chaos.Any(
				chaos.Mix(3, meets, chaos.Share{Of: 0.02, Faults: errors}, chaos.Share{Of: 0.01, Faults: stalls}, chaos.Share{Of: 0.04, Faults: harmless}),
				chaos.After(100, chaos.Mix(4, meets, chaos.Share{Of: 0.005, Faults: chaos.Find("foreign")})), // when a tool has shown that it names the calls it answers
			)
			out := o.run(t)
			graded := out.reconcile(o.items * o.samples)
			t.Logf("%d graded of %d; %d requests, %d connections for %d at once and %d broken; %v; %v", graded, len(out.records), len(out.account),
				out.opened, out.most, chaos.Broken(out.account), out.stats.Retries, out.stats.Elapsed)
			if fixed > 0 && out.opened > 5*fixed+chaos.Broken(out.account) { // of five endpoints at one address
				t.Errorf("%d connections were opened, with %d that broke", out.opened, chaos.Broken(out.account))
			}
		})
	}
}

// A second run over what the first could not end makes just that, and then all is
// graded: one record of each rollout counts.
func TestChaosResume(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	items := makeItems(12)
	state := func() map[rollout.Key]rollout.RolloutState {
		run, err := rollout.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		done, _, err := run.State(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	sample := func(plan chaos.Plan, jobs []sampler.Rollout) outcome {
		w, err := rollout.Create(dir, rollout.Manifest{Source: rollout.Live}, items, rollout.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o := ordeal{cfg: chaosConfig(patient), plan: plan, sink: w, jobs: jobs}
		o.cfg.Retry.Max, o.cfg.Breaker = 1, 0
		out := o.run(t)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		return out
	}
	samples := map[rollout.Split]int{rollout.Train: 8}
	errors, _, _ := mixed()
	out := sample(chaos.Mix(5, meets, chaos.Share{Of: 0.15, Faults: errors}), sampler.Plan(items, samples, nil))
	graded := out.reconcile(96)
	done := state()
	jobs := sampler.Plan(items, samples, func(k rollout.Key) (rollout.RolloutState, bool) {
		was, there := done[k]
		was.Output = false // which this test samples again
		return was, there
	})
	if len(done) != 96 || graded == 0 || len(jobs) == 0 || len(jobs) != 96-graded {
		t.Fatalf("%d rollouts are on disk, %d of them graded; %d are to be made again", len(done), graded, len(jobs))
	}
	if n := sample(nil, jobs).reconcile(len(jobs)); n != len(jobs) {
		t.Errorf("%d of %d are graded at last", n, len(jobs))
	}
	done = state()
	for k, was := range done {
		if was.Outcome != rollout.Graded {
			t.Errorf("%v is %s", k, was.Outcome)
		}
	}
	if len(done) != 96 {
		t.Errorf("%d rollouts count", len(done))
	}
}

// Sessions are stopped whatever their stops meet at first.
func TestChaosStops(t *testing.T) {
	t.Parallel()
	errors, _, _ := mixed()
	o := ordeal{items: 10, samples: 8, cfg: chaosConfig(patient)}
	all := chaos.Mix(6, meets, chaos.Share{Of: 1, Faults: errors})
	o.plan = func(r chaos.Request) *chaos.Fault {
		if r.Boundary != "session stop" || r.Try > 0 {
			return nil
		}
		return all(r)
	}
	out := o.run(t)
	if graded := out.reconcile(80); graded != 80 || out.stats.LeftOpen != 0 || out.stats.Retries[endpoint.Session] < 60 { // a stop's answer is not read
		t.Errorf("%d are graded, %d sessions left open; %v", graded, out.stats.LeftOpen, out.stats.Retries)
	}
}

// Outputs that are graded again behind the same network.
func TestChaosRegrade(t *testing.T) {
	t.Parallel()
	errors, _, _ := mixed()
	for _, judged := range []bool{false, true} {
		m := newMill(t, "")
		proxy, err := chaos.New(m, chaos.Options{Plan: chaos.Mix(7, meets, chaos.Share{Of: 0.2, Faults: errors})})
		if err != nil {
			t.Fatal(err)
		}
		cfg := chaosConfig(patient)
		cfg.Retry.Max = 1
		b, end := m.boundaries(t, proxy.URL(), judged, &cfg)
		cfg.Isolation = nil
		var tasks []sampler.Task
		for _, it := range makeItems(200) {
			trace := m.traceOf(it.ID, 0, 0)
			tasks = append(tasks, sampler.Task{Item: &it, Times: 1, Record: &rollout.Record{
				Item: it.ID, Split: it.Split, Outcome: rollout.Graded, TraceID: trace, Answer: courseOf(trace).answer,
				Messages: []rollout.Message{{Role: "assistant", Content: courseOf(trace).answer}},
			}})
		}
		sink := &list{}
		stats, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: cfg,
			Tasks: func(yield func(sampler.Task, error) bool) {
				for _, task := range tasks {
					if !yield(task, nil) {
						return
					}
				}
			},
			Total: len(tasks), Grader: b.Grader, Sink: sink,
		})

		end()
		if closed := proxy.Close(); err != nil || closed != nil {
			t.Error(err, closed)
		}
		out := outcome{t: t, mill: m, records: sink.records, stats: stats, account: proxy.Account()}
		broken, seen, lost, repeats := out.broken(""), map[string]bool{}, 0, 0
		for _, r := range out.account {
			if r.Try > 0 {
				repeats++
			}
		}
		for _, r := range sink.records {
			switch graded := r.Outcome == rollout.Graded; {
			case seen[r.Item], graded != (broken[r.TraceID] == nil), graded && (r.Reward == nil || *r.Reward != courseOf(r.TraceID).reward), !graded && (r.Reward != nil || r.Kind == "" || r.Error == ""):
				t.Errorf("%s: %s %v %q, and what broke it is %v", r.Item, r.Outcome, r.Reward, r.Error, broken[r.TraceID])
			case !graded:
				lost++
			}
			seen[r.Item] = true
		}
		told := 0
		for n := range maps.Values(stats.Retries) {
			told += n
		}
		if len(seen) != 200 || lost == 0 || told != repeats {
			t.Errorf("%d records, %d lost; %d retries are told of %d repeats", len(seen), lost, told, repeats)
		}
	}
}
