package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonogo/analysis/calibration"
)

// tailed is a world of fine rewards whose sum is carried by few items: each
// item has a level of its own, and its rollouts move about it.
type tailed struct {
	about string
	level func(rng *rand.Rand) float64            // of an item
	draw  func(rng *rand.Rand, l float64) float64 // of a rollout, given the item's level
}

func still(_ *rand.Rand, l float64) float64 { return l }

// around moves each rollout by up to half of its item's level.
func around(rng *rand.Rand, l float64) float64 { return min(1, l*(0.5+rng.Float64())) }

// exponential are levels of this mean, cut at the top of the range.
func exponential(mean float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return min(1, mean*rng.ExpFloat64()) }
}

// jackpots are items at top with this chance, and a uniform level up to base
// otherwise. A top of 0 is a level anywhere between base and 1.
func jackpots(chance, base, top float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		switch hit := rng.Float64() < chance; {
		case hit && top > 0:
			return top
		case hit:
			return base + (1-base)*rng.Float64()
		}
		return base * rng.Float64()
	}
}

// lucky are rollouts that earn 1 with the chance of their item's level, which
// is base otherwise.
func lucky(base float64) func(*rand.Rand, float64) float64 {
	return func(rng *rand.Rand, l float64) float64 {
		if rng.Float64() < l {
			return 1
		}
		return base * rng.Float64()
	}
}

var tails = []tailed{
	{"exponential 0.05", exponential(0.05), around},
	{"exponential 0.2", exponential(0.2), around},
	{"exponential 0.05, alike", exponential(0.05), still},
	{"exponential 0.2, alike", exponential(0.2), still},
	{"jackpots of 1 % at 1 over 0", jackpots(0.01, 0, 1), still},
	{"jackpots of 3 % at 1 over 0", jackpots(0.03, 0, 1), still},
	{"jackpots of 5 % at 1 over 0", jackpots(0.05, 0, 1), still},
	{"jackpots of 1 % at 1 over 0.02", jackpots(0.01, 0.02, 1), around},
	{"jackpots of 5 % at 1 over 0.02", jackpots(0.05, 0.02, 1), around},
	{"jackpots of 5 % at 1 over 0.2", jackpots(0.05, 0.2, 1), around},
	{"jackpots of 2 % at 1 over 0.2", jackpots(0.02, 0.2, 1), still},
	{"jackpots of 5 % at 0.5 over 0.1", jackpots(0.05, 0.1, 0.5), around},
	{"jackpots of 5 % at 1 over 0.6", jackpots(0.05, 0.6, 1), around},
	{"jackpots of 1 % anywhere over 0.02", jackpots(0.01, 0.02, 0), around},
	{"jackpots of 3 % anywhere over 0", jackpots(0.03, 0, 0), around},
	{"jackpots of 5 % anywhere over 0.2", jackpots(0.05, 0.2, 0), around},
	{"lucky rollouts of 1 % over 0.02", jackpots(0, 0.02, 0), lucky(0.02)},
	{"lucky items of 5 % over 0.02", func(rng *rand.Rand) float64 { return jackpots(0.05, 0.002, 0.3)(rng) }, lucky(0.02)},
}

func (w tailed) item(rng *rand.Rand, n int) []float64 {
	l := w.level(rng)
	ys := make([]float64, n)
	for j := range ys {
		ys[j] = w.draw(rng, l)
	}
	return ys
}

// tailRule is an interval with what it estimates, of one item.
type tailRule struct {
	about string
	item  func(ys []float64) float64
	make  func(items [][]float64, n int) Estimate
}

func averageOf(ys []float64) float64 {
	mean, _ := moments(ys)
	return mean
}

// All at k = n, where nothing but the items' own values tells how far they reach.
var tailRules = []tailRule{
	{"mean", averageOf, func(items [][]float64, _ int) Estimate { return Mean(items, &unit, 0.95) }},
	{"best", slices.Max[[]float64], bestOne},
	{"lift", func(ys []float64) float64 { return slices.Max(ys) - averageOf(ys) }, liftOne},
}

// truths are the rules' true values in a world, by many items.
func (w tailed) truths(n, many int) []float64 {
	rng := seeded(7)
	truth := make([]float64, len(tailRules))
	for range many {
		ys := w.item(rng, n)
		for i, r := range tailRules {
			truth[i] += r.item(ys) / float64(many)
		}
	}
	return truth
}

// tailCell is a world at one number of items: how often each rule's interval
// holds the truth, and how often it lies wholly below, which makes a NO-GO of a
// truth on its threshold.
type tailCell struct {
	covers, below []float64
}

func (w tailed) run(truth []float64, m, n, sets int) tailCell {
	rng := seeded(uint64(m))
	c := tailCell{make([]float64, len(tailRules)), make([]float64, len(tailRules))}
	for range sets {
		items := make([][]float64, m)
		for j := range items {
			items[j] = w.item(rng, n)
		}
		for i, r := range tailRules {
			e := r.make(items, n)
			c.covers[i] += float64(hit(e, truth[i])) / float64(sets)
			if *e.High < truth[i]-rounding {
				c.below[i] += 1 / float64(sets)
			}
		}
	}
	return c
}

// TestLongCalibrationFewItemsCarryTheSum simulates fine rewards of which few items
// hold the most, or none of those that were drawn: coverage of 92 % or more, and
// an upper end below the truth in 5 % or fewer.
func TestLongCalibrationFewItemsCarryTheSum(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const n = 8
	sets, many, ms := 300, 200_000, []int{20, 40}
	if calibration.Full() {
		sets, many, ms = 2000, 2_000_000, []int{20, 30, 40, 60, 100}
	}
	table := calibration.New(11, "Few items that carry the sum",
		fmt.Sprintf("How often the 95 %% interval of the mean, of best of 8 and of the lift holds the truth, and in brackets how often it lies below it: a false NO-GO of a truth on its threshold. "+
			"Per cent of %d data sets of m items with 8 rollouts each; the truth by %d items. Exponential levels are cut at 1; jackpots are items at a level far above the others, which "+
			"lie evenly between 0 and the base; rollouts lie within half of their item's level, or at it (alike). Seed m.", sets, many),
		"world", "m", "mean", "best", "lift")
	covers, below := table.Target("coverage of 92 % or more"), table.Target("wholly below the truth in 5 % or fewer")
	noise := func(p float64) float64 { return 3 * math.Sqrt(p*(1-p)/float64(sets)) }
	for _, w := range tails {
		truth := w.truths(n, many)
		for _, m := range ms {
			c := w.run(truth, m, n, sets)
			row := []any{w.about, m}
			for i, r := range tailRules {
				row = append(row, fmt.Sprintf("%s (%s)", covers.Hold(c.covers[i], 0.92, 1, sets), below.Hold(c.below[i], 0, 0.05, sets)))
				if c.covers[i] < 0.92-noise(0.92) || c.below[i] > 0.05+noise(0.05) {
					t.Errorf("%s, %d items: the interval of %s holds %.4f in %.1f %% and lies below in %.1f %%", w.about, m, r.about, truth[i], 100*c.covers[i], 100*c.below[i])
				}
			}
			table.Row(row...)
		}
	}
	table.Write(t)
}
