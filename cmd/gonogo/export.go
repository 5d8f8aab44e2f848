package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/collect"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/logs/exporter"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the rollouts of a run as another tool's log, or as a table",
		ArgsUsage: "RUN",
		Description: `Writes the rollouts of a run in the format of another tool. Whatever the format
cannot hold is listed. A failure stays a failure: it has an error and no score.
gonogo help formats lists the formats; gonogo import reads every one of them back.

Example:
   gonogo export my-run --format inspect -o my-run.eval
   gonogo export my-run --format verifiers -o results/`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "`NAME`: " + strings.Join(exportNames(), ", ")},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "the new file, or, for verifiers, directory: `FILE|DIR`",
			},
			&cli.StringFlag{
				Name:  "split",
				Usage: "`train|eval|production`: required if the format holds one data set and the run has several",
			},
			&cli.StringFlag{
				Name: "on-conflict",
				Usage: "if lines for the same rollout differ, take the `first|last`; without this flag they are an " +
					"error",
			},
		},
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			i := slices.IndexFunc(exportFormats(), func(f exportFormat) bool { return f.name == c.String("format") })
			switch {
			case c.String("format") == "":
				return exit.Usagef("say with --format what to write: %s", strings.Join(exportNames(), ", "))
			case i < 0:
				return exit.Usagef("there is no format %q%s", c.String("format"),
					spelling.Choices(c.String("format"), exportNames()))
			case c.String("output") == "":
				return exit.Usagef("name the output with --output")
			}
			return exportFormats()[i].write(c, dir, c.String("output"))
		},
	}
}

// exportFormat is a format of the exporter, or a table of the report.
type exportFormat struct {
	name, doc string
	write     func(c *cli.Context, run, path string) error
}

// exportFormats lists the log formats first, then the tables of the report.
func exportFormats() []exportFormat {
	var list []exportFormat
	for _, f := range exporter.Formats() {
		list = append(list,
			exportFormat{
				f.Name, f.Doc,
				func(c *cli.Context, run, path string) error { return exportLog(c, f, run, path) },
			})
	}
	for _, f := range report.Formats() {
		if f.Rollouts {
			name := strings.TrimPrefix(f.File, "rollouts.")
			list = append(list, exportFormat{
				name, "the report's " + f.File + ", a row for each rollout of every " +
					"split; docs/report.md has the columns",
				func(c *cli.Context, run, path string) error { return exportTable(c, f, run, path) },
			})
		}
	}
	return list
}

func exportNames() []string {
	return ui.Names(exportFormats(), func(f exportFormat) string { return f.name })
}

func exportLog(c *cli.Context, f exporter.Format, dir, path string) error {
	if err := refuseExisting(overwriteAdvice, f.Paths(path)...); err != nil {
		return err
	}
	opened, err := rollout.Open(dir)
	if err != nil {
		return exit.AsUsage(err)
	}
	cfg, err := project.ConfigFor(invocationOf(c), opened.Manifest)
	if err != nil {
		return err
	}
	run, err := exporter.Open(c.Context, opened, exporter.Options{
		Split:      rollout.Split(c.String("split")),
		OnConflict: rollout.Conflict(c.String("on-conflict")),
		Floor:      cfg.Settings().RewardRange.Lo,
	})
	if errors.Is(err, exporter.ErrSplits) {
		return exit.Usagef("export %s: %v with --split", dir, err)
	}
	if err != nil {
		return exit.AsUsage(err)
	}
	if err := f.Write(c.Context, path, run); err != nil {
		return err
	}
	exported(c.App.ErrWriter, run.Rollouts(), f.Name, path, f.Loses(run))
	return nil
}

// exported reports what was written and what was lost.
func exported(w io.Writer, n int, format, path string, notes []string) {
	fmt.Fprintf(w, "Exported %s as %s: %s\n", console.Count(n, "rollout"), format, path)
	for _, note := range notes {
		fmt.Fprintf(w, "  %s\n", console.Visible(note))
	}
}

// exportTable writes a table of the report.
func exportTable(c *cli.Context, f report.Format[*report.RunPage], dir, path string) error {
	if c.String("split") != "" {
		return exit.Usagef("a table holds all splits, each in its rows: leave --split out")
	}
	if err := refuseExisting(overwriteAdvice, path); err != nil {
		return err
	}
	result, err := output.ResultFor(c.Context, invocationOf(c), dir)
	if err != nil {
		return err
	}
	formats := []report.Format[*report.RunPage]{f}
	p := output.PageTo(c.Context, invocationOf(c), dir, result, output.Delivery{Formats: formats, Out: path})
	if p.Rollouts == nil {
		return output.NoRollouts(dir, formats)
	}
	steps := make(map[int]bool)
	if _, err := p.Rollouts(func(r collect.Counted) error { steps[r.Step] = true; return nil }); err != nil {
		return err
	}
	if err := exporter.OneStep(steps); err != nil {
		return exit.AsUsage(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return exit.AsUsage(err)
	}
	staged, err := disk.StageFile(path, func(w io.Writer) error { return f.Write(w, p) })
	if err != nil {
		return err
	}
	if err := staged.Commit(); err != nil {
		return err
	}
	exported(c.App.ErrWriter, result.Input.Records, strings.TrimPrefix(f.File, "rollouts."), path,
		[]string{"a table holds no messages, no answers and no names of tools"})
	return nil
}

// overwriteAdvice is the advice if an export would overwrite a file, which may be the source of the
// run's import.
const overwriteAdvice = "name another file or directory"
