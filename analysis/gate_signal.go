package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var signalInformative = NewGate(Gate{
	Name: "signal.informative",
	Doc: "Blocking, on train: in at least 10 % of groups of the planned size the rewards differ. A group whose rewards are equal has zero " +
		"advantage and teaches nothing. Where grader noise was measured, its share of the variance within items is taken off. Advisory: 30 %.",
	Thresholds: []Threshold{
		{"signal.informative", "share", "share of groups whose rewards differ; below, more than 10 rollouts are paid for one that teaches", 0.10},
		{"signal.informative.caution", "share", "the same, below which it is a caution", 0.30},
	},
	Charts: []string{"informative"},
	Words: Words{
		Why:             "A trainer of the GRPO family compares several rollouts of the same item. When all earn the same, it learns nothing from them, and has paid for them all.",
		Pass:            "{share} of groups of {group} teach something{fitted}",
		Fail:            "only {share} of groups of {group} teach something: {cost} groups are paid for one that does{fitted}",
		FailRemedy:      "Drop items that are always right ({saturated}) or never right ({dead}), add items of middling difficulty, give partial credit so that rollouts differ, or use larger groups. {mixed} of {measured} items vary at all.",
		Unknown:         "it is not clear whether enough groups of {group} teach something: between {lowpercent} and {highpercent}{fitted}",
		UnknownRemedy:   "{needs}",
		Caution:         "{share} of groups of {group} teach something: {cost} groups are paid for one that does{fitted}",
		CautionRemedy:   "Training would work, at {cost} times the price of a set in which every group teaches. Keeping only the {mixed} items that vary would bring it near to 1.",
		CautionUnknown:  "between {lowpercent} and {highpercent} of groups of {group} teach something{fitted}",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped("signal.informative", rollout.Train, Blocking, noTraining.Text())}
		}
		sr := r.Splits[split]
		e, b := signalAt(sr, r)
		fitted := message.Glued(noiseWords(sr, r), fittedSignal(sr, r.GroupSize))
		vars := message.Args{
			"group": message.Int(r.GroupSize), "cost": message.Said(manyGroups.Text()), "share": message.KnownShare(e.Value),
			"mixed": message.Int(sr.Classes.Counts[Mixed]), "measured": message.Int(sr.Items.Measured),
			"dead": message.Int(sr.Classes.Counts[Dead]), "saturated": message.Int(sr.Classes.Counts[Saturated]),
			"flat": message.Int(sr.Classes.Counts[Flat]), "fitted": message.Said(fitted),
		}
		if e.Known() && *e.Value > 0 {
			vars["cost"] = message.Number(1 / *e.Value)
		}
		if best, ok := sr.BestAt(r.GroupSize); ok && best.K < r.GroupSize {
			vars["share"] = message.Said(atLeastSo.With(message.Args{"what": vars["share"]})) // the samples' own share is the lower bracket
			vars["cost"] = message.Said(atMostSo.With(message.Args{"what": vars["cost"]}))
		}
		return estimated{
			gate: "signal.informative", unit: "share", width: 1, estimate: e, bound: b, vars: vars,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile, items: append(itemsOfClass(sr, Dead), itemsOfClass(sr, Saturated)...),
		}.findings(r, t, split)
	},
})

// noiseWords says what is taken off the informative share for grader noise. It is
// empty where the grader's share is not known, or nothing.
func noiseWords(sr *SplitResult, r *Result) message.Text {
	lower, _ := sr.SignalAt(r.GroupSize)
	if lower == nil || lower.Net == nil || *sr.Variance.GraderShare.Value == 0 {
		return message.Text{}
	}
	return netOfNoise.With(message.Args{"raw": message.KnownShare(lower.Value), "noise": message.KnownShare(sr.Variance.GraderShare.Value)})
}

// signalAt is the informative share at the planned group size, net of grader
// noise where that is known: exact where items have that many samples; else from
// the lower bracket's low end to the upper bracket's high end.
func signalAt(sr *SplitResult, r *Result) (stat.Estimate, bound) {
	unit := stat.Range{Lo: 0, Hi: 1}
	var e stat.Estimate
	var b bound
	for _, s := range sr.Signal {
		if s.GroupSize != r.GroupSize {
			continue
		}
		switch s.Bound {
		case "exact":
			e = sr.net(onFile(s.Estimate, sr, r, unit))
			b = boundOf(e)
		case "lower":
			e = sr.net(s.Estimate)
			b = boundOf(e)
		case "upper":
			b.high = sr.net(s.Estimate).High
		}
	}
	return e, b
}

var explorationLift = NewGate(Gate{
	Name: "exploration.lift",
	Doc: "Blocking, on train: the best of a group of the planned size earns at least 2 % of the range more than the mean; that gap is what " +
		"training can pull the mean towards. A trainer that divides by a group's standard deviation (trainer.normalize: std) learns from any difference: it passes with signal.informative. Advisory: 5 %.",
	Thresholds: []Threshold{
		{"exploration.lift", "share", "best of a group minus mean reward, as a share of the range", 0.02},
		{"exploration.lift.caution", "share", "the same, below which it is a caution", 0.05},
	},
	Charts: []string{"best_of_k"},
	Words: Words{
		Why:             "The gap between the best of several rollouts and the mean is what training can pull the mean towards: the better behaviour must already show up among the rollouts.",
		Pass:            "the best of {kbest} earns {value} more than the mean ({best} against {mean})",
		Fail:            "the best of {kbest} earns only {value} more than the mean ({best} against {mean})",
		FailRemedy:      "Rollouts hardly differ: raise the temperature, allow more steps, or give a grader with finer grades.",
		Unknown:         "the best of {kbest} earns {low} to {high} more than the mean",
		UnknownRemedy:   "{needs}",
		Caution:         "the best of {kbest} earns only {value} more than the mean ({best} against {mean})",
		CautionRemedy:   "Expect a small gain.",
		CautionUnknown:  "the best of {kbest} earns {low} to {high} more than the mean",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped("exploration.lift", rollout.Train, Blocking, noTraining.Text())}
		}
		sr, rng := r.Splits[split], r.rng()
		e := onFile(sr.Lift, sr, r, stat.Range{Lo: 0, Hi: rng.Width()})
		b := boundOf(e)
		best, found := sr.BestAt(r.GroupSize)
		if found && best.K < r.GroupSize && best.High != nil && sr.Reward.Low != nil {
			high := rng.Lo + float64(r.GroupSize)/float64(best.K)*(*best.High-rng.Lo)
			b.high = stat.Some(min(high, rng.Hi) - *sr.Reward.Low)
		}
		return estimated{
			scaleless: true,
			gate:      "exploration.lift", unit: "reward", width: rng.Width(), estimate: e, bound: b,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile,
			vars: ofGroup(best, r, message.Args{"mean": meanOf(sr, r)}, e.Value),
		}.findings(r, t, split)
	},
})

// meanOf is the mean reward in words; the items of the curve may be fewer, and
// their own mean another number.
func meanOf(sr *SplitResult, r *Result) message.Arg {
	mean := message.Known(sr.Reward.Value)
	if sr.Lift.Items < sr.Items.Measured {
		return message.Said(overAllItems.With(message.Args{"mean": mean}))
	}
	return mean
}

var (
	manyGroups   = message.New("phrase.many", "many")
	atMostSo     = message.New("phrase.at_most", "at most {what}")
	netOfNoise   = message.New("signal.informative.net", " (rewards differ in {raw} of them; {noise} of that variance is grader noise)")
	overAllItems = message.New("phrase.over_all_items", "{mean} over all items")
)
