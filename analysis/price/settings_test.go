package price

import "testing"

func TestPricesOfAListStayWithTheSettings(t *testing.T) {
	in, out := 1.0, 4.0
	v := Settings{File: "prices.json", ToolCall: &in}
	if got := v.Prices(); got.Model.Known() || *got.ToolCall != 1 {
		t.Errorf("%+v", got)
	}
	settled := v.Settled(Prices{Model: Token{Input: &in, Output: &out}})
	if settled.File != "" || *settled.ModelInput != 1 || *settled.ModelOutput != 4 || settled.JudgeInput != nil || *settled.ToolCall != 1 {
		t.Errorf("%+v", settled)
	}
	v.File = ""
	if got := v.Settled(Prices{Model: Token{Input: &in, Output: &out}}); got.ModelInput != nil {
		t.Errorf("prices without a list: %+v", got)
	}
}
