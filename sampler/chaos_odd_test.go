package sampler_test

import (
	"errors"
	"strings"
	"testing"

	"gonogo/fixtures/chaos"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// A server that closes connections without a word breaks requests that it never
// sees, which are made again; one that answers twice is not believed the second
// time.
func TestChaosOddServers(t *testing.T) {
	for _, name := range []string{"closed_unsaid", "twice"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault := chaos.Find(name)[0]
			o := ordeal{items: 10, samples: 4, cfg: chaosConfig(patient)}
			o.cfg.Retry.Max, o.cfg.Breaker = 20, 0
			// What comes twice may disturb the next request on that
			// connection, which shows in what names the call alone. net/http logs it.
			left, once := 8, chaos.First(&fault, 1, "tool")
			o.plan = chaos.After(20, func(r chaos.Request) *chaos.Fault {
				f := once(r)
				if f == nil || left == 0 {
					return nil
				}
				left--
				return f
			})
			out := o.run(t)
			for _, r := range out.records {
				if r.Outcome != rollout.Graded {
					t.Errorf("%s: %s %q", r.TraceID, r.Outcome, r.Error)
					continue
				}
				out.mill.check(r)
			}
			if out.err != nil || len(out.records) != 40 || left > 0 {
				t.Errorf("%d records, error %v; %d requests were to meet it still", len(out.records), out.err, left)
			}
		})
	}
}

// A redirect to another server is not followed: keys stay where they belong. It
// costs the rollout that meets it, and ends a run that begins with it.
func TestChaosRedirects(t *testing.T) {
	away := chaos.Find("redirect_away")[0]
	for boundary, outcome := range map[string]rollout.Outcome{"model": rollout.ModelAPI, "tool": rollout.ToolFailed, "grader": rollout.GraderFailed, "session": rollout.ToolFailed} {
		t.Run(boundary, func(t *testing.T) {
			t.Parallel()
			o := ordeal{items: 4, samples: 4, cfg: chaosConfig(patient)}
			always := chaos.First(&away, 1000, boundary)
			o.plan = chaos.After(4, func(r chaos.Request) *chaos.Fault {
				if !unlucky(r.Trace) {
					return nil
				}
				return always(r)
			})
			out := o.run(t)
			graded := out.reconcile(16)
			for _, r := range out.records {
				if r.Outcome != rollout.Graded && (r.Outcome != outcome || !strings.Contains(r.Error, "redirected to another server")) {
					t.Errorf("%s: %s %q", r.TraceID, r.Outcome, r.Error)
				}
			}
			if graded == 0 || graded == 16 || out.stats.Retries[boundary] > 0 {
				t.Errorf("%d of 16 are graded; %v", graded, out.stats.Retries)
			}
			o.plan = always
			out = o.run(t)
			if end, ok := errors.AsType[*endpoint.Error](out.err); !ok || !strings.HasPrefix(end.Boundary, boundary) || outcome != rollout.GraderFailed && len(out.records) > 0 {
				t.Errorf("%d records, error %v", len(out.records), out.err)
			}
			for _, r := range out.records { // answers that were paid for
				if r.Kind != rollout.KindUngraded || r.Answer == "" {
					t.Errorf("%s: %s %q, answer %q", r.TraceID, r.Outcome, r.Kind, r.Answer)
				}
			}
		})
	}
}
