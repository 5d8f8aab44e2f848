package console

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/input/schema"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

func TestWhatRolloutsWillTake(t *testing.T) {
	a, b := &rollout.Item{ID: "a", Split: rollout.Train}, &rollout.Item{ID: "b", Split: rollout.Train}
	jobs := []sampler.Rollout{{Item: a}, {Item: a, Sample: 1}, {Item: b}}
	in, out := int64(100), int64(20)
	rec := &rollout.Record{Turns: 2, Calls: make([]rollout.Call, 1), Elapsed: rollout.Seconds(10 * time.Second), Usage: rollout.Usage{Input: &in, Output: &out}}
	free := func(*rollout.Record) (float64, bool) { return 0, false }
	for _, c := range []struct {
		rec  *rollout.Record
		o    EstimateOptions
		want string
	}{
		{nil, EstimateOptions{}, "To make: 3 rollouts of 2 items, each with one grade and at least one model turn."},
		{nil, EstimateOptions{AtMost: true}, "To make at most: 3 rollouts of 2 items, each with one grade and at least one model turn."},
		{
			rec,
			EstimateOptions{Concurrency: 2, Cost: func(*rollout.Record) (float64, bool) { return 0.5, true }},
			"To make: 3 rollouts of 2 items, each with one grade; going by this one, about 6 model turns, 3 tool calls, 300 tokens in and 60 tokens out, $1.5, and 20s with 2 at a time.",
		},
		{
			&rollout.Record{Turns: 1, Elapsed: rollout.Seconds(10 * time.Second)},
			EstimateOptions{Cost: free},
			"To make: 3 rollouts of 2 items, each with one grade; going by this one, about 3 model turns, 0 tool calls, an unknown number of tokens (the server does not report it), and 30s of rollouts, as many at a time as the endpoints can take.",
		},
	} {
		if got := Estimate(jobs, c.rec, c.o); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	got := AuditEstimate(audit.Config{MaxGradings: 1200, MaxMarks: 2, Attacks: 10}, 2, 1, []audit.Detector{{Judges: 1}, {}}, 3, audit.Estimate{Policies: 100, ToolCalls: 145})
	if want := " Then an audit of the grader: at most 1,200 gradings, that is 2,400 requests to a model that grades, 100 rollouts of policies with at most 145 tool calls, at most 10 answers by an attacker, that is 20 requests to a model; 2 rollouts read by 2 detectors, that is 2 requests to a model (audit.max_gradings; --no-audit leaves it out)."; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatABudgetIsUsedBy(t *testing.T) {
	budget := limit.NewBudget(limit.Bounds{Rollouts: 1200, Tokens: 5000, USD: 2})
	for bound, want := range map[limit.Bound]string{
		limit.Rollouts: "max_rollouts: 1,200", limit.Tokens: "max_tokens: 0 of 5,000", limit.USD: "max_usd: $0 of $2", limit.NoBound: "spent",
	} {
		if got := BoundText(budget, bound); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := MoneyText(budget, sampler.Event{}, 10); got != "" {
		t.Errorf("%q where nothing has a price", got)
	}
	for want, s := range map[string]sampler.Stats{
		"": {TokensUnknown: 1, StoppedBy: sampler.StoppedByUnknownUsage},
		"warning: the server did not report the tokens of 1 rollout; sampling.max_tokens used the mean of the others instead\n":    {TokensUnknown: 1},
		"warning: the server did not report the tokens of 2 rollouts; sampling.max_usd used the mean cost of the others instead\n": {USDUnknown: 2},
	} {
		if got := Uncounted(budget.Bounds(), s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatALookFound(t *testing.T) {
	reason := "grader.hackable"
	result := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &reason}}
	plan := &rollout.Looks{At: []int{4, 8, 16}}
	for ended, want := range map[rollout.Ending]string{
		"":                   "Look 1 of 3, at 4 samples per item: NO-GO by grader.hackable; continuing.",
		rollout.EndedDecided: "Look 1 of 3, at 4 samples per item: NO-GO by grader.hackable; the verdict is decided, and of at most 16 per item 12 samples are not needed.",
		rollout.EndedAtMax:   "Look 1 of 3, at 4 samples per item: NO-GO by grader.hackable; the maximum number of samples is reached.",
	} {
		plan.Ended = ended
		if got := LookText(plan, 4, result); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestTopicsHoldWhatTheyAreOf(t *testing.T) {
	type keys struct {
		Samples int `json:"samples" default:"8" min:"1" mark:"binding" doc:"rollouts per item"`
	}
	var b bytes.Buffer
	WriteKeys(&b, schema.For[keys](schema.Options{}))
	if want := "* samples (whole number, at least 1)\n      rollouts per item. Default: 8.\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	WriteGates(&b)
	WriteProbes(&b)
	WriteFailures(&b)
	for _, want := range []string{"\n  signal.informative", "Thresholds (set with", "What it scores at the top:", "How requests end"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not there", want)
		}
	}
}
