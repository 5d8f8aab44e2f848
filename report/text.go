package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// writeText writes the page for a terminal: what a reader needs to decide,
// within the page's width. Items, pictures and settings are in the other
// formats.
func writeText(w io.Writer, p *Page) error {
	t := &terminal{width: columns(p.Width), ascii: p.ASCII, color: p.Color}
	t.verdict(p)
	t.headlines(p)
	t.findings(p)
	t.variants(p)
	t.burst(p)
	t.audit(p)
	t.splits(p)
	t.grids(p)
	t.input(p)
	t.foot(p)
	if _, err := w.Write(t.buf.Bytes()); err != nil {
		return fmt.Errorf("write text report: %w", err)
	}
	return nil
}

// columns is the width in force: 96 unless told, and never under 60.
func columns(want int) int {
	if want == 0 {
		return 96
	}
	return max(60, want)
}

// terminal collects lines no wider than width.
type terminal struct {
	buf   bytes.Buffer
	width int
	ascii bool
	color bool
}

// The styles a terminal knows, as SGR parameters.
const (
	strong = "1"
	faint  = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func (t *terminal) verdict(p *Page) {
	style := map[analysis.Verdict]string{analysis.Go: green, analysis.NoGo: red}[p.Verdict]
	if style == "" {
		style = yellow
	}
	t.para(para{text: p.Title, style: faint})
	t.blank()
	lead := string(p.Verdict) + "  "
	t.para(para{indent: width(lead), lead: lead, leadStyle: style, text: p.Sentence, style: strong})
	if p.Next != "" {
		t.para(para{at: width(lead), indent: width(lead), lead: p.Words.named(p.Words.Next, ""), leadStyle: strong, text: p.Next})
	}
	t.blank()
}

func (t *terminal) headlines(p *Page) {
	label := 0
	for _, h := range p.Headlines {
		label = max(label, width(h.Label))
	}
	for _, h := range p.Headlines {
		t.para(para{indent: label + 2, lead: pad(h.Label, label+2), leadStyle: strong, text: h.Number(), style: strong})
		t.para(para{at: label + 2, indent: label + 2, text: h.About(), style: faint})
	}
	if p.Split != "" {
		t.blank()
		t.para(para{text: p.About(), style: faint})
	}
	t.blank()
}

func (t *terminal) findings(p *Page) {
	t.heading(p.Words.Findings)
	if len(p.Findings) == 0 {
		t.para(para{text: p.Words.NoFindings})
	}
	const indent = 9
	styles := map[State]string{Failing: red, Unsettled: yellow, Caution: yellow, Passing: green, Skipped: faint}
	for i, f := range p.Findings {
		if i > 0 && !f.Open() && p.Findings[i-1].Open() {
			t.blank()
		}
		lead := para{indent: indent, lead: pad(f.Label, indent), leadStyle: styles[f.State], text: f.Title, style: strong}
		if !f.Open() {
			lead.text, lead.style = f.brief(p.Words), ""
			t.para(lead)
			continue
		}
		t.para(lead)
		t.para(para{at: indent, indent: indent, text: strings.Join(f.Facts(p.Words), " | "), style: faint})
		t.aside(indent, p.Words.named(p.Words.Why, ""), f.Why)
		t.aside(indent, p.Words.named(p.Words.Remedy, ""), f.Remedy)
		t.aside(indent, p.Words.named(p.Words.ItemsToLook, ""), few(f.Items, 8, p.Words))
		for _, text := range f.also(p.Words) {
			t.aside(indent, p.Words.named(p.Words.Also, ""), text)
		}
		t.blank()
	}
	t.blank()
}

// aside is a named paragraph; nothing without a text.
func (t *terminal) aside(indent int, name, text string) {
	if text != "" {
		t.para(para{at: indent, indent: indent, lead: name, leadStyle: strong, text: text})
	}
}

// brief is the finding in a line: what asks nothing of the reader.
func (f Finding) brief(w *words) string {
	gate := f.Gate
	if f.Split != "" {
		gate += " · " + f.Split
	}
	s := w.named(gate, w.Lower(f.Title))
	if how := measure(f, w); how != "" {
		s = unended(s) + how
	}
	return s
}

// Facts are the finding's gate, split, value and threshold, ready to stand in
// one line.
func (f Finding) Facts(w *words) []string {
	gate := f.Gate
	if f.Split != "" {
		gate += " · " + f.Split
	}
	facts := []string{gate}
	if f.Measured != "" {
		facts = append(facts, w.Value+" "+f.Measured)
	}
	if f.Want != "" {
		facts = append(facts, w.Want+" "+f.Want)
	}
	if f.Caution != "" {
		facts = append(facts, w.CautionAt+" "+f.Caution)
	}
	return append(facts, f.Severity)
}

func (t *terminal) splits(p *Page) {
	for _, s := range p.Splits {
		t.heading(p.Words.Split + " " + string(s.Name))
		for _, note := range s.Notes {
			t.para(para{text: note})
		}
		for i, c := range s.Causes {
			if i == 8 {
				t.para(para{at: 7, indent: 7, text: fmt.Sprintf(p.Words.MoreLines, message.Whole(len(s.Causes)-i))})
				break
			}
			t.para(para{indent: 7, lead: pad(c.Count, 7), text: p.Words.named(c.Outcome, c.Error)})
		}
		t.blank()
	}
}

func (t *terminal) input(p *Page) {
	t.list(p.Words.Input, p.Input)
	t.list(p.Words.Use.Notes, p.Notes)
}

// list is a heading with points below it; nothing without points.
func (t *terminal) list(heading string, points []string) {
	if len(points) == 0 {
		return
	}
	t.heading(heading)
	for _, s := range points {
		t.para(para{indent: 2, lead: "- ", text: s})
	}
	t.blank()
}

// grids are tables in columns as wide as their widest cell. One that is wider
// than the terminal is left to the other formats, unless it is a list of
// sentences: those wrap.
func (t *terminal) grids(p *Page) {
	for _, g := range p.Grids {
		t.grid(g)
	}
}

func (t *terminal) grid(g Grid) {
	rows := append([][]string{g.Head}, g.Rows...)
	widths, total := make([]int, len(g.Head)), 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], width(t.plain(row[i])))
		}
		widths[i] += 2
		total += widths[i]
	}
	if total-2 > t.width {
		if len(g.Head) == 1 {
			t.sentences(g)
		}
		return
	}
	t.heading(g.Title)
	for i, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			line.WriteString(pad(t.plain(cell), widths[j]))
		}
		if text := strings.TrimRight(line.String(), " "); i > 0 {
			t.buf.WriteString(text + "\n")
		} else if text != "" {
			t.buf.WriteString(t.paint(text, faint) + "\n")
		}
	}
	t.notes(g.Notes)
}

func (t *terminal) sentences(g Grid) {
	t.heading(g.Title)
	for _, row := range g.Rows {
		t.para(para{text: row[0]})
	}
	t.notes(g.Notes)
}

func (t *terminal) foot(p *Page) { t.para(para{text: p.footer(), style: faint}) }
