package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	accuracyAgreement = analysis.Threshold{
		Name: "grader.accuracy.agreement", Unit: "correlation",
		Doc: "rank correlation of rewards with people's labels", Default: 0.80,
	}
	accuracyBrittle = analysis.Threshold{
		Name: "grader.accuracy.brittle", Unit: "share",
		Doc: "share of right answers that are rejected only because they are written differently", Default: 0.05,
	}
)

var graderAccuracy = &analysis.Gate{
	Name:       "grader.accuracy",
	Label:      "Grader accuracy",
	Doc:        "Grades agree with people, accept other ways to write the same answer, and take more than two values.",
	Thresholds: []analysis.Threshold{accuracyAgreement, accuracyBrittle},
	Words:      analysis.Words{Pass: "grades are as fine and as fair as could be measured"},
	Parts:      []*analysis.Gate{graderAgreement, graderBrittle, graderResolution},
}

var graderAgreement = &analysis.Gate{
	Name: "grader.agreement",
	Doc:  "Advisory, with people's labels: rewards and labels of the same outputs rank alike (Spearman at least 0.8).",
	Words: analysis.Words{
		Why: "The grader replaces a person's judgement. If the two rank answers differently, training " +
			"moves the model towards the grader and away from the person.",
		Pass:            "grader and people rank the same {outputs} alike: rank correlation {value} ({people})",
		Caution:         "grader and people disagree: rank correlation {value} over {outputs} ({people})",
		CautionRemedy:   "Read the items listed, where they differ most, and fix the grader, or the labels.{ceiling}",
		CautionUnknown:  "grader and people may disagree: rank correlation {low} to {high} over {outputs} ({people})",
		CautionUnknownR: "Label more outputs to settle it. {needs}{ceiling}",
		Unmeasured:      "not known: too few labelled outputs have a reward to compare with, or they do not differ",
		UnmeasuredR: "Label outputs of at least 20 items, good and bad ones; each must be a rollout of this " +
			"run, or be graded by gonogo audit.{ceiling}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || r.Grader.Agreement == nil {
			return analysis.Skip("", analysis.Advisory, noLabels.With(analysis.Commands))
		}
		a := r.Grader.Agreement
		want := t.At(accuracyAgreement)
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "correlation", Want: analysis.WantAtLeast(want), Items: a.Items,
			Args: message.Args{
				"outputs": message.Count(a.Outputs, "output"),
				"people":  message.Nested(onePerson.Text()), "ceiling": message.Nested(message.Text{}),
			},
		}
		if a.Raters > 1 {
			j.Args["people"] = message.Nested(manyPeople.With(message.Args{"n": message.Int(a.Raters)}))
		}
		if a.Alpha != nil && a.Alpha.Known() {
			j.Args["ceiling"] = message.Nested(peopleAgree.With(message.Args{"alpha": message.Number(*a.Alpha.Value)}))
		}
		b := analysis.BoundOf(a.Spearman)
		status := b.AtLeast(want)
		if status == analysis.Pass {
			j.Items = nil
		}
		if items, ok := stat.Needed(a.Spearman, want, a.Spearman.Items, &stat.Range{Lo: -1, Hi: 1},
			r.AuditConfidence()); ok && a.Spearman.SE != nil {
			j.Needs, j.Settles = &analysis.Needs{Items: items, Samples: max(1, a.Outputs/max(1, a.Spearman.Items))},
				true
		}
		if a.Spearman.SE == nil && a.Spearman.Items < usefulItems {
			j.Needs, j.Settles = &analysis.Needs{Items: usefulItems, Samples: 1}, true
		}
		return []analysis.Finding{j.Finding(status, b)}
	},
}

// usefulItems is the minimum number of items for a useful rank correlation.
const usefulItems = 20

