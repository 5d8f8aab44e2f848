package analysis

import "testing"

func TestThePlanOfATraining(t *testing.T) {
	var s Settings
	s.Plan(Training{GroupSize: 8, BatchSize: 4, Epochs: 2, EvalInterval: 10, EvalSamples: 3, Parameters: 4e9, Flops: 4e14, WantedShare: 0.5}, Trainer{Normalize: "none"})
	if s.GroupSize != 8 || s.BatchSize != 4 || s.Epochs != 2 || s.EvalInterval != 10 || s.EvalSamples != 3 || s.Parameters != 4e9 || s.TrainerFlops != 4e14 || s.WantedShare != 0.5 || s.Normalize != "none" {
		t.Errorf("%+v", s)
	}
}
