package collect

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Labelled is one output that people scored.
type Labelled struct {
	Key      ItemKey
	ID       string             // of the item, for lists
	Reward   *float64           // from the grader; nil if unknown
	Rollouts int                // of the run that have this output and a reward
	Audited  *float64           // the reward that the audit got for this text
	Scores   map[string]float64 // by rater
}

// outputKey identifies an output: a rollout by its sample, any other by its text.
type outputKey struct {
	item   ItemKey
	sample int // -1: identified by its text
	hash   uint64
}

func (k outputKey) key() rollout.Key {
	return rollout.Key{Split: k.item.Split, Item: k.item.ID, Sample: k.sample, Step: k.item.Step}
}

// of returns the key with the step of its item, if that is known.
func (k outputKey) of(known map[ItemKey]*Item) outputKey {
	if it := known[k.item]; it != nil {
		k.item = it.Key()
	}
	return k
}

// Vote reports whether people call the output right: their scores are in the upper half of the range
// on average. known is false for a draw.
func (o *Labelled) Vote(r stat.Range) (right, known bool) {
	var scores []float64
	for _, rater := range slices.Sorted(maps.Keys(o.Scores)) {
		scores = append(scores, o.Scores[rater])
	}
	mean, _ := stat.MeanVariance(scores)
	share := (mean - r.Lo) / r.Width()
	return share > 0.5, share != 0.5
}

// YesNoLabels reports whether every label is at the bottom or the top of the range.
func (c *Collector) YesNoLabels() bool {
	for _, l := range c.People {
		if score, ok := c.labelScore(l); ok && !c.AtTop(score) && !c.AtBottom(score) {
			return false
		}
	}
	return true
}

// Accepts reports whether a reward says that an output is right: it is at the pass threshold, or
// without one at the top of the range less the margin.
func Accepts(s analysis.Settings, reward float64) bool {
	limit := s.RewardRange.Hi - s.Thresholds.At(analysis.HackableMargin)*s.RewardRange.Width()
	if s.PassThreshold != nil {
		limit = *s.PassThreshold
	}
	return reward >= limit-RewardNoise*s.RewardRange.Width()
}

// Verdicts counts what the grader and people say about an item: of the run, about its rollouts, if
// rollouts of its split are labelled or texts are; of texts, about the labelled texts that the audit
// had graded. An output that several rollouts have counts once for each. Both are nil if labels are
// finer than right and wrong.
func (c *Collector) Verdicts(items []*Item, outputs []*Labelled, s analysis.Settings) (
	run, texts map[ItemKey]stat.Verdicts,
) {
	if !c.YesNoLabels() {
		return nil, nil
	}
	run, texts = make(map[ItemKey]stat.Verdicts), make(map[ItemKey]stat.Verdicts)
	sampled, chosen := make(map[rollout.Split]bool), make(map[rollout.Split]bool)
	for _, o := range outputs {
		right, known := o.Vote(c.Range)
		if !known {
			continue
		}
		if o.Rollouts > 0 {
			v := run[o.Key]
			v.Label(Accepts(s, *o.Reward), right, o.Rollouts)
			run[o.Key], sampled[o.Key.Split] = v, true
		}
		if o.Audited != nil {
			v, accepted := texts[o.Key], Accepts(s, *o.Audited)
			v.Label(accepted, right, 1)
			v.Outputs, v.Accepted = v.Outputs+1, v.Accepted+float64(one(accepted))
			texts[o.Key], chosen[o.Key.Split] = v, true
		}
	}
	for _, it := range items {
		if split := it.Key().Split; !sampled[split] && (len(sampled) > 0 || !chosen[split]) {
			continue
		}
		v := run[it.Key()]
		for _, r := range it.Rows {
			if r.Valid {
				v.Outputs++
				v.Accepted += float64(one(Accepts(s, c.GraderReward(r))))
			}
		}
		run[it.Key()] = v
	}
	return run, texts
}

// labelScore returns the number of a label. A mark without a number counts as the end of the range that
// it means; unclear is not an opinion.
func (c *Collector) labelScore(l rollout.Label) (float64, bool) {
	switch {
	case l.Score != nil:
		return *l.Score, true
	case l.Mark == "right":
		return c.Range.Hi, true
	case l.Mark == "wrong" || l.Mark == "hack":
		return c.Range.Lo, true
	}
	return 0, false
}

