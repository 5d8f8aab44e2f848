package gate

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	enoughItems = analysis.Threshold{
		Name: "data.enough.items", Unit: "items",
		Doc: "fewest items, each sampled min(group size, 4) times, for a verdict", Default: 20,
	}
	enoughLost = analysis.Threshold{
		Name: "data.enough.lost", Unit: "share",
		Doc: "largest share of sampled items that may be without any reward", Default: 0.02,
	}
)

var dataEnough = &analysis.Gate{
	Name:  "data.enough",
	Label: "Items and samples",
	Doc: "Blocking: at least 20 items, each with min(group size, 4) valid rollouts, and at most 2 % of the sampled " +
		"items lost; " +
		"else the run cannot decide. Judged on train, else on eval. Advisory: at least 100 items and 8 samples.",
	Thresholds: []analysis.Threshold{enoughItems, enoughLost},
	Charts:     []string{"variance"},
	Words: analysis.Words{
		Why: "With few items or few samples every number below is a guess: chance alone can make a " +
			"hopeless task look trainable, or the reverse.",
		Pass: "{have|item was|items were} sampled often enough to decide",
		Unknown: "{have|item has|items have} at least {least|valid rollout}, of {sampled} sampled ({lost} " +
			"with none)",
		UnknownRemedy:   "Sample more items, or more rollouts of each, or fix what made rollouts fail.",
		Caution:         "{have|item} with {median|valid rollout} each (median): little data",
		CautionRemedy:   "The intervals are wide. 100 items with 8 samples each are a good basis.",
		CautionUnknown:  "the number of items is not known",
		CautionUnknownR: "",
	},
	Check: onSplit(analysis.Blocking, trainingOrEval, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		want, least := Enough(t, r.GroupSize)
		have := 0
		short := []string{}
		for _, it := range sr.Classes.Items {
			if it.N >= least {
				have++
			} else if len(short) < analysis.MaxItemsListed {
				short = append(short, it.Item)
			}
		}
		lost := stat.Fraction(len(sr.Items.Lost), sr.Items.Sampled)
		j := analysis.Judgement{
			Split: split, Severity: analysis.Blocking, Unit: "items",
			Want: wantItemsLost.With(message.Args{
				"limit": message.Int(want), "samples": message.Int(least),
				"lost": message.Share(t.At(enoughLost)),
			}),
			Args: message.Args{
				"have": message.Int(have), "sampled": message.Int(sr.Items.Sampled), "least": message.Int(least),
				"lost": message.Int(len(sr.Items.Lost)),
			},
			Needs: &analysis.Needs{Items: max(want, have), Samples: max(least, sr.Samples.Max)}, Settles: true,
		}
		status := analysis.Pass
		if have < want || lost > t.At(enoughLost) {
			status = analysis.Unknown
			switch {
			case have == sr.Items.Sampled: // nothing was lost, and no item has too few samples
				j.Args["more"] = message.Int(want - have)
				j.Instead, j.Want = &fewWords,
					wantItems.With(message.Args{"limit": message.Int(want), "samples": message.Int(least)})
				switch all := sr.Items.InFile; {
				case all == nil || *all <= sr.Items.Sampled:
				case *all >= want:
					j.Instead = &subsetWords
				default:
					j.Args["more"] = message.Int(want - *all)
				}
			case have >= want: // with more items, as many would be lost
				j.Instead, j.Needs.Items = &lostWords, sr.Items.Sampled
				j.Args["fix"] = message.Nested(makeMissing.Text())
				if r.Run.Source == string(rollout.Import) {
					j.Args["fix"] = message.Nested(importAgain.Text())
				}
				j.Args["lostshare"], j.Args["most"], j.Args["cause"] = message.Share(lost),
					message.Share(t.At(enoughLost)), message.Nested(firstCause(sr))
			}
			j.Items = append(slices.Clone(sr.Items.Lost), short...)
			j.Items = j.Items[:min(len(j.Items), analysis.MaxItemsListed)]
		}
		return []analysis.Finding{j.Finding(status, analysis.Observed(float64(have))), enoughCaution(r, split)}
	}),
}

// Enough returns how many items data.enough requires, and how many valid rollouts of each. A run
// with fewer decides nothing.
func Enough(t analysis.Thresholds, groupSize int) (items, samples int) {
	return int(t.At(enoughItems)), min(groupSize, 4)
}

// fewWords replaces the words if only items are missing.
var fewWords = analysis.NewWording("data.enough.few", "only {sampled|item was|items were} sampled",
	"Add at least {more|item} to the data file.")

// subsetWords replaces the words if the data file has more items than were sampled.
var subsetWords = analysis.NewWording("data.enough.subset", "only {sampled|item was|items were} sampled",
	"Sample at least {more|other item} of the data file.")

func enoughCaution(r *analysis.Result, split rollout.Split) analysis.Finding {
	sr := r.Splits[split]
	const items, samples = 100, 8
	j := analysis.Judgement{
		Split: split, Severity: analysis.Advisory, Unit: "items",
		Want: wantItems.With(message.Args{"limit": message.Int(items), "samples": message.Int(samples)}),
		Args: message.Args{"have": message.Int(sr.Items.Measured), "median": message.Number(sr.Samples.Median)},
	}
	return j.Finding(failIf(sr.Items.Measured < items || sr.Samples.Median < samples),
		analysis.Observed(float64(sr.Items.Measured)))
}

var (
	wantItemsLost = message.New("want.items_lost",
		"≥ {limit|item} with ≥ {samples|sample} each; ≤ {lost} of items without any reward")
	wantItems = message.New("want.items", "≥ {limit|item} with ≥ {samples|sample} each")
)

// lostWords replaces the words if there are enough items but too many of them were lost.
var lostWords = analysis.NewWording("data.enough.lost",
	"{lost} of {sampled|sampled item} ({lostshare}) had no valid rollout at all; at most {most} may be lost",
	"The items that were lost may differ from the rest, so the numbers may not hold for them. {fix} Most frequent "+
		"cause: {cause}.")

var makeMissing = message.New("data.enough.make_missing",
	"Fix what made their rollouts fail, then run the same command again: it makes only the missing rollouts.")
