package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Longer rollouts earn more within each item, and the items that take long are
// the hard ones: the two correlations have opposite signs (Simpson 1951).
func TestRewardAgainstCostTellsItemsFromRollouts(t *testing.T) {
	var out []string
	for i := range 12 {
		for k := range 4 {
			calls := ""
			for c := range 2*(i%4) + k {
				calls += fmt.Sprintf(`,{"name":"search","turn":%d}`, c)
			}
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"turns":20,"calls":[%s]}`, i, k, 0.7-0.2*float64(i%4)+0.02*float64(k)+0.001*float64(i*k%5), calls[min(1, len(calls)):]))
		}
	}
	s := analyze(t, analysis.DefaultSettings(), out).Splits[rollout.Train]
	if len(s.Against) != 1 || s.Against[0].Quantity != analysis.CostCalls {
		t.Fatalf("only calls are known, so only they are set against the reward: %+v", s.Against)
	}
	a := s.Against[0]
	if !a.Within.Known() || !a.Pooled.Known() || *a.Within.Low <= 0 || *a.Pooled.High >= 0 {
		t.Errorf("within items %+v, over all rollouts %+v: want above and below 0", a.Within, a.Pooled)
	}
	if a.P == nil || *a.P > 0.01 || a.N != 48 || a.Items != 12 {
		t.Errorf("p = %v, n = %d, items = %d", a.P, a.N, a.Items)
	}
	n := 0
	for i, b := range a.Bins {
		if b.From != b.To || b.Middle != b.To || i > 0 && b.From <= a.Bins[i-1].To {
			t.Errorf("few values have a bin each, smallest first: bin %d is %g to %g", i, b.From, b.To)
		}
		n += b.Reward.N
	}
	if n != 48 || a.Bins[0].Reward.Low == nil {
		t.Errorf("%d rollouts in bins, want 48, with intervals", n)
	}
}

// Reward rises with calls up to 9; those that run out at 10 earn nothing. An import
// configures no limit: its rollouts tell.
func TestTheLimitOfAnImportIsThatOfItsRollouts(t *testing.T) {
	made := func(ends func(calls int) string) *analysis.RewardAtLimit {
		var out []string
		for i := range 12 {
			for k := range 10 {
				reward := fmt.Sprintf(`"reward":%g`, 0.4+0.05*float64(k))
				if end := ends(k + 1); end != "" {
					reward = fmt.Sprintf(`"reward":0,"outcome":%q`, end)
				}
				calls := strings.Repeat(`,{"name":"search"}`, k+1)[1:]
				out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,%s,"turns":20,"calls":[%s]}`, i, k, reward, calls))
			}
		}
		return analyze(t, analysis.DefaultSettings(), out).Splits[rollout.Train].Against[0].Limit
	}
	limit := made(func(calls int) string {
		if calls == 10 {
			return "step_limit"
		}
		return ""
	})
	if limit == nil || limit.At != 10 || *limit.Reached.Value != 0 || *limit.Below.Value < 0.59 {
		t.Errorf("%+v", limit)
	}
	for what, ends := range map[string]func(int) string{
		"no rollout ran out": func(int) string { return "" },
		"they ran out at different counts, of turns": func(calls int) string {
			if calls > 8 {
				return "step_limit"
			}
			return ""
		},
		"others made more": func(calls int) string {
			if calls == 9 {
				return "step_limit"
			}
			return ""
		},
	} {
		if limit := made(ends); limit != nil {
			t.Errorf("%s: %+v", what, limit)
		}
	}
}

// Many values share bins of about as many rollouts each; what no rollout tells
// is left out.
func TestRewardAgainstCostInBins(t *testing.T) {
	var out []string
	for i := range 40 {
		for k := range 5 {
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"elapsed_s":%g,"usage":{"input_tokens":%d,"output_tokens":7}}`, i, k, float64((i+k)%3)/2, 0.5+float64((i*7+k*3)%50), 100+(i*k)%4))
		}
	}
	s := analyze(t, analysis.DefaultSettings(), out).Splits[rollout.Train]
	if len(s.Against) != 2 || s.Against[0].Quantity != analysis.CostTokens || s.Against[1].Quantity != analysis.CostLatency {
		t.Fatalf("tokens and latency are known, calls are not: %+v", s.Against)
	}
	if bins := s.Against[0].Bins; len(bins) != 4 || bins[0].From != 107 || bins[3].To != 110 {
		t.Errorf("bins of tokens: %+v", bins)
	}
	bins := s.Against[1].Bins
	if len(bins) < 6 || len(bins) > 8 {
		t.Errorf("%d bins of latency, want about 8", len(bins))
	}
	for i, b := range bins {
		if b.From > b.Middle || b.Middle > b.To || i > 0 && b.From <= bins[i-1].To || b.Reward.N < 12 {
			t.Errorf("bin %d: %+v", i, b)
		}
	}
	for _, line := range []string{`{"item":"a","reward":1}`, `{"item":"a","outcome":"tool","error":"x","turns":3,"calls":[{"name":"x"}]}`} {
		if s := analyze(t, analysis.DefaultSettings(), []string{line}).Splits[rollout.Train]; s != nil && s.Against != nil {
			t.Errorf("%s: nothing to set against, got %+v", line, s.Against)
		}
	}
	one := analyze(t, analysis.DefaultSettings(), []string{`{"item":"a","reward":1,"turns":2,"elapsed_s":3}`}).Splits[rollout.Train].Against
	if len(one) != 2 || one[0].Within.Known() || len(one[0].Within.Warnings) == 0 || len(one[1].Bins) != 1 {
		t.Errorf("one rollout tells of no correlation, and why: %+v", one)
	}
}
