package judge

import (
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/measure"
	"gonogo/sampler/rollout"
)

func TestWordsOfLooks(t *testing.T) {
	looks := &analysis.Looks{Confidence: 0.95, At: []int{4, 6, 8}, Made: 2, Ended: rollout.EndedDecided}
	want := "sampling was stopped by the rule at look 2 of 3, with 6 samples of at most 8 per item; the intervals of rollouts are at 99.18 %, so that all looks together keep 95 %"
	if got := looksNote(looks, 0.99182).String(); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if looksNote((*analysis.Looks)(nil), 0.95).String() != "" {
		t.Error("without looks something is said of them")
	}
}

func TestALookEndsWhenTheVerdictStands(t *testing.T) {
	plan := measure.PlanLooks(8, analysis.DefaultSettings())
	tests := []struct {
		name    string
		samples int
		verdict analysis.Verdict
		want    rollout.Ending
	}{
		{"undecided goes on", 4, analysis.Undecided, ""},
		{"GO stands", 4, analysis.Go, rollout.EndedDecided},
		{"NO-GO stands", 5, analysis.NoGo, rollout.EndedDecided},
		{"undecided with the most samples", 8, analysis.Undecided, rollout.EndedAtMax},
		{"decided with the most samples", 8, analysis.Go, rollout.EndedDecided},
	}
	for _, test := range tests {
		next := Look(plan, test.samples, &analysis.Result{Ruling: analysis.Ruling{Verdict: test.verdict}, Confidence: 0.99})
		if next.Ended != test.want || len(next.Made) != 1 || len(plan.Made) != 0 {
			t.Errorf("%s: ended %q after %v, want %q", test.name, next.Ended, next.Made, test.want)
		}
	}
	again := Look(Look(plan, 4, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Undecided}}), 4, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Go}})
	if len(again.Made) != 1 || again.Made[0].Verdict != string(analysis.Go) {
		t.Errorf("a look made again stands twice: %v", again.Made)
	}
}
