package compare

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// answer sets the answer of a split by these rules.
//
//   - Too much is missing on a side, or there is no interval: cannot tell.
//   - The whole interval is below -tolerance: regressed; above tolerance: improved. If the
//     runs share fewer than 20 items, or no item has more than one sample in either run, the sign
//     flips and, if rewards have only two grades, McNemar's exact test must agree: a t interval of
//     few values is not enough.
//   - Else both one-sided bounds are inside ±delta: equivalent.
//   - Else cannot tell: with too little data to show a drop, the answer is neither a regression
//     nor no change.
//   - If the share of rollouts that a detector marks as hacks, that were cut off, gave no answer or
//     failed rose by more than MostRise: not better, unless it regressed anyway.
func (sc *Split) answer(s analysis.Settings) {
	r, width := sc.Reward, s.RewardRange.Width()
	sc.Answer = CannotTell
	switch margin := s.Thresholds.At(analysis.CompareTolerance) * width; direction(r.Estimate, sc.exactP(),
		sc.exact(), margin, s.Confidence) {
	case "up":
		sc.Answer = Improved
	case "down":
		sc.Answer = Regressed
	default:
		if sc.Equivalence.Shown {
			sc.Answer = Equivalent
		}
	}
	if !r.Known() || sc.lost() > s.Thresholds.At(gate.FailuresFail) {
		sc.Answer = CannotTell
	}
	if sc.Answer != Regressed && len(sc.moreHacks())+len(sc.rises()) > 0 {
		sc.Answer = NotBetter
	}
}

// exact reports whether the interval of the reward also needs an exact test.
func (sc *Split) exact() bool {
	return sc.Paired && (sc.Reward.Items < analysis.FewItems || sc.Samples.Base.Max <= 1 && sc.Samples.New.Max <= 1)
}

// exactP returns the larger of the p-values of the sign flips and of McNemar's test; nil if neither
// test could be made.
func (sc *Split) exactP() *float64 {
	p, q := sc.Reward.P, sc.Reward.McNemar
	if p == nil || q != nil && *q > *p {
		return q
	}
	return p
}

// moreHacks lists the detectors whose share of marked rollouts rose by more than MostRise.
func (sc *Split) moreHacks() []analysis.Difference {
	var more []analysis.Difference
	for _, d := range sc.Hacks {
		if d.Direction == "up" && *d.Value > MostRise {
			more = append(more, d)
		}
	}
	return more
}

// MostRise bounds the rise of the share of rollouts that a detector marks, that were cut off, gave no
// answer or failed. Above it the new policy cannot count as better.
const MostRise = 0.02

// rises lists the shares that rose by more than MostRise.
func (sc *Split) rises() []analysis.Difference {
	var rose []analysis.Difference
	for _, d := range sc.Others {
		if slices.Contains([]string{ownFailures, cutOff, failures}, d.Name) && d.Change == "worse" &&
			*d.Value > MostRise {
			rose = append(rose, d)
		}
	}
	return rose
}

// lost returns the share of rollouts lost by the side that lost more.
func (sc *Split) lost() float64 { return stat.ValueOr(sc.worse().Share, 0) }

// worse returns the missing rollouts of the side that lost more.
func (sc *Split) worse() analysis.Missing {
	if stat.ValueOr(sc.Missing.New.Share, 0) >= stat.ValueOr(sc.Missing.Base.Share, 0) {
		return sc.Missing.New
	}
	return sc.Missing.Base
}

// needs returns how many items, sampled like these, would show a change of delta, and how many
// samples per item of these items would; 0 samples if no number would.
func (c *comparer) needs(sc *Split, v values) *analysis.Needs {
	if sc.Reward.SE == nil || sc.Reward.MDE == nil {
		return nil
	}
	delta := sc.Equivalence.Delta
	if *sc.Reward.MDE <= delta || delta <= 0 {
		return nil
	}
	m := float64(sc.Reward.Items)
	factor := *sc.Reward.MDE / delta
	n := &analysis.Needs{Items: int(math.Ceil(min(1e9, m*factor*factor)))}
	if sc.Interaction == nil || len(v.within) == 0 {
		return n
	}
	noise, _ := stat.MeanVariance(v.within)
	want := stat.SEAtMDE(delta, c.s.Confidence)
	if remaining := want*want*m - *sc.Interaction; remaining > 0 && noise > 0 {
		samples := math.Ceil(noise / remaining * math.Max(sc.Samples.Base.Median, sc.Samples.New.Median))
		n.Samples = int(min(1e9, samples))
	}
	return n
}

// fold sets the answer of the comparison, from the first of eval, train and production for which
// both runs hold valid rewards.
//
// If both sides are the same rollouts, no split can tell: nothing was measured twice, so differences
// of 0 and their bounds say nothing about the effect of a change.
func (c *Comparison) fold() {
	c.Answer = CannotTell
	if c.same() {
		for _, sc := range c.Splits {
			sc.Answer, sc.Equivalence.Shown = CannotTell, false
		}
	}
	for _, split := range []rollout.Split{rollout.Eval, rollout.Train, rollout.Production} {
		sc := c.Splits[split]
		if sc == nil || sc.Samples.Base.Max == 0 || sc.Samples.New.Max == 0 {
			continue
		}
		c.Split, c.Answer = &split, sc.Answer
		break
	}
	c.ExitCode = c.Answer.ExitCode()
	c.say()
}

// notBetter replaces the answer if a gate about the grader made the new run NO-GO, so that its rewards
// prove nothing. A regression stays a regression.
func (c *Comparison) notBetter() {
	if c.New.Untrusted == "" || c.same() || c.Split == nil {
		return
	}
	for _, sc := range c.Splits {
		if sc.Answer != Regressed {
			sc.Answer = NotBetter
		}
	}
	c.Answer = c.Splits[*c.Split].Answer
	c.ExitCode = c.Answer.ExitCode()
	c.say()
}

// Unfair reports whether the runs cannot be compared at all: they have nothing in common, they hold
// the same rollouts, or too many rollouts were lost.
func (c *Comparison) Unfair() bool {
	if c.Split == nil || c.same() {
		return true
	}
	sc := c.Splits[*c.Split]
	return !sc.Reward.Known() || sc.lost() > c.Thresholds.At(gate.FailuresFail)
}

// AnsweredBy replaces the answer by that of a caller who knows more than two runs, such as a
// comparison of one night with many earlier ones.
func (c *Comparison) AnsweredBy(a Answer, sentence message.Text) {
	c.Answer, c.Sentence, c.ExitCode = a, sentence, a.ExitCode()
	if c.Split != nil {
		c.Splits[*c.Split].Answer = a
	}
}

// same reports whether both sides hold the same rollouts.
func (c *Comparison) same() bool { return c.sameNote() != nil }

// sameNote returns the note that both sides hold the same rollouts, which explains the answer; nil if
// they do not. Other notes may precede it.
func (c *Comparison) sameNote() *message.Text {
	i := slices.IndexFunc(c.Notes, func(n message.Text) bool { return n.ID == sameFile.ID || n.ID == sameRollouts.ID })
	if i < 0 {
		return nil
	}
	return &c.Notes[i]
}
