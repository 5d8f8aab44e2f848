package analysis

import (
	"math"
	"slices"

	two "gonogo/analysis/shift"
	"gonogo/analysis/stat"
)

// others compares everything beside the mean reward.
func (c *comparer) others() []Difference {
	out := []Difference{}
	add := func(name, unit string, rng *stat.Range, of func(*sideItem) (float64, int)) *Difference {
		v := c.collect(func(it *sideItem) (float64, float64, int, bool) {
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
		add("pass_rate", "share", &unit, func(it *sideItem) (float64, int) {
			passed := 0
			for _, y := range it.rewards {
				passed += one(y >= *c.s.PassThreshold)
			}
			return float64(passed) / float64(max(1, len(it.rewards))), len(it.rewards)
		})
	}
	c.groups(add)
	add("own_failures", "share", &unit, func(it *sideItem) (float64, int) {
		return it.ownFailures()
	})
	for _, q := range []struct {
		name, unit string
		of         func(*sideItem) told
	}{
		{"tool_calls", "calls", func(it *sideItem) told { return it.calls }},
		{"malformed_calls", "calls", func(it *sideItem) told { return it.broken }},
		{"turns", "turns", func(it *sideItem) told { return it.turns }},
		{"input_tokens", "tokens", func(it *sideItem) told { return it.input }},
		{"output_tokens", "tokens", func(it *sideItem) told { return it.output }},
		{"latency", "seconds", func(it *sideItem) told { return it.seconds }},
	} {
		add(q.name, q.unit, nil, func(it *sideItem) (float64, int) {
			mean, _ := q.of(it).mean()
			return mean, q.of(it).n
		})
	}
	c.correct(out)
	return out
}

// ownFailures is the share of valid rollouts in which the model itself gave no
// answer.
func (it *sideItem) ownFailures() (share float64, n int) {
	own := 0
	for i := range it.tries {
		if it.tries[i].valid {
			n++
			own += one(it.tries[i].outcome.OwnFailure())
		}
	}
	return float64(own) / float64(max(1, n)), n
}

// groups compares what a group-relative trainer goes by, best of k and the
// share of informative groups, at the group size or, where most items have
// fewer samples, at what they have. The items are the same on both sides.
func (c *comparer) groups(add func(string, string, *stat.Range, func(*sideItem) (float64, int)) *Difference) {
	k := c.groupSize()
	if k < 2 {
		return
	}
	var all [][]float64
	for _, list := range [][]*sideItem{c.base, c.new} {
		for _, it := range list {
			all = append(all, it.rewards)
		}
	}
	rng := c.s.RewardRange
	_, tolerance := (&measure{s: c.s, rewards: all}).tolerances()
	if d := add("best_of", "reward", &rng, func(it *sideItem) (float64, int) {
		if len(it.rewards) < k {
			return 0, 0
		}
		return stat.MaxOfK(it.rewards, k), len(it.rewards)
	}); d != nil {
		d.K = k
	}
	unit := unitRange
	if d := add("informative", "share", &unit, func(it *sideItem) (float64, int) {
		if len(it.rewards) < k {
			return 0, 0
		}
		return stat.Informative(it.rewards, k, tolerance), len(it.rewards)
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
			counts = append(counts, min(len(p.base.rewards), len(p.new.rewards)))
		}
	} else {
		for _, it := range slices.Concat(c.base, c.new) {
			if len(it.rewards) > 0 {
				counts = append(counts, len(it.rewards))
			}
		}
	}
	if len(counts) == 0 {
		return 0
	}
	slices.Sort(counts)
	// The largest k that commonShare of the items have.
	return min(c.s.GroupSize, counts[len(counts)-int(math.Ceil(commonShare*float64(len(counts))))])
}

// correct fills the p-values corrected over a list of differences.
func (c *comparer) correct(list []Difference) {
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
