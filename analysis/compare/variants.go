package compare

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// costNames lists the differences of a comparison that count as costs of a variant.
var costNames = []string{"tool_calls", "turns", "input_tokens", "output_tokens", "latency"}

// RankVariants compares each variant of a run with the run itself, item by item, puts the ranking
// into r, and judges r again by gates. This changes only the finding of variants.gain, which is
// advisory. Each run is streamed once.
//
// The ranking is by lift on eval, which among the variants of one task shows best which one gains by
// training (AUC 0.88 and 0.89 in the halves of the recorded trainings), or, without rollouts of eval,
// by the difference. The answers are of train if base and variants hold rollouts of it, else of eval,
// else of production: train usually has more items. A variant gains if the
// comparison says improved and its p-value, corrected over all variants of the split by Holm
// (1979), stays at or below 1 - confidence: among many variants one looks better by chance.
func RankVariants(ctx context.Context, r *analysis.Result, base *rollout.Run, variants []*rollout.Run,
	read rollout.ReadOptions, s analysis.Settings, gates analysis.Gates,
) error {
	if err := gates.Validate(s); err != nil {
		return err
	}
	if len(variants) == 0 {
		return nil
	}
	hash := maphash.MakeSeed()
	b, err := collect.ReadItems(ctx, base, read, s, hash)
	if err != nil {
		return err
	}
	width := s.RewardRange.Width()
	out := &analysis.Variants{
		Delta:     s.Thresholds.At(analysis.CompareDelta) * width,
		Tolerance: s.Thresholds.At(analysis.CompareTolerance) * width,
		Hoped:     s.Thresholds.At(gate.HopedGain) * width, Correction: "holm", Notes: []message.Text{},
	}
	rewards := []splitRewards{rewardsBySplit(b)}
	for _, run := range variants {
		n, err := collect.ReadItems(ctx, run, read, s, hash)
		if err != nil {
			return fmt.Errorf("variant %s: %w", run.Manifest.Variant.Name, err)
		}
		out.Ranked = append(out.Ranked, newVariant(b, n, s))
		rewards = append(rewards, rewardsBySplit(n))
	}
	setLifts(out.Ranked, rewards, s)
	for _, split := range rollout.Splits() {
		correct(out, split, s)
	}
	choose(out)
	rank(out)
	r.Variants = out
	judge.Judge(r, s.Thresholds, gates)
	return nil
}

// newVariant compares one variant with the base on every split for which both hold rollouts.
func newVariant(base, new *collect.RunItems, s analysis.Settings) analysis.Variant {
	about := new.Run.Manifest.Variant
	v := analysis.Variant{
		Name: about.Name, Doc: about.Doc,
		Dir:     filepath.ToSlash(filepath.Join(rollout.VariantsDir, filepath.Base(new.Run.Dir))),
		Changes: about.Changes, Answer: analysis.CannotTell, Splits: make(map[rollout.Split]*analysis.VariantSplit),
		Notes: []message.Text{},
	}
	if v.Changes == nil {
		v.Changes = []rollout.Change{}
	}
	pairings := make(map[rollout.Split]pairing)
	for _, split := range rollout.Splits() {
		if len(base.Items[split]) > 0 && len(new.Items[split]) > 0 {
			p := pairUp(base, new, split)
			pairings[split] = p
			v.Splits[split] = newVariantSplit(compareSplit(p, s), p, s)
		}
	}
	v.Notes = append(v.Notes, variantNotes(base, new, pairings)...)
	return v
}

