package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/curate"
	"gonogo/cmd/gonogo/internal/ui"
)

func curateCommand() *cli.Command {
	reasons := ui.Names(curate.Reasons(),
		func(r curate.ReasonDoc) string { return fmt.Sprintf("   %-13s %s", r.Name, r.Doc) })
	return &cli.Command{
		Name:      "curate",
		Usage:     "write the rows worth training on, and say why the others are dropped",
		ArgsUsage: "RUN",
		Description: `Takes the training file that RUN was sampled from, drops the rows that would teach
nothing or the wrong thing, and writes the others byte for byte as they are. A
table next to it has every row with its reason. Without --output nothing is
written, and only the summary is printed.

An item is dropped for its rewards only if its samples suffice: by the posterior
probability that a group of the trainer's size would look the same again. Items that need more samples are kept and named, and so are rows that were
never sampled.

Rows chosen by their samples look better on those samples than they are.
--fresh-samples N makes N new rollouts of every kept item that was sampled, with
the run's own job, tools and grader, and shows how much of the gain remains.
Ctrl-C lets those in flight finish; run the same command again to resume.

Reasons, the surest first:
` + strings.Join(reasons, "\n") + `

Exit codes: 0 done, 3 no row is worth training on, 5 and 130 as when sampling.

Example:
   gonogo curate my-run -o train.curated.jsonl
   gonogo curate my-run -o train.curated.jsonl --fresh-samples 8 -c gonogo.yaml`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write the kept rows to `FILE`, and the table next to it, its name ending in .csv",
			},
			&cli.BoolFlag{Name: "force", Usage: "overwrite the files; if no row is kept, remove the file of rows"},
			&cli.StringFlag{Name: "train", Usage: "the training file is `FILE` (default: the configuration's)"},
			&cli.BoolFlag{
				Name:  "despite-change",
				Usage: "curate even if the training file has changed since the run: changed rows count as not measured",
			},
			&cli.StringFlag{Name: "keep", Usage: "comma-separated list of `REASONS` that drop nothing"},
			&cli.Float64Flag{
				Name:        "sure",
				Usage:       "drop an item for its rewards if the posterior probability is at least `P`",
				DefaultText: "0.9",
			},
			&cli.Float64Flag{
				Name: "variance",
				Usage: "of the measured rows keep only those whose rewards vary most: below 1 a share `V` of the summed " +
					"variance, such as 0.9, else a number of rows; ties are kept",
			},
			&cli.BoolFlag{
				Name:  "suspicious",
				Usage: "drop suspicious rows too; without it they are kept and listed for review",
			},
			&cli.BoolFlag{Name: "near", Usage: "drop near and swapped copies like exact ones"},
			&cli.BoolFlag{Name: "measured-only", Usage: "drop rows that were never sampled"},
			&cli.BoolFlag{Name: "weights", Usage: "give every row a band of difficulty (hard, medium, easy: " +
				"expected pass rates below, in and above 20 % to 80 %) and a weight, the posterior probability that " +
				"its pass rate is from 20 % to 80 %"},
			&cli.BoolFlag{Name: "json", Usage: "print all of it as JSON"},
		}, freshFlags(), analysisFlags()),
		Action: func(c *cli.Context) error {
			return runCurate(c.Context, curateOptionsOf(c), c.Args().First())
		},
	}
}

func curateOptionsOf(c *cli.Context) *curateOptions {
	return &curateOptions{
		Invocation: invocationOf(c), Run: c.Args().First(), Train: c.String("train"), Keep: c.String("keep"),
		Sure: c.Float64("sure"), SureSet: c.IsSet("sure"),
		Variance: c.Float64("variance"), VarianceSet: c.IsSet("variance"),
		Near: c.Bool("near"), Suspicious: c.Bool("suspicious"), MeasuredOnly: c.Bool("measured-only"),
		DespiteChange: c.Bool("despite-change"), Weights: c.Bool("weights"),
		Force: c.Bool("force"), Fresh: c.IsSet("fresh-samples"), FreshSamples: c.Int("fresh-samples"),
		FreshRun: c.String("fresh-run"),
	}
}

// freshFlags are the flags for measuring kept rows again.
func freshFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.IntFlag{
			Name:  "fresh-samples",
			Usage: "make `N` new rollouts of every kept item that was sampled, and compare",
		},
		&cli.StringFlag{Name: "fresh-run", Usage: "the run directory `RUN` of the new rollouts (default: next to " +
			"the curated file, its name ending in -fresh)"},
		trustFlag(),
		&cli.BoolFlag{
			Name: "yes", Aliases: []string{"y"},
			Usage: "on a terminal, start new rollouts without a rehearsal and without asking",
		},
	}, keyed("concurrency", "max-rollouts"), spendingFlags())
}
