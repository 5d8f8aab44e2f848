package main

import (
	"github.com/urfave/cli/v2"

	"gonogo/analysis/archive"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/exit"
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
where it changed, the interval for that night, and which settings changed there.
Nights whose items differ from the newest good night's are shown but not compared.

Exit codes: 0 done, 2 DIR is not a history. Regressions are the exit code of
gonogo nightly.

Example:
   gonogo history nights -o nights-page`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON to standard output"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown to standard output"},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write the report of the history to `DIR`: page, PDF, picture, Markdown, JUnit, JSON, charts",
			},
			langFlag(), allFlag(), pdfFlag(),
		}, keyed("paper", "font")...),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			if err := checkPageFlags(c); err != nil {
				return err
			}
			h, err := archive.OpenHistory(dir)
			if err != nil {
				return exit.AsUsage(err)
			}
			look, err := output.ReportStyle(invocationOf(c), h.Newest())
			if err != nil {
				return err
			}
			found := history.Analyze(h.Nights, history.DefaultOptions())
			if h.Torn {
				found.NoteTornLine(archive.NightsFile)
			}
			opt := output.PageOptions(invocationOf(c), dir)
			found.Lang, opt.Paper, opt.Font = look.Language(), look.Paper, look.Font
			page := report.NewHistoryPage(found, opt)
			if err := printPage(c, page, found.Encode); err != nil || c.String("output") == "" {
				return err
			}
			return writePage(c, c.String("output"), page, report.HistoryFormats())
		},
	}
}