// variantNotes describes what makes a variant's difference misleading.
func variantNotes(base, new *collect.RunItems, pairings map[rollout.Split]pairing) []message.Text {
	var notes []message.Text
	if like := likeness(base, new, pairings); !like.IsEmpty() {
		notes = append(notes, like)
	}
	for _, d := range Differences(base.Run.Manifest, new.Run.Manifest) {
		if d.Confounds {
			notes = append(notes, madeOtherwise.With(message.Args{"key": message.Name(d.Key)}))
		}
	}
	if base.Zeroed > 0 && len(new.Detectors) == 0 {
		dir := path.Join(rollout.VariantsDir, filepath.Base(new.Run.Dir))
		notes = append(notes,
			variantUnread.With(message.Args{
				"rollouts": message.Count(base.Zeroed, "rollout"),
				"audit":    message.Command("gonogo", "audit", message.Run+"/"+dir),
			}))
	}
	return notes
}

var (
	madeOtherwise = message.New("variant.made_otherwise",
		"made with a different {key} than the base, which alone may explain a difference")
	variantUnread = message.New("variant.unread", "{rollouts} of the base that a detector marked as a hack count at "+
		"the bottom, but no detector has checked those of the variant: run {audit}")
)

func newVariantSplit(sc *Split, p pairing, s analysis.Settings) *analysis.VariantSplit {
	v := &analysis.VariantSplit{
		Why: sc.Why, Paired: sc.Paired, Samples: sc.Samples, Missing: sc.Missing,
		Mean: stat.Mean(rewardsOf(p.new), &s.RewardRange, s.Confidence), Reward: sc.Reward,
		Equivalence: sc.Equivalence, Needs: sc.Needs,
		Costs: []analysis.Difference{},
	}
	v.Answer = map[Answer]analysis.VariantAnswer{
		Improved: analysis.Gains, Regressed: analysis.Loses,
		Equivalent: analysis.NoDifference,
	}[sc.Answer]
	if v.Answer == "" {
		v.Answer = analysis.CannotTell
	}
	for _, d := range sc.Others {
		if slices.Contains(costNames, d.Name) {
			d.PHolm = nil // it was corrected over another list
			v.Costs = append(v.Costs, d)
		}
	}
	return v
}

// splitRewards are the rewards of a run's items by split.
type splitRewards map[rollout.Split][][]float64

func rewardsBySplit(r *collect.RunItems) splitRewards {
	by := make(splitRewards)
	for _, split := range rollout.Splits() {
		by[split] = rewardsOf(r.Items[split])
	}
	return by
}

// setLifts sets the lift of all variants on each split for groups of one size, since lift grows with
// it: the smallest number of samples that base and variants have in common, up to the planned group.
// A run with one sample per item has no lift and does not count. rewards are those of the base and then
// of each variant.
func setLifts(variants []analysis.Variant, rewards []splitRewards, s analysis.Settings) {
	for _, split := range rollout.Splits() {
		k := s.GroupSize
		for _, r := range rewards {
			if n := measure.SamplesInCommon(r[split]); n > 1 {
				k = min(k, n)
			}
		}
		base := rewards[0][split]
		for i := range variants {
			sp := variants[i].Splits[split]
			if sp == nil {
				continue
			}
			sp.Lift = liftOf(rewards[i+1][split], k, s)
			if k < min(s.GroupSize, measure.SamplesInCommon(base)) {
				lift := liftOf(base, k, s)
				sp.BaseLift = &lift
			}
		}
	}
}

// liftOf returns E[max of k] - mean over the items with k rollouts or more.
func liftOf(items [][]float64, k int, s analysis.Settings) stat.Estimate {
	items = slices.DeleteFunc(slices.Clone(items), func(ys []float64) bool { return len(ys) < k })
	lift, _ := stat.Lift(items, k, s.RewardRange, s.Confidence)
	return lift
}

