package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var liftLimit = analysis.Threshold{
	Name: "exploration.lift", Unit: "share",
	Doc: "best of a group minus mean reward, as a share of the range, below which it is a caution", Default: 0.05,
}

var explorationLift = &analysis.Gate{
	Name:      "exploration.lift",
	Label:     "Gain of the best sample",
	OnRewards: true,
	Headline:  true,
	Doc: "Advisory, on train: the best of a group of the planned size earns at least 5 % of the range more than the " +
		"mean; that gap is what training can pull the mean towards. It does not block: a trainer that divides by a " +
		"group's standard deviation (trainer.normalize: std) learns from any difference.",
	Thresholds: []analysis.Threshold{liftLimit},
	Charts:     []string{"best_of_k"},
	Words: analysis.Words{
		Why: "The gap between the best of several rollouts and the mean is what training can pull the " +
			"mean towards: the better behaviour must already show up among the rollouts.",
		Pass:    "the best of {kbest} earns {value} more than the mean ({best} against {mean})",
		Caution: "the best of {kbest} earns only {value} more than the mean ({best} against {mean})",
		CautionRemedy: "Expect a small gain. Raise the temperature if rollouts hardly differ; if that is not enough, " +
			"allow more steps, or use a grader with finer grades.",
		CautionUnknown:  "the best of {kbest} earns {low} to {high} more than the mean",
		CautionUnknownR: "{needs}",
	},
	Check: onTraining(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		rng := r.Range()
		e := onFile(sr.Lift, sr, r, stat.Range{Lo: 0, Hi: rng.Width()})
		b := analysis.BoundOf(e)
		best, found := sr.BestAt(r.GroupSize)
		if found && best.K < r.GroupSize && best.High != nil && sr.Reward.Low != nil {
			high := rng.Lo + float64(r.GroupSize)/float64(best.K)*(*best.High-rng.Lo)
			// bounds only: fewer samples cannot measure the best of a group
			b = analysis.Bound{Low: b.Low, High: stat.FiniteOrNil(min(high, rng.Hi) - *sr.Reward.Low)}
		}
		return estimated{
			caution: liftLimit, unit: "reward", width: rng.Width(), estimate: e, bound: b,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile,
			vars: ofGroup(best, r, message.Args{"mean": meanOf(sr, r)}, e.Value),
		}.findings(r, t, split)
	}),
}

// meanOf is the mean reward in words. It says so if the curve has fewer items, whose own mean may
// differ.
func meanOf(sr *analysis.SplitResult, r *analysis.Result) message.Arg {
	mean := message.Known(sr.Reward.Value)
	if sr.Lift.Items < sr.Items.Measured {
		return message.Nested(overAllItems.With(message.Args{"mean": mean}))
	}
	return mean
}

var overAllItems = message.New("phrase.over_all_items", "{mean} over all items")
