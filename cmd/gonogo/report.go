package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"gonogo/analysis"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write the report of a run: page, picture, Markdown, charts",
		ArgsUsage: "RUN",
		Description: `Reads RUN/result.json, and analyses the run first where there is none or where
settings are given. Writes RUN/report/. The exit code is the verdict.

Example:
   gonogo report my-run --format html,summary`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "comma-separated list of " + strings.Join(formatNames(), ", ") + " (default all)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `DIR` instead of RUN/report"},
			&cli.StringFlag{Name: "paper", Usage: "`SIZE` of report.pdf's pages: " + strings.Join(report.Papers(), " or ")},
			&cli.StringFlag{Name: "font", Usage: "`FILE` of a font for what report.pdf says beyond Latin, Greek and Cyrillic"},
		}, analysisFlags()...),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			formats, err := pickFormats(c.String("format"))
			if err != nil {
				return err
			}
			out, err := reportTo(c, dir)
			if err != nil {
				return err
			}
			result, err := resultFor(c, dir)
			if err != nil {
				return err
			}
			look, err := lookFor(c, dir)
			if err != nil {
				return err
			}
			if err := deliver(c, dir, result, delivery{formats, out, look}); err != nil {
				return err
			}
			return verdict(result)
		},
	}
}

// resultFor is the run's result.json, or a fresh analysis where there is none,
// where rollouts came since, or where settings are given.
func resultFor(c *cli.Context, dir string) (*analysis.Result, error) {
	kept, err := readResult(dir)
	if err != nil {
		return nil, asUsage(err)
	}
	if kept == nil || settingsGiven(c) {
		return analyzeRun(c, dir)
	}
	opened, err := rollout.Open(dir)
	if err != nil {
		return nil, asUsage(err)
	}
	own, err := settingsFor(c, opened.Manifest)
	if err != nil {
		return nil, err
	}
	if kept.GroupSize != own.GroupSize || !maps.Equal(kept.Thresholds, own.Thresholds.All()) {
		fmt.Fprintf(c.App.ErrWriter, "note: %s was analysed with other settings than the run's own; the report says which. gonogo analyze %s brings them back.\n", filepath.Join(dir, resultFile), dir)
	}
	return kept, nil
}

// lookFor is how the configuration wants a run's reports to look.
func lookFor(c *cli.Context, dir string) (reportValues, error) {
	opened, err := rollout.Open(dir)
	if err != nil {
		return reportValues{}, asUsage(err)
	}
	cfg, err := configFor(c, opened.Manifest)
	if err != nil {
		return reportValues{}, err
	}
	return cfg.Report, nil
}

// settingsGiven reports whether the command line asks for a fresh analysis.
func settingsGiven(c *cli.Context) bool {
	return slices.ContainsFunc(analysisFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) })
}

// reportDir is where the report of a run directory lies.
func reportDir(run string) string { return filepath.Join(run, "report") }

// reportTo is where `gonogo report` writes. Beside a run that is a single file
// may lie anything.
func reportTo(c *cli.Context, run string) (string, error) {
	if out := c.String("output"); out != "" {
		return out, nil
	}
	if info, err := os.Stat(run); err == nil && !info.IsDir() {
		return "", usagef("%s is a file: say with --output where its report goes", run)
	}
	return reportDir(run), nil
}

func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// pickFormats returns the formats by name; none named means all.
func pickFormats(list string) ([]report.Format, error) {
	if list == "" {
		return report.Formats(), nil
	}
	var picked []report.Format
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(report.Formats(), func(f report.Format) bool { return f.Name == name })
		if at < 0 {
			return nil, usagef("there is no report format %q%s; there are %s", name, didYouMean(name, formatNames()), strings.Join(formatNames(), ", "))
		}
		picked = append(picked, report.Formats()[at])
	}
	return picked, nil
}

// page makes the page of a run's result for this command's terminal.
func page(c *cli.Context, run string, r *analysis.Result) *report.Page {
	return report.NewPage(r, pageOptions(c, run))
}

// pageOptions are what a page says of this command.
func pageOptions(c *cli.Context, run string) report.Options {
	return report.Options{
		Version: version(),
		Now:     time.Now(),
		Dir:     run,
		Color:   isTerminal(c.App.Writer) && os.Getenv("NO_COLOR") == "",
		Width:   width(c.App.Writer),
	}
}

// printText prints the report for a terminal.
func printText(c *cli.Context, run string, r *analysis.Result) error {
	formats, err := pickFormats("text")
	if err != nil {
		return err
	}
	return formats[0].Write(c.App.Writer, page(c, run, r))
}

func writeReport(c *cli.Context, run string, r *analysis.Result, to delivery) error {
	opt := pageOptions(c, run)
	opt.Paper, opt.Font = to.look.Paper, to.look.Font
	opt.Traces, opt.TracesLink = traces(run, to.out)
	p, dir, formats := report.NewPage(r, opt), to.out, to.formats
	if err := report.Write(dir, p, formats); err != nil {
		return err
	}
	for _, warning := range p.Warnings() {
		fmt.Fprintf(c.App.ErrWriter, "warning: report.pdf: %s\n", warning)
	}
	open := ""
	if slices.ContainsFunc(formats, func(f report.Format) bool { return f.Name == "html" }) {
		open = ": open " + filepath.Join(dir, "index.html")
	}
	_, err := fmt.Fprintf(c.App.ErrWriter, "The report is in %s%s\n%s: %s\n", dir, open, p.Verdict, visible(p.Sentence))
	return err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func readsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is the width of the terminal, or 0 when it is none.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return cols
}
