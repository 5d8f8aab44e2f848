package analysis

import (
	"math"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// The shares of lost rollouts from which a comparison says so, and from which it
// cannot tell.
const (
	failuresPass = "infra.failures.pass"
	failuresFail = "infra.failures.fail"
)

// say words the answers in l, from the numbers. same says that the first note is
// the reason of all.
func (c *Comparison) say(l message.Language, same bool) {
	for _, sc := range c.Splits {
		switch {
		case sc == nil:
		case same:
			sc.Why = c.Notes[0]
		default:
			sc.Why = sc.why(c, l)
		}
	}
	switch {
	case same:
		c.Sentence = l.Say("%s.", capitalized(c.Notes[0]))
	case c.Split == nil:
		c.Sentence = l.Say("%s.", capitalized(c.empty(l)))
	case c.Splits[*c.Split] != nil:
		c.Sentence = l.Say("On %s %s.", *c.Split, c.Splits[*c.Split].Why)
	}
}

// why says what the answer of a split rests on.
func (sc *SplitComparison) why(c *Comparison, l message.Language) string {
	if !sc.Reward.Known() {
		return sc.emptySide(l)
	}
	lost := sc.lost()
	if limit, ok := c.Thresholds[failuresFail]; ok && lost > limit {
		return sc.tooManyLost(l, message.Percent(lost), message.Percent(limit))
	}
	parts := append(sc.notBetter(c, l), sc.moved(c, l)...)
	if limit, ok := c.Thresholds[failuresPass]; ok && lost > limit {
		parts = append(parts, sc.leftOut(l, message.Percent(lost)))
	}
	return strings.Join(parts, l.Text("; "))
}

// tooManyLost names whose failures took more of a run than a comparison bears.
func (sc *SplitComparison) tooManyLost(l message.Language, lost, limit string) string {
	switch m := sc.worse(); {
	case m.Grader == 0:
		return l.Say("%s of the rollouts of a run were lost to failing endpoints, more than %s: what is left is no fair sample", lost, limit)
	case m.Grader == m.Total():
		return l.Say("%s of the rollouts of a run were lost to failures of the grader, more than %s: what is left is no fair sample", lost, limit)
	}
	return l.Say("%s of the rollouts of a run were lost to failing endpoints and failures of the grader, more than %s: what is left is no fair sample", lost, limit)
}

// leftOut names whose failures took so much that a reader should know.
func (sc *SplitComparison) leftOut(l message.Language, lost string) string {
	switch m := sc.worse(); {
	case m.Grader == 0:
		return l.Say("%s of the rollouts of a run were lost to failing endpoints and are left out", lost)
	case m.Grader == m.Total():
		return l.Say("%s of the rollouts of a run were lost to failures of the grader and are left out", lost)
	}
	return l.Say("%s of the rollouts of a run were lost to failing endpoints and failures of the grader and are left out", lost)
}

// notBetter says for what a policy is not better, whatever it earns.
func (sc *SplitComparison) notBetter(c *Comparison, l message.Language) []string {
	if sc.Answer != NotBetter {
		return nil
	}
	var parts []string
	for _, d := range sc.moreHacks() {
		parts = append(parts, l.Say("the detector “%s” marks %s of the rollouts as hacks, up from %s: whatever it earns, the new policy is not better", d.Name, message.Percent(stat.Or(d.New, 0)), message.Percent(stat.Or(d.Base, 0))))
	}
	if gate := c.New.untrusted(); gate != "" {
		parts = append(parts, l.Say("the new run is NO-GO for its grader (%s): a higher reward does not show a better policy", gate))
	}
	return parts
}

// emptySide says what there is nothing to compare of.
func (sc *SplitComparison) emptySide(l message.Language) string {
	base, new := sc.Samples.Base.Max > 0, sc.Samples.New.Max > 0
	if base && new {
		return l.Text("the runs hold nothing that can be compared")
	}
	return nothingOf(base, new, l)
}

func nothingOf(base, new bool, l message.Language) string {
	switch {
	case base:
		return l.Text("the new run holds no rollout with a reward")
	case new:
		return l.Text("the base run holds no rollout with a reward")
	}
	return l.Text("neither run holds a rollout with a reward")
}

// empty says why no split could be compared.
func (c *Comparison) empty(l message.Language) string {
	base, new := false, false
	for _, sc := range c.Splits {
		base = base || sc != nil && sc.Samples.Base.Max > 0
		new = new || sc != nil && sc.Samples.New.Max > 0
	}
	if base && new {
		return l.Text("the runs have no split in common")
	}
	return nothingOf(base, new, l)
}

// moved tells what was found, with the numbers it rests on.
func (sc *SplitComparison) moved(c *Comparison, l message.Language) []string {
	r, e := sc.Reward, sc.Equivalence
	over := l.Say("%s that both runs hold", l.Count(r.Items, "item"))
	if !sc.Paired {
		over = l.Say("%s, none of which is in both runs: an unpaired comparison, which finds less", l.Count(r.Items, "item"))
	}
	parts := []string{l.Say("the mean reward went from %s to %s, by %s, over %s", message.Digits(stat.Or(r.Base, 0)), message.Digits(stat.Or(r.New, 0)), signedInterval(r.Estimate), over)}
	switch {
	case sc.Answer == Regressed || sc.Answer == Improved:
		if math.Abs(*r.Value) < e.Delta {
			parts = append(parts, l.Say("the change is real and smaller than the %s that is set to matter", message.Plain(e.Delta)))
		}
		if f := r.Family; f != nil && f.Known() && f.Low != nil && f.High != nil && *f.Low <= 0 && *f.High >= 0 {
			parts = append(parts, l.Say("clustered by family, %s, it is not sure", signedInterval(*f)))
		}
		return parts
	case sc.Answer == NotBetter: // why is said before it
		return parts
	case sc.Answer == Equivalent && e.Low != nil && e.High != nil:
		return append(parts, l.Say("the one-sided bounds %s and %s lie within %s", signed(*e.Low), signed(*e.High), message.Plain(e.Delta)))
	}
	return append(parts, sc.hidden(c, l)...)
}

// hidden says why it cannot be told, and how much more would tell.
func (sc *SplitComparison) hidden(c *Comparison, l message.Language) []string {
	r := sc.Reward
	if r.Low == nil || r.High == nil {
		return []string{l.Text("that is too little for an interval")}
	}
	var parts []string
	if margin := c.Tolerance; *r.Low > margin || *r.High < -margin {
		p := l.Text("unknown")
		if exact := sc.exactP(); exact != nil {
			p = message.Digits(*exact)
		}
		parts = append(parts, l.Say("the interval shows a change and the exact test does not (p = %s)", p))
	}
	if r.MDE != nil {
		parts = append(parts, l.Say("a change of less than %s could hide here", message.Digits(*r.MDE)))
	}
	if sc.Needs != nil {
		needed := l.Say("%s sampled alike", l.Count(sc.Needs.Items, "item"))
		if sc.Needs.Samples > 0 {
			needed = l.Say("%s sampled alike, or these sampled %s times,", l.Count(sc.Needs.Items, "item"), message.Whole(sc.Needs.Samples))
		}
		parts = append(parts, l.Say("about %s would show one of %s", needed, message.Plain(sc.Equivalence.Delta)))
	}
	return parts
}

// capitalized begins an English sentence.
func capitalized(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// signed prints a change with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + message.Digits(x)
	}
	return message.Digits(x)
}

// signedInterval prints a change with its interval.
func signedInterval(e stat.Estimate) string {
	text := signed(*e.Value)
	if e.Low != nil && e.High != nil {
		text += " [" + signed(*e.Low) + ", " + signed(*e.High) + "]"
	}
	return text
}
