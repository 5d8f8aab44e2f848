package main

import (
	"math"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// TestLongWorldWhatIfIsWhatALimitLeaves: what the records say a limit of tool calls would leave is what a run under that
// limit has: the same numbers with the same seed, for the scripted policy knows of no
// limit, and another draw of them, within the interval, with another.
func TestLongWorldWhatIfIsWhatALimitLeaves(t *testing.T) {
	long(t)
	t.Parallel()
	if raced {
		t.Skip("numbers are not the race detector's business")
	}
	dir := t.TempDir()
	of := func(name string, args ...string) *analysis.SplitResult {
		r, _ := runDemo(t, append([]string{"--world", "healthy", "--no-audit", "-o", filepath.Join(dir, name)}, args...)...)
		return r.Splits[rollout.Train]
	}
	free := of("free", "--seed", "1").WhatIfOf(analysis.CostCalls)
	if free == nil || free.Limit == nil {
		t.Fatalf("no limits were tried, or the one in force is not known: %+v", free)
	}
	var four analysis.Cap
	for _, c := range free.Caps {
		if c.At == 4 {
			four = c
		}
	}
	teach := func(s *analysis.SplitResult) float64 {
		lower, _ := s.SignalAt(free.GroupSize)
		return *lower.Teaches().Value
	}
	same := of("same", "--seed", "1", "--set", "sampling.max_tool_calls=4")
	if got, want := *same.Reward.Value, *four.Reward.Value; math.Abs(got-want) > 1e-9 || math.Abs(teach(same)-*four.Informative.Value) > 1e-9 {
		t.Errorf("under a limit of 4 calls the mean is %g, and %g of groups teach; the records said %g and %g", got, teach(same), want, *four.Informative.Value)
	}
	other := of("other", "--seed", "2", "--set", "sampling.max_tool_calls=4")
	if got := *other.Reward.Value; got < *four.Reward.Low || got > *four.Reward.High {
		t.Errorf("with another seed the mean is %g, outside [%g, %g]", got, *four.Reward.Low, *four.Reward.High)
	}
	if lost := *four.Reward.Value - *free.Caps[len(free.Caps)-1].Reward.Value; math.Abs(lost-*four.Change.Value) > 1e-9 || lost > -0.01 {
		t.Errorf("the limit costs %g by its change and %g by the means: it must cost something", *four.Change.Value, lost)
	}
}
