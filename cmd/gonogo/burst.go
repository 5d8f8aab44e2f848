package main

import (
	"github.com/urfave/cli/v2"

	"gonogo/analysis/judge"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func burstCommand() *cli.Command {
	return &cli.Command{
		Name:      "burst",
		Usage:     "rehearse a training step: can tools and grader handle all its rollouts at once",
		ArgsUsage: "RUN",
		Description: `Plays batch × group rollouts that start at once, as a training step does: the tool
calls that RUN recorded, each rollout's own in their order, then the grader. The
model is not called. Before that, smaller waves of 1, 2, 4, … rollouts show where
latency doubles, and some rollouts make every request twice. There is no rate
limit; a failed request is retried three times, as a trainer does, and then its
rollout counts as discarded. Writes burst.json and calls.jsonl into RUN, where
analyze and report find them. The exit code is that of the gates endpoint.*.

Recorded calls are repeated, so a tool that writes will write again: they start
only after you agree, on a terminal or with --yes. Tools under burst.safe change
nothing: they are called without asking, and with arguments generated from their
schema if no call of them was recorded. Tools under burst.skip are never called. A
grader that calls a model costs money: the estimate is printed first, it grades
only in the bursts, and no burst starts that would cost more than --max-usd. A
grader without an endpoint is left out.

A service that makes the rollouts itself (agent.url) makes them again instead of
replaying calls: that calls its model, so the estimate is printed first, it needs
--yes too, and it keeps to sampling.max_rollouts, max_tokens and max_usd. An agent
that is a program (agent.command) is left out.

If RUN does not exist it is created from the configuration, without rollouts.
Settings come from -c, else from gonogo.yaml, else from the configuration that RUN
was made with. That one is used only with --trust-run: what it would run and send
is listed first.

Example:
   gonogo burst my-run --yes
   gonogo burst my-run --rollouts 500 --set burst.safe='[search, cat]'`,
		Flags: append(append(recordedFlags(), keyed("rollouts", "group-size", "max-usd")...),
			&cli.BoolFlag{Name: "gaps", Usage: "keep the recorded time between the calls (key burst.gaps)"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "without asking, repeat recorded calls of " +
				"tools that burst.safe does not name, and pay for models that grade or that an agent calls"},
			langFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
		),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			p, run, err := stage.BurstProject(c.Context, invocationOf(c), dir)
			if err != nil {
				return err
			}
			defer p.Close()
			plan, cfg, err := stage.PlanBurst(c.Context, p, run)
			if err != nil {
				return err
			}
			if err := stage.ConfirmBurst(p, invocationOf(c), plan, cfg); err != nil {
				return err
			}
			if err := stage.ReadyToBurst(c.Context, p, invocationOf(c)); err != nil {
				return err
			}
			if run == nil {
				if err := beginRun(c, p, dir); err != nil {
					return err
				}
				if run, err = rollout.Open(dir); err != nil {
					return err
				}
			}
			if err := stage.Burst(c.Context, p, invocationOf(c), run, plan, cfg); err != nil {
				return err
			}
			return printPart(c.Context, p, invocationOf(c), run, judge.AnalyzeBurst, report.WriteBurst)
		},
	}
}
