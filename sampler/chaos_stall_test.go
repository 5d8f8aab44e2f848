package sampler_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/fixtures/chaos"
	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Each stall at each boundary, in one rollout once and in another at every try:
// the first is graded, the other missing, with boundary and cause named, and no
// other rollout is touched.
func TestChaosStalls(t *testing.T) {
	causes := map[string]string{
		"stall_before": "no answer within", "stall_in_header": "no answer within",
		"stall_in_body": "the answer started, then no byte of it came",
	}
	faults := chaos.Find("stall_before", "stall_in_header", "stall_in_body")
	for grading, boundaries := range map[string][]string{
		"grader": {"model", "tool", "session", "grader"}, "judge": {"judge"},
	} {
		t.Run(grading, func(t *testing.T) {
			t.Parallel()
			o := ordeal{items: 3 * len(boundaries), samples: 3, judged: grading == "judge", cfg: chaosConfig(stalled)}
			o.cfg.Breaker, o.cfg.Retry.Max = 0, 1
			jobs, m := o.planned(), newMill(t, "")
			o.jobs = jobs
			met := map[string]chaos.Plan{} // by trace: sample 0 meets its item's stall once, sample 1 always
			cause := map[string]string{}
			for _, j := range jobs {
				at := slices.IndexFunc(jobs, func(other sampler.Rollout) bool { return other.Item == j.Item })
				fault := &faults[at%3]
				switch trace := m.traceOf(j.Item.ID, j.Sample, j.Attempt); j.Sample {
				case 0:
					met[trace] = chaos.First(fault, 1, boundaries[at/3])
				case 1:
					met[trace], cause[trace] = chaos.First(fault, 1000, boundaries[at/3]), causes[fault.Name]
				}
			}
			first := map[string]string{} // one request of a rollout is enough
			o.plan = func(q chaos.Request) *chaos.Fault {
				p := met[q.Trace]
				if p == nil || p(q) == nil || first[q.Trace] != "" && first[q.Trace] != q.ID {
					return nil
				}
				first[q.Trace] = q.ID
				return p(q)
			}
			out := o.run(t)
			out.reconcile(len(jobs))
			for _, r := range out.records {
				want := cause[r.TraceID]
				if (r.Outcome == rollout.Graded) != (want == "") || !strings.Contains(r.Error, want) {
					t.Errorf("%s: %s %q, want %q", r.TraceID, r.Outcome, r.Error, want)
				}
			}
			if len(cause) != len(first)-len(cause) || len(cause) != 3*len(boundaries) {
				t.Errorf("%d rollouts met a stall, of %d that should be lost", len(first), len(cause))
			}
		})
	}
}

// An answer that comes in pieces may take longer than the longest silence; one
// that trickles without end is given up.
func TestChaosSlowAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		fault  string
		pause  time.Duration
		limit  time.Duration
		graded int
		cause  string
	}{
		"slow and whole": {"trickle", 50 * time.Millisecond, 300 * time.Millisecond, 2, ""},
		"without end":    {"endless_trickle", 10 * time.Millisecond, 60 * time.Millisecond, 0, "call (search|cat): .*no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := ordeal{items: 2, samples: 1, cfg: chaosConfig(patient), pause: row.pause}
			o.cfg.ToolTimeout = row.limit
			o.cfg.Breaker, o.cfg.Retry = 0, limit.Retry{}
			if row.graded > 0 { // a busy machine may be silent for longer than that
				o.cfg.Retry.Max = 20
			}
			fault := chaos.Find(row.fault)[0]
			o.plan = chaos.First(&fault, 1000, "tool")
			out := o.run(t)
			graded := 0
			for _, r := range out.records {
				if r.Outcome == rollout.Graded {
					graded++
					out.mill.check(r)
				} else if r.Outcome != rollout.ToolFailed || r.Reward != nil || !regexp.MustCompile(row.cause).MatchString(r.Error) {
					t.Errorf("%s: %s %q", r.TraceID, r.Outcome, r.Error)
				}
			}
			if out.err != nil || len(out.records) != 2 || graded != row.graded {
				t.Errorf("%d of %d are graded, error %v", graded, len(out.records), out.err)
			}
		})
	}
}
