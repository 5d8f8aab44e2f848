package report

import "io"

// Format is one way to write a Page.
type Format struct {
	Name string // as in --format
	File string // its file in the report directory; "" when it is for the terminal only
	Doc  string

	Write func(io.Writer, *Page) error
}

// Formats lists the formats in the order they are shown.
func Formats() []Format {
	return []Format{
		{Name: "text", Doc: "the report for a terminal: verdict, three numbers, findings", Write: writeText},
		{Name: "markdown", File: "report.md", Doc: "the report as Markdown, for a pull request or a wiki", Write: writeMarkdown},
		{Name: "html", File: "index.html", Doc: "the whole report as one page that needs no network: pictures, item table, settings", Write: writeHTML},
		{Name: "summary", File: "summary.png", Doc: "one picture, 1600 × 900: verdict, three numbers, three charts", Write: writeSummary},
	}
}
