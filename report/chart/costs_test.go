package chart_test

import (
	"math"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// costly is a Result whose rewards fall with the tool calls of a rollout, and
// go up and down with its tokens and its time.
func costly(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	known := func(v, reach float64) stat.Estimate {
		return stat.Estimate{Value: stat.Some(v), Low: stat.Some(math.Max(0, v-reach)), High: stat.Some(math.Min(1, v+reach)), N: 120, Items: 60, Method: "mean of item means (Miller 2024); Korn–Graubard interval"}
	}
	calls := analysis.Against{Quantity: analysis.AgainstCalls, Items: 120, N: 960, Within: known(-0.31, 0), Pooled: known(0.12, 0.1)}
	calls.Within.Low, calls.Within.High = stat.Some(-0.4), stat.Some(-0.22)
	for i := range 9 {
		calls.Bins = append(calls.Bins, analysis.AgainstBin{From: float64(i), To: float64(i), Middle: float64(i), Reward: known(0.9-0.1*float64(i), 0.04*float64(1+i/3))})
	}
	tokens := analysis.Against{Quantity: analysis.AgainstTokens, Items: 120, N: 960, Within: known(0.02, 0.1), Pooled: known(0.12, 0.1)}
	for i, x := range []float64{800, 2000, 2600, 3100, 4000, 90000} {
		tokens.Bins = append(tokens.Bins, analysis.AgainstBin{From: x, To: x * 1.2, Middle: x * 1.1, Reward: known(0.5+0.2*float64(i%2), 0.06)})
	}
	r.Splits[rollout.Train].Against = []analysis.Against{calls, tokens}
	return r
}

func TestRewardAgainstPictures(t *testing.T) {
	checkPicture(t, "costly", "reward_tool_calls", costly(t))
	checkPicture(t, "costly", "reward_tokens", costly(t))
}

func TestRewardAgainstInWords(t *testing.T) {
	for what, c := range map[string]struct {
		chart string
		bend  func(s *analysis.SplitResult)
		want  string
	}{
		"calls cost reward":        {"reward_tool_calls", func(*analysis.SplitResult) {}, "Within items, rollouts with more tool calls earn less"},
		"both correlations stand":  {"reward_tool_calls", func(*analysis.SplitResult) {}, "correlation within items -0.31 [-0.40, -0.22], over all rollouts 0.12 [0.02, 0.22]"},
		"no link is seen":          {"reward_tokens", func(*analysis.SplitResult) {}, "no link of tokens and reward is seen"},
		"a logarithm says so":      {"reward_tokens", func(*analysis.SplitResult) {}, "(logarithmic)"},
		"no interval, no claim":    {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Within.Low = nil }, "cannot be told"},
		"what no rollout tells":    {"reward_latency", func(*analysis.SplitResult) {}, "no data, no rollout tells how long it took"},
		"a result of before":       {"reward_tokens", func(s *analysis.SplitResult) { s.Against = nil }, "gonogo analyze makes it anew"},
		"one bin of one value":     {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Bins = s.Against[0].Bins[:1] }, "earn less"},
		"bins without values":      {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Bins[3].Reward = stat.Estimate{} }, "earn less"},
		"a bin without a reward":   {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins = []analysis.AgainstBin{{From: 5, To: 5}} }, "no link"},
		"latency of next to none":  {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins[0].From = 0 }, "no link"},
		"values as large as there": {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins[5].To = 1e15 }, "no link"},
	} {
		r := costly(t)
		c.bend(r.Splits[rollout.Train])
		f := chart.Render(chartNamed(t, c.chart), r)
		svg := writeSVG(t, f)
		wellFormed(t, svg)
		if !strings.Contains(f.Alt(), c.want) && !strings.Contains(string(svg), c.want) {
			t.Errorf("%s: the picture says %q, want %q", what, f.Alt(), c.want)
		}
	}
}
