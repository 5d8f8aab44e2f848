package analysis

import (
	"math"

	"gonogo/analysis/stat"
)

// Settling a class: the posterior probability that is wanted, and the most
// samples that are worth naming.
const (
	samplesToTellM = 10_000
)

// classes sorts the measured items by what their rewards look like, and says
// how sure that is. A class depends on n: an item that passes one time in ten
// shows 0 of 8 with probability 0.43.
func (m *measure) classes() Classes {
	out := Classes{Counts: make(map[string]int), Items: []ItemResult{}}
	for _, name := range ClassNames() {
		out.Counts[name] = 0
	}
	priors := m.priors()
	for _, it := range m.measured {
		row := m.itemResult(it)
		switch row.Class {
		case Dead, Saturated, Flat:
			p := priors[row.Class]
			row.Stays = stat.Some(stat.StaysProb(len(it.seen), len(it.seen), m.s.GroupSize, p.a, p.b))
			if n, ok := stat.SamplesToTell(m.s.GroupSize, p.a, p.b, settledAt, samplesToTellM); ok {
				row.SamplesToTell = &n
			}
		case Mixed:
			row.Stays = stat.Some(m.staysMixed(it.seen, priors))
		}
		out.Counts[row.Class]++
		out.Items = append(out.Items, row)
	}
	return out
}

// staysMixed is the posterior probability that the next group of an item whose
// rewards differ would not be all equal: one minus the chance of filling it
// with any one of the values seen.
//
// Note: the unbiased share of informative groups will not do here. It is 1 for
// every mixed item with as many samples as the group, for it is judged on the
// samples that made the item mixed.
func (m *measure) staysMixed(sorted []float64, priors map[string]beta) float64 {
	n, equal := len(sorted), 0.0
	for i := 0; i < n; {
		end := i + 1
		for end < n && m.same(sorted[i], sorted[end]) {
			end++
		}
		p := priors[Flat]
		switch {
		case m.same(sorted[i], m.s.RewardRange.Lo):
			p = priors[Dead]
		case m.same(sorted[i], m.s.RewardRange.Hi):
			p = priors[Saturated]
		}
		equal += stat.StaysProb(end-i, n, m.s.GroupSize, p.a, p.b)
		i = end
	}
	return math.Max(0, 1-equal)
}

// beta is a prior over an item's probability of one outcome.
type beta struct{ a, b float64 }

// jeffreys is the prior where the items cannot tell one.
var jeffreys = beta{0.5, 0.5}

// priors fits, over all items, how often a reward lies at the bottom of the
// range and at the top (beta-binomial by maximum likelihood: empirical Bayes).
// Values in between have no common meaning over items: flat items are judged
// by the Jeffreys prior.
func (m *measure) priors() map[string]beta {
	ends := map[string]float64{Dead: m.s.RewardRange.Lo, Saturated: m.s.RewardRange.Hi}
	out := map[string]beta{Dead: jeffreys, Saturated: jeffreys, Flat: jeffreys}
	for class, end := range ends {
		hits := make([]int, len(m.measured))
		n := make([]int, len(m.measured))
		for i, it := range m.measured {
			n[i] = len(it.seen)
			for _, y := range it.seen {
				if m.same(y, end) {
					hits[i]++
				}
			}
		}
		// Items too alike to tell a and b apart share one probability, a/(a+b):
		// the fit then holds it fast, and only without any fit a is 0.
		if a, b, _ := stat.BetaBinomialFit(hits, n); a > 0 && b > 0 {
			out[class] = beta{a, b}
		}
	}
	return out
}

// same reports whether two rewards differ by no more than float noise.
func (m *measure) same(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*m.s.RewardRange.Width()
}

func (m *measure) itemResult(it *item) ItemResult {
	mean, v := stat.MeanVariance(it.rewards)
	n := len(it.rewards)
	row := ItemResult{
		Item: it.id, N: n, Mean: stat.Some(mean),
		Best: stat.Some(it.rewards[n-1]), Worst: stat.Some(it.rewards[0]),
		Missing: len(it.rows) - n, Category: it.labels.category, Family: it.labels.family,
		Class: m.class(it), Targeted: it.extra,
	}
	if n > 1 {
		row.SD = stat.Some(math.Sqrt(v))
	}
	calls, observed := 0, 0
	for _, r := range it.rows {
		if r.valid && r.observed {
			calls += len(r.calls)
			observed++
		}
	}
	if observed > 0 {
		row.Calls = stat.Some(float64(calls) / float64(observed))
	}
	return row
}

func (m *measure) class(it *item) string {
	low, high := it.seen[0], it.seen[len(it.seen)-1]
	switch {
	case len(it.seen) == 1:
		return Unclassed
	case !m.same(low, high):
		return Mixed
	case m.same(high, m.s.RewardRange.Lo):
		return Dead
	case m.same(low, m.s.RewardRange.Hi):
		return Saturated
	}
	return Flat
}
