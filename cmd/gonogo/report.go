package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write the report of a run: page, PDF, picture, Markdown, tables, JUnit, charts",
		ArgsUsage: "RUN",
		Description: `Reads RUN/result.json, and analyses the run first where there is none or where
settings are given. Writes RUN/report/. The exit code is the verdict.

--no-transcripts leaves out of the report what models, tools, graders and data
wrote: answers, references, payloads and errors stand as their lengths, and there
is no way from it to the lines of rollouts.jsonl. What stays: names (of items,
families, tools, parts, endpoints, models), outcomes, numbers, and words by which
splits can be told apart. RUN/result.json stays as it is.

RUN may be a result.json alone: what is made of rollouts is then left out.
gonogo help formats says what each format is; docs/formats.md has the columns of
the tables.

Examples:
   gonogo report my-run --format html,summary
   gonogo report my-run --format usual,parquet
   gonogo report my-run --no-transcripts -o to-send
   gonogo report my-run --format junit --output - >junit.xml`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "comma-separated list of " + strings.Join(formatNames(), ", ") + "; usual is all but those written where they are asked for, all is every one (default: report.formats, else usual)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `DIR` instead of RUN/report; - writes the one format named to standard output"},
			langFlag(),
			&cli.StringFlag{Name: "paper", Usage: "`SIZE` of report.pdf's pages: " + strings.Join(report.Papers(), " or ")},
			&cli.StringFlag{Name: "font", Usage: "`FILE` of a font for what report.pdf and the pictures say beyond Latin, Greek and Cyrillic; none: no font of the machine"},
			&cli.BoolFlag{Name: "no-transcripts", Usage: "leave out what models, tools, graders and data wrote"},
		}, analysisFlags()...),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			dir = besideResult(dir)
			look, err := lookFor(callOf(c), dir)
			if err != nil {
				return err
			}
			formats, err := pickFormats(cmp.Or(c.String("format"), strings.Join(look.Formats, ",")))
			if err != nil {
				return err
			}
			out, err := reportTo(callOf(c), dir, formats)
			if err != nil {
				return err
			}
			result, err := resultFor(c.Context, callOf(c), dir)
			if err != nil {
				return err
			}
			to := delivery{formats: formats, out: out, look: look}
			to.noteGrader(callOf(c), dir)
			if c.Bool("no-transcripts") {
				if to.bare, err = result.WithoutTexts(); err != nil {
					return err
				}
			}
			if out == standardOutput {
				err = printFormat(c.Context, callOf(c), dir, result, to)
			} else {
				err = deliver(c.Context, callOf(c), dir, result, to)
			}
			if err != nil {
				return err
			}
			return verdict(result)
		},
	}
}

// standardOutput is the output that is no directory.
const standardOutput = "-"

// besideResult is the directory that a result.json lies in, given that file;
// any other run is itself.
func besideResult(run string) string {
	if info, err := os.Stat(run); err == nil && !info.IsDir() && filepath.Base(run) == resultFile {
		return filepath.Dir(run)
	}
	return run
}

// resultFor is the run's result.json, or a fresh analysis where there is none,
// where the run's files are others since, where it was judged by other settings
// than the run's own, or where settings are given.
func resultFor(ctx context.Context, c *call, dir string) (*analysis.Result, error) {
	kept, err := readResult(dir)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	if kept == nil || c.Judging {
		return analyzeRun(ctx, c, dir)
	}
	opened, err := rollout.Open(dir)
	if errors.Is(err, rollout.ErrNotARun) {
		return kept, nil // there is nothing but the result
	}
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	own, err := settingsFor(c, opened.Manifest)
	if err != nil {
		return nil, err
	}
	if kept.GroupSize == own.GroupSize && maps.Equal(kept.Thresholds, own.Thresholds.All()) {
		return kept, nil
	}
	if opened.Manifest == nil || len(opened.Manifest.Config) == 0 {
		fmt.Fprintf(c.Err, "note: %s was judged with other settings than the defaults; the report says which thresholds were changed.\n", filepath.Join(dir, resultFile))
		return kept, nil
	}
	fmt.Fprintf(c.Err, "note: %s was judged with other settings than the run's own; this report judges by the run's own. To report by others, give them here, too (--set, --group-size, --config).\n", filepath.Join(dir, resultFile))
	return analyzeOpened(ctx, c, opened, own)
}

