package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/report/plain"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "turn another tool's log of rollouts into a run directory",
		ArgsUsage: "FILE...",
		Description: `The format is recognized from the file; --format names it (gonogo help formats
lists them). A failure recorded in the log becomes an outcome, never a number.
Then analyze and report work as on a run made here.

Several files of one format make one import: items that occur again in later files
are further samples. For a directory, the files in it whose names the format knows
are read.

An item is one prompt. Where rollouts of one id were asked different things, --item
says what an item is.

Tables (CSV, JSON lines, Parquet) have a row for each rollout. Tables of a report,
and others whose columns are named like the parts of a rollout, need no mapping;
for others --map says which column is which part:
   ` + wrapPartNames() + `

Example:
   gonogo import results.json -o imported
   gonogo analyze imported
   gonogo import log.csv --map item=question_id,sample=trial,reward=score -o imported`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the run directory `RUN`"},
			&cli.StringFlag{
				Name:  "split",
				Usage: "`train|eval|production`: the split of rollouts that do not name theirs (default train)",
			},
		}, logFlags(), []cli.Flag{conflictFlag()}),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return exit.Usagef("import needs at least one log file")
			}
			if c.String("output") == "" {
				return exit.Usagef("import writes a run directory: name it with --output RUN, as in gonogo import "+
					"%s -o imported", c.Args().First())
			}
			opt, err := logOptions(c, rollout.Split(c.String("split")))
			if err != nil {
				return err
			}
			run := importer.Directory{Dir: c.String("output")}
			if err := run.Vacant(); err != nil {
				return exit.AsUsage(err)
			}
			return importFiles(c, importer.Paths(opt, c.Args().Slice()...), run)
		},
	}
}

// wrapPartNames lists the parts for the help.
func wrapPartNames() string {
	return strings.TrimSpace(plain.Wrap(strings.Join(importer.PartNames(), ", "), "   ", 80))
}

// importFiles writes the run while it reads the files, and removes it if they turn out to be
// broken.
func importFiles(c *cli.Context, src importer.Source, run importer.Directory) error {
	ballast := make([]byte, 24<<20) // never touched: the collector then does not run for every few megabytes
	defer runtime.KeepAlive(&ballast)
	from, format, err := readLog(c, src, &run)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "Imported %s from %s (%s) into %s.\n", console.Count(run.Rollouts, "rollout"), from,
		format, run.Dir)
	for _, note := range run.Notes {
		fmt.Fprintf(c.App.ErrWriter, "  %s\n", console.Visible(note))
	}
	next := []string{"gonogo", "report", run.Dir}
	if run.Rollouts > 0 && run.Graded == 0 {
		next = []string{"gonogo", "grade", run.Dir, "--grader", "FILE", "-o", run.Dir + "-graded"}
	}
	if lo, hi := run.Rewards[0], run.Rewards[1]; run.Rollouts > 0 && (lo < 0 || hi > 1) {
		fmt.Fprintf(c.App.ErrWriter, "  rewards are from %g to %g, outside the default range: set "+
			"reward_range, or --reward-range as here, to what the grader can give\n", lo, hi)
		next = append(next, "--reward-range", fmt.Sprintf("%g,%g", lo, hi))
	}
	fmt.Fprintf(c.App.ErrWriter, "Next: %s\n", message.Shell(next...))
	return nil
}
