// Package markdown writes a report as GitHub-flavoured Markdown: its brief, which fits into a
// comment on a pull request, or all of it.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// Limits of the two forms.
const (
	MaxBytes = 3 << 10 // of a brief, which is a comment on a pull request
	MaxChars = 65_000  // characters of the long form: GitHub allows 65,536 in a comment, and the poster may add a line
	rows     = 50      // of a table of items
	items    = 20      // items that a finding names
	payloads = 24
	payload  = 240 // characters of one payload
)

// Options says how much is written.
type Options struct {
	All      bool // write the rest after the brief
	Pictures bool // include the pictures of the rest, as charts/NAME.png next to the file
}

// Write writes the brief of a report, and the rest if All is set.
func Write(w io.Writer, d *block.Doc, opt Options) error {
	m := &writer{words: d.Words, pictures: opt.Pictures}
	m.f("# %s\n\n", md(d.Title))
	m.blocks(d.Brief)
	if more := md(d.Words.Further()) + "\n"; !opt.All && len(d.Rest) > 0 && m.buf.Len()+len(more) <= MaxBytes {
		m.f("%s", more)
	}
	text := m.buf.Bytes()
	if opt.All {
		for _, s := range d.Rest {
			if len(s.Blocks) > 0 && (m.pictures || s.ID != "pictures") {
				m.f("## %s\n\n", md(s.Title))
				m.blocks(s.Blocks)
			}
		}
		m.f("%s\n", md(d.Footer))
		text = Fit(m.buf.Bytes(), MaxChars, md(fmt.Sprintf(d.Words.CutShort, message.Whole(MaxChars))))
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write markdown report: %w", err)
	}
	return nil
}

type writer struct {
	buf      bytes.Buffer
	words    block.Words
	pictures bool
	payloads int
}

func (m *writer) f(format string, args ...any) { fmt.Fprintf(&m.buf, format, args...) }

func (m *writer) blocks(list []block.Block) {
	for i, b := range list {
		switch b := b.(type) {
		case block.Heading:
			m.f("### %s\n\n", md(string(b)))
		case block.Verdict:
			for i, text := range append([]string{b.Reason}, b.Follow()...) {
				if i == 0 {
					m.f("**%s** ", md(b.Said()))
				}
				m.f("%s\n\n", md(text))
			}
			m.steps(b.Lead, b.Next)
		case block.Tiles:
			m.tiles(b)
		case block.Note:
			m.note(b)
		case block.Facts:
			m.facts(b)
		case block.Grid:
			m.grid(b)
		case block.Figure:
			if !b.Brief && m.pictures {
				m.f("![%s](charts/%s.png)\n\n", md(b.Alt()), b.Name)
			}
		case block.Findings:
			m.findings(b)
		case block.Items:
			m.items(b)
		case block.Payload:
			m.payload(b)
			if _, more := next(list, i).(block.Payload); !more {
				m.f("\n")
			}
		case block.Fold:
			if !slices.ContainsFunc(b.Blocks, written) {
				continue
			}
			m.f("<details>\n<summary>%s</summary>\n\n", html.EscapeString(b.Summary))
			m.blocks(b.Blocks)
			m.f("%s\n\n", unfolded)
		}
	}
}

// written reports whether a block fits into Markdown.
func written(b block.Block) bool {
	g, grid := b.(block.Grid)
	return !grid || !g.Upright
}

func next(list []block.Block, i int) block.Block {
	if i+1 < len(list) {
		return list[i+1]
	}
	return nil
}

func (m *writer) tiles(list block.Tiles) {
	m.f("| | | |\n|:--|:--|:--|\n")
	for _, h := range list {
		m.f("| **%s** | %s | %s |\n", md(h.Label), md(strings.TrimSpace(h.Value+" "+h.Interval)), md(h.About))
	}
	m.f("\n")
}

func (m *writer) note(n block.Note) {
	switch {
	case n.Points:
		m.list(n.Lead, n.Texts)
	case n.Lead != "":
		m.named(n.Lead, md(strings.Join(n.Texts, m.words.Signs.Space)))
	default:
		for _, s := range n.Texts {
			m.f("%s\n\n", md(s))
		}
	}
}

