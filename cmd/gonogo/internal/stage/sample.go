package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Make makes what a run lacks: rollouts, audit, variants. stopped is the budget that ended it;
// failed is an error of the variants of an otherwise complete run.
func Make(ctx context.Context, c *project.Invocation, p *project.Project,
	dir string,
) (stopped *exit.Error, failed, err error) {
	if err := p.Spending.CountRun(ctx, dir); err != nil {
		return nil, nil, exit.AsUsage(err)
	}
	stopped, err = project.BudgetStop(sampleRun(ctx, c, p, dir)) // if a write also failed, the run ends here
	if err != nil || c.Sampling.Rehearse {
		return nil, nil, err
	}
	if stopped == nil && project.Audits(p, c) {
		_, err := Audit(ctx, p, c, dir) // with the budget that the rollouts left
		if stopped, err = project.BudgetStop(err); err != nil {
			return nil, nil, err
		}
	}
	if stopped == nil {
		stopped, failed = project.BudgetStop(sampleVariants(ctx, p, c, dir))
		if coded := new(exit.Error); errors.As(failed, &coded) && coded.Code == exit.Interrupted {
			return nil, nil, failed
		}
	}
	return stopped, failed, nil
}

// sampleRun makes the rollouts that the run directory lacks.
func sampleRun(ctx context.Context, c *project.Invocation, p *project.Project, dir string) error {
	until, err := untilDecided(c)
	if err != nil {
		return err
	}
	if err := readyToSample(ctx, p, c, dir); err != nil {
		return err
	}
	if c.Sampling.Rehearse {
		return rehearse(ctx, c, p)
	}
	switch {
	case until:
		return sampleUntil(ctx, p, c, dir)
	case c.Sampling.ItemsUndecided:
		return sampleUndecided(ctx, p, c, dir)
	}
	if err := refuseSequentialRun(dir); err != nil {
		return err
	}
	return makeRun(ctx, p, c, dir, p.Manifest(dir), confirmed(ctx, p, c, dir))
}

// makeFunc makes rollouts of a run that is open for writing.
type makeFunc func(w *rollout.Writer, rollouts []sampler.Rollout) (sampler.Stats, error)

// makeRun opens a run directory, makes what it lacks, closes it and reports how that ended. It
// locks and checks the directory before the first call is paid for.
func makeRun(ctx context.Context, p *project.Project, c *project.Invocation, dir string, m rollout.Manifest,
	make makeFunc,
) error {
	writer, rollouts, err := beginRollouts(ctx, p, dir, m)
	switch {
	case err != nil && c.Command == "curate":
		return exit.AsUsage(fmt.Errorf("%w (--fresh-run names another run directory)", err))
	case err != nil && c.Command == "pilot":
		return exit.AsUsage(fmt.Errorf("%w (without %s everything is sampled again)", err, dir))
	case err != nil:
		return exit.AsUsage(regradeHint(p, c, dir, err))
	}
	stats, err := make(writer, rollouts)
	closed := errors.Join(noteLimits(writer, stats), project.FinishRun(p, writer))
	if not, ok := errors.AsType[notBegun](err); ok {
		return errors.Join(not.error, closed)
	}
	summarize(p, c, stats)
	p.ShowWarnings(c.Err)
	return JoinDiskError(stageEnded(p, c, samplingStage, dir, stats, err), closed)
}

// confirmed makes all rollouts after confirmation.
func confirmed(ctx context.Context, p *project.Project, c *project.Invocation, dir string) makeFunc {
	return func(w *rollout.Writer, rollouts []sampler.Rollout) (sampler.Stats, error) {
		if err := confirmStart(ctx, p, c, dir, rollouts); err != nil {
			return sampler.Stats{}, notBegun{err}
		}
		return sampleRollouts(ctx, p, c, dir, rollouts, w)
	}
}

// notBegun is the reason why a run's rollouts were not started, so that nothing can be resumed or
// graded.
type notBegun struct{ error }

