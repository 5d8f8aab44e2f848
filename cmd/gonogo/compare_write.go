package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

// comparisonFiles names what --output writes.
func comparisonFiles() string {
	var files []string
	for _, f := range report.ComparisonFormats() {
		files = append(files, f.File)
	}
	last := len(files) - 1
	return strings.Join(files[:last], ", ") + "\n" + files[last]
}

// comparisonPage makes the page of a comparison; for a report it looks as the
// configuration wants it, and knows the way to the rollouts.
func comparisonPage(c *cli.Context, comparison *compare.Comparison) (*report.Page, error) {
	base, new, out := c.Args().Get(0), c.Args().Get(1), c.String("output")
	if err := spareReports(out, base, new); err != nil {
		return nil, err
	}
	opt := output.PageOptions(callOf(c), new)
	if out == "" {
		cfg, _, err := output.RunConfig(callOf(c), new)
		if err != nil {
			return nil, err
		}
		return output.NewComparison(cfg.Report, comparison, opt), nil
	}
	look, err := output.ReportStyle(callOf(c), new)
	if err != nil {
		return nil, err
	}
	opt.Paper, opt.Font = look.Paper, look.Font
	_, opt.BaseLink = output.Traces(base, out)
	_, opt.NewLink = output.Traces(new, out)
	return output.NewComparison(look, comparison, opt), nil
}

// spareReports refuses an output in which a run's own report is: the files of
// both have the same names.
func spareReports(out string, runs ...string) error {
	for _, run := range runs {
		if out != "" && filepath.Clean(out) == filepath.Clean(output.ReportDir(run)) {
			return exit.Usagef("%s holds the report of %s: name another directory with --output", out, run)
		}
	}
	return nil
}

// writeComparison writes the report into the directory that --output names;
// without one it keeps the comparison in the new run's.
func writeComparison(c *cli.Context, comparison *compare.Comparison, page *report.Page) error {
	if dir := c.String("output"); dir != "" {
		if err := report.Write(dir, page, report.ComparisonFormats()); err != nil {
			return err
		}
		output.Warn(callOf(c), page)
		_, err := fmt.Fprintf(c.App.ErrWriter, "The report is in %s: open %s\n", dir, filepath.Join(dir, "index.html"))
		return err
	}
	dir := c.Args().Get(1)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return err
	}
	var b bytes.Buffer
	if err := comparison.Encode(&b); err != nil {
		return err
	}
	return rollout.WriteFile(filepath.Join(dir, output.ComparisonFile), b.Bytes())
}
