package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/night"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/report"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Name:      "history",
		Usage:     "show what changed over the nights, and from which night on",
		ArgsUsage: "DIR",
		Description: `DIR is the history directory of gonogo nightly, or its nights.jsonl. Shows the
drift of model, grader, tools, tokens and latency separately, each with the night
where it changed, the interval for that night, and what was made differently
there. Nights with other items than the newest good one are shown and not
compared.

Exit codes: 0 done, 2 DIR is not a history. Regressions are the exit code of
gonogo nightly.

Example:
   gonogo history nights -o nights-page`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON to standard output"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown to standard output"},
			allFlag(),
			&cli.StringFlag{Name: "lang", Usage: "write the page in `LANG`: " + strings.Join(message.Tags(), " or ")},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write index.html, history.md, history.json, junit.xml and charts to `DIR`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef("history takes one history directory, and there %s; see gonogo history --help", argumentsText(c))
			}
			dir := c.Args().First()
			if c.Bool("json") && c.Bool("markdown") {
				return exit.Usagef("--json and --markdown both ask for standard output: name one; --output writes both")
			}
			if c.String("output") == output.StandardOutput {
				return exit.Usagef("--output takes a directory: --json and --markdown print to standard output")
			}
			h, err := night.Open(dir)
			if err != nil {
				return exit.AsUsage(err)
			}
			found := history.Analyze(h.List, history.DefaultOptions())
			if h.Torn {
				found.NoteTornLine(night.File)
			}
			if found.Lang, err = message.LanguageByTag(c.String("lang")); err != nil {
				return exit.Usagef("--lang: %v", err)
			}
			page := report.NewHistory(found, output.PageOptions(callOf(c), dir))
			if err := printHistory(c, found, page); err != nil {
				return err
			}
			if out := c.String("output"); out != "" {
				if err := report.Write(out, page, report.HistoryFormats()); err != nil {
					return err
				}
				output.Warn(callOf(c), page)
				_, err = fmt.Fprintf(c.App.ErrWriter, "The page is in %s: open %s\n", out, filepath.Join(out, "index.html"))
				return err
			}
			return nil
		},
	}
}

func printHistory(c *cli.Context, h *history.History, page *report.Page) error {
	switch {
	case c.Bool("json"):
		return h.Encode(c.App.Writer)
	case c.Bool("markdown"):
		return report.WriteMarkdown(c.App.Writer, page)
	}
	return report.WriteText(c.App.Writer, page)
}
