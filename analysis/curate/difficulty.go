package curate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/measure"
	"gonogo/analysis/stat"
)

// The band of pass rates that teams train on. Above it a group seldom has a failure, below it
// seldom a pass.
const (
	BandLow  = 0.2
	BandHigh = 0.8
)

// The bands of difficulty, by the expected pass rate.
const (
	Hard   = "hard"   // below BandLow
	Medium = "medium" // in the band
	Easy   = "easy"   // above BandHigh
)

// Difficulty is how hard the item of a row is for the model.
type Difficulty struct {
	PassRate float64 `json:"pass_rate"` // posterior mean; for an item that was never sampled, the mean of the prior
	Band     string  `json:"band"`
	// posterior probability that the pass rate is in the band; 0 for a dropped row
	Weight float64 `json:"weight"`
}

// weigh sets the difficulty of every row. A reward at or above the pass threshold is a pass.
// Without a threshold a reward counts as a fraction of a pass, its position in the reward
// range. If every reward is a full pass or none, the prior is fitted over all items
// (beta-binomial by maximum likelihood, empirical Bayes); else it is Jeffreys'.
func (cu *curator) weigh() {
	passes := make(map[string]float64, len(cu.m.Measured))
	n := make(map[string]int, len(cu.m.Measured))
	var hits, tried []int
	allOrNothing := true
	for _, it := range cu.m.Measured {
		sum := 0.0
		for _, y := range it.Seen {
			p := cu.passed(y)
			sum += p
			allOrNothing = allOrNothing && (p == 0 || p == 1)
		}
		passes[it.ID], n[it.ID] = sum, len(it.Seen)
		hits, tried = append(hits, int(math.Round(sum))), append(tried, len(it.Seen))
	}
	prior := measure.Jeffreys
	if allOrNothing {
		prior = fitted(hits, tried)
	}
	for i := range cu.rows {
		r := &cu.rows[i]
		d := difficulty(prior, passes[r.Item], n[r.Item])
		if !r.Kept {
			d.Weight = 0
		}
		r.Difficulty = &d
	}
}

// fitted returns the prior of a rate, fitted to the hits among those tried; Jeffreys' if none fits.
func fitted(hits, tried []int) measure.Beta {
	if a, b, _ := stat.BetaBinomialFit(hits, tried); a > 0 && b > 0 {
		return measure.Beta{A: a, B: b}
	}
	return measure.Jeffreys
}

// passed returns what fraction of a pass a reward is, from 0 to 1.
func (cu *curator) passed(reward float64) float64 {
	if t := cu.s.PassThreshold; t != nil {
		if reward >= *t {
			return 1
		}
		return 0
	}
	return min(1, max(0, (reward-cu.s.RewardRange.Lo)/cu.s.RewardRange.Width()))
}

// difficulty returns the difficulty of an item with that sum of passes in n rollouts.
func difficulty(prior measure.Beta, passes float64, n int) Difficulty {
	p := distuv.Beta{Alpha: prior.A + passes, Beta: prior.B + float64(n) - passes}
	d := Difficulty{PassRate: p.Mean(), Band: Medium, Weight: max(0, p.CDF(BandHigh)-p.CDF(BandLow))}
	switch {
	case d.PassRate < BandLow:
		d.Band = Hard
	case d.PassRate > BandHigh:
		d.Band = Easy
	}
	return d
}

// Bands counts the kept rows by band; nil without Options.Weights.
func (c *Curation) Bands() map[string]int {
	var out map[string]int
	for i := range c.Table {
		if r := &c.Table[i]; r.Kept && r.Difficulty != nil {
			if out == nil {
				out = make(map[string]int)
			}
			out[r.Difficulty.Band]++
		}
	}
	return out
}
