package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/judge"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func auditCommand() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "probe the grader: can it be fooled, does it accept right answers, is it consistent",
		ArgsUsage: "RUN",
		Description: `Takes a sample of the run's items and submits to the grader answers whose right
grade is known: worthless and wrong ones, the reference in other forms, recorded
answers made longer or more polite, and recorded answers again. Writes
probes.jsonl into RUN, where analyze and report find it; the rollouts do not
change. If RUN does not exist it is created from the configuration, so that a
grader can be audited before anything is sampled. gonogo run includes the audit.
Settings come from -c, else from gonogo.yaml, else from the configuration that RUN
was made with. That one is used only with --trust-run: what it would run and send
is listed first. The exit code is that of the gates about the grader.

Every hole has an ID: --replay ID grades the same payload again and shows it
in full. gonogo help probes lists the probes.

Example:
   gonogo audit my-run --items 40
   gonogo audit my-run --replay reference/train/q-17/0`,
		Flags: append(append(graderFlags(), keyed("labels")...),
			&cli.StringFlag{Name: "items", Usage: "make probes of `M` items (key audit.items)"},
			&cli.StringFlag{Name: "replay", Usage: "grade the payload `ID` again and show it"},
			langFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
		),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			p, run, err := project.ForAudit(c.Context, invocationOf(c), dir, c.String("replay") != "")
			if err != nil {
				return err
			}
			defer p.Close()
			if id := c.String("replay"); id != "" {
				return stage.Replay(c.Context, p, invocationOf(c), run, id)
			}
			if err := p.ReadyToAudit(c.Context, invocationOf(c)); err != nil {
				return err
			}
			if err := p.Spending.CountRun(c.Context, dir); err != nil {
				return exit.AsUsage(err)
			}
			if run == nil {
				if err := beginRun(c, p, dir); err != nil {
					return err
				}
			}
			if run, err = stage.Audit(c.Context, p, invocationOf(c), dir); err != nil {
				return err
			}
			return printPart(c.Context, p, invocationOf(c), run, judge.AnalyzeAudit, report.WriteAudit)
		},
	}
}

// printPart prints the findings of an audit or a burst with its part of a Result. The exit code is
// that of the gates.
func printPart(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run,
	analyze func(context.Context, *rollout.Run, analysis.Settings) (*analysis.Result, error),
	write func(io.Writer, *report.RunPage) error,
) error {
	r, err := analyze(ctx, run, p.Config.Settings())
	if err != nil {
		return exit.AsUsage(err)
	}
	if c.JSON {
		part := map[string]any{"findings": r.Findings, "grader": r.Grader}
		if c.Command == "burst" {
			part = map[string]any{"findings": r.Findings, "burst": r.Burst}
		}
		err = ui.PrintJSON(c.Out, part)
	} else {
		err = write(c.Out, output.PageOf(c, run.Dir, r, p.Config.Report))
	}
	switch {
	case analysis.Blockers(r.Findings, analysis.Fail) != nil:
		return errors.Join(err, exit.Answer(exit.NoGo))
	case analysis.Blockers(r.Findings, analysis.Unknown) != nil:
		return errors.Join(err, exit.Answer(exit.Undecided))
	}
	return err
}

// beginRun creates a run directory without rollouts.
func beginRun(c *cli.Context, p *project.Project, dir string) error {
	if err := p.BeginRun(dir); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "There was no run %s: it was created, without rollouts, from the configuration %s.\n",
		console.Visible(dir), console.Visible(p.Config.File))
	return nil
}
