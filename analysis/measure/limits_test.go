package measure

import (
	"math"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Four lost attempts cannot show what they depend on; five can. Those of the grader are not counted.
func TestFewFailuresAreNotTested(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome rollout.Outcome
		lost    int
		want    bool
	}{
		{"four attempts lost to a tool", rollout.ToolFailed, 4, false},
		{"five attempts lost to a tool", rollout.ToolFailed, 5, true},
		{"five attempts lost to the model's endpoint", rollout.ModelAPI, 5, true},
		{"five grades missing", rollout.GraderFailed, 5, false},
	} {
		c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
		for sample := range 20 {
			r := &rollout.Record{Split: rollout.Train, Item: "q", Sample: sample, Outcome: rollout.Graded, Reward: new(float64)}
			if sample < test.lost {
				r.Outcome, r.Reward = test.outcome, nil
			}
			if err := c.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		m := Split{s: analysis.DefaultSettings(), c: c, Items: c.Items(rollout.Train, nil)}
		if got := m.missingBy(); (got != nil) != test.want {
			t.Errorf("%s: tested: %v, want %v", test.name, got != nil, test.want)
		}
	}
}

// A training step takes 6 FLOP for each parameter and token (Kaplan et al. 2020, arXiv 2001.08361,
// section 2.1): 7e9 parameters and 2e6 tokens are 8.4e16 FLOP, 84 s at 1e15 FLOP/s.
func TestTheTrainersTimeForAStep(t *testing.T) {
	tokens := 1e6
	cost := analysis.PlanCost{InputTokens: stat.Estimate{Value: &tokens}, OutputTokens: stat.Estimate{Value: &tokens}}
	s := analysis.DefaultSettings()
	s.Parameters, s.TrainerFlops = 7e9, 1e15
	trainer(&cost, s)
	if got := cost.TrainerSeconds; got == nil || math.Abs(*got.Value-84) > 1e-9 {
		t.Errorf("the trainer takes %+v, want 84 s", got)
	}
}

// A trainer that does not normalize learns next to nothing from rewards within a hundredth of the
// range. One that divides by their standard deviation makes any difference count.
func TestRewardsThatHardlyDiffer(t *testing.T) {
	for _, test := range []struct {
		name      string
		normalize string
		span      float64
		want      float64
	}{
		{"not normalized, a hundredth of the range", analysis.NormalizeNone, 0.1, 1},
		{"not normalized, less than that", analysis.NormalizeNone, 0.099, 0},
		{"divided by the standard deviation, less than that", analysis.NormalizeStd, 0.099, 1},
	} {
		s := analysis.DefaultSettings()
		s.RewardRange, s.Normalize = stat.Range{Lo: 0, Hi: 10}, test.normalize
		if got := Informative(s, []float64{5, 5 + test.span}, 2); got != test.want {
			t.Errorf("%s: informative %g, want %g", test.name, got, test.want)
		}
	}
}
