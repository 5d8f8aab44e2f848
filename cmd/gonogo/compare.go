package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare a new run with a base run, item by item; the exit code is the answer",
		ArgsUsage: "BASE NEW",
		Description: `BASE and NEW are run directories, or files or folders of logs that gonogo import
reads, one or both: a log is read into a temporary run, with the same flags.
Rollouts of a log that names no split count as those of the other side, else as
train. Rewards outside 0 to 1 need --reward-range. Only items in both runs are
compared, each with itself. The answers: regressed, improved, no change that
matters (none larger than compare.delta), not better (more hacks, cut-off answers
or failures than before, or NEW is NO-GO because of its grader), cannot tell. The
answer is that of eval if both runs have it, else of train, else of production.

Exit codes: 0 improved or no change that matters, 3 regressed or not better, 4
cannot tell.

Writes only comparison.json, into NEW if that is a run directory.
With --output the whole report goes into DIR instead: ` + comparisonFiles() + `,
and charts/; of logs also the rollouts, into DIR/base and DIR/new, which are never
replaced. BASE is never written to. Each run's own verdict is shown if it is in its
directory: if a grader failed its audit, a higher reward does not mean a better
policy. Settings come from -c, else from the configuration that NEW was made with,
else that of BASE.

Examples:
   gonogo compare last-night tonight --split eval --set compare.delta=0.02
   gonogo compare before after -o before-after   # then open before-after/index.html
   gonogo compare base.eval new.eval --score accuracy`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "split", Usage: "compare this `SPLIT` alone; a comma-separated list of " +
				strings.Join(splitNames(), ", ") + " (default all)"},
			&cli.BoolFlag{Name: "json", Usage: "print comparison.json to standard output"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown to standard output"},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write the report of the comparison to `DIR`: page, PDF, picture, Markdown, JUnit, tables, " +
					"charts",
			},
			langFlag(), allFlag(),
			pdfFlag(),
		}, keyed("paper", "font"), logFlags(), analysisFlags()),
		Action: func(c *cli.Context) (err error) {
			if err := checkPageFlags(c); err != nil {
				return err
			}
			if err := protectReports(c.String("output"), c.Args().Slice()...); err != nil {
				return err
			}
			var stop context.CancelFunc
			c.Context, stop = ui.Cancellable(c.Context) // what was read is removed
			defer stop()
			both, err := openSides(c)
			defer func() { err = errors.Join(err, both.Close()) }()
			if err != nil {
				return err
			}
			comparison, err := both.compare(c)
			if err != nil {
				return err
			}
			page, err := comparisonPage(c, comparison, both.base.dir, both.new.dir, both.out, both.flags(c)...)
			if err != nil {
				return err
			}
			if err := printPage(c, page, comparison.Encode); err != nil {
				return err
			}
			if err := both.write(c, comparison, page); err != nil {
				return err
			}
			both.done = true
			return exit.Answer(comparison.ExitCode)
		},
	}
}

func splitNames() []string {
	return ui.Names(rollout.Splits(), func(s rollout.Split) string { return string(s) })
}

// compare compares the two sides.
func (s *sides) compare(c *cli.Context) (*compare.Comparison, error) {
	names, err := ui.PickNames("split", c.String("split"), splitNames())
	if err != nil {
		return nil, err
	}
	comparison, err := output.Compare(c.Context, invocationOf(c), s.base.run, s.new.run,
		ui.Names(names, func(name string) rollout.Split { return rollout.Split(name) })...)
	if err != nil {
		return nil, err
	}
	s.name(c, comparison)
	return comparison, nil
}

// comparisonFiles lists the files that --output writes.
func comparisonFiles() string {
	files := ui.Names(report.ComparisonFormats(), func(f report.Format[*report.ComparisonPage]) string { return f.File })
	last := len(files) - 1
	return strings.Join(files[:last], ", ") + "\n" + files[last]
}

// comparisonPage makes the page of a comparison. For a report, in the directory out, it uses the
// configured style and links to the rollouts. Its commands repeat the flags.
func comparisonPage(c *cli.Context, comparison *compare.Comparison, base, newRun, out string, flags ...string) (
	*report.ComparisonPage, error,
) {
	opt := output.PageOptions(invocationOf(c), newRun)
	cfg, _, err := output.RunConfig(invocationOf(c), newRun)
	if err != nil {
		return nil, err
	}
	opt.CompareFlags = ui.Names(flags, rollout.NewRedactor(cfg.Secrets()...).String)
	if out == "" {
		return output.NewComparison(cfg.Report, comparison, opt), nil
	}
	look, err := output.ReportStyle(invocationOf(c), newRun)
	if err != nil {
		return nil, err
	}
	opt.Paper, opt.Font = look.Paper, look.Font
	_, opt.BaseLink = output.Traces(base, out)
	_, opt.NewLink = output.Traces(newRun, out)
	return output.NewComparison(look, comparison, opt), nil
}

// protectReports refuses to write into the directory of a run's own report, whose files have the
// same names.
func protectReports(out string, runs ...string) error {
	for _, run := range runs {
		if out != "" && filepath.Clean(out) == filepath.Clean(output.ReportDir(run)) {
			return exit.Usagef("%s holds the report of %s: name another directory with --output", out, run)
		}
	}
	return nil
}

// write writes the report into the directory given by --output; without it, it stores the comparison
// in the directory of the new run, but not in a folder of logs.
func (s *sides) write(c *cli.Context, comparison *compare.Comparison, page *report.ComparisonPage) error {
	if s.out != "" {
		return writePage(c, s.out, page, report.ComparisonFormats())
	}
	if info, err := os.Stat(s.new.dir); s.new.log || err != nil || !info.IsDir() {
		return err
	}
	return output.WriteFile(s.new.dir, output.ComparisonFile, comparison.Encode)
}

// checkPageFlags refuses two formats for one standard output, and flags of report.pdf if none is
// written.
func checkPageFlags(c *cli.Context) error {
	if c.Bool("json") && c.Bool("markdown") {
		return exit.Usagef("--json and --markdown both ask for standard output: name one; --output writes both")
	}
	if c.String("output") == output.StandardOutput {
		return exit.Usagef("--output takes a directory: --json and --markdown print to standard output")
	}
	for _, flag := range []string{"paper", "font", "pdf"} {
		if c.IsSet(flag) && c.String("output") == "" {
			return exit.Usagef("--%s is about report.pdf, which --output DIR writes", flag)
		}
	}
	return nil
}

// printPage prints the requested format, else the page for a terminal.
func printPage(c *cli.Context, page report.Page, encode func(io.Writer) error) error {
	switch {
	case c.Bool("json"):
		return encode(c.App.Writer)
	case c.Bool("markdown"):
		return report.WriteMarkdown(c.App.Writer, page)
	}
	return report.WriteText(c.App.Writer, page)
}

// writePage writes a page into a directory and reports where it is.
func writePage[P report.Page](c *cli.Context, dir string, page P, formats []report.Format[P]) error {
	if err := report.Write(dir, page, formats); err != nil {
		return err
	}
	output.Warn(invocationOf(c), page)
	_, err := fmt.Fprintf(c.App.ErrWriter, "The report is in %s: open %s\n", dir, filepath.Join(dir, "index.html"))
	return err
}
