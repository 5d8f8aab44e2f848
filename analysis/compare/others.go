package compare

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/measure"
	two "gonogo/analysis/shift"
	"gonogo/analysis/stat"
)

// others compares everything beside the mean reward.
func (c *comparer) others() []analysis.Difference {
	out := []analysis.Difference{}
	add := func(name, unit string, rng *stat.Range, of func(*collect.RunItem) (float64, int)) *analysis.Difference {
		v := c.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
			x, n := of(it)
			return x, 0, n, false
		})
		if len(v.base) == 0 || len(v.new) == 0 {
			return nil
		}
		out = append(out, c.difference(name, unit, v, rng))
		return &out[len(out)-1]
	}
	unit := unitRange
	if c.s.PassThreshold != nil {
		add("pass_rate", "share", &unit, func(it *collect.RunItem) (float64, int) {
			passed := 0
			for _, y := range it.Rewards {
				passed += one(y >= *c.s.PassThreshold)
			}
			return float64(passed) / float64(max(1, len(it.Rewards))), len(it.Rewards)
		})
	}
	c.groups(add)
	add("own_failures", "share", &unit, func(it *collect.RunItem) (float64, int) {
		return ownFailures(it)
	})
	for _, q := range []struct {
		name, unit string
		of         func(*collect.RunItem) collect.Tally
	}{
		{"tool_calls", "calls", func(it *collect.RunItem) collect.Tally { return it.Calls }},
		{"malformed_calls", "calls", func(it *collect.RunItem) collect.Tally { return it.Malformed }},
		{"turns", "turns", func(it *collect.RunItem) collect.Tally { return it.Turns }},
		{"input_tokens", "tokens", func(it *collect.RunItem) collect.Tally { return it.Input }},
		{"output_tokens", "tokens", func(it *collect.RunItem) collect.Tally { return it.Output }},
		{"latency", "seconds", func(it *collect.RunItem) collect.Tally { return it.Seconds }},
	} {
		add(q.name, q.unit, nil, func(it *collect.RunItem) (float64, int) {
			return q.of(it).Mean(), q.of(it).N
		})
	}
	c.correct(out)
	return out
}

// ownFailures is the share of valid rollouts in which the model itself gave no
// answer.
func ownFailures(it *collect.RunItem) (share float64, n int) {
	own := 0
	for i := range it.Tries {
		if it.Tries[i].Valid {
			n++
			own += one(it.Tries[i].Outcome.OwnFailure())
		}
	}
	return float64(own) / float64(max(1, n)), n
}

// groups compares what a group-relative trainer goes by, best of k and the
// share of informative groups, at the group size or, where most items have
// fewer samples, at what they have. The items are the same on both sides.
func (c *comparer) groups(add func(string, string, *stat.Range, func(*collect.RunItem) (float64, int)) *analysis.Difference) {
	k := c.groupSize()
	if k < 2 {
		return
	}
	var all [][]float64
	for _, list := range [][]*collect.RunItem{c.base, c.new} {
		for _, it := range list {
			all = append(all, it.Rewards)
		}
	}
	rng := c.s.RewardRange
	tolerance := measure.EqualWithin(c.s, all)
	if d := add("best_of", "reward", &rng, func(it *collect.RunItem) (float64, int) {
		if len(it.Rewards) < k {
			return 0, 0
		}
		return stat.MaxOfK(it.Rewards, k), len(it.Rewards)
	}); d != nil {
		d.K = k
	}
	unit := unitRange
	if d := add("informative", "share", &unit, func(it *collect.RunItem) (float64, int) {
		if len(it.Rewards) < k {
			return 0, 0
		}
		return stat.Informative(it.Rewards, k, tolerance), len(it.Rewards)
	}); d != nil {
		d.K = k
	}
}

// groupSize is the group size, or the samples that most items have on both
// sides.
func (c *comparer) groupSize() int {
	var counts []int
	if c.paired {
		for _, p := range c.pairs {
			counts = append(counts, min(len(p.base.Rewards), len(p.new.Rewards)))
		}
	} else {
		for _, it := range slices.Concat(c.base, c.new) {
			if len(it.Rewards) > 0 {
				counts = append(counts, len(it.Rewards))
			}
		}
	}
	return min(c.s.GroupSize, measure.CommonSamples(counts))
}

// correct fills the p-values corrected over a list of differences.
func (c *comparer) correct(list []analysis.Difference) {
	ps := make([]*float64, len(list))
	for i := range list {
		ps[i] = list[i].P
	}
	for i, p := range holm(ps) {
		list[i].PHolm = p
	}
}

// holm corrects the p-values that there are for their number.
func holm(ps []*float64) []*float64 {
	var known []float64
	for _, p := range ps {
		if p != nil {
			known = append(known, *p)
		}
	}
	corrected := two.Holm(known)
	out := make([]*float64, len(ps))
	at := 0
	for i, p := range ps {
		if p != nil {
			out[i], at = stat.Some(corrected[at]), at+1
		}
	}
	return out
}
