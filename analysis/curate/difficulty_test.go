package curate_test

import (
	"math"
	"testing"

	"gonogo/analysis/curate"
)

// Pass rates and weights are those of beta posteriors: of 8 rollouts with the Jeffreys
// prior the density of beta(.5+k, 8.5-k), integrated from .2 to .8 by Simpson's rule.
func TestWeightsAreThePosteriorOfTheBand(t *testing.T) {
	f := sampledFile()
	f.opt.Weights = true
	partial := func(id string, rewards ...float64) int {
		f.row(id, sentence(f.rng, 14), "x")
		f.rewards(id, rewards...)
		return len(f.file.Items) - 1
	}
	// A reward of 0.5 is half a pass, and makes the prior Jeffreys'.
	half, low, high := partial("half", 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5), partial("low", 1, 0, 0, 0, 0, 0, 0, 0), partial("high", 1, 1, 1, 1, 1, 1, 1, 0)
	c := f.curate(t)
	for i, want := range map[int]curate.Difficulty{
		half: {PassRate: 0.5, Band: curate.Medium, Weight: 0.948996739},
		low:  {PassRate: 1.5 / 9, Band: curate.Hard, Weight: 0.326805519},
		high: {PassRate: 7.5 / 9, Band: curate.Easy, Weight: 0.326805519},
	} {
		row := c.Table[i]
		got := *row.Difficulty
		if !row.Kept {
			want.Weight = 0
		}
		if got.Band != want.Band || math.Abs(got.PassRate-want.PassRate) > 1e-9 || math.Abs(got.Weight-want.Weight) > 1e-6 {
			t.Errorf("%s, kept %t: %+v, want %+v", row.Item, row.Kept, got, want)
		}
	}
	for _, row := range c.Table {
		if !row.Kept && row.Difficulty.Weight != 0 {
			t.Errorf("%s is dropped with a weight of %g", row.Item, row.Difficulty.Weight)
		}
	}
	if bands := c.Bands(); bands[curate.Hard]+bands[curate.Medium]+bands[curate.Easy] != c.Kept {
		t.Errorf("%v of %d kept", bands, c.Kept)
	}
}

// With a pass threshold a reward passes or does not, and the prior is fitted: items
// alike pull a row that was never sampled to their rate.
func TestWeightsByThePassThreshold(t *testing.T) {
	f := sampledFile()
	f.opt.Weights = true
	threshold := 0.4
	f.s.PassThreshold = &threshold
	f.row("half", sentence(f.rng, 14), "x")
	f.rewards("half", 0.5, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3)
	f.row("new", sentence(f.rng, 14), "x")
	c := f.curate(t)
	n := len(f.file.Items)
	if d := c.Table[n-2].Difficulty; d.PassRate < 0.3 || d.PassRate > 0.5 || d.Weight < 0.9 {
		t.Errorf("half: %+v", d)
	}
	sum := 0.0
	for _, row := range c.Table[:n-1] {
		sum += row.Difficulty.PassRate
	}
	if d := c.Table[n-1].Difficulty; math.Abs(d.PassRate-sum/float64(n-1)) > 0.1 {
		t.Errorf("new: %+v, the others have %g on average", d, sum/float64(n-1))
	}
}
