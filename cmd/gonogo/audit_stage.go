package main

import (
	"context"
	"errors"
	"iter"

	"github.com/urfave/cli/v2"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// audit puts to the grader what the run's audit still lacks.
func (p *project) audit(c *cli.Context, dir string) (*rollout.Run, error) {
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(p.auditing.labels) > 0 {
		if err := rollout.AppendLabels(dir, p.auditing.labels); err != nil {
			return nil, err
		}
	}
	plan, err := p.auditPlan(c.Context, run)
	if err != nil {
		return nil, asUsage(err)
	}
	w, err := rollout.OpenProbes(dir, plan.Keep, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return nil, asUsage(err)
	}
	p.tellPlan(c.App.ErrWriter, plan)
	stats, err := p.putProbes(c, plan, w)
	err = unlessLost(p.ended(auditStage, dir, stats, err), w.Close())
	p.tell(c.App.ErrWriter)
	return run, err
}

// auditAfter is the audit as a stage of a run. The caps on rollouts are not
// its own, the cap on tokens is what the rollouts left of it.
func (p *project) auditAfter(c *cli.Context, dir string) error {
	was := p.cfg.Sampling
	defer func() { p.cfg.Sampling = was }()
	p.cfg.Sampling.MaxRollouts = 0
	if was.MaxTokens > 0 {
		p.cfg.Sampling.MaxTokens -= p.spent
		if p.cfg.Sampling.MaxTokens <= 0 {
			return &exitError{exitBudget, errors.New("the rollouts used up the budget, and the grader was not audited; run the same command again to go on")}
		}
	}
	_, err := p.audit(c, dir)
	return err
}

// putProbes writes what is known without asking, and has the rest graded.
func (p *project) putProbes(c *cli.Context, plan *audit.Plan, w *rollout.ProbeWriter) (sampler.Stats, error) {
	for _, rec := range plan.Known {
		if err := w.Append(rec); err != nil {
			return sampler.Stats{}, err
		}
	}
	var stats sampler.Stats
	var err error
	to := audit.Slim(w)
	if n := plan.Todo().Gradings; n > 0 {
		tasks := func(context.Context) iter.Seq2[sampler.Task, error] { return plan.Tasks() }
		stats, err = p.grading(c, "probes", n, to, tasks, p.bounds.Grader)
	}
	for _, d := range p.auditing.detectors {
		if err != nil || stats.StoppedBy != "" {
			break
		}
		marks := func(ctx context.Context) iter.Seq2[sampler.Task, error] { return plan.Marks(ctx, d) }
		stats, err = p.grading(c, "rollouts read by "+d.Name, marksOf(plan, d), to, marks, d.Grader)
	}
	return stats, err
}

// marksOf is how many rollouts a detector has still to read at most.
func marksOf(plan *audit.Plan, d audit.Detector) int {
	for _, n := range plan.Counts {
		if n.Probe == rollout.ProbeDetector+d.Name {
			return n.Planned
		}
	}
	return 0
}
