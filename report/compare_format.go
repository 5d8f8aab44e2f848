package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"gonogo/report/html"
)

// ComparisonFormat is one way to write a ComparisonPage.
type ComparisonFormat struct {
	Name  string
	File  string // its file in the directory of the comparison
	Doc   string
	Write func(io.Writer, *ComparisonPage) error
}

// ComparisonFormats lists the formats of a comparison in the order they are
// shown, those of a run's report as far as they make sense.
func ComparisonFormats() []ComparisonFormat {
	return []ComparisonFormat{
		{Name: "json", File: "comparison.json", Doc: "the comparison with every number and every item in both runs", Write: func(w io.Writer, p *ComparisonPage) error {
			return p.Comparison.Encode(w)
		}},
		{Name: "markdown", File: "report.md", Doc: "the brief of the comparison as Markdown, for a comment on a pull request; with --all, all of it", Write: func(w io.Writer, p *ComparisonPage) error { return p.WriteMarkdown(w) }},
		{Name: "html", File: "index.html", Doc: "the whole comparison as one page that needs no network: pictures, the items that changed most with their rollouts, all items", Write: func(w io.Writer, p *ComparisonPage) error { return html.Write(w, p.Doc()) }},
		{Name: "pdf", File: "report.pdf", Doc: "the whole comparison for paper, charts as vectors", Write: func(w io.Writer, p *ComparisonPage) error { return p.page.print(w, p.Doc()) }},
		{Name: "summary", File: "summary.png", Doc: "one picture, 1600 × 900: answer, differences with intervals, what decides", Write: func(w io.Writer, p *ComparisonPage) error { return p.page.writeCard(w, p.Doc()) }},
		{Name: "junit", File: "junit.xml", Doc: "the answer as a test case, and one for each question and split: regressed is a failure, an answer that cannot tell an error", Write: writeComparedJUnit},
		{Name: "items", File: "items.csv", Doc: "a row for each item in both runs, with what it changed", Write: writeComparedItems},
	}
}

// WriteComparison writes the page into dir: one file for each format, and
// charts/NAME.png for each chart. Everything is rendered before the first file
// is touched, and each file is replaced in one step.
func WriteComparison(dir string, p *ComparisonPage, formats []ComparisonFormat) error {
	var files []file
	for _, f := range formats {
		var b bytes.Buffer
		if err := f.Write(&b, p); err != nil {
			return err
		}
		files = append(files, file{filepath.Join(dir, f.File), b.Bytes()})
	}
	charts, err := p.page.chartFiles(dir, p.Figures)
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("make the directory of the comparison: %w", err)
	}
	return put(append(files, charts...))
}
