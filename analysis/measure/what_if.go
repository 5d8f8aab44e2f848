package measure

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// capsTried is the maximum number of limits tried for a quantity.
const capsTried = 16

// whatIf computes what tighter limits would have left of the rewards: see analysis.WhatIf. It costs
// a pass over the rollouts and the estimate of the informative groups for each of at most 16
// limits.
func (m *Split) whatIf(sr *analysis.SplitResult) []analysis.WhatIf {
	var out []analysis.WhatIf
	for _, q := range []struct {
		name  string
		of    func(*collect.Row) (float64, bool)
		limit func() (int, bool)
		caps  func([]float64) []float64
	}{
		{
			analysis.CostCalls, func(r *collect.Row) (float64, bool) { return float64(len(r.Calls)), r.Observed },
			m.callLimit, callCaps,
		},
		{
			analysis.CapTokens, func(r *collect.Row) (float64, bool) { return r.Tokens(collect.OutputTokens) },
			nil, tokenCaps,
		},
	} {
		w := m.capped(q.name, pairsOf(m.Items, q.of, func(r *collect.Row) float64 { return r.Reward }), q.caps)
		if w == nil {
			continue
		}
		if q.limit != nil {
			if n, known := q.limit(); known {
				limit := float64(n)
				w.Limit = &limit
			}
		}
		for i := range w.Caps {
			// a limit beyond the one in force changes nothing
			if c := &w.Caps[i].Change; w.Limit != nil && w.Caps[i].At >= *w.Limit && c.Known() {
				c.Low, c.High = stat.FiniteOrNil(0), stat.FiniteOrNil(0)
			}
			w.Caps[i].Informative = sr.Net(w.Caps[i].Informative)
		}
		out = append(out, *w)
	}
	return out
}

// capped tries the limits; nil if all rollouts take the same amount of the quantity.
func (m *Split) capped(quantity string, items [][]stat.Pair, caps func([]float64) []float64) *analysis.WhatIf {
	var all []float64
	sizes := make([]int, len(items))
	for i, pairs := range items {
		sizes[i] = len(pairs)
		for _, p := range pairs {
			all = append(all, p.X)
		}
	}
	if len(all) == 0 || slices.Min(all) == slices.Max(all) {
		return nil
	}
	slices.Sort(all)
	samples := CommonSamples(sizes)
	w := &analysis.WhatIf{Quantity: quantity, GroupSize: min(m.s.GroupSize, samples), N: len(all), Items: len(items)}
	for _, limit := range caps(all) {
		w.Caps = append(w.Caps, m.capAt(limit, items, w.GroupSize))
	}
	return w
}

// capAt lowers the rewards of the rollouts beyond a limit to the bottom.
func (m *Split) capAt(limit float64, items [][]stat.Pair, group int) analysis.Cap {
	r, conf := &m.s.RewardRange, m.s.Confidence
	cut, counts, change := make([]float64, len(items)), make([]float64, len(items)), make([]float64, len(items))
	rewards, common, n := make([][]float64, len(items)), make([][]float64, 0, len(items)), 0
	for _, pairs := range items {
		n += len(pairs)
	}
	all := make([]float64, 0, n) // the rewards of one item after the other
	for i, pairs := range items {
		lost := 0.0
		for _, p := range pairs {
			if p.X > limit {
				cut[i]++
				lost += p.Y - r.Lo
				p.Y = r.Lo
			}
			all = append(all, p.Y)
		}
		rewards[i] = slices.Clip(all[len(all)-len(pairs):])
		slices.Sort(rewards[i])
		counts[i] = float64(len(pairs))
		change[i] = -lost / counts[i]
		if len(pairs) >= group {
			common = append(common, rewards[i])
		}
	}
	c := analysis.Cap{
		At: limit, Cut: stat.RatioOfSums(cut, counts, n, conf), Reward: stat.Mean(rewards, r, conf),
		Change:      stat.PairedMean(change, nil, n, &stat.Range{Lo: -r.Width(), Hi: 0}, conf),
		Informative: stat.Estimate{Warnings: []message.Text{}},
	}
	if c.Change.High != nil { // a limit can only lower rewards
		c.Change.High = stat.FiniteOrNil(min(0, *c.Change.High))
	}
	if group >= 2 {
		c.Informative = Signal(m.s, common, group)
	}
	return c
}

// callCaps lists the limits of calls to try, given sorted counts: from the fewest calls of any
// rollout to the most, each number if there are few.
func callCaps(sorted []float64) []float64 {
	low, high := sorted[0], sorted[len(sorted)-1]
	step := math.Max(1, math.Ceil((high-low)/(capsTried-1)))
	var caps []float64
	for limit := high; limit > low; limit -= step {
		caps = append(caps, limit)
	}
	caps = append(caps, low)
	slices.Reverse(caps)
	return caps
}

// tokenCaps lists limits at evenly spaced quantiles, rounded up to two digits; the last one cuts no
// rollout.
func tokenCaps(sorted []float64) []float64 {
	var caps []float64
	for i := 1; i < capsTried; i++ {
		x := stat.Quantile(sorted, float64(i)/(capsTried-1))
		if x <= 0 {
			continue
		}
		unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(x))-1))
		caps = append(caps, math.Ceil(x/unit)*unit)
	}
	return slices.Compact(caps)
}