// named writes a named paragraph. The space after the colon stays in every language: without it, a
// full-width colon would not separate the name.
func (m *writer) named(name, text string) {
	m.f("**%s%s** %s\n\n", md(name), m.words.Signs.Colon, text)
}

// steps writes a numbered list under its name.
func (m *writer) steps(name string, steps []string) {
	if len(steps) > 0 {
		m.f("**%s**\n\n", md(name))
	}
	for i, s := range steps {
		m.f("%d. %s\n", i+1, md(s))
	}
	m.f("\n")
}

func (m *writer) list(name string, points []string) {
	if len(points) == 0 {
		return
	}
	if name != "" {
		m.f("**%s**\n\n", md(name))
	}
	for _, s := range points {
		m.f("- %s\n", md(s))
	}
	m.f("\n")
}

func (m *writer) facts(f block.Facts) {
	m.f("| | |\n|:--|:--|\n")
	for _, x := range f.Rows {
		m.f("| %s | %s |\n", md(x.Name), md(x.Value))
	}
	m.f("\n")
}

// grid writes a table with its notes.
func (m *writer) grid(g block.Grid) {
	if g.Upright {
		return // too wide
	}
	if g.Title != "" {
		m.f("### %s\n\n", md(g.Title))
	}
	for i, row := range append([][]string{g.Head}, g.Rows...) {
		m.f("|")
		for j, cell := range row {
			if i > 0 && g.Kind(j) == block.Code && cell != "" {
				m.f(" %s |", code(cell))
			} else {
				m.f(" %s |", md(cell))
			}
		}
		m.f("\n")
		if i == 0 {
			m.align(g)
		}
	}
	m.f("\n")
	m.list("", g.Notes)
}

func (m *writer) align(g block.Grid) {
	m.f("|")
	for j := range g.Head {
		if g.Kind(j) == block.Number {
			m.f("--:|")
		} else {
			m.f(":--|")
		}
	}
	m.f("\n")
}

func (m *writer) findings(list block.Findings) {
	if len(list) == 0 {
		m.f("%s\n\n", md(m.words.NoFindings))
	}
	quiet := false
	for _, f := range list {
		if f.Open {
			m.finding(f)
			continue
		}
		if !quiet {
			m.f("### %s\n\n", md(m.words.Quiet))
			quiet = true
		}
		m.f("- **%s** %s\n", md(f.Label), md(f.Line))
	}
	if quiet {
		m.f("\n")
	}
}

func (m *writer) finding(f block.Finding) {
	comma := m.words.Signs.Comma
	m.f("### %s\n\n%s\n\n", m.words.Signs.Named(md(f.Label), md(f.Title)),
		md(strings.Trim(f.Gate+comma+f.Measures(comma), comma)))
	for _, x := range f.Texts {
		m.named(x.Name, md(x.Value))
	}
	if len(f.Items) > 0 {
		names := block.Names(f.Items)
		for i := range names {
			names[i] = code(names[i])
		}
		m.named(f.ItemsLabel, m.words.Few(names, items))
	}
}

func (m *writer) items(t block.Items) {
	if len(t.Rows) == 0 {
		m.f("%s\n\n", md(t.Empty))
		return
	}
	m.f("<details>\n<summary>%s</summary>\n\n", html.EscapeString(t.Count))
	g := block.Grid{Kinds: []block.Kind{block.Code, block.Text}, Rows: t.Rows[:min(len(t.Rows), rows)]}
	for _, c := range t.Columns {
		g.Head = append(g.Head, c.Label)
	}
	m.grid(g)
	if len(t.Rows) > rows {
		m.f("%s\n\n", md(fmt.Sprintf(t.Cut, message.Whole(rows), message.Whole(t.All))))
	}
	m.f("%s\n\n", unfolded)
}

func (m *writer) payload(p block.Payload) {
	if m.payloads++; m.payloads > payloads || p.Text == "" {
		return
	}
	m.f("- %s\\\n  %s\\\n", m.words.Signs.Named(code(p.ID), md(p.Earned)), span(block.Shorten(p.Text, payload)))
	for _, note := range p.Notes {
		m.f("  (%s)\\\n", md(note))
	}
	m.f("  %s\n", span(p.Command))
}
