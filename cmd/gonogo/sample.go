package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
)

// samplingFlags are the flags of the commands that make rollouts.
func samplingFlags() []cli.Flag {
	return append(slices.Concat(projectFlags(), keyed("samples", "items", "concurrency", "seed", "max-rollouts",
		"queue"), spendingFlags()),
		&cli.StringFlag{
			Name: "output", Aliases: []string{"o"}, Value: "gonogo-run",
			Usage: "the run directory `RUN`; an existing one is resumed",
		},
		&cli.BoolFlag{Name: "rehearse", Usage: "make one rollout, show its trace and an estimate for the whole run, " +
			"and stop"},
		&cli.BoolFlag{
			Name: "yes", Aliases: []string{"y"},
			Usage: "on a terminal, start without a rehearsal and without asking",
		},
		&cli.StringSliceFlag{
			Name:  "variant",
			Usage: "sample only the variant `NAME` of an existing run; base is the run itself; may be repeated",
		},
		logFormatFlag(),
		&cli.BoolFlag{Name: "despite-problems", Usage: "sample although the data files break the platform's rules " +
			"or fail a blocking gate, or the grader fails on most references"},
	)
}

func sampleCommand() *cli.Command {
	return &cli.Command{
		Name:  "sample",
		Usage: "make the rollouts of a run, without judging them",
		Description: `Makes the rollouts that the run directory does not have yet, and appends each one
as it ends. Ctrl-C lets the rollouts in flight finish; a second Ctrl-C exits at
once. Run it again to resume. If more rollouts are lost to the model's endpoint, a tool or
the grader than infra.failures allows, the exit code is that of the verdict: 3 or 4.

Variants are sampled after the run itself, each into its own run directory,
RUN/variants/NAME, under the same budget.

` + budgetRule + `

With --until decided it samples all items in rounds, judges the run after each
eighth of --max-samples, from four samples on, and stops once the verdict is
decided. Each look uses wider intervals, so that all looks together are wrong no
more often than a single one. The plan is stored in run.json, and a resumed run
keeps the plan it began with.

Example:
   gonogo sample -c gonogo.yaml -o my-run --samples 16
   gonogo sample -c gonogo.yaml -o my-run-2 --until decided --max-samples 16`,
		Flags: append(append(samplingFlags(), untilFlags()...), targetedFlag()),
		Action: func(c *cli.Context) error {
			p, err := readProject(c)
			if err != nil {
				return err
			}
			defer p.Close()
			return stage.Sample(c.Context, invocationOf(c), p, c.String("output"))
		},
	}
}

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "check, sample, analyze and report: from a job to a verdict",
		Description: `Checks the data, makes the rollouts that the run directory does not have yet,
audits the grader, judges the run and writes the report. The exit code is the
verdict. Where the rows alone are a NO-GO, as gonogo check says, it stops before the
first rollout. Ctrl-C lets the rollouts in flight finish; run it again to resume.

Example:
   gonogo run -c gonogo.yaml -o my-run`,
		Flags: append(append(samplingFlags(), untilFlags()...),
			&cli.BoolFlag{Name: "no-audit", Usage: "skip the audit of the grader (key audit.enabled)"},
			langFlag(), allFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print result.json to standard output"},
		),
		Action: func(c *cli.Context) error {
			p, err := readProject(c)
			if err != nil {
				return err
			}
			defer p.Close()
			return runProject(c.Context, invocationOf(c), p, c.String("output"), nil)
		},
	}
}

// runProject samples, judges and reports. A run that the budget stopped is judged as it is, and its
// exit code says so. between is called before a complete run is judged; nil for nothing.
func runProject(ctx context.Context, c *project.Invocation, p *project.Project, dir string, between func() error) error {
	withBase, err := stage.PickVariants(p, c)
	if err != nil {
		return err
	}
	var stopped *exit.Error
	var failed error
	if withBase {
		stopped, failed, err = stage.Make(ctx, c, p, dir)
	} else {
		stopped, err = project.BudgetStop(stage.SampleVariants(ctx, c, p, dir))
	}
	if err != nil || c.Sampling.Rehearse {
		return err
	}
	if between != nil && stopped == nil {
		if err := between(); err != nil {
			return err
		}
	}
	// A failed variant does not keep the run from its verdict.
	return errors.Join(failed, judgeRun(ctx, c, p, dir, stopped))
}

// judgeRun judges and reports what a run holds. stopped is the reason why it is incomplete; nil if
// it is complete.
func judgeRun(ctx context.Context, c *project.Invocation, p *project.Project, dir string, stopped *exit.Error) error {
	defer output.SaveMemory()()
	_, result, to, err := output.Judged(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if err := output.Deliver(ctx, c, dir, result, to); err != nil {
		return err
	}
	if stopped != nil {
		return stopped
	}
	return exit.Answer(result.ExitCode)
}

// targetedFlag requests more samples of some items.
func targetedFlag() cli.Flag {
	return &cli.BoolFlag{Name: "items-undecided", Usage: fmt.Sprintf("make more rollouts of the items whose class "+
		"is undecided, up to --max-samples of each (default %d); they count only for classes and for gonogo curate",
		stage.MaxTargeted)}
}

// untilFlags are the flags for sampling that ends when the verdict is decided.
func untilFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "until", Usage: "`decided`: sample all items in rounds and stop once the verdict is " +
			"decided"},
		&cli.StringFlag{
			Name:  "max-samples",
			Usage: "with --until, at most `M` rollouts per item (default sampling.samples)",
		},
	}
}
