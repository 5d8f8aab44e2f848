package judge_test

import (
	"fmt"
	"math"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

// Training costs its rollouts, those of its evaluations and the trainer's own time; by
// hand: 4 items in steps of 2 with groups of 4 are 2 steps and 16 rollouts an epoch, 32
// in two. Evaluations before the first step and after every second of 4 steps are 3, of
// 3 items x 5 rollouts: 45 more. A rollout has 1,000 tokens in and 100 out: an epoch
// trains 17,600 tokens, at 6 x 1e9 parameters and 1e12 FLOP/s 105.6 s, and at 0.5 US
// dollars a million 0.0088.
func TestTheWholeTraining(t *testing.T) {
	var lines []string
	for _, split := range []struct {
		name  string
		items int
	}{{"train", 4}, {"eval", 3}} {
		for i := range split.items {
			for j := range 4 {
				lines = append(lines, fmt.Sprintf(`{"item":"q%d","split":%q,"sample":%d,"outcome":"graded","reward":%d,"elapsed_s":36,"usage":{"input_tokens":1000,"output_tokens":100}}`, i, split.name, j, j%2))
			}
		}
	}
	s := analysis.DefaultSettings()
	s.GroupSize, s.BatchSize, s.Epochs, s.EvalInterval, s.EvalSamples = 4, 2, 2, 2, 5
	s.Parameters, s.TrainerFlops, s.Prices.TrainedToken = 1e9, 1e12, dollars(0.5)
	p := analyze(t, s, lines).Plan
	if p.Evaluations != 3 || p.Whole == nil || p.Evaluation == nil || p.PerEpoch.TrainerSeconds == nil {
		t.Fatalf("%d evaluations, %+v", p.Evaluations, p)
	}
	for what, c := range map[string]struct {
		got  stat.Estimate
		want float64
	}{
		"rollouts of an evaluation": {p.Evaluation.Rollouts, 15},
		"of the training":           {p.Whole.Rollouts, 32 + 45},
		"output tokens":             {p.Whole.OutputTokens, 7700},
		"seconds":                   {p.Whole.SecondsMin, 36 * (4 + 3)},
		"trained tokens":            {*p.PerEpoch.TrainedTokens, 17_600},
		"of the training's tokens":  {*p.Whole.TrainedTokens, 35_200},
		"trainer seconds":           {*p.PerEpoch.TrainerSeconds, 105.6},
		"for the tokens":            {*p.PerEpoch.TrainerUSD, 0.0088},
	} {
		if c.got.Value == nil || math.Abs(*c.got.Value-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %g", what, c.got.Value, c.want)
		}
	}
	if p.Evaluation.TrainedTokens != nil || p.Evaluation.InformativeGroups.Known() {
		t.Error("an evaluation trains")
	}
	// Rewards 0 1 0 1: of the 6 pairs of a group of 2, 4 differ; a group of 4 always does.
	if len(p.BySize) != 2 || p.BySize[0].GroupSize != 2 || p.BySize[1].GroupSize != 4 {
		t.Fatalf("sizes: %+v", p.BySize)
	}
	for i, want := range []float64{4 / (2 * 4. / 6), 8 / 2.} {
		if one := p.BySize[i].RolloutsPerOne; one.Value == nil || math.Abs(*one.Value-want) > 1e-9 {
			t.Errorf("groups of %d: %v rollouts for one that teaches, want %g", p.BySize[i].GroupSize, one.Value, want)
		}
	}
	s.Parameters, s.EvalSamples, s.Prices.TrainedToken = 0, 0, nil
	if p := analyze(t, s, lines).Plan; p.Evaluation != nil || p.PerStep.TrainerSeconds != nil || p.PerStep.TrainerUSD != nil || *p.Whole.Rollouts.Value != 32 {
		t.Errorf("what is not known is told: %+v", p.PerStep)
	}
}
