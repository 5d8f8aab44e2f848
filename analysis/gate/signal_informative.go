package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var informativeCaution = analysis.Threshold{
	Name: "signal.informative.caution", Unit: "share",
	Doc: "the same, below which it is a caution", Default: 0.30,
}

var signalInformative = &analysis.Gate{
	Name:      "signal.informative",
	Label:     "Groups that teach",
	OnRewards: true,
	Headline:  true,
	Doc: "Blocking, on train: in at least 10 % of groups of the planned size the rewards differ. A group whose " +
		"rewards are equal has zero " +
		"advantage and teaches nothing; so has one whose standard deviation is below what the trainer adds to it " +
		"(trainer.epsilon), or, without that division, whose rewards span less than 1 % of the range. Where grader " +
		"noise was measured, its share of the variance within items is taken off. Advisory: 30 %.",
	Thresholds: []analysis.Threshold{analysis.InformativeShare, informativeCaution},
	Charts:     []string{"informative"},
	Words: analysis.Words{
		Why: "A trainer of the GRPO family compares several rollouts of the same item. When all earn " +
			"the same, it learns nothing from them, and has paid for them all.",
		Pass: "{share} of groups of {group} teach something{fitted}",
		Fail: "only {share} of groups of {group} teach something: you pay for {cost|group} to get one " +
			"that does{fitted}",
		FailRemedy: "{drop} Then sample again. If rewards still hardly differ, give partial credit, or use " +
			"larger groups. {mixed} of {measured|item} vary at all.",
		Unknown: "it is not clear whether enough groups of {group} teach something: between {lowpercent} " +
			"and {highpercent}{fitted}",
		UnknownRemedy: "{needs}",
		Caution: "{share} of groups of {group} teach something: you pay for {cost|group} to get one that " +
			"does{fitted}",
		CautionRemedy: "Training would work, at {cost|time} the price of a set in which every group teaches. " +
			"Keeping only the {mixed|item that varies|items that vary} would bring it near to 1.",
		CautionUnknown:  "between {lowpercent} and {highpercent} of groups of {group} teach something{fitted}",
		CautionUnknownR: "{needs}",
	},
	Check: onTraining(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		e, b := signalAt(sr, r)
		fitted := message.Concat(noiseWords(sr, r), fittedSignal(sr, r.GroupSize))
		vars := message.Args{
			"group": message.Int(r.GroupSize), "share": message.KnownShare(e.Value),
			"mixed": message.Int(sr.Classes.Counts[analysis.Mixed]), "measured": message.Int(sr.Items.Measured),
			"dead":      message.Int(sr.Classes.Counts[analysis.Dead]),
			"saturated": message.Int(sr.Classes.Counts[analysis.Saturated]),
			"flat":      message.Int(sr.Classes.Counts[analysis.Flat]), "fitted": message.Nested(fitted),
		}
		vars["drop"] = message.Nested(dropItems.With(vars))
		var instead *analysis.Wording
		if e.Known() && *e.Value > 0 {
			vars["cost"] = message.Number(1 / *e.Value)
		} else {
			instead = &noneTeaches
		}
		// no items would remain
		if c := sr.Classes.Counts; c[analysis.Dead]+c[analysis.Saturated] == sr.Items.Measured {
			vars["drop"] = message.Nested(otherItems.Text())
		}
		for _, level := range []analysis.Threshold{analysis.InformativeShare, informativeCaution} {
			if want := t.At(level); b.AtLeast(want) == analysis.Fail {
				if raw, _ := sr.SignalAt(r.GroupSize); raw != nil && *raw.Value >= want {
					instead = &noiseTeaches
				}
				break
			}
		}
		if best, ok := sr.BestAt(r.GroupSize); ok && best.K < r.GroupSize {
			// the samples' own share is the lower bound
			vars["share"] = message.Nested(atLeastSo.With(message.Args{"what": vars["share"]}))
			if cost, known := vars["cost"]; known {
				vars["cost"] = message.Nested(atMostSo.With(message.Args{"what": cost}))
			}
		}
		return estimated{
			blocking: analysis.InformativeShare, caution: informativeCaution, unit: "share", width: 1, estimate: e,
			bound: b, vars: vars, failing: instead,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile,
			items: append(itemsOfClass(sr, analysis.Dead), itemsOfClass(sr, analysis.Saturated)...),
		}.findings(r, t, split)
	}),
}

// noiseWords says how much grader noise reduces the informative share. It is empty if the grader's
// share is unknown or zero.
func noiseWords(sr *analysis.SplitResult, r *analysis.Result) message.Text {
	lower, _ := sr.SignalAt(r.GroupSize)
	if lower == nil || lower.Net == nil || *sr.Variance.GraderShare.Value == 0 {
		return message.Text{}
	}
	return netOfNoise.With(message.Args{
		"raw":   message.KnownShare(lower.Value),
		"noise": message.KnownShare(sr.Variance.GraderShare.Value),
	})
}

var (
	noneTeaches = analysis.NewWording("signal.informative.none", "no group of {group} teaches anything{fitted}",
		"{drop} Then sample again. If rewards still do not differ, give partial credit, or use larger groups.")
	// noiseTeaches is used if enough rewards differ, but only by chance: no choice of items helps.
	noiseTeaches = analysis.NewWording("signal.informative.noise",
		"{share} of groups of {group} teach something{fitted}",
		"Make the grader steadier before you choose items: set a judge to temperature 0 and give it a rubric of "+
			"checkable points. If that is not enough, average several judgements, or use a rule instead of a judge.")
	dropItems = message.New("signal.informative.drop", "Replace the items that are always right ({saturated}) or "+
		"never right ({dead}) with items of medium difficulty.")
	otherItems = message.New("signal.informative.other_items", "Take other items, of medium difficulty for this model.")
	atMostSo   = message.New("phrase.at_most", "at most {what}")
	netOfNoise = message.New("signal.informative.net",
		" (rewards differ in {raw} of them; {noise} of that variance is grader noise)")
)
