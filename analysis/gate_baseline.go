package analysis

import (
	"fmt"
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var baselineReachable = Gate{
	Name: "baseline.reachable",
	Doc: "Blocking, on train: the best of a group of the planned size lies at least 5 % of the reward range above its bottom, " +
		"on average over items; else there is no success to learn from. A trainer that divides by a group's standard deviation (trainer.normalize: std) learns from any difference: it passes with signal.informative. Advisory: 10 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, "baseline.reachable", rollout.Train, Blocking, noTraining)}
		}
		sr, rng := r.Splits[split], r.rng()
		best, _ := sr.BestAt(r.GroupSize)
		e := onFile(best.Estimate, sr, r, rng)
		b := boundOf(e)
		if best.K < r.GroupSize && b.high != nil && best.K > 0 {
			// E[max of G] - lo is concave in G: at most G/n times what n samples show.
			high := rng.Lo + float64(r.GroupSize)/float64(best.K)*(*b.high-rng.Lo)
			b.high = stat.Some(min(high, rng.Hi))
		}
		above := moved(b, -rng.Lo)
		return estimated{
			scaleless: true,
			gate:      "baseline.reachable", unit: "reward", width: rng.Width(), estimate: e, bound: above, bottom: rng.Lo, offset: rng.Lo,
			samples: groupSamples(sr, r), inFile: sr.Items.InFile, items: sr.byClass(Dead),
			vars: ofGroup(best, r, map[string]string{
				"dead": fmt.Sprint(sr.Classes.Counts[Dead]), "measured": fmt.Sprint(sr.Items.Measured),
			}, above.value),
		}.findings(r, t, split)
	},
}

// ofGroup adds the words about the best of a group. Where items have fewer
// samples than that, the value is what fewer earn: the least that the group can.
func ofGroup(best AtK, r *Result, vars map[string]string, value *float64) map[string]string {
	vars["kbest"], vars["value"], vars["best"] = r.Lang.Count(r.GroupSize, "rollout"), valueOf(r.Lang, value), valueOf(r.Lang, best.Value)
	if best.K < r.GroupSize && best.K > 0 {
		vars["value"], vars["best"] = r.Lang.Say("at least %s", vars["value"]), r.Lang.Say("at least %s", vars["best"])
	}
	return vars
}

// moved adds x to a bound.
func moved(b bound, x float64) bound {
	add := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.Some(*p + x)
	}
	return bound{add(b.value), add(b.low), add(b.high)}
}

var baselineHeadroom = Gate{
	Name: "baseline.headroom",
	Doc: "Blocking, on train and eval: the mean reward stays at least 3 % of the range below the ceiling (the top of the range, " +
		"or what is configured); else there is nothing left to gain. With trainer.normalize: std it is 3 % of what the rewards seen span, where that is less than 5 % of the range. Advisory: 5 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		splits := []rollout.Split{}
		if split, ok := trainingSplit(r); ok {
			splits = append(splits, split)
		}
		if r.Splits[rollout.Eval] != nil {
			splits = append(splits, rollout.Eval)
		}
		if len(splits) == 0 {
			return []Finding{skipped(r.Lang, "baseline.headroom", "", Blocking, "there is neither a train nor an eval split")}
		}
		var out []Finding
		for _, split := range splits {
			sr, rng := r.Splits[split], r.rng()
			e := sr.Reward.Estimate
			var inFile *int // eval speaks of items like these, train of its file
			if split != rollout.Eval {
				e, inFile = onFile(e, sr, r, rng), sr.Items.InFile
			}
			room := boundOf(e).minus(r.Ceiling)
			head := stat.Estimate{Value: room.value, SE: e.SE, Low: room.low, High: room.high, N: e.N, Items: e.Items}
			out = append(out, estimated{
				gate: "baseline.headroom", unit: "reward", width: rng.Width(), span: sr.spanSeen(r), estimate: head, bound: room,
				bottom: r.Ceiling - rng.Hi, samples: max(int(sr.Samples.Median), r.GroupSize), inFile: inFile, items: sr.byClass(Saturated),
				vars: map[string]string{
					"mean": valueOf(r.Lang, e.Value), "gap": gap(r.Lang, room, r.Ceiling), "interval": gapInterval(r.Lang, room, r.Ceiling), "toolow": tooLow(r.Lang, room),
					"saturated": fmt.Sprint(sr.Classes.Counts[Saturated]), "measured": fmt.Sprint(sr.Items.Measured),
				},
			}.findings(r, t, split)...)
		}
		return out
	},
}

// spanSeen is the distance from the least to the largest reward of a split, for a
// trainer that divides by a group's standard deviation and so knows no other
// scale; 0 for other trainers, and where rewards do not differ.
func (sr *SplitResult) spanSeen(r *Result) float64 {
	if r.Normalize != NormalizeStd {
		return 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, it := range sr.Classes.Items {
		if it.Best != nil && it.Worst != nil {
			low, high = min(low, *it.Worst), max(high, *it.Best)
		}
	}
	return max(0, high-low)
}

// hair is what rounding makes of no distance at all.
const hair = 1e-9

// gap says where a mean lies that is so far below the ceiling.
func gap(l message.Language, room bound, ceiling float64) string {
	at := message.Plain(ceiling)
	switch {
	case room.value != nil && *room.value < -hair:
		return l.Say("%s above the ceiling of %s", message.Digits(-*room.value), at)
	case room.value != nil && *room.value < hair:
		return l.Say("at the ceiling of %s", at)
	}
	return l.Say("%s below the ceiling of %s", valueOf(l, room.value), at)
}

// gapInterval says where a mean lies whose interval is so far below the ceiling.
func gapInterval(l message.Language, room bound, ceiling float64) string {
	if room.low != nil && room.high != nil && *room.low < -hair {
		return l.Say("between %s above and %s below the ceiling of %s", message.Digits(-*room.low), message.Digits(max(0, *room.high)), message.Plain(ceiling))
	}
	return l.Say("%s to %s below the ceiling of %s", valueOf(l, room.low), valueOf(l, room.high), message.Plain(ceiling))
}

// tooLow doubts a ceiling that the mean got past.
func tooLow(l message.Language, room bound) string {
	if room.value == nil || *room.value >= -hair {
		return ""
	}
	return l.Text(" Where the mean lies above the ceiling, see whether the ceiling is set too low.")
}

// valueOf prints a number that may be missing.
func valueOf(l message.Language, p *float64) string {
	if p == nil {
		return l.Text("unknown")
	}
	return message.Digits(*p)
}
