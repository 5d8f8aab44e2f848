package analysis

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// guessable is what the most common reference earns as the answer to every
// item, and that reference.
func (c *evidence) guessable(s Settings) (*stat.Estimate, string) {
	var values []float64
	answer := ""
	for _, of := range byItem(c.audit.of(rollout.ProbeConstant)) {
		sum, n := 0.0, 0.0
		for _, p := range of {
			if p.valid {
				sum, n = sum+p.reward, n+1
			}
			answer = p.text
		}
		if n > 0 {
			values = append(values, sum/n)
		}
	}
	if len(values) == 0 {
		return nil, ""
	}
	e := stat.ItemMeans(values, nil, len(values), &c.rng, s.Confidence, "mean over items of the reward of one constant answer")
	return &e, answer
}

// detectors tells what each detector found among the recorded rollouts.
func (c *evidence) detectors(s Settings) []DetectorResult {
	var out []DetectorResult
	for _, name := range slices.Sorted(maps.Keys(c.audit.marks)) {
		d := DetectorResult{Detector: name, Items: []string{}}
		var hits, counts []float64
		var rewards [][]float64
		var last itemKey
		for _, m := range c.audit.marks[name] {
			if m.failed {
				d.Failed++
				continue
			}
			k := itemKey{m.key.Split, m.key.Item}
			if len(counts) == 0 || k != last {
				hits, counts, rewards = append(hits, 0), append(counts, 0), append(rewards, nil)
				last = k
			}
			i := len(counts) - 1
			counts[i]++
			d.Rollouts++
			if !m.marked {
				continue
			}
			hits[i]++
			d.Marked++
			d.Zeroed = d.Zeroed || m.zeroes
			if r := c.rows[m.key]; r != nil && r.valid {
				rewards[i] = append(rewards[i], c.given(r))
			}
			if hits[i] == 1 && len(d.Items) < itemsListed {
				d.Items = append(d.Items, m.key.Item)
			}
		}
		d.Share = stat.RatioOfSums(hits, counts, d.Rollouts, s.Confidence)
		d.Mean = stat.Mean(rewards, &c.rng, s.Confidence)
		out = append(out, d)
	}
	return out
}

// failuresOfGrader counts failed gradings by kind, of rollouts and of the
// audit, most frequent first. A detector that fails is not the grader.
func (c *evidence) failuresOfGrader(items []*item) []GraderFailure {
	var out []GraderFailure
	add := func(kind, cause, item string) {
		if kind == "" {
			return
		}
		i := slices.IndexFunc(out, func(f GraderFailure) bool { return f.Kind == kind })
		if i < 0 {
			i = len(out)
			out = append(out, GraderFailure{Kind: kind, Example: cause, Items: []string{}})
		}
		out[i].Count++
		if len(out[i].Items) < causeItemsListed && !slices.Contains(out[i].Items, item) {
			out[i].Items = append(out[i].Items, item)
		}
	}
	for _, it := range items {
		for _, r := range it.rows {
			add(r.kind, r.cause, it.id)
		}
	}
	for _, p := range c.audit.payloads {
		add(p.kind, p.cause, p.key.Item)
	}
	slices.SortStableFunc(out, func(a, b GraderFailure) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
