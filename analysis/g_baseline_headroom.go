package analysis

import (
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var baselineHeadroom = NewGate(Gate{
	Name: "baseline.headroom",
	Doc: "Blocking, on train and eval: the mean reward stays at least 3 % of the range below the ceiling (the top of the range, " +
		"or what is configured); else there is nothing left to gain. With trainer.normalize: std it is 3 % of what the rewards seen span, where that is less than 5 % of the range. Advisory: 5 %.",
	Thresholds: []Threshold{
		{"baseline.headroom", "share", "ceiling minus mean reward, as a share of the range", 0.03},
		{"baseline.headroom.caution", "share", "the same, below which it is a caution", 0.05},
	},
	Charts: []string{"rewards"},
	Words: Words{
		Why:             "Training raises the mean reward towards the ceiling. Where the model is there already, the money buys nothing.",
		Pass:            "there is room to improve: the mean reward of {mean} lies {gap}",
		Fail:            "there is nothing left to gain on {split}: the mean reward of {mean} lies {gap}",
		FailRemedy:      "Use harder items, a stricter grader, or the model as it is. {saturated} of {measured} items always earned the top. If that surprises you, read some rollouts: a grader that accepts everything looks the same.{toolow}",
		Unknown:         "there may be nothing left to gain on {split}: the mean reward lies {interval}",
		UnknownRemedy:   "{needs}",
		Caution:         "there is little left to gain on {split}: the mean reward of {mean} lies {gap}",
		CautionRemedy:   "Harder items would make training worth more.{toolow}",
		CautionUnknown:  "there may be little left to gain on {split}: the mean reward lies {interval}",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		splits := []rollout.Split{}
		if split, ok := trainingSplit(r); ok {
			splits = append(splits, split)
		}
		if r.Splits[rollout.Eval] != nil {
			splits = append(splits, rollout.Eval)
		}
		if len(splits) == 0 {
			return []Finding{skip("baseline.headroom", "", Blocking, neitherSplit.Text())}
		}
		var out []Finding
		for _, split := range splits {
			sr, rng := r.Splits[split], r.rng()
			e := sr.Reward.Estimate
			var inFile *int // eval speaks of items like these, train of its file
			if split != rollout.Eval {
				e, inFile = onFile(e, sr, r, rng), sr.Items.InFile
			}
			room := minus(boundOf(e), r.Ceiling)
			head := stat.Estimate{Value: room.value, SE: e.SE, Low: room.low, High: room.high, N: e.N, Items: e.Items}
			out = append(out, estimated{
				gate: "baseline.headroom", unit: "reward", width: rng.Width(), span: spanSeen(sr, r), estimate: head, bound: room,
				bottom: r.Ceiling - rng.Hi, samples: max(int(sr.Samples.Median), r.GroupSize), inFile: inFile, items: itemsOfClass(sr, Saturated),
				vars: message.Args{
					"mean": message.Known(e.Value), "gap": message.Said(gap(room, r.Ceiling)), "interval": message.Said(gapInterval(room, r.Ceiling)), "toolow": message.Said(tooLow(room)),
					"saturated": message.Int(sr.Classes.Counts[Saturated]), "measured": message.Int(sr.Items.Measured),
				},
			}.findings(r, t, split)...)
		}
		return out
	},
})

// spanSeen is the distance from the least to the largest reward of a split, for a
// trainer that divides by a group's standard deviation and so knows no other
// scale; 0 for other trainers, and where rewards do not differ.
func spanSeen(sr *SplitResult, r *Result) float64 {
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

// gap says where a mean lies that is so far below the ceiling.
func gap(room bound, ceiling float64) message.Text {
	at := message.Number(ceiling)
	switch {
	case room.value != nil && *room.value < -hair:
		return aboveCeiling.With(message.Args{"value": message.Number(-*room.value), "ceiling": at})
	case room.value != nil && *room.value < hair:
		return atCeiling.With(message.Args{"ceiling": at})
	}
	return belowCeiling.With(message.Args{"value": message.Known(room.value), "ceiling": at})
}

// gapInterval says where a mean lies whose interval is so far below the ceiling.
func gapInterval(room bound, ceiling float64) message.Text {
	if room.low != nil && room.high != nil && *room.low < -hair {
		return aroundCeiling.With(message.Args{"low": message.Number(-*room.low), "high": message.Number(max(0, *room.high)), "ceiling": message.Number(ceiling)})
	}
	return rangeBelowCeiling.With(message.Args{"low": message.Known(room.low), "high": message.Known(room.high), "ceiling": message.Number(ceiling)})
}

// tooLow doubts a ceiling that the mean got past.
func tooLow(room bound) message.Text {
	if room.value == nil || *room.value >= -hair {
		return message.Text{}
	}
	return ceilingTooLow.Text()
}

var (
	aboveCeiling      = message.New("baseline.headroom.above", "{value} above the ceiling of {ceiling}")
	atCeiling         = message.New("baseline.headroom.at", "at the ceiling of {ceiling}")
	belowCeiling      = message.New("baseline.headroom.below", "{value} below the ceiling of {ceiling}")
	aroundCeiling     = message.New("baseline.headroom.around", "between {low} above and {high} below the ceiling of {ceiling}")
	rangeBelowCeiling = message.New("baseline.headroom.range_below", "{low} to {high} below the ceiling of {ceiling}")
	ceilingTooLow     = message.New("baseline.headroom.ceiling_low", " Where the mean lies above the ceiling, see whether the ceiling is set too low.")
)

var neitherSplit = message.New("skip.no_split", "there is neither a train nor an eval split")
