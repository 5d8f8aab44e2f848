package report

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

func TestBeyondGrid(t *testing.T) {
	r := reporttest.Load(t, "go")
	s := r.Splits[rollout.Train]
	s.Extrapolated, s.Beyond = nil, analysis.Extrapolation{}
	if g := beyondGrid(r, &english); len(g.Rows) > 0 {
		t.Errorf("rows without any model: %v", g.Rows)
	}
	s.Beyond.Notes = []message.Text{message.Verbatim("all rewards are equal")}
	if g := beyondGrid(r, &english); len(g.Rows) != 1 || g.Rows[0][0] != "all rewards are equal" {
		t.Errorf("%v does not say why there is no model", g.Rows)
	}
	for model, y := range map[string]float64{analysis.BetaBinomial: 0.9, analysis.ZeroInflated: 0.7} {
		s.Extrapolated = append(s.Extrapolated, analysis.Extrapolated{Quantity: analysis.PassAtK, K: 64, Model: model, Value: stat.FiniteOrNil(y), Low: stat.FiniteOrNil(y - 0.1), High: stat.FiniteOrNil(1)})
	}
	g := beyondGrid(r, &english)
	if len(g.Rows) != 1 || len(g.Rows[0]) != 3 || g.Rows[0][0] != "pass@64" || !strings.Contains(g.Rows[0][1]+g.Rows[0][2], "70 %") {
		t.Errorf("rows %v, want pass@64 by both models", g.Rows)
	}
	if text := strings.Join(g.Notes, "\n"); !strings.Contains(text, "decide nothing") || !strings.Contains(text, "95 %") {
		t.Errorf("notes %q", text)
	}
}

func TestPlanGridTellsMoney(t *testing.T) {
	r := reporttest.Load(t, "go")
	some := func(x float64) stat.Estimate {
		return stat.Estimate{Value: stat.FiniteOrNil(x), Warnings: []message.Text{}}
	}
	cost := analysis.PlanCost{Rollouts: some(64), USD: some(12.5)}
	r.Plan = &analysis.Plan{GroupSize: 8, PerStep: &cost, PerEpoch: &cost}
	found := false
	for _, row := range planGrid(r, &english).Rows {
		found = found || row[0] == "US dollars" && strings.Contains(row[1], "12.5")
	}
	if !found {
		t.Error("the plan does not tell its money")
	}
	cost.USD = stat.Estimate{Warnings: []message.Text{message.Verbatim("prices.model_input is not set")}}
	if notes := strings.Join(planGrid(r, &english).Notes, "\n"); !strings.Contains(notes, "prices.model_input") {
		t.Errorf("notes %q do not name the key that is missing", notes)
	}
}