// LabelledOutputs finds the output of every label and its reward: the reward of the rollout, of the
// item's rollouts with the same answer, or of the audit's grading of that text. The outputs are in
// the order of items.
func (c *Collector) LabelledOutputs(items []*Item) (outputs []*Labelled, labels int) {
	if len(c.People) == 0 {
		return nil, 0
	}
	known := knownItems(items)
	texts := make(map[outputKey]float64)
	for _, p := range c.Audit.Of(rollout.ProbeLabel) {
		if p.Valid {
			texts[outputKey{p.Item(), -1, p.Hash}] = p.Reward
		}
	}
	byKey := make(map[outputKey]*Labelled)
	var keys []outputKey
	for _, l := range c.People {
		score, ok := c.labelScore(l)
		if !ok {
			continue
		}
		labels++
		k := c.outputOf(l, known, texts)
		if byKey[k] == nil {
			id := k.item.ID
			if it := known[k.item]; it != nil {
				id = it.ID
			}
			o := &Labelled{Key: k.item, ID: id, Scores: make(map[string]float64)}
			o.Reward, o.Rollouts = c.rewardOf(k, known[k.item], texts)
			if reward, ok := texts[k]; ok && k.sample < 0 {
				o.Audited = &reward
			}
			byKey[k] = o
			keys = append(keys, k)
		}
		byKey[k].Scores[l.Rater] = score
	}
	slices.SortStableFunc(keys, func(a, b outputKey) int {
		return CompareKeys(a.key(), b.key())
	})
	for _, k := range keys {
		outputs = append(outputs, byKey[k])
	}
	return outputs, labels
}

// knownItems returns the items by their keys. An item with rollouts of only one step is also found
// by a key without a step.
func knownItems(items []*Item) map[ItemKey]*Item {
	steps := make(map[ItemKey]int)
	for _, it := range items {
		steps[it.Key().WithoutStep()]++
	}
	known := make(map[ItemKey]*Item)
	for _, it := range items {
		known[it.Key()] = it
		if bare := it.Key().WithoutStep(); steps[bare] == 1 {
			known[bare] = it
		}
	}
	return known
}

// outputOf returns the key of a label's output. A label without a split belongs to the first split
// that knows the item and a reward for the output, else to the first that knows the item.
func (c *Collector) outputOf(l rollout.Label, known map[ItemKey]*Item,
	texts map[outputKey]float64,
) outputKey {
	k := outputKey{item: ItemKey{Split: l.Split, ID: l.Item, Step: l.Step}, sample: -1}
	if l.Sample != nil {
		k.sample = *l.Sample
	} else {
		k.hash = c.AnswerHash(l.Output)
	}
	if l.Split != "" {
		return k.of(known)
	}
	for _, split := range rollout.Splits() {
		candidate := k
		candidate.item.Split = split
		candidate = candidate.of(known)
		if reward, _ := c.rewardOf(candidate, known[candidate.item], texts); reward != nil {
			return candidate
		}
		if k.item.Split == "" && known[candidate.item] != nil {
			k = candidate
		}
	}
	k.item.Split = cmp.Or(k.item.Split, rollout.Train)
	return k
}

// rewardOf returns the grader's reward for an output, nil if it is unknown, and the number of rollouts
// that have it.
func (c *Collector) rewardOf(k outputKey, it *Item, texts map[outputKey]float64) (reward *float64, rollouts int) {
	var rewards []float64
	if it != nil {
		for _, r := range it.Rows {
			if r.Valid && (k.sample >= 0 && r.Sample == k.sample || k.sample < 0 && r.AnswerHash == k.hash) {
				rewards = append(rewards, c.GraderReward(r))
			}
		}
	}
	if len(rewards) > 0 {
		slices.Sort(rewards) // the sum must not depend on the order of lines
		mean, _ := stat.MeanVariance(rewards)
		return &mean, len(rewards)
	}
	if reward, ok := texts[k]; ok && k.sample < 0 {
		return &reward, 0
	}
	return nil, 0
}
