package burst

import (
	"testing"

	"gonogo/sampler/rollout"
)

func TestUseIsTheMeanOfTheRollouts(t *testing.T) {
	tokens := func(in, out int64) rollout.Usage { return rollout.Usage{Input: &in, Output: &out} }
	cost := func(r *rollout.Record) (float64, bool) {
		if r.Usage.Input == nil {
			return 0, false
		}
		return float64(*r.Usage.Input) / 100, r.JudgeCalls == 0 // without its grading
	}
	first := &rollout.Record{Turns: 2, Answer: "a", Usage: tokens(100, 50), JudgeCalls: 3}
	for what, c := range map[string]struct {
		records []*rollout.Record
		want    Use
	}{
		"none":                      {nil, Use{}},
		"one":                       {[]*rollout.Record{first}, Use{1, 2, 150, 1, true, true}},
		"two":                       {[]*rollout.Record{first, {Turns: 4, Answer: "b", Usage: tokens(300, 150)}}, Use{2, 3, 300, 2, true, true}},
		"one without its tokens":    {[]*rollout.Record{first, {Turns: 4, Answer: "b"}}, Use{2, 3, 75, 0.5, false, false}},
		"one that did not begin":    {[]*rollout.Record{first, {}}, Use{2, 1, 75, 0.5, true, false}},
		"unknown ones stay unknown": {[]*rollout.Record{{Turns: 4, Answer: "b"}, first}, Use{2, 3, 75, 0.5, false, false}},
	} {
		var use Use
		for _, r := range c.records {
			use = use.Plus(r, cost)
		}
		if use != c.want {
			t.Errorf("%s: %+v, want %+v", what, use, c.want)
		}
	}
}

func TestTheCostOfGradings(t *testing.T) {
	p := &Plan{Scripts: []Script{{Record: &rollout.Record{JudgeCalls: 1, Turns: 2}}, {Record: &rollout.Record{}}, {Record: &rollout.Record{JudgeCalls: 3}}}}
	each := func(r *rollout.Record) (float64, bool) { return float64(r.JudgeCalls), true }
	if usd, ok := p.GradingCost(each); usd != 2 || !ok {
		t.Errorf("%v, %t; want the mean of 1 and 3", usd, ok)
	}
	if _, ok := p.GradingCost(func(*rollout.Record) (float64, bool) { return 0, false }); ok {
		t.Error("a cost that is unknown of every grading is told")
	}
	if use := p.Use(each); use.Rollouts != 1 || use.Turns != 2 {
		t.Errorf("use %+v, want that of the one rollout that has turns", use)
	}
}
