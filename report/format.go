package report

import (
	"io"
	"slices"

	"gonogo/report/html"
	"gonogo/report/markdown"
	"gonogo/report/text"
)

// Format is one way to write a Page.
type Format struct {
	Name string // as in --format
	File string // its file in the report directory; "" when it is for the terminal only
	Doc  string

	Rollouts  bool // made of the rollouts themselves: Options.Rollouts must be there
	OnRequest bool // written only where it is asked for by name

	Write func(io.Writer, *Page) error
}

// Formats lists the formats in the order they are shown.
func Formats() []Format {
	return []Format{
		{Name: "text", Doc: "the report for a terminal: verdict, why, what to do first, three numbers, in at most 40 lines; --all: the rest as well", Write: func(w io.Writer, p *Page) error { return text.Write(w, p.Doc(), p.terminal()) }},
		{Name: "markdown", File: "report.md", Doc: "the brief of the report as Markdown, for a comment on a pull request: at most 3 KB, without pictures", Write: func(w io.Writer, p *Page) error { return markdown.Write(w, p.Doc(), markdown.Options{}) }},
		{Name: "html", File: "index.html", Doc: "the whole report as one page that needs no network: pictures, item table, settings", Write: writeHTML},
		{Name: "markdown-full", File: "report-full.md", Doc: "all of it as Markdown, with links to the pictures in charts/; written on request only", OnRequest: true, Write: func(w io.Writer, p *Page) error {
			return markdown.Write(w, p.Doc(), markdown.Options{All: true, Pictures: true})
		}},
		{Name: "pdf", File: "report.pdf", Doc: "the report for paper, at most six pages: brief, findings, behaviour, method, charts as vectors; with --pdf full an annex of all pictures, items and thresholds", Write: func(w io.Writer, p *Page) error { return p.print(w, p.Doc()) }},
		{Name: "summary", File: "summary.png", Doc: "one picture, 1600 × 900: verdict, reason, what to do first, three numbers, what decides", Write: func(w io.Writer, p *Page) error { return p.writeCard(w, p.Doc()) }},
		{Name: "junit", File: "junit.xml", Doc: "a test case for each gate and split, for the test pages of GitHub, GitLab and Jenkins; an UNDECIDED verdict is an error there", Write: writeJUnit},
		{Name: "items", File: "items.csv", Doc: "a row for each item, with all its numbers", Write: writeItems},
		{Name: "rollouts", File: "rollouts.csv", Doc: "a row for each rollout: outcome, reward, sub-scores, tool calls, tokens, latency", Rollouts: true, Write: writeRollouts},
		{Name: "parquet", File: "rollouts.parquet", Doc: "the same rows as a Parquet file with types, for pandas and DuckDB; written on request only", Rollouts: true, OnRequest: true, Write: writeParquet},
		{Name: "json", File: "result.json", Doc: "the analysis as in the run directory, by docs/result.schema.json (gonogo help result); written on request only", OnRequest: true, Write: writeJSON},
		{Name: "json-text", File: "result-text.json", Doc: "the same with the words of each finding and note next to their data; written on request only", OnRequest: true, Write: writeJSONText},
	}
}

// Usual lists the formats that are written where none is named.
func Usual() []Format {
	return slices.DeleteFunc(Formats(), func(f Format) bool { return f.OnRequest })
}

func writeHTML(w io.Writer, p *Page) error { return html.Write(w, p.Doc()) }
