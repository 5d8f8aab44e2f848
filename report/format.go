package report

import (
	"fmt"
	"io"
	"slices"

	"gonogo/report/internal/html"
	"gonogo/report/internal/markdown"
	"gonogo/report/table"
	"gonogo/report/text"
)

// Rollouts reads the rollouts of the page's run, as often as it is called.
type Rollouts = table.Rollouts

// ErrNoRollouts means that a format needs the rollouts themselves, and the page
// was made without Options.Rollouts.
var ErrNoRollouts = table.ErrNoRollouts

// Format is one way to write a page.
type Format[P Page] struct {
	Name string // as in --format
	File string // its file in the report directory; "" when it is for the terminal only
	Doc  string

	Rollouts  bool // needs the rollouts themselves: Options.Rollouts must be set
	OnRequest bool // written only if it is asked for by name
	Pictures  bool // Write also writes charts/NAME.png

	Write func(io.Writer, P) error
}

// Formats lists the formats of a run's report in the order they are shown.
func Formats() []Format[*RunPage] {
	return []Format[*RunPage]{
		{Name: "text", Doc: "the report for a terminal: verdict, why, what to do first, main numbers, in at most " +
			"40 lines; --all: the rest as well", Write: as[*RunPage](WriteText)},
		{
			Name: "markdown", File: "report.md",
			Doc:   "the brief of the report as Markdown, for a comment on a pull request: at most 3 KB, without pictures",
			Write: func(w io.Writer, p *RunPage) error { return markdown.Write(w, p.Doc(), markdown.Options{}) },
		},
		{
			Name: "html", File: "index.html",
			Doc:      "the whole report as one page that needs no network: pictures, item table, settings",
			Pictures: true, Write: as[*RunPage](writeHTML),
		},
		{
			Name: "markdown-full", File: "report-full.md",
			Doc:       "the whole report as Markdown, with links to the pictures in charts/; written on request only",
			OnRequest: true, Pictures: true, Write: as[*RunPage](writeFull),
		},
		{
			Name: "pdf", File: "report.pdf", Doc: "the report for paper, at most six pages: brief, findings, " +
				"behaviour, method, charts as vectors; with --pdf full an annex of all pictures, items and thresholds",
			Pictures: true, Write: as[*RunPage](writePDF),
		},
		{
			Name: "summary", File: "summary.png",
			Doc:      "one picture, 1600 × 900: verdict, reason, what to do first, main numbers, what decides",
			Pictures: true, Write: as[*RunPage](writeCard),
		},
		{Name: "junit", File: "junit.xml", Doc: "a test case for each gate and split, for the test pages of GitHub, " +
			"GitLab and Jenkins; an UNDECIDED verdict is an error there", Write: writeJUnit},
		{
			Name: "items", File: "items.csv", Doc: "a row for each item, with all its numbers",
			Write: func(w io.Writer, p *RunPage) error { return table.Items(w, p.Result) },
		},
		{
			Name: "rollouts", File: "rollouts.csv",
			Doc: "a row for each rollout: outcome, reward, sub-scores, tool calls, tokens, latency", Rollouts: true,
			Write: writeRollouts,
		},
		{
			Name: "parquet", File: "rollouts.parquet",
			Doc:      "the same rows as a Parquet file with types, for pandas and DuckDB; written on request only",
			Rollouts: true, OnRequest: true, Write: writeParquet,
		},
		{Name: "json", File: "result.json", Doc: "the analysis, as in the run directory; its schema is " +
			"docs/result.schema.json (gonogo help result); written on request only", OnRequest: true, Write: writeJSON},
		{
			Name: "json-text", File: "result-text.json",
			Doc:       "the same with the words of each finding and note next to their data; written on request only",
			OnRequest: true, Write: writeJSONText,
		},
		{
			Name: "openenv", File: "openenv.json",
			Doc: "the statistical checks of OpenEnv's validation report (openenv 0.10), from the gates; written on " +
				"request only",
			OnRequest: true, Write: writeOpenEnv,
		},
	}
}

