package analysis

import (
	"fmt"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var signalInformative = Gate{
	Name: "signal.informative",
	Doc: "Blocking, on train: in at least 10 % of groups of the planned size the rewards differ. A group whose rewards are equal has zero " +
		"advantage and teaches nothing. Where grader noise was measured, its share of the variance within items is taken off. Advisory: 30 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, "signal.informative", rollout.Train, Blocking, noTraining)}
		}
		sr := r.Splits[split]
		e, b := signalAt(sr, r)
		fitted := noiseWords(sr, r) + fittedSignal(r.Lang, sr, r.GroupSize)
		vars := map[string]string{
			"group": fmt.Sprint(r.GroupSize), "cost": r.Lang.Text("many"), "share": percentOf(r.Lang, e.Value),
			"mixed": fmt.Sprint(sr.Classes.Counts[Mixed]), "measured": fmt.Sprint(sr.Items.Measured),
			"dead": fmt.Sprint(sr.Classes.Counts[Dead]), "saturated": fmt.Sprint(sr.Classes.Counts[Saturated]),
			"flat": fmt.Sprint(sr.Classes.Counts[Flat]), "fitted": fitted,
		}
		if e.Known() && *e.Value > 0 {
			vars["cost"] = fmt.Sprintf("%.3g", 1 / *e.Value)
		}
		if best, ok := sr.BestAt(r.GroupSize); ok && best.K < r.GroupSize {
			vars["share"] = r.Lang.Say("at least %s", vars["share"]) // the samples' own share is the lower bracket
			vars["cost"] = r.Lang.Say("at most %s", vars["cost"])
		}
		return estimated{
			gate: "signal.informative", unit: "share", width: 1, estimate: e, bound: b, vars: vars,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile, items: append(sr.byClass(Dead), sr.byClass(Saturated)...),
		}.findings(r, t, split)
	},
}

// noiseWords says what is taken off the informative share for grader noise. It is
// empty where the grader's share is not known, or nothing.
func noiseWords(sr *SplitResult, r *Result) string {
	lower, _ := sr.SignalAt(r.GroupSize)
	if lower == nil || lower.Net == nil || *sr.Variance.GraderShare.Value == 0 {
		return ""
	}
	return r.Lang.Say(" (rewards differ in %s of them; %s of that variance is grader noise)", percentOf(r.Lang, lower.Value), percentOf(r.Lang, sr.Variance.GraderShare.Value))
}

// signalAt is the informative share at the planned group size, net of grader
// noise where that is known: exact where items have that many samples; else from
// the lower bracket's low end to the upper bracket's high end.
func signalAt(sr *SplitResult, r *Result) (stat.Estimate, bound) {
	unit := stat.Range{Lo: 0, Hi: 1}
	var e stat.Estimate
	var b bound
	net := func(e stat.Estimate) stat.Estimate {
		if net := netOf(e, sr.Variance.GraderShare); net != nil {
			return *net
		}
		return e
	}
	for _, s := range sr.Signal {
		if s.GroupSize != r.GroupSize {
			continue
		}
		switch s.Bound {
		case "exact":
			e = net(onFile(s.Estimate, sr, r, unit))
			b = boundOf(e)
		case "lower":
			e = net(s.Estimate)
			b = boundOf(e)
		case "upper":
			b.high = net(s.Estimate).High
		}
	}
	return e, b
}

var explorationLift = Gate{
	Name: "exploration.lift",
	Doc: "Blocking, on train: the best of a group of the planned size earns at least 2 % of the range more than the mean; that gap is what " +
		"training can pull the mean towards. A trainer that divides by a group's standard deviation (trainer.normalize: std) learns from any difference: it passes with signal.informative. Advisory: 5 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, "exploration.lift", rollout.Train, Blocking, noTraining)}
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
			vars: ofGroup(best, r, map[string]string{"mean": meanOf(sr, r)}, e.Value),
		}.findings(r, t, split)
	},
}

// meanOf is the mean reward in words; the items of the curve may be fewer, and
// their own mean another number.
func meanOf(sr *SplitResult, r *Result) string {
	mean := valueOf(r.Lang, sr.Reward.Value)
	if sr.Lift.Items < sr.Items.Measured {
		return r.Lang.Say("%s over all items", mean)
	}
	return mean
}
