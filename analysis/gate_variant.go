package analysis

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

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
			return []Finding{skipped(variantsGate, "", Advisory, "no variants were sampled")}
		}
		j := judgement{gate: variantsGate, severity: Advisory, unit: "reward", want: "<= " + number(v.Tolerance)}
		if v.Split == nil {
			return []Finding{j.finding(Unknown, bound{})}
		}
		j.split = *v.Split
		best, status := v.foremost()
		sp := v.Ranking(best)
		j.vars = v.words(r, best, sp)
		j.needs = sp.settling(len(v.Ranked), v.Tolerance, r.Confidence)
		j.settles = j.needs != nil
		return []Finding{j.finding(status, boundOf(sp.Reward.Estimate))}
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
			others = append(others, of.Name+" ("+signed(*v.Ranking(of).Reward.Value)+")")
		}
	}
	also := ""
	if len(others) > 0 {
		also = "; so do " + strings.Join(others, ", ")
		if len(others) == 1 {
			also = "; so does " + others[0]
		}
	}
	return map[string]string{
		"variant": best.Name, "gain": signedInterval(sp.Reward.Estimate), "items": plural(sp.Reward.Items, "item"),
		"against": v.against(sp.Reward.Estimate), "lift": liftWords(r, *sp.Reward.Value), "also": also,
		"changes": changed(best.Changes), "price": price(sp.Costs), "p": corrected(sp.Reward.PHolm), "tested": plural(len(v.Ranked), "variant"),
	}
}

// against holds a gain against the one hoped for from training.
func (v *Variants) against(e stat.Estimate) string {
	hoped := digits(v.Hoped)
	switch {
	case v.Hoped <= 0:
		return ""
	case e.Low != nil && *e.Low >= v.Hoped:
		return ", more than the gain of " + hoped + " that training is hoped to bring"
	case *e.Value >= v.Hoped:
		return ", where training is hoped to bring " + hoped
	}
	return ", less than the " + hoped + " that training is hoped to bring"
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
	how := "For scale: "
	if gain > lift {
		how = "That is more than the whole lift: "
	}
	return fmt.Sprintf(" %schoosing the best of %s rollouts on %s, which is what training learns from, is worth %s.", how, count(best.K), split, digits(lift))
}

// changed names what a variant changes.
func changed(list []rollout.Change) string {
	var keys []string
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return strings.Join(keys, ", ")
}

// price words what a variant costs in tokens and seconds, where that is shown.
func price(costs []Difference) string {
	var parts []string
	for _, d := range costs {
		unit := map[string]string{"tool_calls": "tool calls", "input_tokens": "input tokens", "output_tokens": "output tokens", "latency": "seconds"}[d.Name]
		if unit == "" || d.Value == nil || d.Direction == "unclear" {
			continue
		}
		parts = append(parts, signed(*d.Value)+" "+unit)
	}
	if len(parts) == 0 {
		return ""
	}
	return " A rollout takes " + strings.Join(parts, ", ") + "."
}

func corrected(p *float64) string {
	if p == nil {
		return ""
	}
	return ", corrected " + pValue(*p)
}
