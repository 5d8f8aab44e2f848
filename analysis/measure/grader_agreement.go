package measure

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// labelled is one output that people scored.
type labelled struct {
	key    collect.ItemKey
	id     string             // of the item, for lists
	reward *float64           // from the grader; nil if unknown
	scores map[string]float64 // by rater
}

// outputKey identifies an output: a rollout by its sample, any other by its text.
type outputKey struct {
	item   collect.ItemKey
	sample int // -1: identified by its text
	hash   uint64
}

func (k outputKey) key() rollout.Key {
	return rollout.Key{Split: k.item.Split, Item: k.item.ID, Sample: k.sample, Step: k.item.Step}
}

// of returns the key with the step of its item, if that is known.
func (k outputKey) of(known map[collect.ItemKey]*collect.Item) outputKey {
	if it := known[k.item]; it != nil {
		k.item = it.Key()
	}
	return k
}

var labelsOutside = message.New("grader.labels_outside",
	"the labels are outside the grader's range: only ranks are compared")

// agreement compares the grader with people: each labelled output has the grader's reward and the
// mean score of its raters. It is nil without labels.
func (c *evidence) agreement(items []*collect.Item, s analysis.Settings) *analysis.Agreement {
	outputs, labels := c.labelledOutputs(items)
	if labels == 0 {
		return nil
	}
	a := &analysis.Agreement{Labels: labels, Items: []string{}}
	raters := make(map[string]bool)
	scaled := true // the labels are in the grader's range
	var pairs [][]stat.Pair
	gaps, ids := make(map[collect.ItemKey]float64), make(map[collect.ItemKey]string)
	var order []collect.ItemKey
	var last collect.ItemKey
	for _, o := range outputs {
		var scores []float64
		for _, rater := range slices.Sorted(maps.Keys(o.scores)) {
			raters[rater] = true
			scores = append(scores, o.scores[rater])
			scaled = scaled && c.holds(o.scores[rater])
		}
		if o.reward == nil {
			continue
		}
		a.Outputs++
		mean, _ := stat.MeanVariance(scores)
		if len(pairs) == 0 || o.key != last {
			pairs = append(pairs, nil)
			order = append(order, o.key)
			last = o.key
		}
		i := len(pairs) - 1
		pairs[i] = append(pairs[i], stat.Pair{X: mean, Y: *o.reward})
		ids[o.key] = o.id
		gaps[o.key] = math.Max(gaps[o.key], math.Abs(mean-*o.reward))
	}
	a.Raters = len(raters)
	a.Spearman = stat.Spearman(pairs, s.Confidence)
	a.Alpha = alpha(outputs, s)
	if !scaled {
		a.Spearman.Warnings = append(a.Spearman.Warnings, labelsOutside.Text())
		return a
	}
	a.Kappa = c.kappa(pairs, s)
	a.Ceiling = c.humanCeiling(outputs, s)
	least := s.Thresholds.At(analysis.HackableMargin) * c.Range.Width()
	order = slices.DeleteFunc(order, func(k collect.ItemKey) bool { return gaps[k] <= least })
	sort.SliceStable(order, func(i, j int) bool { return gaps[order[i]] > gaps[order[j]] })
	for _, k := range order[:min(len(order), analysis.MaxItemsListed)] {
		a.Items = append(a.Items, ids[k])
	}
	return a
}

func (c *evidence) holds(score float64) bool {
	noise := 1e-9 * c.Range.Width()
	return score >= c.Range.Lo-noise && score <= c.Range.Hi+noise
}

// score returns the number of a label. A mark without a number counts as the end of the range that
// it means; unclear is not an opinion.
func (c *evidence) score(l rollout.Label) (float64, bool) {
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

// labelledOutputs finds the output of every label and its reward: the reward of the rollout, of the
// item's rollouts with the same answer, or of the audit's grading of that text. The outputs are in
// the order of items.
func (c *evidence) labelledOutputs(items []*collect.Item) (outputs []*labelled, labels int) {
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
	byKey := make(map[outputKey]*labelled)
	var keys []outputKey
	for _, l := range c.People {
		score, ok := c.score(l)
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
			byKey[k] = &labelled{
				key: k.item, id: id, reward: c.rewardOf(k, known[k.item], texts),
				scores: make(map[string]float64),
			}
			keys = append(keys, k)
		}
		byKey[k].scores[l.Rater] = score
	}
	slices.SortStableFunc(keys, func(a, b outputKey) int {
		return collect.CompareKeys(a.key(), b.key())
	})
	for _, k := range keys {
		outputs = append(outputs, byKey[k])
	}
	return outputs, labels
}

