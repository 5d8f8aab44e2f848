package analysis

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const variantsGate = "variants.gain"

var variantsGain = Gate{
	Name: variantsGate,
	Doc: "Advisory, where variants were sampled: no variant of the prompt, the tools' descriptions, the reasoning effort or the model gains by itself, " +
		"compared item by item and corrected for the number of variants. One that gains is the cheaper lever and comes before training.",
	Check: func(r *Result, _ Thresholds) []Finding {
		v := r.Variants
		if v == nil || len(v.Ranked) == 0 {
			return []Finding{skipped(r.Lang, variantsGate, "", Advisory, "no variants were sampled")}
		}
		j := judgement{gate: variantsGate, severity: Advisory, unit: "reward", want: "<= " + message.Plain(v.Tolerance)}
		if v.Split == nil {
			return []Finding{j.finding(r.Lang, Unknown, bound{})}
		}
		j.split = *v.Split
		best, status := v.foremost()
		sp := v.Ranking(best)
		j.vars = v.words(r, best, sp)
		j.needs = sp.settling(len(v.Ranked), v.Tolerance, r.Confidence)
		j.settles = j.needs != nil
		return []Finding{j.finding(r.Lang, status, boundOf(sp.Reward.Estimate))}
	},
}

// foremost is the variant that the finding speaks of: the best of those that
// gain, else the best of those that might, else the best.
func (v *Variants) foremost() (*Variant, Status) {
	for _, want := range []struct {
		answer VariantAnswer
		status Status
	}{{Gains, Fail}, {Untold, Unknown}} {
		for i := range v.Ranked {
			sp := v.Ranking(&v.Ranked[i])
			if v.Ranked[i].Answer == want.answer && sp != nil && sp.Reward.Known() {
				return &v.Ranked[i], want.status
			}
		}
	}
	return &v.Ranked[0], Pass
}

// settling says how many items, sampled as these, would tell whether the variant
// gains, were its difference what it looks like: until it stands beside the
// correction for all variants, or a difference of delta would have been seen.
func (sp *VariantSplit) settling(variants int, tolerance, conf float64) *Needs {
	e := sp.Reward.Estimate
	if e.SE == nil || e.Items < 2 {
		return nil
	}
	items := math.Inf(1)
	if beyond := math.Abs(*e.Value) - tolerance; beyond > 0 && *e.SE > 0 {
		z := distuv.UnitNormal.Quantile(1 - (1-conf)/2/float64(variants))
		items = max(fewItems, float64(e.Items+1), float64(e.Items)*math.Pow(z**e.SE/beyond, 2))
	}
	if sp.Needs != nil {
		items = min(items, float64(sp.Needs.Items))
	}
	if items > 1e9 {
		return nil
	}
	return &Needs{Items: int(math.Ceil(items)), Samples: max(1, int(sp.Samples.New.Median))}
}

// words are what the finding's messages say of a variant.
func (v *Variants) words(r *Result, best *Variant, sp *VariantSplit) map[string]string {
	var others []string
	for i := range v.Ranked {
		if of := &v.Ranked[i]; of.Answer == Gains && of != best {
			others = append(others, r.Lang.Say("%s (%s)", of.Name, signed(*v.Ranking(of).Reward.Value)))
		}
	}
	also := ""
	if len(others) > 0 {
		also = r.Lang.Say("; so do %s", strings.Join(others, r.Lang.Text(", ")))
		if len(others) == 1 {
			also = r.Lang.Say("; so does %s", others[0])
		}
	}
	return map[string]string{
		"variant": best.Name, "gain": signedInterval(sp.Reward.Estimate), "items": r.Lang.Count(sp.Reward.Items, "item"),
		"against": v.against(r.Lang, sp.Reward.Estimate), "lift": liftWords(r, *sp.Reward.Value), "also": also,
		"changes": changed(r.Lang, best.Changes), "price": price(r.Lang, sp.Costs), "p": corrected(r.Lang, sp.Reward.PHolm), "tested": r.Lang.Count(len(v.Ranked), "variant"),
	}
}

// against holds a gain against the one hoped for from training.
func (v *Variants) against(l message.Language, e stat.Estimate) string {
	hoped := message.Digits(v.Hoped)
	switch {
	case v.Hoped <= 0:
		return ""
	case e.Low != nil && *e.Low >= v.Hoped:
		return l.Say(", more than the gain of %s that training is hoped to bring", hoped)
	case *e.Value >= v.Hoped:
		return l.Say(", where training is hoped to bring %s", hoped)
	}
	return l.Say(", less than the %s that training is hoped to bring", hoped)
}

// liftWords holds a gain against the lift of the split that training would see,
// at the group size.
func liftWords(r *Result, gain float64) string {
	split, ok := trainingSplit(r)
	if !ok || !r.Splits[split].Lift.Known() {
		return ""
	}
	best, _ := r.Splits[split].BestAt(r.GroupSize)
	lift := *r.Splits[split].Lift.Value
	how := " For scale: choosing the best of %s rollouts on %s, which is what training learns from, is worth %s."
	if gain > lift {
		how = " That is more than the whole lift: choosing the best of %s rollouts on %s, which is what training learns from, is worth %s."
	}
	return r.Lang.Say(how, message.Whole(best.K), split, message.Digits(lift)) //nolint:govet // one of two constants
}

// changed names what a variant changes.
func changed(l message.Language, list []rollout.Change) string {
	var keys []string
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return strings.Join(keys, l.Text(", "))
}

// costUnits are the costs of a rollout that are told.
var costUnits = map[string]string{"tool_calls": "%s tool calls", "input_tokens": "%s input tokens", "output_tokens": "%s output tokens", "latency": "%s seconds"}

// price words what a variant costs in tokens and seconds, where that is shown.
func price(l message.Language, costs []Difference) string {
	var parts []string
	for _, d := range costs {
		unit := costUnits[d.Name]
		if unit == "" || d.Value == nil || d.Direction == "unclear" {
			continue
		}
		parts = append(parts, l.Say(unit, signed(*d.Value))) //nolint:govet // one of costUnits
	}
	if len(parts) == 0 {
		return ""
	}
	return l.Say(" A rollout takes %s.", strings.Join(parts, l.Text(", ")))
}

func corrected(l message.Language, p *float64) string {
	if p == nil {
		return ""
	}
	return l.Say(", corrected %s", message.P(*p))
}
