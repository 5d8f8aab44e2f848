package report

import (
	"fmt"
	"io"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/chart"
)

// WriteMarkdown writes the page as GitHub-flavoured Markdown that fits a
// comment on a pull request.
func (p *ComparisonPage) WriteMarkdown(w io.Writer) error { return p.markdown(w, nil) }

// writeComparedMarkdown is WriteMarkdown with the pictures beside the file.
func writeComparedMarkdown(w io.Writer, p *ComparisonPage) error { return p.markdown(w, p.Figures) }

func (p *ComparisonPage) markdown(w io.Writer, figures []chart.Figure) error {
	m, words := &markdown{words: p.page.Words}, p.words
	m.f("# %s\n\n", md(p.Title))
	m.f("%s\n\n", fmt.Sprintf(words.BaseNew, code(p.Base)+md(p.BaseVerdict), code(p.New)+md(p.NewVerdict)))
	if len(p.Differs) > 0 {
		m.f("## %s\n\n", md(words.Differs))
		for _, d := range p.Differs {
			m.f("- %s\n", md(d.line(words)))
		}
		m.f("\n")
	}
	m.list("## "+md(words.Notes), p.Notes)
	m.f("**%s** %s\n\n", md(p.Answer), md(p.Sentence))
	m.pictures(&Page{Figures: figures})
	for _, s := range p.Splits {
		m.compared(s, p, words)
	}
	m.list("## "+md(words.Input), p.Input)
	m.list("## "+md(words.Method), p.Method)
	if _, err := w.Write(fit(m.buf.Bytes(), mostMarkdown, md(fmt.Sprintf(p.page.Words.CutShort, message.Whole(mostMarkdown))))); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (m *markdown) compared(s ComparedSplit, p *ComparisonPage, w *compareWords) {
	m.f("## %s\n\n", md(s.Heading))
	if p.Comparison.Split == nil || *p.Comparison.Split != s.Name {
		m.f("%s\n\n", md(s.Why))
	}
	m.list("", s.Facts)
	for _, g := range s.Grids {
		m.f("### %s\n\n", md(g.Title))
		m.grid(g)
	}
	if len(s.Moved) == 0 {
		return
	}
	m.f("### %s\n\n", md(w.Moved))
	for _, moved := range s.Moved {
		m.f("- %s\n", fmt.Sprintf(w.MovedItem, code(moved.Item), md(moved.Change), md(strings.Join(moved.Base, w.Signs.Semicolon)), md(strings.Join(moved.New, w.Signs.Semicolon))))
	}
	m.f("\n%s\n\n", md(fmt.Sprintf(w.MovedNote, p.Base, p.New)))
}