// knownItems returns the items by their keys. An item with rollouts of only one step is also found
// by a key without a step.
func knownItems(items []*collect.Item) map[collect.ItemKey]*collect.Item {
	steps := make(map[collect.ItemKey]int)
	for _, it := range items {
		steps[it.Key().WithoutStep()]++
	}
	known := make(map[collect.ItemKey]*collect.Item)
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
func (c *evidence) outputOf(l rollout.Label, known map[collect.ItemKey]*collect.Item,
	texts map[outputKey]float64,
) outputKey {
	k := outputKey{item: collect.ItemKey{Split: l.Split, ID: l.Item, Step: l.Step}, sample: -1}
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
		if c.rewardOf(candidate, known[candidate.item], texts) != nil {
			return candidate
		}
		if k.item.Split == "" && known[candidate.item] != nil {
			k = candidate
		}
	}
	k.item.Split = cmp.Or(k.item.Split, rollout.Train)
	return k
}

// rewardOf returns the grader's reward for an output; nil if it is unknown.
func (c *evidence) rewardOf(k outputKey, it *collect.Item, texts map[outputKey]float64) *float64 {
	var rewards []float64
	if it != nil {
		for _, r := range it.Rows {
			if r.Valid && (k.sample >= 0 && r.Key.Sample == k.sample || k.sample < 0 && r.AnswerHash == k.hash) {
				rewards = append(rewards, c.GraderReward(r))
			}
		}
	}
	if len(rewards) > 0 {
		slices.Sort(rewards) // the sum must not depend on the order of lines
		mean, _ := stat.MeanVariance(rewards)
		return &mean
	}
	if reward, ok := texts[k]; ok && k.sample < 0 {
		return &reward
	}
	return nil
}

// kappa compares yes-or-no answers, if people and grader give nothing else. The raters vote; a draw
// is not an opinion.
func (c *evidence) kappa(pairs [][]stat.Pair, s analysis.Settings) *stat.Estimate {
	var votes [][]stat.Pair
	for _, item := range pairs {
		var votesOfItem []stat.Pair
		for _, p := range item {
			if !c.AtTop(p.Y) && !c.AtBottom(p.Y) {
				return nil
			}
			share := (p.X - c.Range.Lo) / c.Range.Width()
			if share != 0.5 {
				vote := math.Round((p.Y - c.Range.Lo) / c.Range.Width())
				votesOfItem = append(votesOfItem, stat.Pair{X: math.Round(share), Y: vote})
			}
		}
		votes = append(votes, votesOfItem)
	}
	for _, l := range c.People {
		if score, ok := c.score(l); ok && !c.AtTop(score) && !c.AtBottom(score) {
			return nil
		}
	}
	return some(stat.Kappa(votes, s.Confidence))
}

// alpha returns the raters' agreement with each other; nil if no output has two raters.
func alpha(outputs []*labelled, s analysis.Settings) *stat.Estimate {
	var items [][][]float64
	several := false
	for i, o := range outputs {
		if i == 0 || o.key != outputs[i-1].key {
			items = append(items, nil)
		}
		var scores []float64
		for _, rater := range slices.Sorted(maps.Keys(o.scores)) {
			scores = append(scores, o.scores[rater])
		}
		several = several || len(scores) > 1
		items[len(items)-1] = append(items[len(items)-1], scores)
	}
	if !several {
		return nil
	}
	e := stat.Alpha(items, s.Confidence, s.Boot, rand.NewPCG(s.Seed, 0xa1fa))
	return &e
}

// humanCeiling returns what the outputs that one rater puts at the top earn from another rater, on
// average over such pairs: the most that a policy which fully satisfies one person can expect from
// the next. A mean reward above it does not show that the policy is better than people, but that
// the grader asks for something else. It is nil if no output at one rater's top has a second rater.
func (c *evidence) humanCeiling(outputs []*labelled, s analysis.Settings) *stat.Estimate {
	var sums, counts []float64
	n := 0
	for i, o := range outputs {
		if i == 0 || o.key != outputs[i-1].key {
			sums, counts = append(sums, 0), append(counts, 0)
		}
		last := len(sums) - 1
		for _, one := range slices.Sorted(maps.Keys(o.scores)) {
			if !c.AtTop(o.scores[one]) {
				continue
			}
			for _, other := range slices.Sorted(maps.Keys(o.scores)) {
				if other != one {
					sums[last] += (o.scores[other] - c.Range.Lo) / c.Range.Width()
					counts[last]++
					n++
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	e := stat.Scale(stat.RatioOfSums(sums, counts, n, s.Confidence), c.Range.Width())
	e.Value, e.Low, e.High = stat.AddKnown(e.Value, c.Range.Lo), stat.AddKnown(e.Low, c.Range.Lo), stat.AddKnown(e.High, c.Range.Lo)
	e.Method = "what one rater gives to the outputs at another's top; " + e.Method
	return &e
}
