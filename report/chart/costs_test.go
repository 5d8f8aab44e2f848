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
		return stat.Estimate{Value: stat.FiniteOrNil(v), Low: stat.FiniteOrNil(math.Max(0, v-reach)), High: stat.FiniteOrNil(math.Min(1, v+reach)), N: 120, Items: 60, Method: "mean of item means (Miller 2024); Korn–Graubard interval"}
	}
	calls := analysis.RewardByCost{Quantity: analysis.CostCalls, Items: 120, N: 960, Within: known(-0.31, 0), Pooled: known(0.12, 0.1)}
	calls.Within.Low, calls.Within.High = stat.FiniteOrNil(-0.4), stat.FiniteOrNil(-0.22)
	for i := range 9 {
		calls.Bins = append(calls.Bins, analysis.RewardBin{From: float64(i), To: float64(i), Middle: float64(i), Reward: known(0.9-0.1*float64(i), 0.04*float64(1+i/3))})
	}
	tokens := analysis.RewardByCost{Quantity: analysis.CostTokens, Items: 120, N: 960, Within: known(0.02, 0.1), Pooled: known(0.12, 0.1)}
	for i, x := range []float64{800, 2000, 2600, 3100, 4000, 90000} {
		tokens.Bins = append(tokens.Bins, analysis.RewardBin{From: x, To: x * 1.2, Middle: x * 1.1, Reward: known(0.5+0.2*float64(i%2), 0.06)})
	}
	r.Splits[rollout.Train].Against = []analysis.RewardByCost{calls, tokens}
	return r
}

// slow is a Result whose rollouts took from a third of a second to three.
func slow(t *testing.T, limit float64) *analysis.Result {
	t.Helper()
	r := costly(t)
	a := r.Splits[rollout.Train].Against[1]
	a.Quantity, a.Bins = analysis.CostLatency, nil
	for i, x := range []float64{0.3, 0.5, 0.8, 1.2, 1.9, 2.6} {
		v := 0.8 - 0.1*float64(i)
		a.Bins = append(a.Bins, analysis.RewardBin{From: x, To: x * 1.2, Middle: x * 1.1, Reward: stat.Estimate{Value: stat.FiniteOrNil(v), Low: stat.FiniteOrNil(v - 0.06), High: stat.FiniteOrNil(v + 0.06), N: 120, Items: 60}})
	}
	r.Splits[rollout.Train].Against = append(r.Splits[rollout.Train].Against, a)
	r.Thresholds["tools.tail"]["tools.tail.limit"] = limit
	return r
}

// The configured limit stands in the picture, or the picture says that it lies
// outside; without one it is as it was.
func TestTheLatencyLimitIsShown(t *testing.T) {
	checkPicture(t, "limited", "reward_latency", slow(t, 1))
	for _, c := range []struct {
		limit              float64
		line, beyond, says string
	}{
		{1, "limit 1 s", "", "a limit among the rollouts"},
		{5, "limit 5 s", "", "a limit that no rollout comes near"},
		{60, "", "the limit of 60 s is beyond the axis", "a limit far from all rollouts"},
		{0, "", "", "no limit"},
	} {
		svg := string(writeSVG(t, chart.Render(chartNamed(t, "reward_latency"), slow(t, c.limit))))
		if c.line+c.beyond == "" && strings.Contains(svg, "limit") || !strings.Contains(svg, c.line) || !strings.Contains(svg, c.beyond) {
			t.Errorf("%s: want %q and %q", c.says, c.line, c.beyond)
		}
	}
}

// A ceiling below the top of the range is a line over rewards; the top needs none.
func TestTheCeilingIsShown(t *testing.T) {
	for _, name := range []string{"variance", "best_of_k"} {
		for ceiling, want := range map[float64]bool{0.75: true, 1: false, 0: false, 2: false} {
			r := reporttest.Load(t, "go")
			r.Ceiling = ceiling
			if svg := string(writeSVG(t, chart.Render(chartNamed(t, name), r))); strings.Contains(svg, "ceiling") != want {
				t.Errorf("%s with a ceiling of %g: a line %t, want %t", name, ceiling, !want, want)
			}
		}
		r := reporttest.Load(t, "go")
		r.Ceiling = 0.75
		checkPicture(t, "ceiling", name, r)
	}
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
		"calls cost reward":       {"reward_tool_calls", func(*analysis.SplitResult) {}, "Within items, rollouts with more tool calls earn less"},
		"both correlations stand": {"reward_tool_calls", func(*analysis.SplitResult) {}, "correlation within items -0.31 [-0.40, -0.22], over all rollouts 0.12 [0.02, 0.22]"},
		"nothing has no sign": {"reward_tool_calls", func(s *analysis.SplitResult) {
			w := &s.Against[0].Within
			w.Value, w.Low, w.High = stat.FiniteOrNil(-0.001), stat.FiniteOrNil(-0.1), stat.FiniteOrNil(-0.0004)
		}, "correlation within items 0.00 [-0.10, 0.00],"},
		"no link is seen":          {"reward_tokens", func(*analysis.SplitResult) {}, "no clear relation between tokens and reward"},
		"a logarithm says so":      {"reward_tokens", func(*analysis.SplitResult) {}, "(logarithmic)"},
		"no interval, no claim":    {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Within.Low = nil }, "It is unclear"},
		"what no rollout tells":    {"reward_latency", func(*analysis.SplitResult) {}, "no data, no rollout records how long it took"},
		"one bin of one value":     {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Bins = s.Against[0].Bins[:1] }, "no data, the same in every rollout"},
		"bins without values":      {"reward_tool_calls", func(s *analysis.SplitResult) { s.Against[0].Bins[3].Reward = stat.Estimate{} }, "earn less"},
		"a bin without a reward":   {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins = []analysis.RewardBin{{From: 5, To: 9}} }, "no clear relation"},
		"latency of next to none":  {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins[0].From = 0 }, "no clear relation"},
		"values as large as there": {"reward_tokens", func(s *analysis.SplitResult) { s.Against[1].Bins[5].To = 1e15 }, "no clear relation"},
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
