package analysis

import (
	"fmt"
	"math"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// answer is the one rule of a comparison.
//
//   - Too much is missing on a side, or there is no interval: cannot tell.
//   - The whole interval lies below -tolerance: regressed; above: improved. Of
//     fewer than 20 common items the sign flips must agree: t intervals of few
//     items lean on a normality that nobody checked.
//   - Else both one-sided bounds lie inside ±delta: equivalent.
//   - Else it cannot be told: a drop that the data could not have shown is
//     neither a regression nor no change.
func (sc *SplitComparison) answer(s Settings) {
	r, width := sc.Reward, s.RewardRange.Width()
	worst := math.Max(stat.Or(sc.Missing.Base.Share, 0), stat.Or(sc.Missing.New.Share, 0))
	sc.Answer = CannotTell
	switch margin := s.Thresholds.At(compareTolerance) * width; direction(r.Estimate, r.P, sc.Paired && r.Items < fewItems, margin, s.Confidence) {
	case "up":
		sc.Answer = Improved
	case "down":
		sc.Answer = Regressed
	default:
		if sc.Equivalence.Shown {
			sc.Answer = Equivalent
		}
	}
	switch limit := s.Thresholds.At("infra.failures.fail"); {
	case !r.Known():
		sc.Answer, sc.Why = CannotTell, emptySide(sc)
	case worst > limit:
		sc.Answer = CannotTell
		sc.Why = fmt.Sprintf("%s of the rollouts of a run were lost to failing endpoints, more than %s: what is left is no fair sample", percent(worst), percent(limit))
	default:
		sc.Why = sc.words(s)
		if caution := s.Thresholds.At("infra.failures.pass"); worst > caution {
			sc.Why += fmt.Sprintf("; %s of the rollouts of a run were lost to failing endpoints and are left out", percent(worst))
		}
	}
}

// emptySide says what there is nothing to compare of.
func emptySide(sc *SplitComparison) string {
	switch base, new := sc.Samples.Base.Max > 0, sc.Samples.New.Max > 0; {
	case !base && !new:
		return "neither run holds a rollout with a reward"
	case !base:
		return "the base run holds no rollout with a reward"
	case !new:
		return "the new run holds no rollout with a reward"
	}
	return "the runs hold nothing that can be compared"
}

// words tells what was found, with the numbers it rests on.
func (sc *SplitComparison) words(s Settings) string {
	r := sc.Reward
	over := plural(r.Items, "item") + " that both runs hold"
	if !sc.Paired {
		over = plural(r.Items, "item") + ", none of which is in both runs: an unpaired comparison, which finds less"
	}
	moved := fmt.Sprintf("the mean reward went from %s to %s, by %s, over %s", value(r.Base), value(r.New), signedInterval(r.Estimate), over)
	switch sc.Answer {
	case Regressed, Improved:
		if math.Abs(*r.Value) < sc.Equivalence.Delta {
			moved += fmt.Sprintf("; the change is real and smaller than the %s that is set to matter", number(sc.Equivalence.Delta))
		}
		if f := r.Family; f != nil && f.Low != nil && *f.Low <= 0 && *f.High >= 0 {
			moved += "; clustered by family, " + signedInterval(*f) + ", it is not sure"
		}
		return moved
	case Equivalent:
		return moved + fmt.Sprintf("; the one-sided bounds %s and %s lie within %s", signed(*sc.Equivalence.Low), signed(*sc.Equivalence.High), number(sc.Equivalence.Delta))
	}
	return moved + sc.hidden(s)
}

// hidden says why it cannot be told, and how much more would tell.
func (sc *SplitComparison) hidden(s Settings) string {
	r := sc.Reward
	if r.Low == nil {
		return "; that is too little for an interval"
	}
	text := ""
	if margin := s.Thresholds.At(compareTolerance) * s.RewardRange.Width(); *r.Low > margin || *r.High < -margin {
		text = fmt.Sprintf("; the interval shows a change and the sign flips of so few items do not (p = %s)", value(r.P))
	}
	if r.MDE != nil {
		text += fmt.Sprintf("; a change of less than %s could hide here", digits(*r.MDE))
	}
	if sc.Needs != nil {
		text += fmt.Sprintf("; about %s would show one of %s", needed(sc), number(sc.Equivalence.Delta))
	}
	return text
}

// needed words how much more data a comparison needs.
func needed(sc *SplitComparison) string {
	items := plural(sc.Needs.Items, "item") + " sampled alike"
	if sc.Needs.Samples > 0 {
		return items + ", or these sampled " + count(sc.Needs.Samples) + " times,"
	}
	return items
}

// needs says how many items, sampled as these, would show a change of delta,
// and how many samples of these items: 0 where no number of them would.
func (c *comparer) needs(sc *SplitComparison, v values) *Needs {
	if sc.Reward.SE == nil || sc.Reward.MDE == nil {
		return nil
	}
	delta := sc.Equivalence.Delta
	if *sc.Reward.MDE <= delta || delta <= 0 {
		return nil
	}
	m := float64(sc.Reward.Items)
	factor := *sc.Reward.MDE / delta
	n := &Needs{Items: int(math.Ceil(min(1e9, m*factor*factor)))}
	if sc.Interaction == nil || len(v.within) == 0 {
		return n
	}
	noise, _ := meanAndVariance(v.within)
	want := stat.SEAtMDE(delta, c.s.Confidence)
	if left := want*want*m - *sc.Interaction; left > 0 && noise > 0 {
		samples := math.Ceil(noise / left * math.Max(sc.Samples.Base.Median, sc.Samples.New.Median))
		n.Samples = int(min(1e9, samples))
	}
	return n
}

// fold makes the answer for the whole: that of the first of eval, train and
// production that both runs hold rollouts of.
//
// same says that both sides are the very same rollouts: their differences are 0
// without a second measurement behind them, and bounds on those show nothing of
// what a change would do. No split tells then.
func (c *Comparison) fold(same bool) {
	c.Answer = CannotTell
	for _, sc := range c.Splits {
		if same {
			sc.Answer, sc.Equivalence.Shown, sc.Why = CannotTell, false, c.Notes[0]
		}
	}
	for _, split := range []rollout.Split{rollout.Eval, rollout.Train, rollout.Production} {
		sc := c.Splits[split]
		if sc == nil || sc.Samples.Base.Max == 0 || sc.Samples.New.Max == 0 {
			continue
		}
		c.Split, c.Answer = &split, sc.Answer
		c.Sentence = "On " + string(split) + " " + sc.Why + "."
		break
	}
	switch {
	case same:
		c.Answer, c.Sentence = CannotTell, capitalized(c.Notes[0])+"."
	case c.Split == nil:
		c.Sentence = capitalized(c.empty()) + "."
	}
	c.ExitCode = c.Answer.ExitCode()
}

// empty says why no split could be compared.
func (c *Comparison) empty() string {
	held := func(of func(*SplitComparison) Spread) bool {
		for _, sc := range c.Splits {
			if of(sc).Max > 0 {
				return true
			}
		}
		return false
	}
	base := held(func(sc *SplitComparison) Spread { return sc.Samples.Base })
	new := held(func(sc *SplitComparison) Spread { return sc.Samples.New })
	switch {
	case base && new:
		return "the runs have no split in common"
	case base:
		return "the new run holds no rollout with a reward"
	case new:
		return "the base run holds no rollout with a reward"
	}
	return "neither run holds a rollout with a reward"
}

func capitalized(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// signed prints a change with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + digits(x)
	}
	return digits(x)
}

// signedInterval prints a change with its interval.
func signedInterval(e stat.Estimate) string {
	text := signed(*e.Value)
	if e.Low != nil && e.High != nil {
		text += " [" + signed(*e.Low) + ", " + signed(*e.High) + "]"
	}
	return text
}
