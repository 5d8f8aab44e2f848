package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Spending is the budget of a run, with its messages.
type Spending struct {
	p      *Project
	Budget *limit.Budget // shared by all stages of this call
}

// openBudget opens the budget, with nothing spent. Its deadline counts from now.
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
		Err: fmt.Errorf("the budget was used up before %s (%s); %s to continue", what,
			console.BoundText(sp.Budget, bound), RaiseHint(bound)),
	}
}

// RaiseHint says how to continue after a bound was reached, without "to continue". A deadline is of
// one call, and the other bounds count all calls.
func RaiseHint(bound limit.Bound) string {
	if bound == limit.Deadline {
		return "run the same command again"
	}
	return "raise max_" + string(bound) + " and run the same command again"
}

// CountRun adds to the budget what earlier calls used for the run in dir: its rollouts, also those
// that failed and were made again, its variants and its audit. A run that does not exist yet has
// used nothing; of a run that grades another's rollouts only the gradings count. What a later line
// replaced, such as a failed grading that was made again, is not counted. Call it once, before the
// first stage of a call.
func (sp *Spending) CountRun(ctx context.Context, dir string) error {
	if b := sp.Budget.Bounds(); b.Rollouts == 0 && b.Tokens == 0 && b.USD == 0 {
		return nil
	}
	run, err := sp.countRollouts(ctx, dir, sp.rolloutCost())
	if err != nil || run == nil {
		return err
	}
	for i, v := range sp.p.Config.Variants {
		cost := sp.p.Config.ForVariant(i).TokenPrices().Rollout
		if _, err := sp.countRollouts(ctx, rollout.VariantDir(dir, v.Name), cost); err != nil {
			return err
		}
	}
	a := sp.Budget.Open("probes", false)
	defer a.Close()
	_, err = run.Probes(ctx, func(rec *rollout.Record) error {
		cost := sp.GradingCost()
		if rec.Probe != nil && strings.HasPrefix(rec.Probe.Name, rollout.ProbePolicy) {
			cost = sp.PolicyCost()
		}
		a.Note(used(rec, gradingTokens, cost))
		return nil
	})
	return err
}

// countRollouts counts the rollouts of one run directory and returns the run; nil if there is none.
func (sp *Spending) countRollouts(ctx context.Context, dir string,
	cost func(*rollout.Record) (float64, bool),
) (*rollout.Run, error) {
	run, err := rollout.OpenManifest(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, rollout.ErrNotARun) {
		return nil, nil // whoever makes the run says if it cannot be made there
	}
	if err != nil {
		return nil, err
	}
	// A grade that is given later repeats the line of its rollout, with the tokens of the model.
	last := make(map[rolloutID]limit.Used)
	m := run.Manifest
	copied := func(rec *rollout.Record) bool {
		return m != nil && (m.GradedFrom != "" || m.Source == rollout.Import) && !rec.Started.After(m.Started)
	}
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true, SkipPrompts: true}, func(rec *rollout.Record) error {
		switch {
		case len(rec.Earlier) > 0: // only the grade was made here
			last[idOf(rec)] = used(rec, gradingTokens, sp.GradingCost())
		case !copied(rec):
			last[idOf(rec)] = used(rec, sampler.TokensOf, cost)
		}
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	a := sp.Budget.Open("recorded", false)
	defer a.Close()
	for _, u := range last {
		a.Note(u)
	}
	sp.Budget.Begun(len(last))
	return run, nil
}

// rolloutID tells the attempts at a rollout apart that a model was asked for.
type rolloutID struct {
	rollout.Key
	trace string
}

func idOf(rec *rollout.Record) rolloutID {
	return rolloutID{rec.Key(), cmp.Or(rec.TraceID, strconv.Itoa(rec.Attempt))}
}

// gradingTokens returns what the gradings of a record used.
func gradingTokens(rec *rollout.Record) *int64 {
	graded := rollout.Record{Judge: rec.Judge, JudgeCalls: rec.JudgeCalls}
	return sampler.TokensOf(&graded)
}

// used returns what a recorded rollout or grading used.
func used(rec *rollout.Record, tokens func(*rollout.Record) *int64,
	cost func(*rollout.Record) (float64, bool),
) limit.Used {
	u := limit.Used{Tokens: tokens(rec)}
	if cost != nil {
		if usd, ok := cost(rec); ok {
			u.USD = &usd
		}
	}
	return u
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

// PolicyCost returns the function that prices the rollouts of policies, which call tools and the
// grader but no model; nil if the judge's price is unknown.
func (sp *Spending) PolicyCost() func(*rollout.Record) (float64, bool) {
	prices, free := sp.p.Config.TokenPrices(), new(float64)
	if sp.p.Config.AsksJudge() && !prices.Judge.Known() {
		return nil
	}
	prices.Model.Input, prices.Model.Output = free, free
	return prices.Rollout
}

// BudgetStop separates the end of a stage by the budget, after which the run is judged as it is,
// from other errors.
func BudgetStop(err error) (*exit.Error, error) {
	if stopped := new(exit.Error); errors.As(err, &stopped) && err == error(stopped) && stopped.Code == exit.Budget {
		return stopped, nil
	}
	return nil, err
}
