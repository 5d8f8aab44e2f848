package measure

import (
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/sampler/rollout"
)

// Where the audit sends a reference in the form that is asked for, and then bare, the bare one is the right answer.
func TestTheLastReferenceOfAnAuditIsTheRightAnswer(t *testing.T) {
	c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
	for sample, answer := range []string{"The answer is 42", "42"} {
		for _, item := range []string{"probed", "own"} {
			err := c.AddProbe(&rollout.Record{
				Split: rollout.Train, Item: item, Sample: sample, Outcome: rollout.Graded, Reward: new(float64), Answer: answer,
				Probe: &rollout.ProbeInfo{Name: rollout.ProbeReference},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Audit.Settle()
	probed, own := collect.ItemKey{Split: rollout.Train, ID: "probed"}, collect.ItemKey{Split: rollout.Train, ID: "own"}
	got := c.withProbed(references{own: "7"})
	if got[probed] != "42" || got[own] != "7" {
		t.Errorf("right answers %v, want 42 for probed and its own 7 for own", got)
	}
}
