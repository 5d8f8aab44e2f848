package analysis

import "testing"

func TestPricesOfAListStayWithTheSettings(t *testing.T) {
	in, out := 1.0, 4.0
	v := PriceSettings{File: "prices.json", ToolCall: &in}
	if got := v.Prices(); got.Model.Known() || *got.ToolCall != 1 {
		t.Errorf("%+v", got)
	}
	settled := v.Settled(Prices{Model: TokenPrice{Input: &in, Output: &out}})
	if settled.File != "" || *settled.ModelInput != 1 || *settled.ModelOutput != 4 || settled.JudgeInput != nil || *settled.ToolCall != 1 {
		t.Errorf("%+v", settled)
	}
	v.File = ""
	if got := v.Settled(Prices{Model: TokenPrice{Input: &in, Output: &out}}); got.ModelInput != nil {
		t.Errorf("prices without a list: %+v", got)
	}
}

func TestThePlanOfATraining(t *testing.T) {
	var s Settings
	s.Plan(Training{GroupSize: 8, BatchSize: 4, Epochs: 2, EvalInterval: 10, EvalSamples: 3, Parameters: 4e9, Flops: 4e14, WantedShare: 0.5}, Trainer{Normalize: "none"})
	if s.GroupSize != 8 || s.BatchSize != 4 || s.Epochs != 2 || s.EvalInterval != 10 || s.EvalSamples != 3 || s.Parameters != 4e9 || s.TrainerFlops != 4e14 || s.WantedShare != 0.5 || s.Normalize != "none" {
		t.Errorf("%+v", s)
	}
}
