package measure

import (
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// TestCallsOfATool counts rollouts by their calls to each tool: three that end, one
// that an endpoint broke off, and one whose trace was not recorded.
func TestCallsOfATool(t *testing.T) {
	row := func(sample int, outcome rollout.Outcome, turns int, tools ...string) *rollout.Record {
		r := &rollout.Record{Split: rollout.Train, Item: "q", Sample: sample, Outcome: outcome, Reward: new(float64), Turns: turns}
		for _, tool := range tools {
			r.Calls = append(r.Calls, rollout.Call{Name: tool, Status: rollout.CallOK})
		}
		return r
	}
	c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
	for _, r := range []*rollout.Record{
		row(0, rollout.Graded, 5, "search", "search", "search", "cat"),
		row(1, rollout.Graded, 2, "search"),
		row(2, rollout.Graded, 1),
		row(3, rollout.ToolFailed, 4, "search", "search", "list"),
		row(4, rollout.Graded, 0),
	} {
		if err := c.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	m := Split{s: analysis.DefaultSettings(), c: c, Items: c.Items(rollout.Train, nil)}
	u := m.toolUse()
	if want := []int{1, 1, 0, 0, 1}; !slices.Equal(u.Histogram.Counts, want) {
		t.Fatalf("rollouts by all calls: %v, want %v", u.Histogram.Counts, want)
	}
	for tool, want := range map[string][]int{"search": {1, 1, 0, 1, 0}, "cat": {2, 1, 0, 0, 0}, "list": nil} {
		if got := u.ByTool[tool].PerRollout; !slices.Equal(got, want) {
			t.Errorf("rollouts by calls to %s: %v, want %v", tool, got, want)
		}
	}
	if u.ByTool["list"].Calls != 1 {
		t.Errorf("a call of the rollout that was broken off: %+v", u.ByTool["list"])
	}
	// The rollouts that made calls: three of them, one broken off.
	for name, e := range map[string]stat.Estimate{"repeats": u.Repeats, "parallel": u.Parallel, "malformed": u.Malformed} {
		if e.N != 3 {
			t.Errorf("%s: n is %d, want the 3 rollouts with calls", name, e.N)
		}
	}
}
