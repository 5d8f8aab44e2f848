package console

import (
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// A session that never starts showed a count of errors and no cause; a wait for
// a server's word showed no reason.
func TestAnEndpointsLineSaysWhy(t *testing.T) {
	for want, b := range map[string]endpoint.State{
		"  session      0/8 in flight, 0/s, errors 12, last error: the session's start: exit status 1: no such image":                    {Name: "session", Limit: 8, Errors: 12, Cause: "the session's start: exit status 1: no such image"},
		"  model        0/8 in flight, 3 waiting, 0/s, paused 8m20s by its rate limit headers":                                           {Name: "model", Limit: 8, Waiting: 3, Paused: 500 * time.Second, Why: limit.Headers},
		"  model        4/4 in flight, 0/s, limited to 4 by 429s (sampling.concurrency)":                                                 {Name: "model", InFlight: 4, Limit: 4, HeldBy: limit.HeldByRefusals},
		"  model        4/4 in flight, 0/s, handles about 4 at once; more would queue (sampling.concurrency)":                            {Name: "model", InFlight: 4, Limit: 4, HeldBy: limit.HeldByQueue},
		"  tool x       4/4 in flight, 2 waiting, 0/s, limited to 4 by sampling.concurrency, no answer for 1m5s (sampling.tool_timeout)": {Name: "tool x", InFlight: 4, Limit: 4, Waiting: 2, HeldBy: limit.HeldBySetting, Silent: 65 * time.Second},
		"  judge        1/4 in flight, 0/s": {Name: "judge", InFlight: 1, Limit: 4, HeldBy: limit.HeldBySetting, Silent: 59 * time.Second},
		"  model        0/8 in flight, 0/s, errors 1, last error: status 500: \uFFFD[2J" + strings.Repeat("é", 100-len("status 500: .[2J")) + "…": {Name: "model", Limit: 8, Errors: 1, Cause: "status 500: \x1b[2J" + strings.Repeat("é", 200)},
	} {
		if got := BoundaryLine(b); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestWhatRolloutsWereLostToIsSaid(t *testing.T) {
	s := sampler.Stats{
		Recorded: 9, Outcomes: map[rollout.Outcome]int{rollout.Graded: 6, rollout.ModelAPI: 2, rollout.GraderFailed: 1}, Ungraded: "no reward",
		Retries: map[string]int{"model": 3, "grader": 1}, Boundaries: []endpoint.State{{Name: "model", Requests: 20, Errors: 2, Cause: "status 500"}},
	}
	for got, want := range map[string]string{
		strings.Join(LostTo(s), "\n"):   "  model: 2 of 20 requests failed, the last: status 500\n  grader: 1 of 9 rollouts have no grade, the last: no reward",
		strings.Join(Troubles(s), ", "): "model_api 2, grader 1, retries 4",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