// correct corrects the p-values of a split over the variants, and withdraws the answers that no
// longer hold.
func correct(v *analysis.Variants, split rollout.Split, s analysis.Settings) {
	var all []*analysis.VariantSplit
	var ps []*float64
	for i := range v.Ranked {
		if sp := v.Ranked[i].Splits[split]; sp != nil {
			all, ps = append(all, sp), append(ps, sp.Reward.P)
		}
	}
	for i, p := range holm(ps) {
		sp := all[i]
		sp.Reward.PHolm = p
		if sp.Answer != analysis.Gains && sp.Answer != analysis.Loses || p != nil && *p <= 1-s.Confidence {
			continue
		}
		takenBack := gainTakenBack
		if sp.Answer == analysis.Loses {
			takenBack = lossTakenBack
		}
		sp.Answer = analysis.CannotTell
		if sp.Equivalence.Shown {
			sp.Answer = analysis.NoDifference
		}
		if p != nil {
			sp.Why = message.Clauses(sp.Why,
				takenBack.With(message.Args{"variants": message.Count(len(all), "variant"), "p": message.PValue(*p)}))
		}
	}
}

var (
	gainTakenBack = message.New("variant.gain_taken_back",
		"by itself that would be a gain, but not after correction for {variants} ({p})")
	lossTakenBack = message.New("variant.loss_taken_back",
		"by itself that would be a loss, but not after correction for {variants} ({p})")
)

// choose sets the split of the answers: the first on which a variant can be compared.
func choose(v *analysis.Variants) {
	for _, split := range rollout.Splits() {
		for i := range v.Ranked {
			if sp := v.Ranked[i].Splits[split]; sp != nil && sp.Reward.Known() {
				v.Split = &split
				return
			}
		}
	}
}

// rank sorts the variants by their lift on eval, or, if no variant has rollouts of it, by their
// difference on the split of the answers, and copies their answers on that split.
func rank(v *analysis.Variants) {
	v.ByLift = slices.ContainsFunc(v.Ranked, func(one analysis.Variant) bool {
		sp := one.Splits[rollout.Eval]
		return sp != nil && sp.Lift.Known()
	})
	difference := func(variant *analysis.Variant) float64 {
		if v.ByLift {
			if sp := variant.Splits[rollout.Eval]; sp != nil && sp.Lift.Known() {
				return *sp.Lift.Value
			}
			return math.Inf(-1)
		}
		if sp := v.Ranking(variant); sp != nil && sp.Reward.Known() {
			return *sp.Reward.Value
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(v.Ranked, func(a, b analysis.Variant) int {
		switch x, y := difference(&a), difference(&b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range v.Ranked {
		variant := &v.Ranked[i]
		if sp := v.Ranking(variant); sp != nil {
			variant.Answer, variant.Why = sp.Answer, sp.Why
			continue
		}
		variant.Why = variantEmpty.Text()
		if v.Split != nil {
			variant.Why = variantEmptyOn.With(message.Args{"split": message.Name(string(*v.Split))})
		}
	}
	flattery(v)
}

var (
	variantEmpty   = message.New("variant.empty", "it has no rollout with a reward to compare")
	variantEmptyOn = message.New("variant.empty_on", "it has no rollout of {split} with a reward")
)

// flattery notes that the gain of a variant chosen among several is overestimated, and what eval
// shows, whose items played no part in the choice.
func flattery(v *analysis.Variants) {
	first := v.Foremost(analysis.Gains)
	if len(v.Ranked) < 2 || first == nil {
		return
	}
	args := message.Args{
		"variant": message.Name(first.Name), "split": message.Name(string(*v.Split)),
		"eval": message.Name(string(rollout.Eval)),
	}
	if sp := first.Splits[rollout.Eval]; sp != nil && *v.Split != rollout.Eval && sp.Reward.Known() {
		args["change"] = message.Nested(changeOf(sp.Reward.Estimate))
		v.Notes = append(v.Notes, leadsOnEval.With(args))
		return
	}
	v.Notes = append(v.Notes, chosenHere.With(args))
}

var (
	leadsOnEval = message.New("variant.leads", "the variant {variant} leads on {split} and was chosen there, which "+
		"flatters it a little; on {eval}, which played no part in the choice, it changes the mean reward by {change}")
	chosenHere = message.New("variant.chosen_here", "the variant {variant} was chosen on these very rollouts, so "+
		"its gain looks a little larger than it is: measure it on other items, or with another seed, before you "+
		"count on the number")
)
