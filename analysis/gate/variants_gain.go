package gate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const variantsGate = "variants.gain"

var variantsGain = &analysis.Gate{
	Name:      variantsGate,
	Label:     "Gain of a variant",
	OnRewards: true,
	Doc: "Advisory, if variants were sampled: no variant of the prompt, the tools' descriptions, the reasoning " +
		"effort or the model gains by itself, " +
		"compared item by item and corrected for the number of variants. One that gains is the cheaper lever and " +
		"comes before training.",
	Charts: []string{"variants"},
	Words: analysis.Words{
		Why: "A better prompt, clearer tool descriptions, more reasoning effort or another model costs " +
			"nothing to train and can be taken back in a minute. Take that gain first; training is then judged from " +
			"there, and may have less left to gain.",
		Pass:    "no variant gains: the best of {tested}, {variant}, changes the mean reward by {gain}",
		Caution: "the variant {variant} already gains {gain} without any training{against}{also}",
		CautionRemedy: "Adopt it first (it changes {changes}), then run again from there. Measured on {items}, " +
			"each item against itself{p}.{price}{lift}",
		CautionUnknown:  "it is not clear whether a variant gains: {variant} changes the mean reward by {gain}{p}",
		CautionUnknownR: "{needs}",
		Unmeasured:      "not known: no variant could be compared with the base",
		UnmeasuredR:     "Run the same command again: it makes the rollouts that the variants still lack.",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		v := r.Variants
		if v == nil || len(v.Ranked) == 0 {
			return analysis.Skip("", analysis.Advisory, noVariants.Text())
		}
		j := analysis.Judgement{Severity: analysis.Advisory, Unit: "reward", Want: analysis.WantAtMost(v.Tolerance)}
		if v.Split == nil {
			return []analysis.Finding{j.Finding(analysis.Unknown, analysis.Bound{})}
		}
		j.Split = *v.Split
		best, status := foremost(v)
		sp := v.Ranking(best)
		j.Args = variantWords(v, r, best, sp)
		j.Needs = settling(sp, len(v.Ranked), v.Tolerance, r.Confidence)
		j.Settles = j.Needs != nil
		return []analysis.Finding{j.Finding(status, analysis.BoundOf(sp.Reward.Estimate))}
	},
}

// foremost returns the variant that the finding is about: the best of those that gain, else the
// best of those that might, else the best.
func foremost(v *analysis.Variants) (*analysis.Variant, analysis.Status) {
	for _, want := range []struct {
		answer analysis.VariantAnswer
		status analysis.Status
	}{{analysis.Gains, analysis.Fail}, {analysis.CannotTell, analysis.Unknown}} {
		if best := v.Foremost(want.answer); best != nil {
			return best, want.status
		}
	}
	for _, answer := range []analysis.VariantAnswer{analysis.NoDifference, analysis.Loses} {
		if best := v.Foremost(answer); best != nil {
			return best, analysis.Pass
		}
	}
	return &v.Ranked[0], analysis.Pass
}

// settling returns how many items, with the same samples, would show whether the variant gains:
// enough for its present difference to be significant after the correction for all variants, or
// enough to detect a change of delta.
func settling(sp *analysis.VariantSplit, variants int, tolerance, conf float64) *analysis.Needs {
	e := sp.Reward.Estimate
	if e.SE == nil || e.Items < 2 {
		return nil
	}
	items := math.Inf(1)
	if beyond := math.Abs(*e.Value) - tolerance; beyond > 0 && *e.SE > 0 {
		z := distuv.UnitNormal.Quantile(1 - (1-conf)/2/float64(variants))
		items = max(analysis.FewItems, float64(e.Items+1), float64(e.Items)*math.Pow(z**e.SE/beyond, 2))
	}
	if sp.Needs != nil {
		items = min(items, float64(sp.Needs.Items))
	}
	if items > 1e9 {
		return nil
	}
	return &analysis.Needs{Items: int(math.Ceil(items)), Samples: max(1, int(sp.Samples.New.Median))}
}

