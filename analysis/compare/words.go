package compare

import (
	"math"

	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// say sets the sentences that explain the answers.
func (c *Comparison) say() {
	for _, sc := range c.Splits {
		sc.Why = sc.why(c)
	}
	switch {
	case c.same():
		c.Sentence = wholly.With(message.Args{"why": message.Nested(*c.sameNote())})
	case c.Split == nil:
		c.Sentence = wholly.With(message.Args{"why": message.Nested(c.empty())})
	default:
		c.Sentence = onSplit.With(message.Args{
			"split": message.Name(string(*c.Split)),
			"why":   message.Nested(c.Splits[*c.Split].Why),
		})
	}
}

var (
	onSplit = message.New("compare.on_split", "On {split} {why}.")
	wholly  = message.New("compare.wholly", "{Why}.")
)

// why returns the reason for the answer of a split.
func (sc *Split) why(c *Comparison) message.Text {
	if c.same() {
		return *c.sameNote()
	}
	if !sc.Reward.Known() {
		return message.Clauses(append(sc.notBetter(c), sc.emptySide())...)
	}
	lost := message.Args{
		"lost": message.Share(sc.lost()), "causes": message.Nested(sc.worse().LostTo()),
		"limit": message.Share(c.Thresholds.At(gate.FailuresFail)),
	}
	if sc.lost() > c.Thresholds.At(gate.FailuresFail) {
		return message.Clauses(append(sc.notBetter(c), tooManyLost.With(lost))...)
	}
	parts := append(sc.notBetter(c), sc.moved(c)...)
	if sc.lost() > c.Thresholds.At(gate.FailuresPass) {
		parts = append(parts, lostLeftOut.With(lost))
	}
	return message.Clauses(parts...)
}

var (
	tooManyLost = message.New("compare.too_many_lost",
		"{lost} of the rollouts of a run were lost to {causes}, more than {limit}: the others are not a fair sample")
	lostLeftOut = message.New("compare.left_out",
		"{lost} of the rollouts of a run were lost to {causes} and are left out")
)

// notBetter returns why a policy is not better, whatever its reward.
func (sc *Split) notBetter(c *Comparison) []message.Text {
	if sc.Answer != NotBetter {
		return nil
	}
	var parts []message.Text
	for _, d := range sc.moreHacks() {
		parts = append(parts,
			moreMarked.With(message.Args{
				"detector": message.Name(d.Name), "new": message.Share(stat.ValueOr(d.New, 0)),
				"base": message.Share(stat.ValueOr(d.Base, 0)),
			}))
	}
	for _, d := range sc.rises() {
		form := map[string]message.Def{
			ownFailures: moreOwnFailures, cutOff: moreCutOff, failures: sc.moreFailed(),
		}[d.Name]
		parts = append(parts,
			form.With(message.Args{
				"new":  message.Share(stat.ValueOr(d.New, 0)),
				"base": message.Share(stat.ValueOr(d.Base, 0)),
			}))
	}
	if gate := c.New.Untrusted; gate != "" {
		parts = append(parts, newNoGo.With(message.Args{"gate": message.Name(gate)}))
	}
	return parts
}

// moreFailed returns the words for more failures, which name the tools and the grader only where
// rollouts failed in them.
func (sc *Split) moreFailed() message.Def {
	tool, grader := sc.Missing.Base.Tool+sc.Missing.New.Tool, sc.Missing.Base.Grader+sc.Missing.New.Grader
	switch {
	case grader == 0:
		return moreFailedTool
	case tool == 0:
		return moreFailedGrader
	}
	return moreFailed
}

var (
	moreFailedTool = message.New("compare.more_failed_tool",
		"{new} of the rollouts failed in a tool, up from {base}")
	moreFailedGrader = message.New("compare.more_failed_grader",
		"{new} of the rollouts failed in the grader, up from {base}")

	moreMarked = message.New("compare.more_marked", "the detector “{detector}” marks {new} of the rollouts as "+
		"hacks, up from {base}: the new policy is not better, whatever its reward")
	moreCutOff = message.New("compare.more_cut_off",
		"{new} of the rollouts were cut off by the token limit, up from {base}")
	moreFailed = message.New("compare.more_failed",
		"{new} of the rollouts failed in a tool or the grader, up from {base}")

	moreOwnFailures = message.New("compare.more_own_failures",
		"in {new} of the rollouts the model gave no answer, up from {base}")

	newNoGo = message.New("compare.new_no_go",
		"the new run is NO-GO because of its grader ({gate}): its reward does not show how good the policy is")
)

// emptySide returns which side has nothing to compare.
func (sc *Split) emptySide() message.Text {
	hasBase, hasNew := sc.Samples.Base.Max > 0, sc.Samples.New.Max > 0
	if hasBase && hasNew {
		return nothingAlike.Text()
	}
	return nothingOf(hasBase, hasNew)
}

// empty returns why no split could be compared.
func (c *Comparison) empty() message.Text {
	hasBase, hasNew := false, false
	for _, sc := range c.Splits {
		hasBase = hasBase || sc.Samples.Base.Max > 0
		hasNew = hasNew || sc.Samples.New.Max > 0
	}
	if hasBase && hasNew {
		return noSplit.Text()
	}
	return nothingOf(hasBase, hasNew)
}

func nothingOf(hasBase, hasNew bool) message.Text {
	switch {
	case hasBase:
		return newEmpty.Text()
	case hasNew:
		return baseEmpty.Text()
	}
	return bothEmpty.Text()
}

var (
	nothingAlike = message.New("compare.nothing_alike", "the runs have nothing to compare")
	noSplit      = message.New("compare.no_split", "the runs have no split in common")
	newEmpty     = message.New("compare.new_empty", "the new run has no rollout with a reward")
	baseEmpty    = message.New("compare.base_empty", "the base run has no rollout with a reward")
	bothEmpty    = message.New("compare.both_empty", "neither run has a rollout with a reward")
)

// moved describes the change, with the numbers behind it.
func (sc *Split) moved(c *Comparison) []message.Text {
	r, e := sc.Reward, sc.Equivalence
	over := unpairedItems
	if sc.Paired {
		over = commonItems
	}
	parts := []message.Text{rewardWent.With(message.Args{
		"base": message.Number(stat.ValueOr(r.Base, 0)), "new": message.Number(stat.ValueOr(r.New, 0)),
		"change": message.Nested(changeOf(r.Estimate)),
		"items":  message.Nested(over.With(message.Args{"items": message.Count(r.Items, "item")})),
	})}
	switch {
	case sc.Answer == Regressed || sc.Answer == Improved:
		if math.Abs(*r.Value) < e.Delta {
			parts = append(parts, realButSmall.With(message.Args{"delta": message.Setting(e.Delta)}))
		}
		if f := r.Family; f != nil && f.Known() && f.Low != nil && f.High != nil && *f.Low <= 0 && *f.High >= 0 {
			parts = append(parts, notSureByFamily.With(message.Args{"change": message.Nested(changeOf(*f))}))
		}
		return parts
	case sc.Answer == NotBetter: // notBetter has given the reason
		return parts
	case sc.Answer == Equivalent && e.Low != nil && e.High != nil:
		return append(parts,
			boundsWithin.With(message.Args{
				"low": message.Change(*e.Low), "high": message.Change(*e.High),
				"delta": message.Setting(e.Delta),
			}))
	}
	return append(parts, sc.hidden(c)...)
}

var (
	rewardWent = message.New("compare.reward_went",
		"the mean reward changed from {base} to {new}, by {change}, over {items}")
	commonItems   = message.New("compare.common_items", "{items} in both runs")
	unpairedItems = message.New("compare.unpaired_items",
		"{items}, none of which is in both runs: an unpaired comparison, which detects less")
	realButSmall = message.New("compare.real_but_small",
		"the change is real, but smaller than {delta}, the smallest that matters")
	notSureByFamily = message.New("compare.not_sure_by_family", "clustered by family ({change}) it is not certain")
	boundsWithin    = message.New("compare.bounds_within", "the one-sided bounds {low} and {high} are within {delta}")
)

// hidden explains an answer of cannot_tell, and how much more data would settle it.
func (sc *Split) hidden(c *Comparison) []message.Text {
	r := sc.Reward
	if r.Low == nil || r.High == nil {
		return []message.Text{noInterval.Text()}
	}
	var parts []message.Text
	if margin := c.Tolerance; *r.Low > margin || *r.High < -margin {
		parts = append(parts, exactDisagrees.With(message.Args{"p": message.Known(sc.exactP())}))
	}
	if r.MDE != nil {
		parts = append(parts, couldHide.With(message.Args{"change": message.Number(*r.MDE)}))
	}
	if n := sc.Needs; n != nil {
		needed := sampledAlike
		if n.Samples > 0 {
			needed = sampledMore
		}
		parts = append(parts, wouldShow.With(message.Args{
			"needed": message.Nested(needed.With(message.Args{
				"items":   message.Count(n.Items, "item"),
				"samples": message.Int(n.Samples),
			})),
			"delta": message.Setting(sc.Equivalence.Delta),
		}))
	}
	return parts
}

var (
	noInterval     = message.New("compare.no_interval", "that is too little data for an interval")
	exactDisagrees = message.New("compare.exact_disagrees",
		"the interval shows a change, but the exact test does not (p = {p})")
	couldHide    = message.New("compare.could_hide", "a change smaller than {change} could go undetected")
	wouldShow    = message.New("compare.would_show", "about {needed} would show a change of {delta}")
	sampledAlike = message.New("compare.sampled_alike", "{items} sampled the same way")
	sampledMore  = message.New("compare.sampled_more",
		"{items} sampled the same way, or these sampled {samples|time},")
)

// changeOf formats a difference with its interval; its value must be known.
func changeOf(e stat.Estimate) message.Text { return message.ChangeWithin(*e.Value, e.Low, e.High) }
