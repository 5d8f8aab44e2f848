package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

func gradeCommand() *cli.Command {
	return &cli.Command{
		Name:      "grade",
		Usage:     "grade the recorded rollouts of a run again, without sampling",
		ArgsUsage: "RUN",
		Description: `Hands every recorded output of RUN to a grader and writes the rollouts with their
new rewards to a new run directory; RUN stays as it is. The former grades stay
in each record under "earlier". The grader is that of the configuration's job,
or the one in --grader: a grader or a job, JSON or YAML. Settings come from -c,
else from gonogo.yaml, else from the configuration that RUN was made with, which
is acted on with --trust-run only: what it would run and send is listed first.
Ctrl-C lets the gradings in flight finish; run it again to go on. Rollouts
without an output are taken over as they are.

Example:
   gonogo grade my-run --grader stricter.json -o my-run-stricter
   gonogo analyze my-run-stricter`,
		Flags: append(graderFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the new run directory (default RUN-graded)"},
			&cli.IntFlag{Name: "times", Value: 1, Usage: "grade each output `R` times: what differs is the grader's noise"},
			&cli.StringFlag{Name: "on-conflict", Usage: "of differing lines for one rollout take the `first|last`; without it they are an error"},
			&cli.StringFlag{Name: "max-rollouts", Usage: "stop this call after `N` outputs (key sampling.max_rollouts)"},
		),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			if c.Int("times") < 1 {
				return exit.Usagef("--times %d: an output is graded once at least", c.Int("times"))
			}
			old, err := rollout.Open(dir)
			if err != nil {
				return exit.AsUsage(err)
			}
			p, err := graderProject(c.Context, callOf(c), old, false)
			if err != nil {
				return err
			}
			defer p.shut()
			return p.gradeAgain(c.Context, callOf(c), old, cmp.Or(c.String("output"), filepath.Clean(dir)+"-graded"))
		},
	}
}

// gradeAgain grades what run holds into a run directory of its own.
func (p *project) gradeAgain(ctx context.Context, c *call, run *rollout.Run, dir string) error {
	if same(run.Dir, dir) {
		return exit.Usagef("%s is the run itself: name another directory with --output, so that its grades stay", dir)
	}
	if err := p.readyToGrade(ctx, c); err != nil {
		return err
	}
	writer, err := rollout.Create(dir, p.heir(run), run.Items, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return exit.AsUsage(err)
	}
	former, err := rollout.TakeOver(ctx, run, rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}, dir, writer)
	if err != nil {
		return exit.AsUsage(errors.Join(err, writer.Close()))
	}
	if err := p.keepSessions(ctx, dir); err != nil {
		return errors.Join(err, writer.Close())
	}
	changed := &changes{to: writer}
	stats, err := p.regrade(ctx, c, run, former, changed)
	closed := p.finish(writer)
	p.tell(c.Err)
	toldOfGrades(c.Err, former, stats, changed.n)
	if err := unlessLost(p.ended(gradingStage, dir, stats, err), closed); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s\n", dir)
	return err
}

// toldOfGrades says what came of grading again, in one line.
func toldOfGrades(w io.Writer, former *rollout.Former, stats sampler.Stats, changed int) {
	if former.Left == 0 {
		fmt.Fprintln(w, "All outputs are graded already.")
		return
	}
	fmt.Fprintf(w, "Graded %s of %s again: %s changed, %s failed. %s without an output taken over.\n",
		message.Whole(stats.Recorded), ui.Counted(former.Left, "output"), ui.Counted(changed, "reward"), ui.Counted(stats.Outcomes[rollout.GraderFailed], "grading"), ui.Counted(former.Copied, "rollout"))
	if former.Mute > 0 {
		fmt.Fprintf(w, "warning: %s had a grade and no recorded output: without a grade here\n", ui.Counted(former.Mute, "rollout"))
	}
}

// same reports whether two paths lead to one directory.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// changes counts the rewards that another grader changed.
type changes struct {
	to sampler.Sink
	n  int
}

// Append hands a graded record on.
func (c *changes) Append(rec *rollout.Record) error {
	if n := len(rec.Earlier); n > 0 && rec.Reward != nil {
		if was := rec.Earlier[n-1].Reward; was == nil || *was != *rec.Reward {
			c.n++
		}
	}
	return c.to.Append(rec)
}

// regrade grades what is left of a former run.
func (p *project) regrade(ctx context.Context, c *call, run *rollout.Run, former *rollout.Former, to sampler.Sink) (sampler.Stats, error) {
	if former.Left == 0 {
		return sampler.Stats{}, nil
	}
	return p.gradeRecorded(ctx, c, run, former.Left, false, former.Records, c.Times, to)
}
