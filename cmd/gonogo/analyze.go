package main

import (
	"github.com/urfave/cli/v2"

	"gonogo/analysis/archive"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
)

func analyzeCommand() *cli.Command {
	return &cli.Command{
		Name:      "analyze",
		Usage:     "measure and judge the rollouts of a run; the exit code is the verdict",
		ArgsUsage: "RUN",
		Description: `RUN is a run directory, a directory with only a rollouts.jsonl, or a .jsonl file.
Writes result.json into the run directory.

Settings come from -c, else from the configuration the run was made with; flags
override both.

Example:
   gonogo analyze my-run --group-size 16 --set signal.informative.groups=40`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print result.json to standard output"},
			langFlag(), allFlag(),
		}, analysisFlags()...),
		Action: func(c *cli.Context) error {
			defer output.SaveMemory()()
			dir := c.Args().First()
			before, err := archive.ReadOther(dir, gate.All())
			if err != nil {
				before = nil // it is replaced
			}
			result, err := output.AnalyzeRun(c.Context, invocationOf(c), dir)
			if err != nil {
				return err
			}
			output.PrintRuleChanges(invocationOf(c), before, result)
			output.PrintThresholdChanges(invocationOf(c), result)
			cfg, _, err := output.RunConfig(invocationOf(c), dir)
			if err != nil {
				return err
			}
			to := output.Delivery{Look: cfg.Report}
			to.NoteGrader(invocationOf(c), dir)
			if err := output.Deliver(c.Context, invocationOf(c), dir, result, to); err != nil {
				return err
			}
			return exit.Answer(result.ExitCode)
		},
	}
}