// variantWords returns the arguments about a variant for the finding's messages.
func variantWords(v *analysis.Variants, r *analysis.Result, best *analysis.Variant,
	sp *analysis.VariantSplit,
) message.Args {
	var others []message.Text
	for i := range v.Ranked {
		if other := &v.Ranked[i]; other.Answer == analysis.Gains && other != best {
			others = append(others,
				pairIs.With(message.Args{
					"pair": message.Name(other.Name),
					"what": message.Change(*v.Ranking(other).Reward.Value),
				}))
		}
	}
	var also message.Text
	if len(others) > 0 {
		also = soDo.With(message.Args{"variants": message.Nested(message.Commas(others...))})
		if len(others) == 1 {
			also = soDoes.With(message.Args{"variant": message.Nested(others[0])})
		}
	}
	return message.Args{
		"variant": message.Name(best.Name),
		"gain":    message.Nested(message.ChangeWithin(*sp.Reward.Value, sp.Reward.Low, sp.Reward.High)),
		"items":   message.Count(sp.Reward.Items, "item"),
		"against": message.Nested(againstHoped(v, sp.Reward.Estimate)),
		"lift":    message.Nested(liftWords(r, *sp.Reward.Value)), "also": message.Nested(also),
		"changes": changed(best.Changes), "price": message.Nested(price(sp.Costs)),
		"p": message.Nested(corrected(sp.Reward.PHolm)), "tested": message.Count(len(v.Ranked), "variant"),
	}
}

// againstHoped compares a gain with the one hoped for from training.
func againstHoped(v *analysis.Variants, e stat.Estimate) message.Text {
	hoped := message.Digits(v.Hoped)
	switch {
	case v.Hoped <= 0:
		return message.Text{}
	case e.Low != nil && *e.Low >= v.Hoped:
		return moreThanHoped.With(message.Args{"gain": message.Name(hoped)})
	case *e.Value >= v.Hoped:
		return asHoped.With(message.Args{"gain": message.Name(hoped)})
	}
	return lessThanHoped.With(message.Args{"gain": message.Name(hoped)})
}

// liftWords compares a gain with the lift of the split that training would see, at the group size.
func liftWords(r *analysis.Result, gain float64) message.Text {
	split, ok := analysis.TrainingSplit(r)
	if !ok || !r.Splits[split].Lift.Known() {
		return message.Text{}
	}
	best, _ := r.Splits[split].BestAt(r.GroupSize)
	lift := *r.Splits[split].Lift.Value
	how := liftForScale
	if gain > lift {
		how = moreThanLift
	}
	return how.With(message.Args{"k": message.Int(best.K), "split": message.Name(split), "lift": message.Number(lift)})
}

// changed lists the keys that a variant changes.
func changed(list []rollout.Change) message.Arg {
	var keys []string
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return message.Names(keys)
}

// costUnits are the costs of a rollout that are reported.
var costUnits = map[string]message.Def{
	"tool_calls":    message.New("variants.gain.tool_calls", "{n|tool call}"),
	"input_tokens":  message.New("variants.gain.input_tokens", "{n|input token}"),
	"output_tokens": message.New("variants.gain.output_tokens", "{n|output token}"),
	"latency":       message.New("variants.gain.latency", "{n|second}"),
}

// price describes what a variant costs in tokens and seconds, as far as the differences are clear.
func price(costs []analysis.Difference) message.Text {
	var parts []message.Text
	for _, d := range costs {
		unit, known := costUnits[d.Name]
		if !known || d.Value == nil || d.Direction == "unclear" {
			continue
		}
		parts = append(parts, unit.With(message.Args{"n": message.Change(*d.Value)}))
	}
	if len(parts) == 0 {
		return message.Text{}
	}
	return rolloutTakes.With(message.Args{"costs": message.Nested(message.Commas(parts...))})
}

func corrected(p *float64) message.Text {
	if p == nil {
		return message.Text{}
	}
	return correctedP.With(message.Args{"p": message.PValue(*p)})
}

var (
	soDo          = message.New("variants.gain.so_do", "; so do {variants}")
	soDoes        = message.New("variants.gain.so_does", "; so does {variant}")
	moreThanHoped = message.New("variants.gain.more", ", more than the gain of {gain} that training is hoped to bring")
	asHoped       = message.New("variants.gain.as", ", and training is hoped to bring {gain}")
	lessThanHoped = message.New("variants.gain.less", ", less than the {gain} that training is hoped to bring")
	rolloutTakes  = message.New("variants.gain.takes", " A rollout takes {costs}.")
	correctedP    = message.New("variants.gain.p", ", corrected {p}")
)

var noVariants = message.New("skip.no_variants", "no variants were sampled")

var (
	liftForScale = message.New("variants.gain.lift",
		" For scale: choosing the best of {k|rollout} on {split}, which is what training learns from, is worth {lift}.")
	moreThanLift = message.New("variants.gain.more_than_lift", " That is more than the whole lift: choosing the "+
		"best of {k|rollout} on {split}, which is what training learns from, is worth {lift}.")
)
