package measure

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// againstBins is the number of bins of rollouts; if there are at most againstValues different
// values, each has its own bin.
const (
	againstBins   = 8
	againstValues = 12
)

// against compares the rewards of valid rollouts with what each rollout cost. Costs that no rollout
// records are left out.
func (m *Split) against() []analysis.RewardByCost {
	var out []analysis.RewardByCost
	for _, q := range []struct {
		name string
		log  bool
		of   func(*collect.Row) (float64, bool)
	}{
		{analysis.CostCalls, false, func(r *collect.Row) (float64, bool) { return float64(len(r.Calls)), r.Observed }},
		{analysis.CostTokens, true, func(r *collect.Row) (float64, bool) {
			in, out, known := inAndOut(r)
			return in + out, known && in+out > 0
		}},
		{analysis.CostLatency, true, func(r *collect.Row) (float64, bool) { return r.Elapsed, r.Elapsed > 0 }},
	} {
		if items := pairsOf(m.Items, q.of, func(r *collect.Row) float64 { return r.Reward }); len(items) > 0 {
			out = append(out, m.setAgainst(q.name, q.log, items))
		}
	}
	return out
}

// pairsOf returns the cost and the reward of each valid rollout that records the cost, by item.
func pairsOf(items []*collect.Item, took func(*collect.Row) (float64, bool),
	reward func(*collect.Row) float64,
) [][]stat.Pair {
	out := make([][]stat.Pair, 0, len(items))
	for _, it := range items {
		pairs := make([]stat.Pair, 0, len(it.Rows))
		for _, r := range it.Rows {
			if x, ok := took(r); ok && r.Valid {
				pairs = append(pairs, stat.Pair{X: x, Y: reward(r)})
			}
		}
		if len(pairs) > 0 {
			out = append(out, pairs)
		}
	}
	return out
}

// setAgainst overwrites the costs in items with their logarithms if log is set.
func (m *Split) setAgainst(quantity string, log bool, items [][]stat.Pair) analysis.RewardByCost {
	a := analysis.RewardByCost{Quantity: quantity, Items: len(items), Bins: m.againstBins(items)}
	if quantity == analysis.CostCalls {
		if limit, known := m.callLimit(); known {
			a.Limit = m.atLimit(items, float64(limit))
		}
	}
	for _, pairs := range items {
		a.N += len(pairs)
		for i := range pairs {
			if log {
				pairs[i].X = math.Log2(pairs[i].X)
			}
		}
	}
	within := stat.WithinLine(items, m.s.Confidence)
	a.Within, a.P = within.Correlation, within.P
	a.Pooled = stat.PooledLine(items, m.s.Confidence).Correlation
	return a
}

// callLimit returns the limit of tool calls: the configured one, or, for an import, the number of
// calls that all rollouts which ran out of calls have in common, if no other rollout made more.
func (m *Split) callLimit() (limit int, known bool) {
	if m.budget != nil {
		return *m.budget, true
	}
	most, ended := 0, 0
	for _, it := range m.Items {
		for _, r := range it.Rows {
			n := len(r.Calls)
			most = max(most, n)
			if r.Outcome() != rollout.StepLimit {
				continue
			}
			if ended++; ended > 1 && n != limit {
				return 0, false
			}
			limit = n
		}
	}
	return limit, ended > 1 && limit == most && limit > 0
}

// atLimit compares rollouts at the limit with those below it; nil if there is only one kind.
func (m *Split) atLimit(items [][]stat.Pair, limit float64) *analysis.RewardAtLimit {
	c := m.contrast(items, limit)
	if c == nil {
		return nil
	}
	var under [][]stat.Pair
	for _, pairs := range items {
		rest := slices.DeleteFunc(slices.Clone(pairs), func(p stat.Pair) bool { return p.X >= limit })
		if len(rest) > 0 {
			under = append(under, rest)
		}
	}
	return &analysis.RewardAtLimit{
		At: limit, Reached: c.These, Below: c.Others, Difference: c.Difference,
		Within: stat.WithinLine(under, m.s.Confidence).Correlation,
	}
}

func means(items [][]float64) []float64 {
	out := make([]float64, len(items))
	for i, xs := range items {
		for _, x := range xs {
			out[i] += x / float64(len(xs))
		}
	}
	return out
}

// againstBins makes a bin of each value if there are few, else bins with about the same number of
// rollouts. Equal values share a bin.
func (m *Split) againstBins(items [][]stat.Pair) []analysis.RewardBin {
	var xs []float64
	for _, pairs := range items {
		for _, p := range pairs {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	ends := binEnds(xs)
	rewards := make([][][]float64, len(ends))
	for _, pairs := range items {
		byBin := make([][]float64, len(ends))
		for _, p := range pairs {
			bin, _ := slices.BinarySearch(ends, p.X)
			byBin[bin] = append(byBin[bin], p.Y)
		}
		for bin, ys := range byBin {
			if len(ys) > 0 {
				rewards[bin] = append(rewards[bin], ys)
			}
		}
	}
	bins := make([]analysis.RewardBin, len(ends))
	from := 0
	for i, end := range ends {
		to, _ := slices.BinarySearchFunc(xs, end, func(x, end float64) int { return cmp.Or(cmp.Compare(x, end), -1) })
		bins[i] = analysis.RewardBin{
			From: xs[from], To: end, Middle: stat.Quantile(xs[from:to], 0.5),
			Reward: stat.Mean(rewards[i], &m.s.RewardRange, m.s.Confidence),
		}
		from = to
	}
	return bins
}

// binEnds returns the largest value of each bin of sorted values. A last bin with less than half
// the others' rollouts is merged into the one before it.
func binEnds(xs []float64) []float64 {
	if values := slices.Compact(slices.Clone(xs)); len(values) <= againstValues {
		return values
	}
	var ends []float64
	size, begun := float64(len(xs))/againstBins, 0
	for i, x := range xs {
		last := i == len(xs)-1
		if !last && (xs[i+1] == x || float64(i+1-begun) < size) {
			continue
		}
		if last && len(ends) > 0 && float64(i+1-begun) < size/2 {
			ends[len(ends)-1] = x
			continue
		}
		ends, begun = append(ends, x), i+1
	}
	return ends
}
