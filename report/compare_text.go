package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// movedInText is how many of the items that moved a terminal is shown.
const movedInText = 8

// WriteText writes the page for a terminal.
func (p *ComparisonPage) WriteText(w io.Writer) error {
	t := &terminal{width: columns(p.Width), ascii: p.ASCII, color: p.Color}
	words := p.words
	t.para(para{text: p.Title, style: faint})
	indent := max(6, width(t.plain(words.Base))+1, width(t.plain(words.New))+1)
	t.para(para{indent: indent, lead: pad(words.Base, indent), text: p.Base + p.BaseVerdict, style: faint})
	t.para(para{indent: indent, lead: pad(words.New, indent), text: p.New + p.NewVerdict, style: faint})
	t.blank()
	t.differs(p, words)
	t.list(words.Notes, p.Notes)
	style := map[analysis.Verdict]string{analysis.Go: green, analysis.NoGo: red, analysis.Undecided: yellow}[like(p.Comparison)]
	lead := p.Answer + "  "
	t.para(para{indent: 2, lead: lead, leadStyle: style, text: p.Sentence, style: strong})
	t.blank()
	for _, s := range p.Splits {
		t.compared(s, p, words)
	}
	t.list(words.Input, p.Input)
	t.list(words.Method, p.Method)
	if _, err := w.Write(t.buf.Bytes()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (t *terminal) differs(p *ComparisonPage, w *compareWords) {
	if len(p.Differs) == 0 {
		return
	}
	t.heading(w.Differs)
	for _, d := range p.Differs {
		text, style := d.line(w), ""
		if d.Confounds {
			style = yellow
		}
		t.para(para{indent: 2, lead: "- ", text: text, style: style})
	}
	t.blank()
}

// line is the difference in one line.
func (d Difference) line(w *compareWords) string {
	text := fmt.Sprintf(w.DifferLine, d.Key, d.Base, d.New)
	if d.Note != "" {
		text += fmt.Sprintf(w.DifferNote, d.Note)
	}
	if d.Confounds {
		text = w.Signs.named(text, w.Confounds)
	}
	return text
}

func (t *terminal) compared(s ComparedSplit, p *ComparisonPage, w *compareWords) {
	t.heading(s.Heading)
	if p.Comparison.Split == nil || *p.Comparison.Split != s.Name {
		t.para(para{text: s.Why})
	}
	for _, fact := range s.Facts {
		t.para(para{indent: 2, lead: "- ", text: fact, style: faint})
	}
	t.blank()
	var grids []Grid
	for _, g := range s.Grids {
		grids = append(grids, t.fitted(g.short(w)))
	}
	t.grids(&Page{Grids: grids})
	if len(s.Moved) == 0 {
		return
	}
	t.heading(w.Moved)
	for i, m := range s.Moved {
		if i == movedInText {
			t.para(para{at: 2, indent: 2, text: fmt.Sprintf(w.MoreInItems, message.Whole(len(s.Moved)-i)), style: faint})
			break
		}
		t.para(para{indent: 4, lead: "- ", text: m.Item + "  " + m.Change, style: strong})
		t.aside(4, w.Signs.named(w.InBase, ""), strings.Join(m.Base, w.Signs.Semicolon))
		t.aside(4, w.Signs.named(w.InNew, ""), strings.Join(m.New, w.Signs.Semicolon))
	}
	t.para(para{indent: 2, lead: "- ", text: fmt.Sprintf(w.MovedNote, p.Base, p.New), style: faint})
	t.blank()
}

// The rows of a long table that a terminal is shown.
const (
	firstRows = 8
	lastRows  = 4
)

// short leaves out the middle of a long table and says so.
func (g Grid) short(w *compareWords) Grid {
	left := len(g.Rows) - firstRows - lastRows
	if left < 2 {
		return g
	}
	g.Rows = slices.Concat(g.Rows[:firstRows], g.Rows[len(g.Rows)-lastRows:])
	g.Notes = append([]string{fmt.Sprintf(w.Between, message.Whole(left))}, g.Notes...)
	return g
}

// fitted shortens the names in the first column of a table that is wider than
// the terminal.
func (t *terminal) fitted(g Grid) Grid {
	widths := make([]int, len(g.Head))
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], width(t.plain(cell)))
		}
	}
	over := 2*(len(widths)-1) - t.width
	for _, n := range widths {
		over += n
	}
	if over <= 0 {
		return g
	}
	room := max(8, widths[0]-over)
	rows := make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		rows[i] = append([]string{shortened(t.plain(row[0]), room)}, row[1:]...)
	}
	g.Rows = rows
	return g
}

// shortened cuts s to n columns and marks the cut.
func shortened(s string, n int) string {
	if width(s) <= n {
		return s
	}
	return cut(s, n-2) + ".."
}
