package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The thresholds of a comparison, as shares of the reward range.
const (
	compareDelta     = "compare.delta"
	compareTolerance = "compare.tolerance"
)

// Compare compares a new run with a base run, item by item, on the given splits
// or on all that either holds. Each run is streamed once; memory grows with
// items x samples of one run at a time. A run without rollouts is no error: it
// cannot tell.
//
// The answer for the whole is that of eval where both runs hold rollouts of it,
// else of train, else of production: what a model was trained on flatters it.
func Compare(ctx context.Context, base, new *rollout.Run, read rollout.ReadOptions, s Settings, splits ...rollout.Split) (*Comparison, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	hash := maphash.MakeSeed()
	b, err := readSide(ctx, base, read, s, hash)
	if err != nil {
		return nil, err
	}
	n, err := readSide(ctx, new, read, s, hash)
	if err != nil {
		return nil, err
	}
	c := newComparison(b, n, s)
	pairings := make(map[rollout.Split]pairing)
	for _, split := range rollout.Splits() {
		wanted := len(splits) == 0 || slices.Contains(splits, split)
		if wanted && len(b.items[split])+len(n.items[split]) > 0 {
			p := pairUp(b, n, split)
			pairings[split] = p
			c.Splits[split] = compareSplit(p, s)
		}
	}
	if like := likeness(b, n, pairings); !like.None() {
		c.Notes = slices.Insert(c.Notes, 0, like)
	}
	c.Differs = append(c.Differs, itemDifferences(c, pairings)...)
	sortDifferences(c.Differs)
	c.fold()
	return c, nil
}

func newComparison(base, new *side, s Settings) *Comparison {
	width := s.RewardRange.Width()
	c := &Comparison{
		Schema: ComparisonSchema, Confidence: s.Confidence,
		RewardRange:   [2]float64{s.RewardRange.Lo, s.RewardRange.Hi},
		PassThreshold: s.PassThreshold,
		Delta:         s.Thresholds.At(compareDelta) * width,
		Tolerance:     s.Thresholds.At(compareTolerance) * width,
		Thresholds:    s.Thresholds.All(),
		Base:          base.comparedRun(),
		New:           new.comparedRun(),
		Differs:       differences(base.run.Manifest, new.run.Manifest),
		Notes:         []message.Text{},
		Splits:        make(map[rollout.Split]*SplitComparison),
	}
	c.Notes = append(c.Notes, runNotes(base, new)...)
	return c
}

// compareSplit compares one split: paired where the runs have items in common,
// else by the means of all items.
func compareSplit(p pairing, s Settings) *SplitComparison {
	c := &comparer{s: s, pairs: p.pairs, base: p.base, new: p.new, paired: len(p.pairs) > 0}
	if c.paired {
		c.base, c.new = nil, nil
		for _, pair := range p.pairs {
			c.base, c.new = append(c.base, pair.base), append(c.new, pair.new)
		}
	}
	sc := &SplitComparison{
		Paired: c.paired, Items: p.common,
		Samples: SidesOf[Spread]{spreadOf(c.base), spreadOf(c.new)},
		Missing: SidesOf[Missing]{missingOf(p.base), missingOf(p.new)},
		Moved:   []MovedItem{}, Changes: []ItemChange{},
	}
	var v values
	sc.Reward, v = c.rewards()
	sc.Others, sc.Hacks = c.others(), c.hacks()
	sc.Outcomes, sc.Causes = c.outcomes(p), causes(p)
	delta := s.Thresholds.At(compareDelta) * s.RewardRange.Width()
	if c.paired {
		d := v.deltas()
		sc.Equivalence = stat.Equivalent(d, spanOf(&s.RewardRange), delta, s.Confidence)
		sc.Interaction = stat.Interaction(d, v.within)
		if se := stat.SameModelSE(rewardsOf(c.base)); se != nil {
			sc.SameModel = stat.Some(stat.MDE(*se, s.Confidence))
		}
		sc.Needs = c.needs(sc, v)
		sc.Families = c.breakdown(func(l labels) string { return l.family })
		sc.Categories = c.breakdown(func(l labels) string { return l.category })
		sc.Quadrants = c.quadrants()
		sc.Changes = c.changes()
		sc.Moved = c.moved(sc.Changes)
	} else {
		sc.Equivalence = stat.EquivalentUnpaired(v.base, v.new, &s.RewardRange, delta, s.Confidence)
	}
	sc.answer(s)
	return sc
}

func rewardsOf(items []*sideItem) [][]float64 {
	var out [][]float64
	for _, it := range items {
		if len(it.rewards) > 0 {
			out = append(out, it.rewards)
		}
	}
	return out
}

// spreadOf counts the valid rollouts of measured items.
func spreadOf(items []*sideItem) Spread {
	m := measure{}
	for _, it := range items {
		if len(it.rewards) > 0 {
			m.measured = append(m.measured, &item{rewards: it.rewards})
		}
	}
	return m.spread()
}

// missingOf counts the rollouts without a valid reward.
func missingOf(items []*sideItem) Missing {
	var out Missing
	total := 0
	for _, it := range items {
		for i := range it.tries {
			total++
			out.Repeated += int(it.tries[i].attempt)
			out.ModelAPI += one(it.tries[i].outcome == rollout.ModelAPI)
			out.Tool += one(it.tries[i].outcome == rollout.ToolFailed)
			out.Grader += one(it.tries[i].outcome == rollout.GraderFailed)
		}
	}
	if total > 0 {
		out.Share = stat.Some(float64(out.Total()) / float64(total))
	}
	return out
}

// Encode writes the comparison as comparison.json: indented, with a final newline,
// the same bytes for the same comparison.
func (c *Comparison) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode comparison: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
