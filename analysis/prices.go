package analysis

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Prices are what things cost in US dollars; nil is not known. A price of 0 is
// known: it costs nothing.
type Prices struct {
	Model, Judge TokenPrice
	ToolCall     *float64           // one call of any tool
	Tools        map[string]float64 // one call, by tool, instead of ToolCall
	TrainingHour *float64           // an hour of training: it pays for the trainer's rollouts, judges apart
	Source       string             // of a TrainingHour that was not configured, with its date
}

// TokenPrice is for a million tokens. CachedInput is for input tokens that the
// server had cached; without it they cost what others do.
type TokenPrice struct {
	Input, CachedInput, Output *float64
	Source                     string // of prices that were not configured, with their date
}

// Known reports whether tokens have a price.
func (t TokenPrice) Known() bool { return t.Input != nil && t.Output != nil }

// validate reports the first price that cannot be one.
func (p Prices) validate() error {
	for key, price := range map[string]*float64{
		"prices.model_input": p.Model.Input, "prices.model_cached_input": p.Model.CachedInput, "prices.model_output": p.Model.Output,
		"prices.judge_input": p.Judge.Input, "prices.judge_cached_input": p.Judge.CachedInput, "prices.judge_output": p.Judge.Output,
		"prices.tool_call": p.ToolCall, "prices.training_hour": p.TrainingHour,
	} {
		if price != nil && !(*price >= 0 && *price < mostReward) {
			return fmt.Errorf("%s is %g: a price is 0 or more", key, *price)
		}
	}
	for tool, price := range p.Tools {
		if !(price >= 0 && price < mostReward) {
			return fmt.Errorf("prices.tools.%s is %g: a price is 0 or more", tool, price)
		}
	}
	return nil
}

// Rollout returns what a rollout cost in US dollars: the model's tokens, the
// judge's, and its tool calls. ok is false where a price or a number of tokens
// is missing.
func (p Prices) Rollout(rec *rollout.Record) (usd float64, ok bool) {
	usd, missing := p.Model.Of(rec.Usage, "model")
	judge, also := p.OfJudge(rec.Judge, JudgeCalls(rec))
	usd += judge
	for _, call := range rec.Calls {
		if call.Status != rollout.CallMalformed {
			usd += p.OfCall(call.Name)
		}
	}
	return usd, missing.IsEmpty() && also.IsEmpty()
}

// Grading returns what the gradings of a record cost in US dollars: a judge's
// tokens. ok is false where its price or their number is missing.
func (p Prices) Grading(rec *rollout.Record) (usd float64, ok bool) {
	usd, missing := p.OfJudge(rec.Judge, JudgeCalls(rec))
	return usd, missing.IsEmpty()
}

// Of prices tokens; missing says what is not known, none when all is.
func (t TokenPrice) Of(u rollout.Usage, whose string) (usd float64, missing message.Text) {
	const million = 1e6
	if missing = t.Missing(whose); !missing.IsEmpty() {
		return 0, missing
	}
	if u.Input == nil || u.Output == nil {
		return 0, tokensUnknown.With(message.Args{"whose": message.Name(whose)})
	}
	fresh, cached := float64(*u.Input), 0.0
	if u.Cached != nil && t.CachedInput != nil {
		cached = min(float64(*u.Cached), fresh)
		fresh -= cached
		usd = cached * *t.CachedInput
	}
	return (usd + fresh**t.Input + float64(*u.Output)**t.Output) / million, message.Text{}
}

// Missing names the keys to set, none when the price is known.
func (t TokenPrice) Missing(whose string) message.Text {
	if !t.Known() {
		return pricesNotSet.With(message.Args{"whose": message.Name(whose)})
	}
	return message.Text{}
}

// OfJudge prices the grading; a grader that asked no model costs nothing.
func (p Prices) OfJudge(u rollout.Usage, calls int) (usd float64, missing message.Text) {
	if calls == 0 {
		return 0, message.Text{}
	}
	return p.Judge.Of(u, "judge")
}

// OfCall returns what one call of a tool costs in US dollars; 0 where it is free.
func (p Prices) OfCall(tool string) float64 {
	if price, ok := p.Tools[tool]; ok {
		return price
	}
	if p.ToolCall != nil {
		return *p.ToolCall
	}
	return 0
}

// JudgeCalls is how often a model was asked for the grade. Older records tell
// it by the tokens alone.
func JudgeCalls(rec *rollout.Record) int {
	if rec.JudgeCalls == 0 && rec.Judge != (rollout.Usage{}) {
		return 1
	}
	return rec.JudgeCalls
}

var (
	pricesNotSet  = message.New("plan.prices_not_set", "prices.{whose}_input and prices.{whose}_output are not set (US dollars per million tokens)")
	tokensUnknown = message.New("plan.tokens_unknown", "the {whose}'s server does not tell its tokens")
)
