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

// With a median of one call a rollout of three is no outlier. A rollout is long beyond eight calls or
// turns, or beyond three medians if that is more.
func TestLongRollouts(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls []int // of each rollout of an item
		want  int   // how many are long
	}{
		{"one call each, and one of eight", []int{1, 1, 1, 1, 8}, 0},
		{"one call each, and one of nine", []int{1, 1, 1, 1, 9}, 1},
		{"four calls each, and one of twelve", []int{4, 4, 4, 4, 12}, 0},
		{"four calls each, and one of thirteen", []int{4, 4, 4, 4, 13}, 1},
		{"no calls, and one of nine", []int{0, 0, 0, 0, 9}, 1},
	} {
		c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
		for sample, n := range test.calls {
			r := &rollout.Record{Split: rollout.Train, Item: "q", Sample: sample, Outcome: rollout.Graded, Reward: new(float64), Turns: 1}
			for range n {
				r.Calls = append(r.Calls, rollout.Call{Name: "search", Status: rollout.CallOK})
			}
			if err := c.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		m := Split{s: analysis.DefaultSettings(), c: c, Items: c.Items(rollout.Train, nil)}
		if got := m.long(); got == nil || got.N != test.want {
			t.Errorf("%s: %+v, want %d long", test.name, got, test.want)
		}
	}
}
