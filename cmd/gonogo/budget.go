package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// budgetRule says how the budget is kept, for the help of commands.
const budgetRule = `The budget (--max-rollouts, --max-tokens, --max-usd, --deadline) is that of one
call, for the run, its variants and the audit together. What a rollout uses is
known when it has ended; until then it counts the mean of those that have, so
that a cap is passed by at most what is in flight (a few, before the first has
ended), and nothing begins that on average would end after the deadline. What was
begun ends and is kept; the exit code is 5.`

// spendingFlags bound what a command uses.
func spendingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-tokens", Usage: "stop this call after `N` tokens (key sampling.max_tokens)"},
		&cli.StringFlag{Name: "max-usd", Usage: "stop this call after `X` US dollars, by the prices and the tokens that servers tell (key sampling.max_usd)"},
		&cli.StringFlag{Name: "deadline", Usage: "stop this call by `TIME`: 2h from now, 17:30, or of a date (key sampling.deadline)"},
	}
}

// openBudget opens the budget of this call. Its deadline counts from now.
func (p *project) openBudget() {
	s := p.cfg.Sampling
	now := time.Now()
	deadline, _ := config.Deadline(s.Deadline, now) // resolve has read it
	if text := config.Tomorrow(s.Deadline, deadline, now); text != "" {
		p.warnings = append(p.warnings, text)
	}
	p.budget = limit.NewBudget(limit.Bounds{Rollouts: s.MaxRollouts, Tokens: s.MaxTokens, USD: s.MaxUSD, Deadline: deadline})
}

// spentBefore is the error of a stage that would do something while the budget is
// used up; nil while it is not. counted says that it would make rollouts.
func (p *project) spentBefore(what string, counted bool) error {
	bound := p.budget.Spent(time.Now(), counted)
	if bound == limit.NoBound {
		return nil
	}
	return &exit.Error{Code: exit.Budget, Err: fmt.Errorf("the budget of this call was used up before %s (%s); run the same command again to go on", what, p.boundText(bound))}
}

// boundText names a bound of the budget, and what was used of it.
func (p *project) boundText(bound limit.Bound) string {
	usd, tokens := p.budget.Used()
	switch b := p.budget.Bounds(); bound {
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
func (p *project) rolloutCost() func(*rollout.Record) (float64, bool) {
	prices := p.cfg.TokenPrices()
	if !prices.Model.Known() || p.cfg.AsksJudge() && !prices.Judge.Known() {
		return nil
	}
	return prices.Rollout
}

// gradingCost prices what gradings used: nothing where no model grades.
func (p *project) gradingCost() func(*rollout.Record) (float64, bool) {
	if !p.cfg.AsksJudge() {
		return func(*rollout.Record) (float64, bool) { return 0, true }
	}
	prices := p.cfg.TokenPrices()
	if !prices.Judge.Known() {
		return nil
	}
	return prices.Grading
}

// moneyText is the money of this call so far, and what it will be when so many
// more are made as those of e; "" where it is not known.
func (p *project) moneyText(e sampler.Event, total int) string {
	if e.USD.N == 0 {
		return ""
	}
	usd, _ := p.budget.Used()
	text := ui.Dollars(usd)
	if all, low, high, ok := e.Judged.Forecast(total - e.Judged.N); ok && e.Recorded < total {
		all, low, high = max(all, e.USD.Total), max(low, e.USD.Total), max(high, e.USD.Total)
		before := max(0, usd-e.USD.Total-e.USD.Mean()*float64(e.USDUnknown)) // the forecast holds what was not told
		text += fmt.Sprintf(" of about %s [%s, %s]", ui.Dollars(before+all), message.Digits(before+low), message.Digits(before+high))
		if most := p.budget.Bounds().USD; most > 0 && before+high > most {
			text += ", capped at " + ui.Dollars(most)
		}
	}
	return text
}

// budgetStop takes apart whether the budget ended a stage, after which the run
// is judged on what there is, from other errors.
func budgetStop(err error) (*exit.Error, error) {
	if stopped := new(exit.Error); errors.As(err, &stopped) && err == error(stopped) && stopped.Code == exit.Budget {
		return stopped, nil
	}
	return nil, err
}

// uncounted says that the cap on tokens or money rests on a guess in part; ""
// when it does not, or when that is why sampling stopped.
func (p *project) uncounted(s sampler.Stats) string {
	b := p.budget.Bounds()
	switch {
	case s.StoppedBy == sampler.StoppedByUntold:
	case b.Tokens > 0 && s.TokensUnknown > 0:
		return fmt.Sprintf("warning: the server did not tell the tokens of %s; sampling.max_tokens took the mean of the others instead\n", ui.Counted(s.TokensUnknown, "rollout"))
	case b.USD > 0 && s.USDUnknown > 0:
		return fmt.Sprintf("warning: the server did not tell the tokens of %s; sampling.max_usd took the mean cost of the others instead\n", ui.Counted(s.USDUnknown, "rollout"))
	}
	return ""
}
