package measure

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
)

// shortRollout is the number of calls, or turns, up to which a rollout is never long: with a median
// of one call, three are no reason to wait.
const shortRollout = 8

// long finds the rollouts that make more calls, or take more turns, than a multiple of the median;
// nil if no rollout records its course.
func (m *Split) long() *analysis.LongRollouts {
	calls, turns := flatten(m.callsPerRollout()), flatten(m.turnsPerRollout())
	if len(calls) == 0 {
		return nil
	}
	const times = 3 // in medians: a rollout beyond it is far longer than the others
	l := &analysis.LongRollouts{
		Times: times, Calls: farBeyond(calls, times), Turns: farBeyond(turns, times),
		Items: []string{},
	}
	isLong := func(r *collect.Row) bool { return float64(len(r.Calls)) > l.Calls || float64(r.Turns) > l.Turns }
	l.Share = m.share(m.s.Confidence, func(r *collect.Row) (num, den float64) {
		switch {
		case !r.Valid || !r.Observed:
			return 0, 0
		case isLong(r):
			return 1, 1
		}
		return 0, 1
	})
	var items [][]stat.Pair
	type counted struct {
		id string
		n  int
	}
	var with []counted
	for _, it := range m.Items {
		var pairs []stat.Pair
		long := counted{id: it.ID}
		for _, r := range it.Rows {
			if !r.Valid || !r.Observed {
				continue
			}
			p := stat.Pair{Y: r.Reward}
			if isLong(r) {
				p.X = 1
				long.n++
			}
			pairs = append(pairs, p)
		}
		items = append(items, pairs)
		if l.N += long.n; long.n > 0 {
			with = append(with, long)
		}
	}
	l.Earn = m.contrast(items, 1)
	slices.SortStableFunc(with, func(a, b counted) int { return cmp.Compare(b.n, a.n) })
	for _, it := range with[:min(len(with), analysis.MaxItemsListed)] {
		l.Items = append(l.Items, it.id)
	}
	return l
}

// farBeyond returns a multiple of the median, but at least shortRollout.
func farBeyond(counts []float64, times float64) float64 {
	if len(counts) == 0 {
		return shortRollout
	}
	return math.Max(shortRollout, times*stat.Quantile(counts, 0.5))
}

// contrast compares the rewards (Y) of the pairs with X of at least from with the rewards of the
// others: within the items that have both kinds, if there are at least two, else between items. It
// is nil if there is only one kind.
func (m *Split) contrast(items [][]stat.Pair, from float64) *analysis.Contrast {
	var these, others, theseToo, othersToo [][]float64 // the latter two: of the items that have both kinds
	for _, pairs := range items {
		var reached, below []float64
		for _, p := range pairs {
			if p.X >= from {
				reached = append(reached, p.Y)
			} else {
				below = append(below, p.Y)
			}
		}
		if len(reached) > 0 {
			these = append(these, reached)
		}
		if len(below) > 0 {
			others = append(others, below)
		}
		if len(reached) > 0 && len(below) > 0 {
			theseToo, othersToo = append(theseToo, reached), append(othersToo, below)
		}
	}
	if len(these) == 0 || len(others) == 0 {
		return nil
	}
	c := new(analysis.Contrast)
	r, conf := &m.s.RewardRange, m.s.Confidence
	change := &stat.Range{Lo: -r.Width(), Hi: r.Width()}
	if len(theseToo) >= 2 {
		these, others = theseToo, othersToo
		d, less := means(these), means(others)
		for i := range d {
			d[i] -= less[i]
		}
		c.Difference = stat.PairedMean(d, nil, len(flatten(these))+len(flatten(others)), change, conf)
	} else {
		c.Difference, _ = stat.Welch(means(others), means(these), len(flatten(these))+len(flatten(others)), r, conf)
	}
	c.These, c.Others = stat.Mean(these, r, conf), stat.Mean(others, r, conf)
	return c
}
