package measure

import (
	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/price"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// What a reader must know about the costs.
var (
	priceOfTraining = message.New("plan.price_of_training",
		"price of training: {source}; prices.training_hour overrides it")
	priceOfTokens = message.New("plan.price_of_tokens",
		"price of the {whose}'s tokens: {source}; prices.{whose}_input and prices.{whose}_output override it")
	freeCalls    = message.New("plan.free_calls", "tool calls are counted as free: prices.tool_call is not set")
	atLeastHours = message.New("plan.at_least_hours", "at least: ${usd} an hour for the slowest rollouts alone; "+
		"training itself and evaluations run on the same clock")
	hoursUnknown = message.New("plan.hours_unknown",
		"the rollouts do not record how long they took, and the price is per hour")
)

// money is the cost of a training rollout, from the measured ones.
type money struct {
	perRollout stat.Estimate // US dollars, without the hours
	hour       *float64
	missing    message.Text // what is unknown; empty if nothing is
}

// rolloutMoney prices the rollouts of a split. If an hour of training has a price, that includes
// the model's tokens.
func rolloutMoney(items []*collect.Item, tools []string, s analysis.Settings) money {
	p := s.Prices
	out := money{hour: p.TrainingHour, missing: missingPrices(p, judged(items) > 0)}
	if !out.missing.IsEmpty() {
		return out
	}
	var perItem [][]float64
	for _, it := range items {
		var spent []float64
		for _, r := range it.Rows {
			if !r.Valid {
				continue
			}
			usd, missing := usdOf(r, p, tools)
			if !missing.IsEmpty() {
				out.missing = missing
				continue
			}
			spent = append(spent, usd)
		}
		if len(spent) > 0 {
			perItem = append(perItem, spent)
		}
	}
	if len(perItem) > 0 { // some rollouts have all numbers, so the others are ignored
		out.missing = message.Text{}
	}
	out.perRollout = perRollout(perItem, s.Confidence, "prices x measured tokens and calls")
	if stat.ValueOr(out.perRollout.Value, 1) == 0 { // nothing has a price, so there is nothing to estimate
		out.perRollout = exact(0)
	}
	return out
}

// missingPrices names the prices without which the sum would be too small.
func missingPrices(p price.Prices, judged bool) message.Text {
	if p.TrainingHour == nil && !p.Model.Missing("model").IsEmpty() {
		return p.Model.Missing("model")
	}
	if judged {
		return p.Judge.Missing("judge")
	}
	return message.Text{}
}

// usdOf returns what a rollout costs a trainer.
func usdOf(r *collect.Row, p price.Prices, tools []string) (usd float64, missing message.Text) {
	if p.TrainingHour == nil {
		if usd, missing = p.Model.Of(r.Usage(), "model"); !missing.IsEmpty() {
			return 0, missing
		}
	}
	judge, missing := p.OfJudge(r.Judge(), r.JudgeCalls())
	if !missing.IsEmpty() {
		return 0, missing
	}
	usd += judge
	for _, c := range r.Calls {
		if c.Status() != rollout.CallMalformed {
			usd += p.OfCall(tools[c.Tool])
		}
	}
	return usd, message.Text{}
}

// of returns the cost of a number of rollouts that take that time in all.
func (m money) of(rollouts float64, seconds stat.Estimate) stat.Estimate {
	const method = "prices x measured tokens, calls and time"
	unknown := func(why message.Text) stat.Estimate {
		return stat.Estimate{Method: method, Warnings: []message.Text{why}}
	}
	if !m.missing.IsEmpty() {
		return unknown(m.missing)
	}
	e := stat.Scale(m.perRollout, rollouts)
	e.Method = method
	if m.hour == nil {
		return e
	}
	if !seconds.Known() {
		return unknown(hoursUnknown.Text())
	}
	hours := *seconds.Value / 3600 * *m.hour
	e.Value, e.Low, e.High = stat.AddKnown(e.Value, hours), stat.AddKnown(e.Low, hours), stat.AddKnown(e.High, hours)
	e.SE = nil // the time of the slowest rollout has no standard error
	e.Warnings = append(e.Warnings, atLeastHours.With(message.Args{"usd": message.Setting(*m.hour)}))
	return e
}

// moneyWords lists what a reader must know about the costs of a plan.
func moneyWords(p price.Prices) []message.Text {
	var out []message.Text
	if p.Source != "" {
		out = append(out, priceOfTraining.With(message.Args{"source": message.Name(p.Source)}))
	}
	for _, listed := range []struct {
		whose string
		price price.Token
	}{{"model", p.Model}, {"judge", p.Judge}} {
		if listed.price.Source != "" {
			out = append(out,
				priceOfTokens.With(message.Args{
					"whose":  message.Name(listed.whose),
					"source": message.Name(listed.price.Source),
				}))
		}
	}
	if known := p.TrainingHour != nil || p.Model.Input != nil; known && p.ToolCall == nil && len(p.Tools) == 0 {
		out = append(out, freeCalls.Text())
	}
	return out
}
