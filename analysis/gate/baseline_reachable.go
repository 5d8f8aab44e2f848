package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var reachableLimit = analysis.Threshold{
	Name: "baseline.reachable", Unit: "share",
	Doc:     "best of a group, above the bottom of the range, as a share of the range, below which it is a caution",
	Default: 0.10,
}

var baselineReachable = &analysis.Gate{
	Name:      "baseline.reachable",
	Label:     "Reward within reach",
	OnRewards: true,
	Headline:  true,
	Doc: "Advisory, on train: the best of a group of the planned size is at least 10 % of the reward range above its " +
		"bottom, on average over items; else learning is slow. It does not block: some models learn a task that " +
		"they almost never solve, and signal.informative counts the groups that teach.",
	Thresholds: []analysis.Threshold{reachableLimit},
	Charts:     []string{"best_of_k"},
	Words: analysis.Words{
		Why: "Reinforcement learning strengthens what the model already gets right some of the time. If " +
			"even the best of several rollouts earns nothing, there is nothing to strengthen.",
		Pass:    "the model sometimes succeeds: the best of {kbest} earns {value} above the bottom of the range",
		Caution: "success is rare: the best of {kbest} earns only {value} above the bottom of the range",
		CautionRemedy: "Expect slow learning. Read a few rollouts: if some answers are right, fix the grader. If none " +
			"is, give partial credit, larger groups or easier items first, use a stronger model, or teach by example " +
			"(supervised fine-tuning). {dead} of {measured|item} never earned anything.",
		CautionUnknown:  "success may be rare: the best of {kbest} earns {low} to {high} above the bottom of the range",
		CautionUnknownR: "{needs}",
	},
	Check: levelled(analysis.Advisory, onTraining(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds,
		split rollout.Split, sr *analysis.SplitResult,
	) []analysis.Finding {
		rng := r.Range()
		best, _ := sr.BestAt(r.GroupSize)
		e := onFile(best.Estimate, sr, r, rng)
		b := analysis.BoundOf(e)
		if best.K < r.GroupSize && b.High != nil && best.K > 0 {
			// E[max of G] - lo is concave in G: at most G/n times the value at n samples.
			high := rng.Lo + float64(r.GroupSize)/float64(best.K)*(*b.High-rng.Lo)
			b.High = stat.FiniteOrNil(min(high, rng.Hi))
		}
		above := analysis.Bound{
			Value: stat.AddKnown(b.Value, -rng.Lo), Low: stat.AddKnown(b.Low, -rng.Lo),
			High: stat.AddKnown(b.High, -rng.Lo),
		}
		value := above.Value
		if best.K < r.GroupSize { // only bounds of the best of a group, which fewer samples cannot measure
			above.Value = nil
		}
		return estimated{
			caution: reachableLimit, unit: "reward", width: rng.Width(), estimate: e,
			bound: above, bottom: rng.Lo, offset: rng.Lo,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile, items: itemsOfClass(sr, analysis.Dead),
			vars: ofGroup(best, r, message.Args{
				"dead": message.Int(sr.Classes.Counts[analysis.Dead]), "measured": message.Int(sr.Items.Measured),
			}, value),
		}.findings(r, t, split)
	})),
}

// ofGroup adds the arguments about the best of a group. If items have fewer samples than a group,
// their best is given as a lower bound.
func ofGroup(best analysis.AtK, r *analysis.Result, vars message.Args, value *float64) message.Args {
	vars["kbest"], vars["value"], vars["best"] = message.Count(r.GroupSize, "rollout"), message.Known(value),
		message.Known(best.Value)
	if best.K < r.GroupSize && best.K > 0 {
		vars["value"], vars["best"] = message.Nested(atLeastSo.With(message.Args{"what": vars["value"]})),
			message.Nested(atLeastSo.With(message.Args{"what": vars["best"]}))
	}
	return vars
}
