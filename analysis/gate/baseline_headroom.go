package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	headroomLimit = analysis.Threshold{
		Name: "baseline.headroom", Unit: "share",
		Doc: "ceiling minus mean reward, as a share of the range", Default: 0.03,
	}
	headroomCaution = analysis.Threshold{
		Name: "baseline.headroom.caution", Unit: "share",
		Doc: "the same, below which it is a caution", Default: 0.12,
	}
)

var baselineHeadroom = &analysis.Gate{
	Name:      "baseline.headroom",
	Label:     "Room to improve",
	OnRewards: true,
	Claim:     analysis.NothingToLearn,
	Headline:  true,
	Doc: "Blocking, on train and eval: the mean reward stays at least 3 % of the range below the ceiling (the top " +
		"of the range, " +
		"or what is configured); else there is nothing left to gain. With trainer.normalize: std it is 3 % of the " +
		"observed span of rewards if that is less than 5 % of the range. Advisory: 12 %, as the three published " +
		"cases whose base was at 88 % or more gained under 5 points (SimpleRL-Zoo, arXiv 2503.18892).",
	Thresholds: []analysis.Threshold{headroomLimit, headroomCaution},
	Charts:     []string{"rewards"},
	Words: analysis.Words{
		Why: "Training raises the mean reward towards the ceiling. If the model is already there, the " +
			"money buys nothing.",
		Pass: "there is room to improve: the mean reward of {mean} is {gap}",
		Fail: "there is nothing left to gain on {split}: the mean reward of {mean} is {gap}",
		FailRemedy: "Read a few rollouts that earned the top: a grader that accepts everything looks like " +
			"this. If they are right, replace the items that always earn the top ({saturated} of {measured}) with " +
			"harder ones, or use the model as it is.{toolow}",
		Unknown:       "there may be nothing left to gain on {split}: the mean reward is {interval}",
		UnknownRemedy: "{needs}",
		Caution:       "there is little left to gain on {split}: the mean reward of {mean} is {gap}",
		CautionRemedy: "Harder items would make training worth more: the three published cases whose base was at " +
			"88 % or more gained under 5 points (SimpleRL-Zoo, arXiv 2503.18892).{toolow}",
		CautionUnknown:  "there may be little left to gain on {split}: the mean reward is {interval}",
		CautionUnknownR: "{needs}",
	},
	Check: levelled(analysis.Blocking, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		splits := []rollout.Split{}
		if split, ok := analysis.TrainingSplit(r); ok {
			splits = append(splits, split)
		}
		if r.Splits[rollout.Eval] != nil {
			splits = append(splits, rollout.Eval)
		}
		if len(splits) == 0 {
			return analysis.Skip("", analysis.Blocking, neitherSplit.Text())
		}
		var out []analysis.Finding
		for _, split := range splits {
			sr, rng := r.Splits[split], r.Range()
			e := sr.Reward.Estimate
			var inFile *int // eval speaks for items like these, train for its file
			if split != rollout.Eval {
				e, inFile = onFile(e, sr, r, rng), sr.Items.InFile
			}
			room := minus(analysis.BoundOf(e), r.Ceiling)
			head := stat.Estimate{Value: room.Value, SE: e.SE, Low: room.Low, High: room.High, N: e.N, Items: e.Items}
			out = append(out, estimated{
				blocking: headroomLimit, caution: headroomCaution, unit: "reward", width: rng.Width(),
				span: spanSeen(sr, r), estimate: head, bound: room,
				bottom: r.Ceiling - rng.Hi, samples: max(int(sr.Samples.Median), r.GroupSize), inFile: inFile,
				items: itemsOfClass(sr, analysis.Saturated),
				vars: message.Args{
					"mean": message.Known(e.Value), "gap": message.Nested(gap(room, r.Ceiling)),
					"interval": message.Nested(gapInterval(room, r.Ceiling)), "toolow": message.Nested(tooLow(room)),
					"saturated": message.Int(sr.Classes.Counts[analysis.Saturated]),
					"measured":  message.Int(sr.Items.Measured),
				},
			}.findings(r, t, split)...)
		}
		return out
	}),
}

// spanSeen returns the distance from the lowest to the highest reward of a split for a trainer that
// divides by a group's standard deviation and so has no other scale; 0 for other trainers, and if
// rewards do not differ.
func spanSeen(sr *analysis.SplitResult, r *analysis.Result) float64 {
	if r.Normalize != analysis.NormalizeStd {
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

// gap describes how far a mean is from the ceiling, given its distance below it.
func gap(room analysis.Bound, ceiling float64) message.Text {
	limit := message.Number(ceiling)
	switch {
	case room.Value != nil && *room.Value < -roundingSlack:
		return aboveCeiling.With(message.Args{"value": message.Number(-*room.Value), "ceiling": limit})
	case room.Value != nil && *room.Value < roundingSlack:
		return atCeiling.With(message.Args{"ceiling": limit})
	}
	return belowCeiling.With(message.Args{"value": message.Known(room.Value), "ceiling": limit})
}

// gapInterval describes how far the interval of a mean is from the ceiling, given its distance
// below it.
func gapInterval(room analysis.Bound, ceiling float64) message.Text {
	if room.Low != nil && room.High != nil && *room.Low < -roundingSlack {
		return aroundCeiling.With(message.Args{
			"low":  message.Number(-*room.Low),
			"high": message.Number(max(0, *room.High)), "ceiling": message.Number(ceiling),
		})
	}
	return rangeBelowCeiling.With(message.Args{
		"low": message.Known(room.Low), "high": message.Known(room.High),
		"ceiling": message.Number(ceiling),
	})
}

// tooLow questions the ceiling if the mean exceeds it.
func tooLow(room analysis.Bound) message.Text {
	if room.Value == nil || *room.Value >= -roundingSlack {
		return message.Text{}
	}
	return ceilingTooLow.Text()
}

var (
	aboveCeiling  = message.New("baseline.headroom.above", "{value} above the ceiling of {ceiling}")
	atCeiling     = message.New("baseline.headroom.at", "at the ceiling of {ceiling}")
	belowCeiling  = message.New("baseline.headroom.below", "{value} below the ceiling of {ceiling}")
	aroundCeiling = message.New("baseline.headroom.around",
		"between {low} above and {high} below the ceiling of {ceiling}")
	rangeBelowCeiling = message.New("baseline.headroom.range_below", "{low} to {high} below the ceiling of {ceiling}")
	ceilingTooLow     = message.New("baseline.headroom.ceiling_low",
		" If the mean is above the ceiling, check whether the ceiling is set too low.")
)

var neitherSplit = message.New("skip.no_split", "there is neither a train nor an eval split")