// ComparisonFormats lists the formats of a comparison in the order they are shown: those of a run's
// report that make sense for it.
func ComparisonFormats() []Format[*ComparisonPage] {
	return []Format[*ComparisonPage]{
		{
			Name: "json", File: "comparison.json",
			Doc:   "the comparison with every number and every item that is in both runs",
			Write: func(w io.Writer, p *ComparisonPage) error { return p.c.Encode(w) },
		},
		{
			Name: "markdown", File: "report.md",
			Doc:   "the brief of the comparison as Markdown, for a comment on a pull request; with --all, all of it",
			Write: as[*ComparisonPage](WriteMarkdown),
		},
		{
			Name: "html", File: "index.html", Doc: "the whole comparison as one page that needs no network: pictures, " +
				"the items that changed most with their rollouts, all items", Pictures: true,
			Write: as[*ComparisonPage](writeHTML),
		},
		{
			Name: "pdf", File: "report.pdf", Doc: "the whole comparison for paper, charts as vectors",
			Pictures: true, Write: as[*ComparisonPage](writePDF),
		},
		{
			Name: "summary", File: "summary.png",
			Doc:      "one picture, 1600 × 900: answer, differences with intervals, what decides",
			Pictures: true, Write: as[*ComparisonPage](writeCard),
		},
		{Name: "junit", File: "junit.xml", Doc: "the answer as a test case, and one for each question and split: " +
			"“regressed” is a failure, “cannot tell” is an error", Write: writeComparedJUnit},
		{
			Name: "items", File: "items.csv", Doc: "a row for each item in both runs, with its changes",
			Write: func(w io.Writer, p *ComparisonPage) error { return table.Changes(w, p.c) },
		},
	}
}

// HistoryFormats lists the formats of a history.
func HistoryFormats() []Format[*HistoryPage] {
	return []Format[*HistoryPage]{
		{
			Name: "html", File: "index.html", Doc: "the whole history as one page that needs no network",
			Pictures: true, Write: as[*HistoryPage](writeHTML),
		},
		{
			Name: "pdf", File: "report.pdf", Doc: "the whole history for paper, charts as vectors",
			Pictures: true, Write: as[*HistoryPage](writePDF),
		},
		{
			Name: "summary", File: "summary.png", Doc: "one picture, 1600 × 900: the newest night, and the trends",
			Pictures: true, Write: as[*HistoryPage](writeCard),
		},
		{
			Name: "markdown-full", File: "history.md",
			Doc:      "all of it as Markdown, with links to the pictures in charts/",
			Pictures: true, Write: as[*HistoryPage](writeFull),
		},
		{
			Name: "json", File: "history.json", Doc: "the history with every number",
			Write: func(w io.Writer, p *HistoryPage) error { return p.h.Encode(w) },
		},
		{
			Name: "junit", File: "junit.xml", Doc: "a test case for the newest night, and one for each series",
			Write: writeNightsJUnit,
		},
	}
}

// as turns a writer of any page into a writer of one kind of page.
func as[P Page](write func(io.Writer, Page) error) func(io.Writer, P) error {
	return func(w io.Writer, p P) error { return write(w, p) }
}

// Usual lists the formats of a run that are written by default.
func Usual() []Format[*RunPage] {
	return slices.DeleteFunc(Formats(), func(f Format[*RunPage]) bool { return f.OnRequest })
}

// WriteText writes the page for a terminal: its brief, and with Options.All the rest.
func WriteText(w io.Writer, p Page) error { return text.Write(w, p.Doc(), p.base().terminal()) }

// WriteMarkdown writes the same as GitHub-flavoured Markdown.
func WriteMarkdown(w io.Writer, p Page) error {
	return markdown.Write(w, p.Doc(), markdown.Options{All: p.base().All})
}

func writeFull(w io.Writer, p Page) error {
	return markdown.Write(w, p.Doc(), markdown.Options{All: true, Pictures: true})
}

func writeHTML(w io.Writer, p Page) error { return html.Write(w, p.Doc()) }

// terminal returns the options of the text format.
func (opt Options) terminal() text.Options {
	return text.Options{Width: opt.Width, ASCII: opt.ASCII, Color: opt.Color, All: opt.All}
}

// surveyed reads the page's rollouts once, for the tables and for the page's items. If a table is
// among the formats, or keep is set, their rows are kept for it.
func (p *RunPage) surveyed(keep bool) (*table.Survey, error) {
	if p.survey != nil {
		return p.survey, nil
	}
	by := p.newTraces()
	s, err := table.NewSurvey(p.Rollouts, keep || p.tables, by.add)
	if err != nil {
		return nil, err
	}
	by.sort()
	p.survey, p.traced = s, by
	return s, nil
}

func writeRollouts(w io.Writer, p *RunPage) error {
	s, err := p.surveyed(true)
	if err != nil {
		return fmt.Errorf("write rollouts.csv: %w", err)
	}
	return s.WriteCSV(w)
}

func writeParquet(w io.Writer, p *RunPage) error {
	s, err := p.surveyed(true)
	if err != nil {
		return fmt.Errorf("write rollouts.parquet: %w", err)
	}
	return s.WriteParquet(w, table.Metadata{Version: p.Version, Run: p.Result.Run.ID, Verdict: string(p.Verdict)})
}
