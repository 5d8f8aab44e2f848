package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write the report of a run: page, PDF, picture, Markdown, tables, JUnit, charts",
		ArgsUsage: "RUN",
		Description: `Reads RUN/result.json; if there is none, or settings are given, analyzes the run
first. Writes RUN/report/. The exit code is the verdict.

--no-transcripts leaves out all text that models, tools, graders and data wrote:
answers, references, payloads and errors appear as their lengths, without links to
the lines of rollouts.jsonl. What stays: names (of items, families, tools, parts,
endpoints, models), outcomes, numbers, and words that distinguish the splits.
RUN/result.json stays as it is.

RUN can also be a result.json; whatever needs the rollouts is then left out.
gonogo help formats describes the formats; docs/report.md has the columns of the
tables.

Examples:
   gonogo report my-run --format html,summary
   gonogo report my-run --format usual,parquet
   gonogo report my-run --no-transcripts -o to-send
   gonogo report my-run --format junit --output - >junit.xml`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "comma-separated list of " +
				strings.Join(output.FormatNames(), ", ") + "; usual is all except those written on request only, " +
				"all is every one (default: report.formats, else usual)"},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write to `DIR` instead of RUN/report; - writes the one format named to standard output",
			},
			langFlag(), allFlag(), pdfFlag(),
			&cli.BoolFlag{Name: "no-transcripts", Usage: "leave out text that models, tools, graders and data wrote"},
		}, keyed("paper", "font"), analysisFlags()),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			dir = output.RunOfResult(dir)
			look, err := output.ReportStyle(invocationOf(c), dir)
			if err != nil {
				return err
			}
			formats, err := output.PickFormats(cmp.Or(c.String("format"), strings.Join(look.Formats, ",")))
			if err != nil {
				return err
			}
			out, err := output.ReportTo(invocationOf(c), dir, formats)
			if err != nil {
				return err
			}
			result, err := output.ResultFor(c.Context, invocationOf(c), dir)
			if err != nil {
				return err
			}
			to := output.Delivery{Formats: formats, Out: out, Look: look}
			to.NoteGrader(invocationOf(c), dir)
			if c.Bool("no-transcripts") {
				if to.Bare, err = result.WithoutTexts(); err != nil {
					return err
				}
			}
			if out == output.StandardOutput {
				err = output.PrintFormat(c.Context, invocationOf(c), dir, result, to)
			} else {
				err = output.Deliver(c.Context, invocationOf(c), dir, result, to)
			}
			if err != nil {
				return err
			}
			return exit.Answer(result.ExitCode)
		},
	}
}

// allFlag requests the whole report on standard output instead of the brief.
func allFlag() cli.Flag {
	return &cli.BoolFlag{Name: "all", Usage: "print the whole report, not only the summary"}
}

// pdfFlag requests the annex of report.pdf.
func pdfFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "pdf", Usage: "full: report.pdf with an annex of all pictures, items and thresholds",
		Action: func(_ *cli.Context, value string) error {
			if value != "full" {
				return exit.Usagef("--pdf %s: the only value is full, for the annex", value)
			}
			return nil
		},
	}
}

// langFlag sets the language of commands that report on runs.
func langFlag() cli.Flag { return keyed("lang")[0] }