// readyToSample returns an error before the first call if the data breaks the platform's rules or
// fails a blocking gate, an endpoint does not answer or the grader fails its trial.
func readyToSample(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	if c.Command != "sample" && !c.Sampling.Rehearse { // which judge nothing
		if err := output.CheckGates(dir); err != nil {
			return err
		}
	}
	p.ShowWarnings(c.Err)
	if problems := p.Inputs.Blocking(); len(problems) > 0 && !c.Sampling.DespiteProblems {
		console.WriteProblems(c.Err, problems)
		return &exit.Error{Code: exit.NoGo, Err: fmt.Errorf("the data files break %s of the platform %q, and "+
			"nothing was sampled; fix that, choose another target, or sample --despite-problems",
			console.Count(len(problems), "rule"), p.Config.Target)}
	}
	if err := readyRows(ctx, p, c, dir); err != nil {
		return err
	}
	if err := project.ReadyQueue(ctx, p, c); err != nil {
		return err
	}
	if p.Config.Queue.Remote() {
		p.AskServer(ctx) // workers do not ask it
		p.Warnings = append(p.Warnings, p.TooLongPrompts()...)
		return prepareQueueRun(ctx, p, c, dir)
	}
	if err := p.Reachable(ctx, p.Endpoints()); err != nil {
		return err
	}
	p.AskServer(ctx)
	p.Warnings = append(p.Warnings, p.TooLongPrompts()...)
	if err := p.Start(ctx); err != nil {
		return err
	}
	p.ShowWarnings(c.Err)
	if err := runTrial(ctx, p, c, dir); err != nil || !project.Audits(p, c) {
		return err
	}
	return p.Audit.StartDetectors(ctx)
}

// beginRollouts opens the run directory and lists its rollouts once it holds the lock: another process
// may just have made some.
func beginRollouts(ctx context.Context, p *project.Project, dir string,
	m rollout.Manifest,
) (*rollout.Writer, []sampler.Rollout, error) {
	if err := CheckNotShrunk(dir, m); err != nil {
		return nil, nil, err
	}
	project.KeepNotes(dir, &m)
	writer, err := rollout.Create(dir, m, p.Inputs.Items, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return nil, nil, err
	}
	rollouts, err := rolloutsOf(ctx, p, dir)
	if err == nil {
		err = p.Session.KeepSessions(ctx, dir)
	}
	if err == nil {
		err = p.AgentLog.Open(dir, p.Redact)
	}
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	p.Queue.Begin(dir, writer.Manifest())
	return writer, rollouts, nil
}

// CheckNotShrunk refuses fewer samples or items than a run was made with: both may only grow, so
// that existing rollouts remain part of the plan.
func CheckNotShrunk(dir string, m rollout.Manifest) error {
	opened, err := rollout.OpenManifest(dir)
	if err != nil || opened.Manifest == nil || opened.Manifest.Planned == nil {
		return nil // no run yet, or one that Create will check
	}
	was := opened.Manifest.Planned
	for _, split := range rollout.Splits() {
		switch {
		case m.Planned.Samples[split] < was.Samples[split]:
			return fmt.Errorf(
				"%s was made with %s of each %s item, and %d are wanted now: samples may only be raised", dir,
				console.Count(was.Samples[split], "sample"), split, m.Planned.Samples[split])
		case m.Planned.Items[split] < was.Items[split]:
			return fmt.Errorf("%s was made with %s, and %d are wanted now: items may only be raised", dir,
				console.Count(was.Items[split], string(split)+" item"), m.Planned.Items[split])
		}
	}
	return nil
}

// rolloutsOf lists the rollouts that are not recorded yet, or that failed at a boundary, in the order
// of the run, which depends on the seed and never on what is recorded.
func rolloutsOf(ctx context.Context, p *project.Project, dir string) ([]sampler.Rollout, error) {
	samples := p.Samples()
	return rolloutsFor(ctx, p, dir, func(it *rollout.Item) int { return samples[it.Split] })
}

// rolloutsFor is rolloutsOf with the number of samples given per item.
func rolloutsFor(ctx context.Context, p *project.Project, dir string,
	samples func(*rollout.Item) int,
) ([]sampler.Rollout, error) {
	return sampler.PlanRun(ctx, dir, sampler.Blocks(p.Inputs.Items, p.Inputs.Seed, p.Config.Sampling.Block), samples,
		!p.GradesInSession())
}

