package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

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
   gonogo analyze my-run --group-size 16 --set signal.informative=0.2`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print result.json to standard output"},
			langFlag(), allFlag(),
		}, analysisFlags()...),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			result, err := output.AnalyzeRun(c.Context, callOf(c), dir)
			if err != nil {
				return err
			}
			output.PrintThresholdChanges(callOf(c), result)
			cfg, _, err := output.RunConfig(callOf(c), dir)
			if err != nil {
				return err
			}
			to := output.Delivery{Look: cfg.Report}
			to.NoteGrader(callOf(c), dir)
			if err := output.Deliver(c.Context, callOf(c), dir, result, to); err != nil {
				return err
			}
			return exit.Answer(result.ExitCode)
		},
	}
}

// argumentsText says how many arguments a command was given.
func argumentsText(c *cli.Context) string {
	if c.NArg() == 1 {
		return "is 1 argument"
	}
	return fmt.Sprintf("are %d arguments", c.NArg())
}

// oneRun returns the command's only argument.
func oneRun(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", exit.Usagef("%s takes one run, and there %s; see gonogo %s --help", c.Command.Name, argumentsText(c), c.Command.Name)
	}
	return c.Args().First(), nil
}
