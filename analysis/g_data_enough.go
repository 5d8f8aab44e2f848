package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var dataEnough = NewGate(Gate{
	Name: "data.enough",
	Doc: "Blocking: at least 20 items, each with min(group size, 4) valid rollouts, and at most 2 % of the sampled items lost; " +
		"else the run cannot decide. Advisory: at least 100 items and 8 samples.",
	Thresholds: []Threshold{
		{"data.enough.items", "items", "fewest items, each sampled min(group size, 4) times, for a verdict", 20},
		{"data.enough.lost", "share", "largest share of sampled items that may be without any reward", 0.02},
	},
	Charts: []string{"variance"},
	Words: Words{
		Why:             "With few items or few samples every number below is a guess: chance alone can make a hopeless task look trainable, or the reverse.",
		Pass:            "{have} items were sampled often enough to decide",
		Unknown:         "{have} items with at least {least} valid rollouts each (of {sampled} sampled, {lost} without any) cannot decide; {wanted} are needed",
		UnknownRemedy:   "Sample more items, or more rollouts of each, or mend what made rollouts fail. {needs}",
		Caution:         "{have} items with {median} valid rollouts each (median) are a small basis",
		CautionRemedy:   "The verdict stands, but its intervals are wide. 100 items with 8 samples each are a good basis.",
		CautionUnknown:  "the number of items is not known",
		CautionUnknownR: "",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skip("data.enough", rollout.Train, Blocking, noTraining.Text())}
		}
		sr := r.Splits[split]
		least := min(r.GroupSize, 4)
		have := 0
		short := []string{}
		for _, it := range sr.Classes.Items {
			if it.N >= least {
				have++
			} else if len(short) < itemsListed {
				short = append(short, it.Item)
			}
		}
		want := int(t.At("data.enough.items"))
		lost := stat.Fraction(len(sr.Items.Lost), sr.Items.Sampled)
		j := judgement{
			gate: "data.enough", split: split, severity: Blocking, unit: "items",
			want: wantItemsLost.With(message.Args{"limit": message.Int(want), "samples": message.Int(least), "lost": message.Share(t.At("data.enough.lost"))}),
			vars: message.Args{
				"have": message.Int(have), "sampled": message.Int(sr.Items.Sampled), "least": message.Int(least),
				"lost": message.Int(len(sr.Items.Lost)), "wanted": message.Int(want),
			},
			needs: &Needs{Items: max(want, have), Samples: max(least, sr.Samples.Max)}, settles: true,
		}
		status := Pass
		if have < want || lost > t.At("data.enough.lost") {
			status = Unknown
			if have >= want { // more items would lose as many
				j.said, j.needs.Items = &lostWords, sr.Items.Sampled
				j.vars["lostshare"], j.vars["most"], j.vars["cause"] = message.Share(lost), message.Share(t.At("data.enough.lost")), message.Said(firstCause(sr))
			}
			j.items = append(slices.Clone(sr.Items.Lost), short...)
			j.items = j.items[:min(len(j.items), itemsListed)]
		}
		return []Finding{j.finding(status, observed(float64(have))), enoughCaution(r, split)}
	},
})

func enoughCaution(r *Result, split rollout.Split) Finding {
	sr := r.Splits[split]
	const items, samples = 100, 8
	j := judgement{
		gate: "data.enough", split: split, severity: Advisory, unit: "items",
		want: wantItems.With(message.Args{"limit": message.Int(items), "samples": message.Int(samples)}),
		vars: message.Args{"have": message.Int(sr.Items.Measured), "median": message.Number(sr.Samples.Median)},
	}
	status := Pass
	if sr.Items.Measured < items || sr.Samples.Median < samples {
		status = Fail
	}
	return j.finding(status, observed(float64(sr.Items.Measured)))
}

var (
	wantItemsLost = message.New("want.items_lost", "≥ {limit} items with {samples} samples, at most {lost} lost")
	wantItems     = message.New("want.items", "≥ {limit} items with {samples} samples")
)

// lostWords are said where items are enough, and too many of them were lost.
var lostWords = newWording("data.enough.lost", "{lost} of {sampled} sampled items ({lostshare}) have no valid rollout at all; at most {most} may be lost",
	"The items that were lost may differ from the rest, so that the numbers may not hold for them. Fix what made their rollouts fail, then run the same command again: only what is missing is made. Most frequent cause: {cause}.")
