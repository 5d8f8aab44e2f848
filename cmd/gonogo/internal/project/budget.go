package project

import (
	"errors"
	"fmt"
	"time"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Spending is the budget of one call, with its messages.
type Spending struct {
	p      *Project
	Budget *limit.Budget // of this call, for all its stages together
}

// openBudget opens the budget of this call. Its deadline counts from now.
func (sp *Spending) openBudget() {
	s := sp.p.Config.Sampling
	now := time.Now()
	deadline, _ := limit.ParseDeadline(s.Deadline, now) // resolve has read it
	if text := limit.NextDayNote(s.Deadline, deadline, now); text != "" {
		sp.p.Warnings = append(sp.p.Warnings, text)
	}
	sp.Budget = limit.NewBudget(limit.Bounds{Rollouts: s.MaxRollouts, Tokens: s.MaxTokens, USD: s.MaxUSD, Deadline: deadline})
}

// SpentBefore returns an error if a stage would start when the budget is already used up.
// counted says that the stage would make rollouts.
func (sp *Spending) SpentBefore(what string, counted bool) error {
	bound := sp.Budget.Spent(time.Now(), counted)
	if bound == limit.NoBound {
		return nil
	}
	return &exit.Error{Code: exit.Budget, Err: fmt.Errorf("the budget of this call was used up before %s (%s); run the same command again to continue", what, sp.BoundText(bound))}
}

// BoundText names a cap of the budget, and how much of it was used.
func (sp *Spending) BoundText(bound limit.Bound) string {
	usd, tokens := sp.Budget.Used()
	switch b := sp.Budget.Bounds(); bound {
	case limit.Rollouts:
		return "max_rollouts: " + message.Whole(b.Rollouts)
	case limit.Tokens:
		return fmt.Sprintf("max_tokens: %s of %s", message.Whole(int(tokens)), message.Whole(int(b.Tokens)))
	case limit.USD:
		return fmt.Sprintf("max_usd: %s of %s", ui.Dollars(usd), ui.Dollars(b.USD))
	case limit.Deadline:
		return "deadline: " + b.Deadline.Format(time.DateTime)
	}
	return "spent"
}

// rolloutCost prices what rollouts used; nil where it has no price.
func (sp *Spending) rolloutCost() func(*rollout.Record) (float64, bool) {
	prices := sp.p.Config.TokenPrices()
	if !prices.Model.Known() || sp.p.Config.AsksJudge() && !prices.Judge.Known() {
		return nil
	}
	return prices.Rollout
}

// GradingCost returns the cost of gradings: 0 if no model grades.
func (sp *Spending) GradingCost() func(*rollout.Record) (float64, bool) {
	if !sp.p.Config.AsksJudge() {
		return func(*rollout.Record) (float64, bool) { return 0, true }
	}
	prices := sp.p.Config.TokenPrices()
	if !prices.Judge.Known() {
		return nil
	}
	return prices.Grading
}

// MoneyText is the money spent by this call so far, and the forecast after that many more
// rollouts like those of e; "" if unknown.
func (sp *Spending) MoneyText(e sampler.Event, total int) string {
	if e.USD.N == 0 {
		return ""
	}
	usd, _ := sp.Budget.Used()
	text := ui.Dollars(usd)
	if all, low, high, ok := e.Judged.Forecast(total - e.Judged.N); ok && e.Recorded < total {
		all, low, high = max(all, e.USD.Total), max(low, e.USD.Total), max(high, e.USD.Total)
		before := max(0, usd-e.USD.Total-e.USD.Mean()*float64(e.USDUnknown)) // the forecast holds what was not told
		text += fmt.Sprintf(" of about %s [%s, %s]", ui.Dollars(before+all), message.Digits(before+low), message.Digits(before+high))
		if most := sp.Budget.Bounds().USD; most > 0 && before+high > most {
			text += ", capped at " + ui.Dollars(most)
		}
	}
	return text
}

// BudgetStop separates the end of a stage by the budget, after which the run is judged on
// what there is, from other errors.
func BudgetStop(err error) (*exit.Error, error) {
	if stopped := new(exit.Error); errors.As(err, &stopped) && err == error(stopped) && stopped.Code == exit.Budget {
		return stopped, nil
	}
	return nil, err
}

// Uncounted says that the cap on tokens or money is partly a guess; "" if it is not, or
// if that is why sampling stopped.
func (sp *Spending) Uncounted(s sampler.Stats) string {
	b := sp.Budget.Bounds()
	switch {
	case s.StoppedBy == sampler.StoppedByUnknownUsage:
	case b.Tokens > 0 && s.TokensUnknown > 0:
		return fmt.Sprintf("warning: the server did not tell the tokens of %s; sampling.max_tokens took the mean of the others instead\n", ui.Count(s.TokensUnknown, "rollout"))
	case b.USD > 0 && s.USDUnknown > 0:
		return fmt.Sprintf("warning: the server did not tell the tokens of %s; sampling.max_usd took the mean cost of the others instead\n", ui.Count(s.USDUnknown, "rollout"))
	}
	return ""
}
