package curate

import (
	"context"
	"errors"
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Set is what a set of items offers a trainer, by the samples at hand.
type Set struct {
	Items int `json:"items"`
	// for informative and lift: the trainer's, or the number of samples per item if that is smaller
	GroupSize   int           `json:"group_size"`
	Informative stat.Estimate `json:"informative"` // share of groups whose rewards differ
	// the same by each item's posterior, which shrinks away what the choice of items flatters
	Expected    *stat.Estimate `json:"expected,omitempty"`
	Reward      stat.Estimate  `json:"reward"`
	Lift        stat.Estimate  `json:"lift"`
	Cost        *float64       `json:"cost"`          // rollouts paid for per rollout in an informative group: 1/informative
	ExpectedFor *float64       `json:"cost_expected"` // 1/expected
}

// set measures a set of items at the trainer's group size, or at the number of samples per
// item if that is smaller.
func (cu *curator) set(items []*collect.Item) Set {
	m := measure.NewSplit(cu.s, cu.c, items)
	out := gainOf(m.Common, m.Rewards, min(cu.s.GroupSize, m.Samples), cu.s)
	var expected []float64
	for _, it := range m.Measured {
		if i, ok := cu.rowOf[it.ID]; ok && cu.rows[i].Informative != nil {
			expected = append(expected, *cu.rows[i].Informative)
		}
	}
	e := stat.ItemMeans(expected, nil, measure.CountAll(m.Rewards), &stat.Range{Lo: 0, Hi: 1}, cu.s.Confidence,
		fmt.Sprintf("mean over items of the posterior probability that a group of %d differs (empirical Bayes)",
			cu.s.GroupSize))
	out.Items, out.Expected = len(m.Measured), &e
	out.Cost, out.ExpectedFor = inverse(out.Informative.Value), inverse(e.Value)
	return out
}

var (
	groupsNeedTwo       = message.New("curate.groups_need_two", "groups need at least 2 samples of an item")
	groupsNeedTwoInBoth = message.New("curate.groups_need_two_in_both",
		"groups need at least 2 samples of an item in both runs")
)

// gainOf measures all rewards of items, and the quantities of groups of g on those items with
// enough samples, common.
func gainOf(common, all [][]float64, g int, s analysis.Settings) Set {
	out := Set{Items: len(all), GroupSize: g, Reward: stat.Mean(all, &s.RewardRange, s.Confidence)}
	if g < 2 {
		why := []message.Text{groupsNeedTwo.Text()}
		out.Informative = stat.Estimate{Method: "share of informative groups", Warnings: why}
		out.Lift = stat.Estimate{Method: "best of a group minus mean", Warnings: why}
		return out
	}
	out.Informative = measure.Signal(s, common, g)
	out.Lift, _ = stat.Lift(common, g, s.RewardRange, s.Confidence)
	return out
}

func inverse(p *float64) *float64 {
	if p == nil || *p <= 0 {
		return nil
	}
	return stat.FiniteOrNil(1 / *p)
}

// Remeasured compares the kept items on the samples by which they were chosen with the same
// items on new rollouts.
type Remeasured struct {
	Run       string           `json:"run"`
	Items     int              `json:"items"` // kept items with rewards in both runs
	Lost      int              `json:"lost"`  // kept items with rewards in the first run only
	Missing   analysis.Missing `json:"missing"`
	Samples   analysis.Spread  `json:"samples"`    // new rollouts with a reward per item
	GroupSize int              `json:"group_size"` // for informative and lift
	Before    Set              `json:"before"`     // all measured items of the file, on the first samples
	Chosen    Set              `json:"chosen"`     // the kept items, on the samples by which they were chosen
	Fresh     Set              `json:"fresh"`      // the same items, on new rollouts

	Informative SelectionBias `json:"informative"`
	Reward      SelectionBias `json:"reward"`
	Lift        SelectionBias `json:"lift"`
}

// SelectionBias is how much better items look on the samples by which they were selected
// than on new ones.
type SelectionBias struct {
	Gain      *float64      `json:"gain"`      // chosen minus before: the apparent gain
	Remains   *float64      `json:"remains"`   // fresh minus before: the gain on new rollouts
	Flattered stat.Estimate `json:"flattered"` // chosen minus fresh, paired by item
}

// Remeasure measures the kept items on the rollouts of another run, which played no part in
// the choice. All quantities are compared at one group size for which both runs have enough
// samples.
func (c *Curation) Remeasure(ctx context.Context, fresh *rollout.Run, read rollout.ReadOptions) (*Remeasured, error) {
	col := collect.New(c.s.RewardRange)
	read.Lean = true
	if _, err := fresh.Records(ctx, read, col.Add); err != nil {
		return nil, err
	}
	var items []*collect.Item
	var first, again [][]float64
	for _, it := range col.Items(rollout.Train, nil) {
		if was := c.rewards[it.ID]; was != nil {
			items = append(items, it)
			if len(it.Rewards) > 0 {
				first, again = append(first, was), append(again, it.Rewards)
			}
		}
	}
	if len(again) == 0 {
		return nil, errors.New("none of the new rollouts of kept items has a reward: nothing was measured again")
	}
	m := measure.NewSplit(c.s, col, items)
	out := &Remeasured{
		Run: fresh.Dir, Items: len(again), Lost: len(c.rewards) - len(again), Missing: m.Missing(), Samples: m.Spread(),
	}
	g := min(c.GroupSize, measure.SamplesInCommon(first), measure.SamplesInCommon(again),
		measure.SamplesInCommon(c.before))
	out.GroupSize = g
	commonFirst, commonAgain := bothHave(first, again, g)
	before, _ := bothHave(c.before, c.before, g)
	out.Before = gainOf(before, c.before, g, c.s)
	out.Chosen = gainOf(commonFirst, first, g, c.s)
	out.Fresh = gainOf(commonAgain, again, g, c.s)
	for _, set := range []*Set{&out.Before, &out.Chosen, &out.Fresh} {
		set.Cost = inverse(set.Informative.Value)
	}
	out.flatteries(c.s, first, again, commonFirst, commonAgain, g)
	return out, nil
}

// bothHave returns the items that have n rewards in both runs.
func bothHave(first, again [][]float64, n int) (a, b [][]float64) {
	for i := range first {
		if len(first[i]) >= n && len(again[i]) >= n {
			a, b = append(a, first[i]), append(b, again[i])
		}
	}
	return a, b
}

func (out *Remeasured) flatteries(s analysis.Settings, first, again, commonFirst, commonAgain [][]float64, g int) {
	width := s.RewardRange.Width()
	span, share := stat.Range{Lo: -width, Hi: width}, stat.Range{Lo: -1, Hi: 1}
	means := func(items [][]float64) (values []float64) {
		for _, ys := range items {
			mean, _ := stat.MeanVariance(ys)
			values = append(values, mean)
		}
		return values
	}
	out.Reward = flattery(out.Before.Reward, out.Chosen.Reward, out.Fresh.Reward, means(first), means(again),
		measure.CountAll(first)+measure.CountAll(again), &span, s)
	if g < 2 {
		unknown := stat.Estimate{Method: "paired by item", Warnings: []message.Text{groupsNeedTwoInBoth.Text()}}
		out.Informative.Flattered, out.Lift.Flattered = unknown, unknown
		return
	}
	informative := func(items [][]float64) (values []float64) {
		for _, ys := range items {
			values = append(values, measure.Informative(s, ys, g))
		}
		return values
	}
	n := measure.CountAll(commonFirst) + measure.CountAll(commonAgain)
	out.Informative = flattery(out.Before.Informative, out.Chosen.Informative, out.Fresh.Informative,
		informative(commonFirst), informative(commonAgain), n, &share, s)
	was, _ := stat.LiftValues(commonFirst, g)
	is, _ := stat.LiftValues(commonAgain, g)
	out.Lift = flattery(out.Before.Lift, out.Chosen.Lift, out.Fresh.Lift, was, is, n, &span, s)
}

// flattery compares the values of items on the first samples, was, with those on new ones, is.
func flattery(before, chosen, fresh stat.Estimate, was, is []float64, n int, rng *stat.Range,
	s analysis.Settings,
) SelectionBias {
	d := make([]float64, len(was))
	for i := range was {
		d[i] = was[i] - is[i]
	}
	f := SelectionBias{Flattered: stat.PairedMean(d, nil, n, rng, s.Confidence)}
	f.Flattered.Warnings = append([]message.Text{}, f.Flattered.Warnings...)
	if before.Known() && chosen.Known() && fresh.Known() {
		f.Gain, f.Remains = stat.FiniteOrNil(*chosen.Value-*before.Value), stat.FiniteOrNil(*fresh.Value-*before.Value)
	}
	return f
}
