package project

import (
	"errors"
	"fmt"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Spending is the budget of one call, with its messages.
type Spending struct {
	p      *Project
	Budget *limit.Budget // of this call, shared by all its stages
}

// openBudget opens the budget of this call. Its deadline counts from now.
func (sp *Spending) openBudget() {
	s := sp.p.Config.Sampling
	now := time.Now()
	bounds := s.Bounds(now)
	if text := limit.NextDayNote(s.Deadline, bounds.Deadline, now); text != "" {
		sp.p.Warnings = append(sp.p.Warnings, text)
	}
	sp.Budget = limit.NewBudget(bounds)
}

// SpentBefore returns an error if the budget is already used up when a stage is about to start.
// counted says whether the stage makes rollouts.
func (sp *Spending) SpentBefore(what string, counted bool) error {
	bound := sp.Budget.Spent(time.Now(), counted)
	if bound == limit.NoBound {
		return nil
	}
	return &exit.Error{
		Code: exit.Budget,
		Err: fmt.Errorf("the budget of this call was used up before %s (%s); run the same command again to continue",
			what, console.BoundText(sp.Budget, bound)),
	}
}

// rolloutCost returns the function that prices a rollout; nil if a price is unknown.
func (sp *Spending) rolloutCost() func(*rollout.Record) (float64, bool) {
	prices := sp.p.Config.TokenPrices()
	if !prices.Model.Known() || sp.p.Config.AsksJudge() && !prices.Judge.Known() {
		return nil
	}
	return prices.Rollout
}

// GradingCost returns the function that prices gradings: 0 if no model grades, nil if the price is
// unknown.
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

// BudgetStop separates the end of a stage by the budget, after which the run is judged as it is,
// from other errors.
func BudgetStop(err error) (*exit.Error, error) {
	if stopped := new(exit.Error); errors.As(err, &stopped) && err == error(stopped) && stopped.Code == exit.Budget {
		return stopped, nil
	}
	return nil, err
}
