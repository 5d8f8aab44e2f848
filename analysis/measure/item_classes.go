package measure

import (
	"math"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
)

// MaxSamplesToTell is the largest number of samples reported for settling a class.
const (
	MaxSamplesToTell = 10_000
)

// Classes sorts the measured items by the pattern of their rewards, with the certainty of each
// class. A class depends on n: an item that passes one time in ten shows 0 of 8 with probability
// 0.43.
func (m *Split) Classes() analysis.Classes {
	out := analysis.Classes{Counts: make(map[string]int), Items: []analysis.ItemResult{}}
	for _, name := range analysis.ClassNames() {
		out.Counts[name] = 0
	}
	priors := m.Priors()
	for _, it := range m.Measured {
		row := m.itemResult(it)
		switch row.Class {
		case analysis.Dead, analysis.Saturated, analysis.Flat:
			p := priors[row.Class]
			row.Stays = stat.FiniteOrNil(stat.StaysProb(len(it.Seen), len(it.Seen), m.s.GroupSize, p.A, p.B))
			if n, ok := stat.SamplesToTell(m.s.GroupSize, p.A, p.B, analysis.SettledAt, MaxSamplesToTell); ok {
				row.SamplesToTell = &n
			}
		case analysis.Mixed:
			row.Stays = stat.FiniteOrNil(m.StaysMixed(it.Seen, priors))
		}
		out.Counts[row.Class]++
		out.Items = append(out.Items, row)
	}
	return out
}

// StaysMixed returns the posterior probability that the next group of an item whose rewards differ
// would not be all equal: one minus the probability that the group consists of any one of the
// observed values.
//
// Note: the unbiased share of informative groups is unsuitable here. It is 1 for every mixed item
// with as many samples as the group, because it is computed from the samples that made the item
// mixed.
func (m *Split) StaysMixed(sorted []float64, priors map[string]Beta) float64 {
	n, equal := len(sorted), 0.0
	for i := 0; i < n; {
		end := i + 1
		for end < n && m.same(sorted[i], sorted[end]) {
			end++
		}
		p := priors[analysis.Flat]
		switch {
		case m.same(sorted[i], m.s.RewardRange.Lo):
			p = priors[analysis.Dead]
		case m.same(sorted[i], m.s.RewardRange.Hi):
			p = priors[analysis.Saturated]
		}
		equal += stat.StaysProb(end-i, n, m.s.GroupSize, p.A, p.B)
		i = end
	}
	return math.Max(0, 1-equal)
}

// Beta is a prior over an item's probability of one outcome.
type Beta struct{ A, B float64 }

// Jeffreys is the prior used when the items cannot determine one.
var Jeffreys = Beta{0.5, 0.5}

// Priors fits, over all items, how often a reward is at the bottom and at the top of the range
// (beta-binomial by maximum likelihood: empirical Bayes). Values in between have no common meaning
// over items: flat items use the Jeffreys prior.
func (m *Split) Priors() map[string]Beta {
	ends := map[string]float64{analysis.Dead: m.s.RewardRange.Lo, analysis.Saturated: m.s.RewardRange.Hi}
	out := map[string]Beta{analysis.Dead: Jeffreys, analysis.Saturated: Jeffreys, analysis.Flat: Jeffreys}
	for class, end := range ends {
		hits := make([]int, len(m.Measured))
		n := make([]int, len(m.Measured))
		for i, it := range m.Measured {
			n[i] = len(it.Seen)
			for _, y := range it.Seen {
				if m.same(y, end) {
					hits[i]++
				}
			}
		}
		// If items are too alike to distinguish a from b, they share one probability, a/(a+b), and
		// the fit fixes it; a is 0 only without any fit.
		if a, b, _ := stat.BetaBinomialFit(hits, n); a > 0 && b > 0 {
			out[class] = Beta{a, b}
		}
	}
	return out
}

// same reports whether two rewards count as equal for the trainer.
func (m *Split) same(a, b float64) bool { return math.Abs(a-b) <= m.Tolerance() }

func (m *Split) itemResult(it *collect.Item) analysis.ItemResult {
	mean, v := stat.MeanVariance(it.Rewards)
	n := len(it.Rewards)
	row := analysis.ItemResult{
		Item: it.ID, N: n, Mean: stat.FiniteOrNil(mean),
		Best: stat.FiniteOrNil(it.Rewards[n-1]), Worst: stat.FiniteOrNil(it.Rewards[0]),
		Missing: len(it.Rows) - n, Category: it.Labels.Category, Family: it.Labels.Family,
		Class: m.class(it), Targeted: it.Extra,
	}
	right := n - sort.SearchFloat64s(it.Rewards, m.rightFrom())
	row.Right = &right
	if n > 1 {
		row.SD = stat.FiniteOrNil(math.Sqrt(v))
	}
	calls, observed := 0, 0
	for _, r := range it.Rows {
		if r.Valid && r.Observed {
			calls += len(r.Calls)
			observed++
		}
	}
	if observed > 0 {
		row.Calls = stat.FiniteOrNil(float64(calls) / float64(observed))
	}
	return row
}

func (m *Split) class(it *collect.Item) string {
	low, high := it.Seen[0], it.Seen[len(it.Seen)-1]
	switch {
	case len(it.Seen) == 1:
		return analysis.Unclassed
	case !m.same(low, high):
		return analysis.Mixed
	case m.same(high, m.s.RewardRange.Lo):
		return analysis.Dead
	case m.same(low, m.s.RewardRange.Hi):
		return analysis.Saturated
	}
	return analysis.Flat
}
