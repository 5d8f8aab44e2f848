package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"gonogo/analysis"
	"gonogo/report/block"
	"gonogo/report/html"
	"gonogo/report/markdown"
)

// newestNight is the answer of the newest night.
type newestNight struct {
	Answer, Text string
	Tone         block.Tone
}

func (p *HistoryPage) newest() *newestNight {
	n := len(p.History.Nights)
	if n == 0 {
		return nil
	}
	mark, w := &p.History.Nights[n-1], p.words
	class := map[int]analysis.Verdict{analysis.Go.ExitCode(): analysis.Go, analysis.NoGo.ExitCode(): analysis.NoGo}[mark.ExitCode]
	if class == "" {
		class = analysis.Undecided
	}
	text := fmt.Sprintf(w.Newest, p.night(n-1), mark.ExitCode)
	if !mark.Sentence.None() {
		text = prose(mark.Sentence.In(p.History.Lang)) + w.Signs.Space + text
	}
	answer := capital(nightAnswer(mark, w))
	return &newestNight{answer, text, verdictTone(class)}
}

// WriteHTML writes the page as one file that loads nothing.
func (p *HistoryPage) WriteHTML(w io.Writer) error { return html.Write(w, p.Doc()) }

// writeJUnit writes a test case for the newest night, and one for each series: a
// failure where the night regressed, an error where it could not tell. A series
// that changed passes and says so: what it means hangs on what was meant.
func (p *HistoryPage) writeJUnit(w io.Writer) error {
	s := junitSuite{Name: "gonogo nightly", Hostname: "localhost", Time: "0"}
	if newest := p.newest(); newest != nil {
		one := junitCase{Class: "gonogo.nightly", Name: "night", Time: "0"}
		m := &junitMessage{Type: newest.Answer, Message: p.words.Signs.named(newest.Answer, newest.Text), Text: newest.Text}
		switch p.History.Nights[len(p.History.Nights)-1].ExitCode {
		case 0:
			one.Out = &junitText{m.Message}
		case analysis.NoGo.ExitCode():
			one.Failure = m
		default:
			one.Error = m
		}
		s.Timestamp = p.History.Nights[len(p.History.Nights)-1].Time.UTC().Format("2006-01-02T15:04:05")
		s.Cases = append(s.Cases, one)
	}
	for _, series := range p.History.Series {
		one := junitCase{Class: "gonogo.nightly." + series.Kind, Name: p.words.seriesName(series.Name), Time: "0"}
		for i, c := range p.History.Changes {
			if c.Series == series.Name {
				one.Out = &junitText{p.Changes[i].Text}
			}
		}
		s.Cases = append(s.Cases, one)
	}
	return s.write(w)
}

// PictureWarning says what the pictures written so far could not show.
func (p *HistoryPage) PictureWarning() string { return p.page.PictureWarning() }

// WriteHistory writes the page into dir as index.html, report.pdf, summary.png,
// history.md, history.json and junit.xml, and each series as charts/history_NAME.png. Everything is
// rendered before the first file is touched.
func WriteHistory(dir string, p *HistoryPage) error {
	var files []file
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"index.html", p.WriteHTML},
		{"report.pdf", func(w io.Writer) error { return p.page.print(w, p.Doc()) }},
		{"summary.png", func(w io.Writer) error { return p.page.writeCard(w, p.Doc()) }},
		{"history.md", func(w io.Writer) error {
			return markdown.Write(w, p.Doc(), markdown.Options{All: true, Pictures: true})
		}},
		{"history.json", p.History.Encode},
		{"junit.xml", p.writeJUnit},
	} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return err
		}
		files = append(files, file{filepath.Join(dir, f.name), b.Bytes()})
	}
	charts, err := p.page.chartFiles(dir, p.Figures)
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("make the directory of the history's page: %w", err)
	}
	return put(append(files, charts...))
}