// sampleRollouts grades what earlier calls left without a grade and makes the rollouts, with
// progress and signal handling.
func sampleRollouts(ctx context.Context, p *project.Project, c *project.Invocation, dir string,
	rollouts []sampler.Rollout,
	to sampler.Sink,
) (sampler.Stats, error) {
	if p.Bounds.GroupSize == 0 || len(rollouts) == 0 { // else groups are graded once they are complete
		if err := gradeUngraded(ctx, p, c, dir, to, false); err != nil {
			return sampler.Stats{}, err
		}
	}
	stats, err := sampleLive(ctx, p, c, rollouts, to)
	// groups are graded once they are made, and workers may have stopped because their grader failed
	ended := stats.StoppedBy == "" || stats.StoppedBy == sampler.StoppedByBudget && stats.Deferred > 0
	if err == nil && ended && (stats.Deferred > 0 || p.Queue.Leads() && stats.Outcomes[rollout.GraderFailed] > 0) {
		if err = gradeUngraded(ctx, p, c, dir, to, p.Bounds.GroupSize == 0); err == nil {
			stats.Deferred = 0
		}
	}
	return stats, err
}

// sampleLive makes the rollouts.
func sampleLive(ctx context.Context, p *project.Project, c *project.Invocation, rollouts []sampler.Rollout,
	to sampler.Sink,
) (sampler.Stats, error) {
	if len(rollouts) == 0 {
		fmt.Fprintln(c.Err, "All rollouts have already been made.")
		p.Queue.Clear(ctx)
		return sampler.Stats{}, nil
	}
	return underProgress(ctx, p, c, "rollouts", len(rollouts), p.Sampling(),
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			ctx, bounds, over, err := p.Queue.Distribute(ctx, show)
			if err != nil {
				return sampler.Stats{Rollouts: len(rollouts)}, err
			}
			stats, err := sampler.Sample(ctx, sampler.SampleOptions{
				Config: p.Sampling(), Seed: p.Inputs.Seed, Rollouts: rollouts, Boundaries: bounds,
				Sink: watched(show, to, rollouts), Drain: drain, Watch: show.Watch,
			})
			over(stats, err)
			return stats, err
		})
}

// summarize prints what was done, in one line.
func summarize(p *project.Project, c *project.Invocation, s sampler.Stats) {
	if s.Rollouts == 0 {
		return
	}
	fmt.Fprint(c.Err, console.Summary(s))
	for _, line := range console.LostTo(s) {
		fmt.Fprintln(c.Err, p.Redact.String(line))
	}
	fmt.Fprint(c.Err, console.Uncounted(p.Spending.Budget.Bounds(), s), p.Queue.MadeBy())
	console.WarnLeaks(c.Err, s)
	console.WarnLeftOpen(c.Err, s)
}

// prepareQueueRun prepares what this process needs for a run that workers make: the audit of the
// grader.
func prepareQueueRun(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	if !project.Audits(p, c) {
		return nil
	}
	if err := p.ReadyToAudit(ctx, c); err != nil {
		return fmt.Errorf("%w (the audit of the grader is made here, not by workers: --no-audit leaves it out)", err)
	}
	return runTrial(ctx, p, c, dir)
}

// SampleFresh makes the new rollouts that dir still lacks.
func SampleFresh(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, dir string) error {
	if err := p.Reachable(ctx, p.Endpoints()); err != nil {
		return err
	}
	if err := readyAgain(ctx, p, c, dir); err != nil {
		return err
	}
	m := p.Manifest(dir)
	m.Notes = append(m.Notes, "new rollouts of the items that curating the run "+cmp.Or(run.Manifest.ID, run.Dir)+
		" kept: they measure what that choice flatters")
	return makeRun(ctx, p, c, dir, m, confirmed(ctx, p, c, dir))
}

// readyAgain counts what earlier calls used, starts the grader and asks the model's server for its
// defaults.
func readyAgain(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	p.ShowWarnings(c.Err)
	if err := p.Spending.CountRun(ctx, dir); err != nil {
		return exit.AsUsage(err)
	}
	if err := p.Start(ctx); err != nil {
		return err
	}
	p.AskServer(ctx)
	p.Warnings = append(p.Warnings, p.TooLongPrompts()...)
	return nil
}
