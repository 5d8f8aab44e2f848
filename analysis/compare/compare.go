package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Runs compares a new run with a base run, item by item, on the given splits or, if none is given,
// on all splits of either run. Both runs are streamed once, at the same time; memory grows with
// items × samples. A run without rollouts is not an error: the answer is then cannot_tell.
//
// The overall answer comes from eval if both runs hold rollouts of it, else from train, else from
// production: a model looks better on what it was trained on.
func Runs(ctx context.Context, base, new *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	splits ...rollout.Split,
) (*Comparison, error) {
	if err := gate.All().Validate(s); err != nil {
		return nil, err
	}
	hash := maphash.MakeSeed()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var n *collect.RunItems
	var failed error
	var other sync.WaitGroup
	other.Go(func() { n, failed = collect.ReadItems(ctx, new, read, s, hash) })
	b, err := collect.ReadItems(ctx, base, read, s, hash)
	if err != nil {
		cancel()
	}
	if other.Wait(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	c := newComparison(b, n, s)
	pairings := make(map[rollout.Split]pairing)
	for _, split := range rollout.Splits() {
		wanted := len(splits) == 0 || slices.Contains(splits, split)
		if wanted && len(b.Items[split])+len(n.Items[split]) > 0 {
			p := pairUp(b, n, split)
			pairings[split] = p
			c.Splits[split] = compareSplit(p, s)
		}
	}
	like := likeness(b, n, pairings)
	if c.TwoGraders = like.ID == twoGraders.ID; !c.TwoGraders {
		for _, split := range slices.Backward(rollout.Splits()) {
			if sc := c.Splits[split]; sc != nil {
				c.Notes = append(sc.drifted(split), c.Notes...)
			}
		}
	}
	if !like.IsEmpty() {
		c.Notes = slices.Insert(c.Notes, 0, like)
	}
	if c.TwoGraders {
		for split, p := range pairings {
			c.Splits[split].Graders = graderAgreement(p, s)
		}
	}
	c.Differs = append(c.Differs, itemDifferences(c, pairings)...)
	sortDifferences(c.Differs)
	c.fold()
	return c, nil
}

func newComparison(base, new *collect.RunItems, s analysis.Settings) *Comparison {
	width := s.RewardRange.Width()
	c := &Comparison{
		Schema: Schema, Confidence: s.Confidence,
		RewardRange:   [2]float64{s.RewardRange.Lo, s.RewardRange.Hi},
		PassThreshold: s.PassThreshold,
		Delta:         s.Thresholds.At(analysis.CompareDelta) * width,
		Tolerance:     s.Thresholds.At(analysis.CompareTolerance) * width,
		Thresholds:    gate.All().Values(s.Thresholds).ByName(),
		Base:          sideOf(base),
		New:           sideOf(new),
		Differs:       Differences(base.Run.Manifest, new.Run.Manifest),
		Notes:         []message.Text{},
		Splits:        make(map[rollout.Split]*Split),
	}
	c.Notes = append(c.Notes, runNotes(base, new)...)
	return c
}

// compareSplit compares one split: item by item if the runs have items in common, else by the means
// of all items.
func compareSplit(p pairing, s analysis.Settings) *Split {
	c := &comparer{s: s, pairs: p.pairs, base: p.base, new: p.new, paired: len(p.pairs) > 0}
	if c.paired {
		c.base, c.new = nil, nil
		for _, pair := range p.pairs {
			c.base, c.new = append(c.base, pair.base), append(c.new, pair.new)
		}
	}
	sc := &Split{
		Paired: c.paired, Items: p.common,
		Samples: analysis.SidesOf[analysis.Spread]{
			Base: measure.SpreadOf(rewardsOf(c.base)),
			New:  measure.SpreadOf(rewardsOf(c.new)),
		},
		Missing: analysis.SidesOf[analysis.Missing]{Base: missingOf(p.base), New: missingOf(p.new)},
		Moved:   []MovedItem{}, Changes: []ItemChange{},
	}
	var v values
	sc.Reward, v = c.rewards()
	sc.Others, sc.Hacks, sc.Errors = c.others(p), c.hacks(), graderErrors(p, s)
	sc.Outcomes, sc.Causes = c.outcomes(p), causes(p)
	delta := s.Thresholds.At(analysis.CompareDelta) * s.RewardRange.Width()
	if c.paired {
		d := v.deltas()
		sc.Equivalence = stat.Equivalent(d, spanOf(&s.RewardRange), delta, s.Confidence)
		sc.Interaction = stat.Interaction(d, v.within)
		if se := stat.SameModelSE(rewardsOf(c.base)); se != nil {
			sc.SameModel = stat.FiniteOrNil(stat.MDE(*se, s.Confidence))
		}
		sc.Needs = c.needs(sc, v)
		sc.Families = c.breakdown(pair.family)
		sc.Categories = c.breakdown(pair.category)
		sc.Quadrants = c.quadrants()
		sc.Changes = c.changes()
		sc.Moved = c.moved(sc.Changes)
	} else {
		sc.Equivalence = stat.EquivalentUnpaired(v.base, v.new, &s.RewardRange, delta, s.Confidence)
	}
	sc.answer(s)
	return sc
}

func rewardsOf(items []*collect.RunItem) [][]float64 {
	var out [][]float64
	for _, it := range items {
		if len(it.Rewards) > 0 {
			out = append(out, it.Rewards)
		}
	}
	return out
}

// missingOf counts the rollouts without a valid reward.
func missingOf(items []*collect.RunItem) analysis.Missing {
	var out analysis.Missing
	total := 0
	for _, it := range items {
		for i := range it.Tries {
			total++
			out.Repeated += it.Tries[i].Attempt
			out.ModelAPI += one(it.Tries[i].Outcome == rollout.ModelAPI)
			out.PromptTooLong += one(it.Tries[i].Outcome == rollout.PromptTooLong)
			out.Tool += one(it.Tries[i].Outcome == rollout.ToolFailed)
			out.Grader += one(it.Tries[i].Outcome == rollout.GraderFailed)
		}
	}
	if total > 0 {
		out.Share = stat.FiniteOrNil(float64(out.Total()) / float64(total))
	}
	return out
}

// Encode writes the content of comparison.json: indented, with a final newline. The same
// comparison gives the same bytes.
func (c *Comparison) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode comparison: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
