package measure

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// evaluated is the eval split as sampled by evaluations during training.
type evaluated struct {
	sr    *analysis.SplitResult
	items []*collect.Item
}

// cost returns the cost of one evaluation, and its number of items.
func (e *evaluated) cost(c *evidence, s analysis.Settings) (analysis.PlanCost, int) {
	s.GroupSize = s.EvalSamples
	rows := e.sr.Items.Sampled
	if e.sr.Items.InFile != nil {
		rows = *e.sr.Items.InFile
	}
	evalCosts := costs{
		sr: e.sr, s: s, seconds: elapsed(e.items), judged: judged(e.items),
		calls: callsByTool(e.items, len(c.Tools)), money: rolloutMoney(e.items, c.Tools, s),
	}
	cost := evalCosts.of(float64(rows))
	cost.InformativeGroups = stat.Estimate{Method: "an evaluation trains nothing", Warnings: []message.Text{}}
	return cost, rows
}

// flopPerToken is the work of a forward and a backward pass for each parameter and
// token (Kaplan et al. 2020, arXiv 2001.08361, section 2.1).
const flopPerToken = 6

// trainer adds the trainer's work on the rollouts of a step or an epoch.
func trainer(cost *analysis.PlanCost, s analysis.Settings) {
	if !cost.InputTokens.Known() || !cost.OutputTokens.Known() {
		return
	}
	tokens := stat.Estimate{
		Value: stat.AddKnown(cost.InputTokens.Value, *cost.OutputTokens.Value), N: cost.OutputTokens.N,
		Items:  cost.OutputTokens.Items,
		Method: "tokens in and out of the measured rollouts", Warnings: []message.Text{noPeakInterval.Text()},
	}
	cost.TrainedTokens = &tokens
	if s.Parameters > 0 && s.TrainerFlops > 0 {
		seconds := stat.Scale(tokens, flopPerToken*s.Parameters/s.TrainerFlops)
		seconds.Method = "6 x parameters x trained tokens / FLOP/s"
		cost.TrainerSeconds = &seconds
	}
	if price := s.Prices.TrainedToken; price != nil {
		usd := stat.Scale(tokens, *price/1e6)
		usd.Method = "price x trained tokens"
		cost.TrainerUSD = &usd
	}
}

// trainerWords says how the trainer's part was computed, or what is missing for it.
func trainerWords(step *analysis.PlanCost, s analysis.Settings) []message.Text {
	if step.TrainedTokens == nil {
		return nil
	}
	words := trainerUnknown.Text()
	if step.TrainerSeconds != nil {
		words = trainerTime.With(message.Args{
			"parameters": message.Number(s.Parameters),
			"flops":      message.Number(s.TrainerFlops),
		})
	}
	return []message.Text{words, trainedTokens.Text()}
}

// whole returns a training of several epochs, with its evaluations: one before the first step, and
// one at each interval.
func whole(p *analysis.Plan, epochs, steps int, s analysis.Settings) (evaluations int, sum *analysis.PlanCost) {
	total := times(*p.PerEpoch, float64(epochs))
	if p.Evaluation == nil {
		return 0, &total
	}
	evaluations = 1 + steps/s.EvalInterval
	evals := times(*p.Evaluation, float64(evaluations))
	for _, part := range []struct{ to, of *stat.Estimate }{
		{&total.Rollouts, &evals.Rollouts},
		{&total.ToolCalls, &evals.ToolCalls},
		{&total.JudgeCalls, &evals.JudgeCalls},
		{&total.InputTokens, &evals.InputTokens},
		{&total.OutputTokens, &evals.OutputTokens},
		{&total.USD, &evals.USD},
		{&total.SecondsMin, &evals.SecondsMin},
	} {
		*part.to = added(*part.to, *part.of)
	}
	return evaluations, &total
}

// added returns a sum. Its interval adds the ends of both, which makes it too wide rather than too
// narrow.
func added(a, b stat.Estimate) stat.Estimate {
	if !a.Known() || !b.Known() {
		a.Value, a.Low, a.High, a.SE = nil, nil, nil, nil
		return a
	}
	exactly := a.SE != nil && *a.SE == 0 && b.SE != nil && *b.SE == 0
	a.Value = stat.AddKnown(a.Value, *b.Value)
	if a.Low != nil && b.Low != nil && a.High != nil && b.High != nil {
		a.Low, a.High = stat.AddKnown(a.Low, *b.Low), stat.AddKnown(a.High, *b.High)
	} else {
		a.Low, a.High = nil, nil
	}
	if !exactly {
		a.SE = nil
	}
	return a
}

// times returns n times a cost.
func times(c analysis.PlanCost, n float64) analysis.PlanCost {
	for _, e := range []*stat.Estimate{
		&c.InformativeGroups, &c.Rollouts, &c.ToolCalls, &c.JudgeCalls, &c.InputTokens,
		&c.OutputTokens, &c.USD, &c.SecondsMin,
	} {
		*e = stat.Scale(*e, n)
	}
	for _, e := range []**stat.Estimate{&c.TrainedTokens, &c.TrainerSeconds, &c.TrainerUSD} {
		if *e != nil {
			scaled := stat.Scale(**e, n)
			*e = &scaled
		}
	}
	return c
}

// bySize returns a step at each power of two whose informative share is measured exactly, and at
// the planned group size.
func (c costs) bySize(batch int) []analysis.PlanSize {
	sizes := []int{c.s.GroupSize}
	for _, s := range c.sr.Signal {
		if s.Bound == "exact" && s.Known() && s.GroupSize&(s.GroupSize-1) == 0 {
			sizes = append(sizes, s.GroupSize)
		}
	}
	slices.Sort(sizes)
	out := []analysis.PlanSize{}
	for _, size := range slices.Compact(sizes) {
		c.s.GroupSize = size
		step := c.of(float64(batch))
		one := stat.Estimate{
			Method: "rollouts / informative groups", N: step.InformativeGroups.N,
			Items: step.InformativeGroups.Items, Warnings: []message.Text{},
		}
		rollouts := float64(batch * size)
		one.Value, one.Low, one.High = perGroup(rollouts, step.InformativeGroups.Value),
			perGroup(rollouts, step.InformativeGroups.High), perGroup(rollouts, step.InformativeGroups.Low)
		out = append(out, analysis.PlanSize{
			GroupSize: size, Rollouts: batch * size,
			Informative: step.InformativeGroups, RolloutsPerOne: one, USD: step.USD, SecondsMin: step.SecondsMin,
		})
	}
	return out
}

// perGroup is nil if there is no informative group.
func perGroup(rollouts float64, groups *float64) *float64 {
	if groups == nil || *groups <= 0 {
		return nil
	}
	return stat.FiniteOrNil(rollouts / *groups)
}
