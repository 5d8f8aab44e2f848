package analysis

import (
	"fmt"

	"gonogo/analysis/language"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var signalInformative = Gate{
	Name: "signal.informative",
	Doc: "Blocking, on train: in at least 10 % of groups of the planned size the rewards differ. A group whose rewards are equal has zero " +
		"advantage and teaches nothing. Advisory: 30 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, "signal.informative", rollout.Train, Blocking, noTraining)}
		}
		sr := r.Splits[split]
		e, b := signalAt(sr, r)
		vars := map[string]string{
			"group": fmt.Sprint(r.GroupSize), "cost": r.Lang.Text("many"), "share": percentOf(r.Lang, e.Value),
			"mixed": fmt.Sprint(sr.Classes.Counts[Mixed]), "measured": fmt.Sprint(sr.Items.Measured),
			"dead": fmt.Sprint(sr.Classes.Counts[Dead]), "saturated": fmt.Sprint(sr.Classes.Counts[Saturated]),
			"flat": fmt.Sprint(sr.Classes.Counts[Flat]), "fitted": fittedSignal(r.Lang, sr, r.GroupSize),
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

// signalAt is the informative share at the planned group size: exact where
// items have that many samples; else from the lower bracket's low end to the
// upper bracket's high end.
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
			e = onFile(s.Estimate, sr, r, unit)
			b = boundOf(e)
		case "lower":
			e = s.Estimate
			b = boundOf(e)
		case "upper":
			b.high = s.High
		}
	}
	return e, b
}

var explorationLift = Gate{
	Name: "exploration.lift",
	Doc: "Blocking, on train: the best of a group of the planned size earns at least 2 % of the range more than the mean; that gap is what " +
		"training can pull the mean towards. Advisory: 5 %.",
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
			gate: "exploration.lift", unit: "reward", width: rng.Width(), estimate: e, bound: b,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile,
			vars: map[string]string{
				"best": valueOf(r.Lang, best.Value), "mean": meanOf(r.Lang, best, sr.Lift), "group": fmt.Sprint(r.GroupSize), "kbest": r.Lang.Count(best.K, "rollout"),
			},
		}.findings(r, t, split)
	},
}

// meanOf is the mean over the items of the curve, which may be fewer than all.
func meanOf(l language.Language, best AtK, lift stat.Estimate) string {
	if best.Value == nil || lift.Value == nil {
		return l.Text("unknown")
	}
	return valueOf(l, stat.Some(*best.Value-*lift.Value))
}
