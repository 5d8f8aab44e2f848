package chart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// atLimit analyses 40 items of 10 rollouts, sample k of which makes k+1 tool
// calls, the limit being 10.
func atLimit(t *testing.T, reward func(item, calls int) float64) *analysis.Result {
	t.Helper()
	var text strings.Builder
	for i := range 40 {
		for k := range 10 {
			calls := strings.Repeat(`,{"name":"search","turn":0}`, k+1)[1:]
			fmt.Fprintf(&text, `{"item":"q%d","sample":%d,"reward":%g,"turns":12,"calls":[%s]}`+"\n", i, k, reward(i, k+1), calls)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run.Manifest = &rollout.Manifest{Source: rollout.Live, Planned: &rollout.Planned{
		Samples: map[rollout.Split]int{rollout.Train: 10}, Items: map[rollout.Split]int{rollout.Train: 40}, MaxCalls: 10,
	}}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A cliff at the limit was called a slope.
func TestACliffAtTheLimitIsNoSlope(t *testing.T) {
	noise := func(i, calls int) float64 { return 0.02 * float64((i*7+calls*5)%3-1) }
	cliff := func(_, calls int) float64 {
		if calls >= 10 {
			return 0.02
		}
		return 0.6
	}
	for name, c := range map[string]struct {
		reward func(i, calls int) float64
		want   string
	}{
		"a cliff":          {cliff, "Cut off by the budget: rollouts that reach the limit of 10 earn 0.02, others on the same items 0.60"},
		"a cliff in noise": {func(i, calls int) float64 { return cliff(i, calls) + noise(i, calls) }, "Cut off by the budget: rollouts that reach the limit of 10 earn 0.02, others on the same items 0.60"},
		"a slope":          {func(i, calls int) float64 { return 0.9 - 0.08*float64(calls) + noise(i, calls) }, "Rollouts that reach the limit of 10 earn 0.10, others on the same items 0.50; below it, more calls earn less too"},
		"neither":          {func(i, calls int) float64 { return 0.5 + 0.2*float64((i+calls)%2) }, "No clear relation between tool calls and reward, below the limit of 10 or at it"},
		"a top":            {func(i, calls int) float64 { return 0.62 - cliff(i, calls) }, "Rollouts that reach the limit of 10 earn 0.60, others on the same items 0.02"},
	} {
		r := atLimit(t, c.reward)
		f := chart.Render(chartNamed(t, "reward_tool_calls"), r)
		if f.Title != c.want {
			t.Errorf("%s: the title is %q, want %q", name, f.Title, c.want)
		}
		if !strings.Contains(f.Subtitle, "at the limit minus below it") || !strings.Contains(f.Subtitle, "(40 items, n = 400)") {
			t.Errorf("%s: subtitle %q lacks the difference with its n", name, f.Subtitle)
		}
		wellFormed(t, writeSVG(t, f))
		// A budget that cuts off is not one that could be lower at no cost.
		if whatIf := chart.Render(chartNamed(t, "what_if_calls"), r); strings.HasPrefix(c.want, "Cut off by the budget") != (whatIf.Title == c.want) {
			t.Errorf("%s: what_if_calls says %q", name, whatIf.Title)
		}
	}
}
