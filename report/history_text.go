package report

import (
	"fmt"
	"io"
	"strings"
)

// nightsInText is how many nights a terminal is shown.
const nightsInText = 14

// WriteText writes the page for a terminal.
func (p *HistoryPage) WriteText(w io.Writer) error {
	t, words := &terminal{width: columns(p.Width), ascii: p.ASCII, color: p.Color}, p.words
	t.para(para{text: p.Title, style: faint})
	t.para(para{text: p.Span, style: faint})
	t.blank()
	t.list(words.Notes, p.Notes)
	if len(p.History.Nights) > 0 {
		t.nightChanges(p, words)
	}
	t.list(words.Unusual, p.Unusual)
	t.list(words.Made, p.Made[max(0, len(p.Made)-nightsInText):])
	for _, g := range p.Series {
		t.grid(t.narrowed(g))
	}
	if len(p.Nights.Rows) > 0 {
		t.grid(t.fitted(p.Nights.latest(words)))
	}
	if _, err := w.Write(t.buf.Bytes()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

func (t *terminal) nightChanges(p *HistoryPage, w *historyWords) {
	t.heading(w.Changes)
	if len(p.Changes) == 0 {
		t.para(para{text: w.NoChange})
	}
	for _, c := range p.Changes {
		t.para(para{indent: 2, lead: "- ", text: c.Text, style: strong})
		for _, d := range c.Details {
			t.para(para{at: 4, indent: 4, text: d})
		}
	}
	t.blank()
}

// narrowed leaves out the columns of a series that a narrow terminal has no room
// for: since which night it is so, where a further night would lie, and p.
func (t *terminal) narrowed(g Grid) Grid {
	for _, column := range []int{2, 3, 3} {
		if total := g.width(t); total <= t.width {
			break
		}
		cut := func(row []string) []string {
			return append(append([]string{}, row[:column]...), row[column+1:]...)
		}
		g.Head = cut(g.Head)
		rows := make([][]string, len(g.Rows))
		for i, row := range g.Rows {
			rows[i] = cut(row)
		}
		g.Rows = rows
	}
	return t.fitted(g)
}

// width is how many columns of a terminal the table takes.
func (g Grid) width(t *terminal) int {
	total := -2
	for i := range g.Head {
		widest := 0
		for _, row := range append([][]string{g.Head}, g.Rows...) {
			widest = max(widest, width(t.plain(row[i])))
		}
		total += widest + 2
	}
	return total
}

// latest keeps the last nights of the table and says how many are left out.
func (g Grid) latest(w *historyWords) Grid {
	if left := len(g.Rows) - nightsInText; left > 0 {
		g.Rows = g.Rows[left:]
		g.Notes = append([]string{fmt.Sprintf(w.LeftOut, w.Night.of(left))}, g.Notes...)
	}
	return g
}

// WriteMarkdown writes the page as GitHub-flavoured Markdown.
func (p *HistoryPage) WriteMarkdown(w io.Writer) error {
	m, words := &markdown{words: p.page.Words}, p.words
	m.f("# %s\n\n%s\n\n", md(p.Title), md(p.Span))
	m.list("## "+md(words.Notes), p.Notes)
	m.f("## %s\n\n", md(words.Changes))
	if len(p.Changes) == 0 {
		m.f("%s\n\n", md(words.NoChange))
	}
	for _, c := range p.Changes {
		m.f("- **%s**\n", md(c.Text))
		for _, d := range c.Details {
			m.f("  - %s\n", md(d))
		}
	}
	if len(p.Changes) > 0 {
		m.f("\n")
	}
	m.list("## "+md(words.Unusual), p.Unusual)
	for _, g := range p.Series {
		m.f("## %s\n\n", md(g.Title))
		m.grid(g)
	}
	if len(p.Nights.Rows) > 0 {
		m.f("## %s\n\n", md(words.Nights))
		m.grid(p.Nights)
	}
	m.list("## "+md(words.Made), p.Made)
	if len(p.Figures) > 0 {
		m.f("## %s\n\n", md(words.Pictures))
	}
	for _, f := range p.Figures {
		m.f("![%s](charts/%s.png)\n\n", md(strings.ReplaceAll(prose(f.Alt()), "]", ")")), f.Name)
	}
	m.list("## "+md(words.Method), p.Method)
	if _, err := w.Write(m.buf.Bytes()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}