var graderBrittle = &analysis.Gate{
	Name: "grader.brittle",
	Doc: "Advisory, after an audit: at most 5 % of right answers are rejected only because they are written " +
		"differently (case, spacing, units, a sentence around), " +
		"on items whose reference itself earns the top.",
	Charts: []string{"grader_audit"},
	Words: analysis.Words{
		Why: "A right answer written differently (a currency sign, 7 % for 0.07, inside a sentence) is " +
			"still right. A grader that rejects it teaches format instead of the task, and marks good rollouts as bad.",
		Pass: "right answers are accepted however they are written: the grader rejected {rejected} of " +
			"{rewrites|rewrite} in the audit",
		Caution: "the grader rejected {rejected} of {rewrites|rewrite} of right answers in the audit, most often " +
			"“{probe}”",
		CautionRemedy: "See one: {replay}. Normalize answer and reference before comparing them. If only one form " +
			"is right and the prompt does not say so, state that form in the prompt.",
		CautionUnknown: "the grader rejected {rejected} of {rewrites|rewrite} of right answers in the audit: too few " +
			"to tell ({lowpercent} to {highpercent} of all such rewrites)",
		CautionUnknownR: "{more} See one: {replay}.",
	},
	Check: audited(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader.Brittle == nil {
			return analysis.Skip("", analysis.Advisory, noRewriteTried.Text())
		}
		want := t.At(accuracyBrittle) + noiseBelowTop(r)
		var worst *analysis.ProbeResult
		for i := range r.Grader.Probes {
			p := &r.Grader.Probes[i]
			if p.Expect == rollout.Top && p.Probe != rollout.ProbeReference && p.Items > p.Above &&
				(worst == nil || *p.Accept.Value < *worst.Accept.Value) {
				worst = p
			}
		}
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "share", Want: analysis.WantAtMost(want),
			Args: message.Args{
				"probe": message.Nested(noneOfThem.Text()), "replay": replay(worst),
				"rejected": message.Int(int(math.Round(stat.ValueOr(r.Grader.Brittle.Value, 0) * float64(r.Grader.Brittle.N)))),
				"rewrites": message.Int(r.Grader.Brittle.N), "more": message.Nested(moreAudited(r)),
			},
		}
		if worst != nil {
			j.Args["probe"], j.Items = message.Name(worst.Probe), itemsOfHoles(worst)
		}
		b := analysis.BoundOf(*r.Grader.Brittle)
		j.Needs, j.Settles = settleBy(*r.Grader.Brittle, want, unitRange, r.AuditConfidence(), 1)
		return []analysis.Finding{j.Finding(atMostObserved(b, want), b)}
	}),
}

var noRewriteTried = message.New("skip.no_rewrite_tried",
	"no rewrite of a reference that earns the top was sent to the grader")

var graderResolution = &analysis.Gate{
	Name: "grader.resolution",
	Doc: "Advisory: the grader gives more than two different rewards. A yes-or-no grader needs larger groups for " +
		"the same signal.",
	Charts: []string{"rewards"},
	Words: analysis.Words{
		Why: "With only two grades, rollouts that are nearly right and plainly wrong look alike, and " +
			"groups are more often all equal.",
		Pass:          "the grader gives {rewards}",
		Caution:       "the grader gives only {rewards}",
		CautionRemedy: "Partial credit would make more groups teach something. {ends}",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || r.Grader.Resolution == nil {
			return analysis.Skip("", analysis.Advisory, noRewards.Text())
		}
		n := r.Grader.Resolution.Distinct
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "values", Want: analysis.WantAbove.With(analysis.Limit(2)),
			Args: message.Args{"rewards": message.Count(n, "different reward"), "ends": message.Nested(ends(r.Grader))},
		}
		return []analysis.Finding{j.Finding(failIf(n <= 2), analysis.Observed(float64(n)))}
	},
}

// ends says what share of the rewards is at either end of the range, and how many grades were
// outside the judge's own range.
func ends(g *analysis.Grader) message.Text {
	text := endsOfRange.With(message.Args{
		"low":  message.KnownShare(g.Resolution.ShareLow),
		"high": message.KnownShare(g.Resolution.ShareHigh),
	})
	if g.Clipped > 0 {
		text = message.Concat(text, clippedGrades.With(message.Args{"grades": message.Int(g.Clipped)}))
	}
	return text
}

var (
	endsOfRange = message.New("grader.resolution.ends",
		"Over all splits {low} of the rewards are at the bottom of the range, {high} at the top.")
	clippedGrades = message.New("grader.resolution.clipped",
		" {grades|grade was|grades were} outside the judge's own range and clipped.")
)

var (
	onePerson   = message.New("grader.agreement.one", "1 person")
	manyPeople  = message.New("grader.agreement.many", "{n} people")
	peopleAgree = message.New("grader.agreement.alpha",
		" People's agreement with each other is {alpha} (Krippendorff's alpha; 1 is perfect).")
)

var noLabels = message.New("skip.no_labels", "there are no labels by people ({label})")
