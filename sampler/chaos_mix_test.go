package sampler_test

import (
	"os"
	"strings"
	"testing"

	"gonogo/fixtures/chaos"
	"gonogo/sampler"
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
		case strings.Contains("429_seconds 429_date endless_trickle endless redirect_away closed_unsaid twice foreign", f.Name):
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
	case "foreign": // nobody else says whom he answers
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
func TestDeepChaos(t *testing.T) {
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
		})
	}
}
