package history

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// ApplyComparison sets the answer of a night from its comparison with the night named base.
func (n *Night) ApplyComparison(base string, c *compare.Comparison) {
	n.Base, n.Answer, n.Sentence, n.ExitCode = base, c.Answer, c.Sentence, c.ExitCode
}

// AnswerWithoutBase sets the answer of a night that is not compared with an earlier one. The
// first good night passes if it is usable as a base. exists reports whether the rollouts of a
// night still exist below the directory runs.
func (n *Night) AnswerWithoutBase(earlier []Night, r *analysis.Result, exists func(*Night) bool, runs string) {
	good, gone := 0, 0
	for i := range earlier {
		if old := &earlier[i]; old.Good {
			if good++; Comparable(old, n) && !exists(old) {
				gone++
			}
		}
	}
	n.ExitCode = analysis.Undecided.ExitCode()
	switch {
	case n.Split == "":
		n.Sentence = emptyNight.Text()
	case tooManyLost(r, n.Split):
		n.Sentence = lostNight.With(message.Args{"causes": message.Nested(r.Splits[n.Split].Missing.LostTo())})
	case good == 0:
		n.ExitCode, n.Sentence = analysis.Go.ExitCode(), firstGood.Text()
		if gate := compare.UntrustedBy(r); gate != "" {
			n.ExitCode, n.Sentence = analysis.NoGo.ExitCode(),
				untrustedNight.With(message.Args{"gate": message.Name(gate)})
		}
	case gone > 0:
		n.Sentence = goneNights.With(message.Args{
			"nights": message.Count(gone, "good night"),
			"runs":   message.Name(runs),
		})
	default:
		n.Sentence = noneComparable.With(message.Args{"nights": message.Count(good, "good night")})
	}
}

// tooManyLost reports whether too many rollouts failed for the run to mean anything.
func tooManyLost(r *analysis.Result, split rollout.Split) bool {
	return slices.ContainsFunc(r.Findings, func(f analysis.Finding) bool {
		return f.Gate == "infra.failures" && f.Split == split && f.Status == analysis.Fail &&
			f.Severity == analysis.Blocking
	})
}

// RegressedByTrend marks the night as regressed because of a trend that no single night
// shows; see History.TrendDrop. from is the night around which the reward fell.
func (n *Night) RegressedByTrend(c *Change, from string) {
	n.ExitCode, n.Good = analysis.NoGo.ExitCode(), false
	n.Sentence = message.Join(n.Sentence, fellByTrend.With(message.Args{
		"before": message.Number(c.Before), "night": message.Name(from), "after": message.Number(c.After),
	}))
}

// Conclude completes the answer of a night that follows the earlier ones, and returns the
// history that includes it. c is its comparison with earlier[base]; if c is nil,
// AnswerWithoutBase has already set the answer. A night that is accepted is good, whatever it
// shows. A night that no single comparison calls worse can regress by a trend; see
// History.TrendDrop.
func (n *Night) Conclude(earlier []Night, base int, c *compare.Comparison, accept bool) *History {
	tolerance := 0.0
	if c != nil {
		tolerance = c.Tolerance
		n.ApplyComparison(earlier[base].Name, c)
	}
	if accept && n.Split != "" {
		n.Accepted, n.ExitCode = true, analysis.Go.ExitCode()
	}
	n.Good = n.ExitCode == analysis.Go.ExitCode()
	trend := Analyze(append(slices.Clone(earlier), *n), DefaultOptions())
	if fell := trend.TrendDrop(base, tolerance); fell != nil && n.ExitCode != analysis.NoGo.ExitCode() && !n.Accepted {
		n.RegressedByTrend(fell, trend.Nights[fell.Night].Name)
		mark := &trend.Nights[len(trend.Nights)-1]
		mark.ExitCode, mark.Good, mark.Sentence = n.ExitCode, n.Good, n.Sentence
	}
	return trend
}

// Word returns the answer of a night in a word or two.
func (n *Night) Word(l message.Language) string {
	switch {
	case n.Accepted:
		return l.Text("night.accepted", "ACCEPTED")
	case n.ExitCode == analysis.NoGo.ExitCode() && n.Answer == compare.NotBetter:
		return l.Text("night.not_better", "NOT BETTER")
	case n.ExitCode == analysis.NoGo.ExitCode():
		return l.Text("night.regressed", "REGRESSED")
	case n.ExitCode == analysis.Undecided.ExitCode():
		return l.Text("night.cannot_tell", "CANNOT TELL")
	case n.Base == "":
		return l.Text("night.first_night", "FIRST NIGHT")
	}
	if n.Answer == compare.Improved {
		return l.Text("night.improved", "IMPROVED")
	}
	return l.Text("night.no_worse", "NO WORSE")
}

var (
	emptyNight = message.New("night.empty", "The night has no rollout with a reward.")
	lostNight  = message.New("night.lost",
		"Too many rollouts were lost to {causes}: the others are not a fair sample.")
	untrustedNight = message.New("night.untrusted", "The run is NO-GO because of its grader ({gate}): its reward "+
		"does not show how good the policy is; --accept makes this night the new normal.")
	firstGood = message.New("night.first_good",
		"There is no good night yet to compare with: later nights are compared with this one.")
	goneNights = message.New("night.gone", "The rollouts of {nights} that this one could be compared with are "+
		"missing from {runs}, or damaged: restore them, or make this night the new normal with --accept.")
	noneComparable = message.New("night.none_comparable", "None of {nights} can be compared with this one: the "+
		"items or the reward range differ. --accept makes this night the new normal.")
	fellByTrend = message.New("night.fell", "It regressed against the trend: the mean reward was {before}, fell "+
		"around night {night} and is {after}, and no single night shows it; --accept makes that the new normal.")
)
