package measure

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// guessable returns what the most common reference earns as the answer to every item, and that
// reference.
func (c *evidence) guessable(s analysis.Settings) (*stat.Estimate, string) {
	return c.meanOf(rollout.ProbeConstant, "mean over items of the reward of one constant answer", s)
}

// guessableGain returns what that reference earns more than the rollouts of the same item, over the
// items that have both; nil if none has.
func (c *evidence) guessableGain(items []*collect.Item, s analysis.Settings) *stat.Estimate {
	rollouts := make(map[collect.ItemKey][]float64, len(items))
	for _, it := range items {
		rollouts[it.Key()] = it.Rewards
	}
	var gains []float64
	n := 0
	for _, payloads := range byItem(c.Audit.Of(rollout.ProbeConstant)) {
		lazy, ok := meanReward(payloads)
		if own := rollouts[payloads[0].Item()]; ok && len(own) > 0 {
			mean, _ := stat.MeanVariance(own)
			gains, n = append(gains, lazy-mean), n+len(own)
		}
	}
	if len(gains) == 0 {
		return nil
	}
	within := stat.Range{Lo: -c.Range.Width(), Hi: c.Range.Width()}
	e := stat.PairedMean(gains, nil, n, &within, s.Confidence)
	return &e
}

// meanReward returns the mean reward of the payloads that were graded; ok is false if none was.
func meanReward(payloads []*collect.Payload) (mean float64, ok bool) {
	sum, n := 0.0, 0.0
	for _, p := range payloads {
		if p.Valid {
			sum, n = sum+p.Reward, n+1
		}
	}
	return sum / max(1, n), n > 0
}

// meanOf returns the mean reward of a probe over items, by a method with that name, and the text of
// its last payload; nil if no payload was graded.
func (c *evidence) meanOf(probe, method string, s analysis.Settings) (*stat.Estimate, string) {
	var values []float64
	answer := ""
	for _, payloads := range byItem(c.Audit.Of(probe)) {
		if mean, ok := meanReward(payloads); ok {
			values = append(values, mean)
		}
		answer = payloads[len(payloads)-1].Text
	}
	if len(values) == 0 {
		return nil, ""
	}
	e := stat.ItemMeans(values, nil, len(values), &c.Range, s.Confidence, method)
	return &e, answer
}

// detectors returns what each detector found among the recorded rollouts.
func (c *evidence) detectors(s analysis.Settings) []analysis.DetectorResult {
	var out []analysis.DetectorResult
	for _, name := range slices.Sorted(maps.Keys(c.Audit.Marks)) {
		d := analysis.DetectorResult{Detector: name, Items: []string{}}
		var hits, counts []float64
		var rewards [][]float64
		var last collect.ItemKey
		for _, m := range c.Audit.Marks[name] {
			if m.Failed {
				d.Failed++
				continue
			}
			k := collect.ItemOf(m.Key)
			if len(counts) == 0 || k != last {
				hits, counts, rewards = append(hits, 0), append(counts, 0), append(rewards, nil)
				last = k
			}
			i := len(counts) - 1
			counts[i]++
			d.Rollouts++
			if !m.Marked {
				continue
			}
			hits[i]++
			d.Marked++
			d.Zeroed = d.Zeroed || m.Zeroes
			if r := c.Row(m.Key); r != nil && r.Valid {
				rewards[i] = append(rewards[i], c.GraderReward(r))
			}
			if hits[i] == 1 && len(d.Items) < analysis.MaxItemsListed {
				d.Items = append(d.Items, m.Key.Item)
			}
		}
		d.Share = stat.RatioOfSums(hits, counts, d.Rollouts, s.Confidence)
		d.Mean = stat.Mean(rewards, &c.Range, s.Confidence)
		out = append(out, d)
	}
	return out
}

// failuresOfGrader counts failed gradings of rollouts and of the audit by kind, most frequent
// first. Failures of a detector do not count.
func (c *evidence) failuresOfGrader(items []*collect.Item) []analysis.GraderFailure {
	var out []analysis.GraderFailure
	add := func(kind, cause, item string) {
		if kind == "" {
			return
		}
		i := slices.IndexFunc(out, func(f analysis.GraderFailure) bool { return f.Kind == kind })
		if i < 0 {
			i = len(out)
			out = append(out, analysis.GraderFailure{Kind: kind, Example: cause, Items: []string{}})
		}
		out[i].Count++
		out[i].Items = oneMore(out[i].Items, item, causeItemsListed)
	}
	for _, it := range items {
		for _, r := range it.Rows {
			rare := r.Rare()
			add(rare.Kind, rare.Cause, it.ID)
		}
	}
	for _, p := range c.Audit.Payloads {
		add(p.Kind, p.Cause, p.Key.Item)
	}
	slices.SortStableFunc(out, func(a, b analysis.GraderFailure) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
