package analysis

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// money is what a rollout of training costs, from the measured ones.
type money struct {
	perRollout stat.Estimate // US dollars, without the hours
	hour       *float64
	missing    string // what is not known; "" when all is
}

// rolloutMoney prices the rollouts of a split. Where an hour of training has a
// price it pays for the model's tokens.
func rolloutMoney(items []*item, tools []string, s Settings) money {
	p := s.Prices
	out := money{hour: p.TrainingHour, missing: p.missing(judged(items) > 0)}
	if out.missing != "" {
		return out
	}
	var perItem [][]float64
	for _, it := range items {
		var spent []float64
		for _, r := range it.rows {
			if !r.valid {
				continue
			}
			usd, missing := r.usd(p, tools)
			if missing != "" {
				out.missing = missing
				continue
			}
			spent = append(spent, usd)
		}
		if len(spent) > 0 {
			perItem = append(perItem, spent)
		}
	}
	if len(perItem) > 0 { // servers that tell tokens now and then are taken at their word
		out.missing = ""
	}
	out.perRollout = perRollout(perItem, s.Confidence, "prices x measured tokens and calls")
	if stat.Or(out.perRollout.Value, 1) == 0 { // nothing has a price, of which there is nothing to estimate
		out.perRollout = exact(0)
	}
	return out
}

// missing names the prices without which a sum would be too small.
func (p Prices) missing(judged bool) string {
	if p.TrainingHour == nil && p.Model.missing("model") != "" {
		return p.Model.missing("model")
	}
	if judged {
		return p.Judge.missing("judge")
	}
	return ""
}

// usd is what a rollout costs a trainer.
func (r *row) usd(p Prices, tools []string) (usd float64, missing string) {
	if p.TrainingHour == nil {
		if usd, missing = p.Model.of(r.usage, "model"); missing != "" {
			return 0, missing
		}
	}
	judge, missing := p.judge(r.judge, r.judgeCalls)
	if missing != "" {
		return 0, missing
	}
	usd += judge
	for _, c := range r.calls {
		if c.status != rollout.CallMalformed {
			usd += p.call(tools[c.tool])
		}
	}
	return usd, ""
}

// of is what so many rollouts that take so many seconds cost.
func (m money) of(rollouts float64, seconds stat.Estimate) stat.Estimate {
	const method = "prices x measured tokens, calls and time"
	unknown := func(why string) stat.Estimate {
		return stat.Estimate{Method: method, Warnings: []string{why}}
	}
	if m.missing != "" {
		return unknown(m.missing)
	}
	e := scale(m.perRollout, rollouts)
	e.Method = method
	if m.hour == nil {
		return e
	}
	if !seconds.Known() {
		return unknown("the rollouts do not tell how long they took, and the price is by the hour")
	}
	hours := *seconds.Value / 3600 * *m.hour
	e = raise(e, hours)
	e.SE = nil // the slowest rollout is an estimate without one
	e.Warnings = append(e.Warnings, fmt.Sprintf("at least: $%s an hour for the slowest rollouts alone; training itself and evaluations run on the same clock", message.Plain(*m.hour)))
	return e
}

// raise adds a number to an estimate and its interval.
func raise(e stat.Estimate, by float64) stat.Estimate {
	plus := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.Some(*p + by)
	}
	e.Value, e.Low, e.High = plus(e.Value), plus(e.Low), plus(e.High)
	return e
}

// moneyWords are what a reader must know about the money of a plan.
func moneyWords(p Prices) []string {
	var out []string
	if p.Source != "" {
		out = append(out, fmt.Sprintf("price of training: %s; prices.training_hour overrides it", p.Source))
	}
	for _, of := range []struct {
		whose string
		price TokenPrice
	}{{"model", p.Model}, {"judge", p.Judge}} {
		if of.price.Source != "" {
			out = append(out, fmt.Sprintf("price of the %[1]s's tokens: %[2]s; prices.%[1]s_input and prices.%[1]s_output override it", of.whose, of.price.Source))
		}
	}
	if known := p.TrainingHour != nil || p.Model.Input != nil; known && p.ToolCall == nil && len(p.Tools) == 0 {
		out = append(out, "tool calls are counted as free: prices.tool_call is not set")
	}
	return out
}
