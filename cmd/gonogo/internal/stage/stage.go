package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
	"gonogo/sampler/rollout/markup"
	"gonogo/sampler/tryout"
)

// stage names what a command was doing when it ended, and the units of its work.
type stage struct {
	name, unit, done string
	source           string // the run whose outputs are graded into another directory, or ""
}

var (
	samplingStage = stage{name: "sampling", unit: "rollout", done: "made"}
	gradingStage  = stage{name: "grading", unit: "output", done: "graded"}
	auditStage    = stage{name: "the audit", unit: "grading", done: "made"}
)

// lacks says how much work is left.
func (st stage) lacks(n int) string {
	return console.Count(n, st.unit+"[ is|s are] not "+st.done+" yet")
}

// ungraded says how many answers are recorded without a grade.
func (st stage) ungraded(dir string, s sampler.Stats) string {
	n := s.Outcomes[rollout.GraderFailed] + s.Deferred
	if n == 0 || st != samplingStage {
		return ""
	}
	return fmt.Sprintf("; %s in %s without a grade, which the same command grades without sampling again",
		console.Count(n, "answer"), dir)
}

// stageEnded turns the end of a stage into an exit code and says how to continue.
func stageEnded(p *project.Project, c *project.Invocation, st stage, dir string, s sampler.Stats, err error) error {
	if err, ok := errors.AsType[*exit.Error](err); ok { // the end of a nested stage
		return err
	}
	if err, ok := errors.AsType[*AbortedError](err); ok {
		return err
	}
	lacks, line := st.lacks(s.NotRun())+st.ungraded(dir, s), p.Redact.String(c.Line)
	goOn := lacks + "; run the same command again to continue: " + line
	place := message.Place{Dir: cmp.Or(st.source, dir), ConfigFile: c.ConfigFile(), GraderFile: c.Grader}
	onRun := message.Shell(place.At([]string{"gonogo", "grade", message.Run})[2:]...) // also for an audit
	var dead *endpoint.Error
	var misfit *sampler.RangeError
	var useless *sampler.GraderFailedError
	switch {
	case errors.As(err, &dead) && !s.Useful() && c.Command != "pilot":
		return &exit.Error{Code: exit.Usage, Err: errors.New(p.Redact.String(err.Error()) + st.ungraded(dir, s))}
	case st == auditStage && errors.As(err, &useless):
		return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("%s stopped: %s: gonogo audit %s does so", st.name,
			p.Redact.String(err.Error()), onRun)}
	case errors.As(err, &misfit) && misfit.Assumed:
		again := message.Shell("--set", fmt.Sprintf("reward_range=[%g,%g]", min(misfit.Range[0], misfit.Value),
			max(misfit.Range[1], misfit.Value)))
		return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("%s stopped: %s; what was made is in %s with its "+
			"rewards as graded: run the same command again with the range set, such as %s", st.name,
			p.Redact.String(err.Error()), dir, again)}
	case errors.As(err, &misfit), errors.As(err, &useless):
		return &exit.Error{
			Code: exit.Usage,
			Err: fmt.Errorf("%s stopped: %s: gonogo grade %s does so without sampling again", st.name,
				p.Redact.String(err.Error()), onRun),
		}
	case errors.Is(err, sampler.ErrUnknownUsage):
		return &exit.Error{Code: exit.Budget, Err: fmt.Errorf("%s stopped: %w; what was made is in %s; %s", st.name,
			err, dir, goOn)}
	case errors.Is(err, context.Canceled), err == nil && s.StoppedBy == sampler.StoppedByDrain:
		return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("%s was interrupted; what was made is in %s; %s",
			st.name, dir, goOn)}
	case errors.Is(err, disk.ErrGone):
		return &AbortedError{fmt.Sprintf("%s stopped: %s", st.name, p.Redact.String(err.Error())), err}
	case err != nil:
		return &AbortedError{fmt.Sprintf("%s stopped: %s; what was made is in %s; %s", st.name,
			p.Redact.String(err.Error()), dir, goOn), err}
	case s.StoppedBy == sampler.StoppedByBudget:
		by := p.Spending.Budget.Exceeded()
		bound := console.BoundText(p.Spending.Budget, by)
		if by == limit.Deadline {
			return &exit.Error{Code: exit.Budget, Err: fmt.Errorf("%s was stopped by the %s; %s", st.name, bound, goOn)}
		}
		return &exit.Error{
			Code: exit.Budget,
			Err: fmt.Errorf("%s was stopped by the budget, which counts all calls for this run (%s); %s; %s to continue",
				st.name, bound, lacks, project.RaiseHint(by)),
		}
	}
	return nil
}

// AbortedError is the error that ended a stage, without secrets.
type AbortedError struct {
	Text string
	Err  error
}

// Error returns the text without secrets.
func (e *AbortedError) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *AbortedError) Unwrap() error { return e.Err }

// JoinDiskError combines the end of a stage with the failure to close its files: an interruption
// must not hide that the last records may not have reached the disk. It reports the same disk error
// only once.
func JoinDiskError(ended, closed error) error {
	first, broke := errors.AsType[*disk.Error](ended)
	again, failed := errors.AsType[*disk.Error](closed)
	if closed == nil || broke && failed && first.Same(again) {
		return ended
	}
	return errors.Join(ended, fmt.Errorf("finish the run directory: %w", closed))
}

// underProgress runs do and shows on standard error how many of the total are done. The first
// Ctrl-C closes do's drain, the second cancels its context.
func underProgress(ctx context.Context, p *project.Project, c *project.Invocation, what string, total int,
	cfg sampler.Config, do func(context.Context, <-chan struct{}, *console.Progress) (sampler.Stats,
		error),
) (sampler.Stats, error) {
	show := progressOf(p, c, what, total, cfg)
	defer show.Close()
	c.Above = show
	defer func() { c.Above = nil }()
	ctx, drain, release := ui.Interruptible(ctx, show, what)
	defer release()
	defer p.TakeGraderWarnings()
	stats, err := do(ctx, drain, show)
	show.Ended(stats)
	return stats, err
}

// progressOf shows progress on standard error; as events it includes what limits it.
func progressOf(p *project.Project, c *project.Invocation, what string, total int, cfg sampler.Config) *console.Progress {
	if e, ok := c.Err.(*console.Events); ok {
		e.Masks(p.Redact)
		p.Log = e.Logger
		e.Begun(what, total, cfg)
	}
	return console.NewProgress(c.Err, what, total,
		func(e sampler.Event, total int) string { return console.MoneyText(p.Spending.Budget, e, total) }, p.Redact)
}

// watched warns early about problems that are better fixed before the last rollout.
func watched(show io.Writer, to sampler.Sink, rollouts []sampler.Rollout) sampler.Sink {
	return &tryout.Watch{
		To: to, Jobs: rollouts, Warn: func(text string) { fmt.Fprintf(show, "warning: %s\n", console.Visible(text)) },
		Advice: func(kinds ...markup.Kind) string { return gate.MarkupAdvice(kinds...).String() },
		Unused: gate.UnusedAdvice().String(),
	}
}