// reportDir is where the report of a run directory lies.
func reportDir(run string) string { return filepath.Join(run, "report") }

// reportTo is where `gonogo report` writes. Beside a run that is a single file
// may lie anything.
func reportTo(c *call, run string, formats []report.Format) (string, error) {
	out := c.Output
	if out == standardOutput && len(formats) != 1 {
		return "", exit.Usagef("--output - takes one format: name it with --format")
	}
	if out != "" {
		return out, nil
	}
	if info, err := os.Stat(run); err == nil && !info.IsDir() {
		return "", exit.Usagef("%s is a file: say with --output where its report goes", run)
	}
	return reportDir(run), nil
}

// page makes the page of a run's result for this command's terminal.
func page(c *call, run string, r *analysis.Result, look config.ReportValues) *report.Page {
	return delivery{look: look, config: c.Config}.page(r, pageOptions(c, run))
}

// page makes the page of a result as it is delivered.
func (d delivery) page(r *analysis.Result, opt report.Options) *report.Page {
	opt.Config, opt.GraderChanged = d.config, d.changed
	return newPage(d.look, r, opt)
}

// pageOptions are what a page says of this command.
func pageOptions(c *call, run string) report.Options {
	return report.Options{
		Version: version(),
		Now:     time.Now(),
		Dir:     run,
		Color:   ui.IsTerminal(c.Out) && os.Getenv("NO_COLOR") == "",
		Width:   ui.Width(c.Out),
	}
}

// printText prints the report for a terminal.
func printText(c *call, run string, r *analysis.Result, to delivery) error {
	formats, err := pickFormats("text")
	if err != nil {
		return err
	}
	return formats[0].Write(c.Out, to.page(r, pageOptions(c, run)))
}

// pageTo makes the page of a run's result for what is delivered.
func pageTo(ctx context.Context, c *call, run string, r *analysis.Result, to delivery) *report.Page {
	opt := pageOptions(c, run)
	opt.Paper, opt.Font, opt.Rollouts = to.look.Paper, to.look.Font, rolloutsOf(ctx, c, run, r)
	from := to.out
	if from == standardOutput {
		from = "." // where a shell puts it, as far as one can tell
	}
	switch {
	case to.bare != nil:
		opt.Rollouts = withoutTexts(opt.Rollouts)
	case opt.Rollouts != nil:
		opt.Traces, opt.TracesLink = traces(run, from)
	}
	return to.page(to.shown(r), opt)
}

// writeReport writes a report. Formats that need rollouts where there are none
// are named: an error when somebody asked for them, else a note. The others are
// written all the same.
func writeReport(ctx context.Context, c *call, run string, r *analysis.Result, to delivery) error {
	p, dir, formats := pageTo(ctx, c, run, r, to), to.out, to.formats
	var without []report.Format
	if p.Rollouts == nil {
		without = slices.DeleteFunc(slices.Clone(formats), func(f report.Format) bool { return !f.Rollouts })
		formats = slices.DeleteFunc(slices.Clone(formats), func(f report.Format) bool { return f.Rollouts })
	}
	if dir == reportDir(run) { // in a directory that may come from elsewhere
		if err := rollout.PlainDir(dir); err != nil {
			return exit.AsUsage(err)
		}
	}
	if err := report.Write(dir, p, formats); err != nil {
		return err
	}
	warn(c, p)
	open := ""
	if slices.ContainsFunc(formats, func(f report.Format) bool { return f.Name == "html" }) {
		open = ": open " + filepath.Join(dir, "index.html")
	}
	if _, err := fmt.Fprintf(c.Err, "The report is in %s%s\n%s: %s\n", dir, open, p.Verdict, ui.Visible(p.Sentence)); err != nil {
		return err
	}
	if len(without) == 0 {
		return nil
	}
	missing := noRollouts(run, without)
	if c.Format != "" {
		return missing
	}
	_, err := fmt.Fprintf(c.Err, "note: %v\n", missing)
	return err
}
