// Package text serves the gonogo command; its API may change in any release.
//
// It writes a report for a terminal: its brief, and on request the rest. Pictures and tables of
// items are left to other formats.
package text

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// Options describes the terminal and what to write.
type Options struct {
	Width int  // columns, at least 60; 0 means 96
	ASCII bool // write only printable ASCII
	Color bool // use ANSI colours
	All   bool // write the rest after the brief
}

// MaxLines is the maximum number of lines of a brief at the default width.
const MaxLines = 40

// Write writes the brief of a report, and the rest if All is set.
func Write(w io.Writer, d *block.Doc, opt Options) error {
	t := &terminal{width: 96, ascii: opt.ASCII, color: opt.Color, words: d.Words}
	if opt.Width != 0 {
		t.width = max(60, opt.Width)
	}
	if d.Title != "" {
		t.para(para{text: d.Title, style: faint})
		t.blank()
	}
	if opt.All || len(d.Rest) == 0 {
		t.blocks(d.Brief)
	} else {
		t.brief(d.Brief, 1+len(wrap(t.plain(d.Words.Further()), t.width, t.width)))
	}
	if opt.All {
		for _, s := range d.Rest {
			t.section(s)
		}
		t.para(para{text: d.Footer, style: faint})
	} else if len(d.Rest) > 0 {
		t.para(para{text: d.Words.Further(), style: faint})
	}
	if _, err := w.Write(t.buf.Bytes()); err != nil {
		return fmt.Errorf("write text report: %w", err)
	}
	return nil
}

// brief writes as much of the brief as fits into MaxLines with foot lines below it. If it is too
// long, it leaves out pictures, then explanations, then the end.
func (t *terminal) brief(list []block.Block, foot int) {
	head := slices.Clone(t.buf.Bytes())
	for {
		t.blocks(list)
		lines := slices.Collect(strings.Lines(t.buf.String()))
		if len(lines)+foot <= MaxLines {
			return
		}
		i := lastOf(list, func(b block.Block) bool { _, ok := b.(block.Figure); return ok })
		if i < 0 {
			i = lastOf(list, func(b block.Block) bool { n, ok := b.(block.Note); return ok && n.Muted })
		}
		t.buf.Reset()
		if i < 0 {
			t.buf.WriteString(strings.Join(lines[:MaxLines-foot-1], ""))
			t.para(para{text: "…"})
			t.blank()
			return
		}
		t.buf.Write(head)
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
}

func lastOf(list []block.Block, is func(block.Block) bool) int {
	for i := len(list) - 1; i >= 0; i-- {
		if is(list[i]) {
			return i
		}
	}
	return -1
}

// terminal collects lines that are at most width columns wide.
type terminal struct {
	buf   bytes.Buffer
	width int
	ascii bool
	color bool
	words block.Words
}

// The text styles, as SGR parameters.
const (
	strong = "1"
	faint  = "2"
)

var styles = map[block.Tone]string{
	block.Fail: "1;31", block.Pass: "1;32", block.SoFar: "1;34", block.Unknown: "1;33",
	block.Caution: "1;33", block.Skipped: faint,
}

// section writes what a terminal can show of a section, and nothing if that is empty.
func (t *terminal) section(s block.Section) {
	if !slices.ContainsFunc(s.Blocks, shown) {
		return
	}
	t.heading(s.Title)
	t.blocks(s.Blocks)
}

func shown(b block.Block) bool {
	switch b := b.(type) {
	case block.Figure, block.Items, block.Heading:
		return false
	case block.Fold:
		if len(b.Blocks) == 0 {
			return false
		}
		g, is := b.Blocks[0].(block.Grid)
		return is && !g.Upright
	}
	return true
}

func (t *terminal) blocks(list []block.Block) {
	pictured := false
	for i, b := range list {
		switch b := b.(type) {
		case block.Heading:
			if i+1 < len(list) && shown(list[i+1]) {
				t.heading(string(b))
			}
		case block.Verdict:
			t.verdict(b)
		case block.Tiles:
			t.tiles(b)
		case block.Note:
			t.note(b)
		case block.Facts:
			t.facts(b)
		case block.Grid:
			t.grid(b)
		case block.Figure:
			if b.Brief && b.Plot != nil && !b.Strip() && !pictured {
				pictured = true
				t.picture(b)
			}
		case block.Findings:
			t.findings(b)
		case block.Payload:
			t.payload(b)
		case block.Fold:
			if shown(b) {
				t.heading(b.Summary)
				t.blocks(b.Blocks)
			}
		}
	}
}

func (t *terminal) verdict(v block.Verdict) {
	lead := v.Said() + "  "
	indent := Width(lead)
	switch {
	case v.Long():
		indent = 2
	case v.Scope != "":
		indent = Width(v.Answer) + 2
	}
	t.para(para{indent: indent, lead: lead, leadStyle: styles[v.Tone], text: v.Reason, style: strong})
	for _, more := range v.Follow() {
		t.para(para{start: indent, indent: indent, text: more})
	}
	for i, next := range v.Next {
		if i == 0 {
			t.blank()
			t.para(para{text: v.Lead, style: strong})
		}
		t.para(para{indent: 2, lead: fmt.Sprintf("%d. ", i+1), text: next})
	}
	t.blank()
}

func (t *terminal) tiles(list block.Tiles) {
	label := 0
	for _, h := range list {
		label = max(label, Width(h.Label)+2)
	}
	for _, h := range list {
		t.para(para{
			indent: label, lead: pad(h.Label, label), leadStyle: strong,
			text: strings.TrimSpace(h.Value + " " + h.Interval), style: strong,
		})
		t.para(para{start: label, indent: label, text: h.About, style: faint})
	}
	t.blank()
}

func (t *terminal) note(n block.Note) {
	style := styles[n.Tone]
	if n.Muted {
		style = faint
	}
	if n.Lead != "" && n.Points {
		t.para(para{text: n.Lead, style: strong})
	}
	for _, s := range n.Texts {
		switch {
		case n.Points:
			t.para(para{indent: 2, lead: "- ", text: s, style: style})
		case n.Lead != "":
			t.para(para{lead: t.words.Signs.Named(n.Lead, ""), leadStyle: strong, text: s, style: style})
		default:
			t.para(para{text: s, style: style})
		}
	}
	t.blank()
}

func (t *terminal) facts(f block.Facts) {
	lead := 0
	for _, x := range f.Rows {
		lead = max(lead, Width(t.plain(x.Name)))
	}
	lead = min(lead, t.width/2)
	for _, x := range f.Rows {
		t.para(para{indent: lead + 2, lead: pad(cut(t.plain(x.Name), lead), lead+2), text: x.Value, style: faint})
	}
	t.blank()
}

func (t *terminal) findings(list block.Findings) {
	const indent = 9
	if len(list) == 0 {
		t.para(para{text: t.words.NoFindings})
	}
	for i, f := range list {
		if i > 0 && !f.Open && list[i-1].Open {
			t.blank()
		}
		lead := para{
			indent: indent, lead: pad(f.Label, indent), leadStyle: styles[f.Tone], text: f.Title,
			style: strong,
		}
		if !f.Open {
			lead.text, lead.style = f.Line, ""
			t.para(lead)
			continue
		}
		t.para(lead)
		t.para(para{
			start: indent, indent: indent, text: strings.Trim(f.Gate+" | "+f.Measures(" | "), " |"), style: faint,
		})
		for _, x := range f.Texts {
			t.para(para{
				start: indent, indent: indent, lead: t.words.Signs.Named(x.Name, ""), leadStyle: strong,
				text: x.Value,
			})
		}
		if len(f.Items) > 0 {
			t.para(para{
				start: indent, indent: indent, lead: t.words.Signs.Named(f.ItemsLabel, ""), leadStyle: strong,
				text: t.words.Few(block.Names(f.Items), 8),
			})
		}
		t.blank()
	}
	t.blank()
}

// picture writes a chart as a table of a few of its numbers.
func (t *terminal) picture(f block.Figure) {
	const most = 6
	t.para(para{text: f.Title, style: strong})
	marks := f.Table.Marks[:0:0]
	for _, m := range f.Table.Marks {
		if f.Table.Columns || m.X0 != 0 || m.X1 != 0 { // an empty bar shows nothing
			marks = append(marks, m)
		}
	}
	g := block.Grid{Head: f.Table.Head}
	for i := range min(len(marks), most) {
		index := i
		if n := min(len(marks), most); n > 1 && f.Table.Columns {
			index = i * (len(marks) - 1) / (n - 1)
		}
		g.Rows = append(g.Rows, marks[index].Cells)
	}
	for len(g.Head) > 2 && t.total(g) > t.width {
		g = without(g, len(g.Head)-1)
	}
	if len(g.Rows) > 0 && t.total(g) <= t.width && (f.Table.Columns || len(marks) <= 2*most) {
		t.grid(g)
	} else {
		t.blank()
	}
}

// payload writes what was submitted to the grader; only the first payload of each probe is shown.
func (t *terminal) payload(p block.Payload) {
	if p.Name == "" {
		return
	}
	const indent = 2
	t.para(para{indent: indent, lead: "- ", text: p.Name, style: styles[p.Tone]})
	if p.Text == "" {
		return
	}
	t.para(para{start: indent, indent: indent, text: t.words.Signs.Named(p.Earned, block.Shorten(p.Text, 200))})
	for _, note := range append(slices.Clone(p.Notes), p.Command) {
		t.para(para{start: indent, indent: indent, text: note, style: faint})
	}
	t.blank()
}

// grid writes a table with columns as wide as their widest cell. If that is too wide, it drops the
// columns in Spare, then shortens the names of the rows, and otherwise writes the table row by row.
func (t *terminal) grid(g block.Grid) {
	if g.Upright {
		return // too wide; other formats show it
	}
	if g.Title != "" {
		t.heading(g.Title)
	}
	omitted := 0
	if g.Most > 0 && len(g.Rows) > g.Most+1 {
		omitted = len(g.Rows) - g.Most
		g.Rows = g.Rows[:g.Most]
	}
	for _, column := range g.Spare {
		if t.total(g) <= t.width {
			break
		}
		g = without(g, column)
	}
	widths := t.widths(g)
	if over := t.total(g) - t.width; over > 0 && len(widths) > 0 && !g.Words {
		widths[0] = max(10, widths[0]-over)
	}
	if sum(widths)-2 > t.width || g.Words && g.Rates || len(g.Head) == 1 {
		t.stack(g)
	} else {
		for i, row := range slices.Concat([][]string{g.Head}, g.Rows) {
			var line strings.Builder
			for j, cell := range row {
				line.WriteString(pad(shortened(t.plain(cell), widths[j]-2), widths[j]))
			}
			style := ""
			if i == 0 {
				style = faint
			}
			if text := strings.TrimRight(line.String(), " "); text != "" {
				t.buf.WriteString(t.paint(text, style) + "\n")
			}
		}
	}
	if omitted > 0 {
		t.para(para{text: fmt.Sprintf(t.words.MoreLines, message.Whole(omitted)), style: faint})
	}
	for _, note := range g.Notes {
		t.para(para{indent: 2, lead: "- ", text: note, style: faint})
	}
	t.blank()
}

// widths returns the widths of the columns, including the two spaces after each.
func (t *terminal) widths(g block.Grid) []int {
	widths := make([]int, len(g.Head))
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for i, cell := range row[:min(len(row), len(widths))] {
			widths[i] = max(widths[i], Width(t.plain(cell))+2)
		}
	}
	return widths
}

func (t *terminal) total(g block.Grid) int { return sum(t.widths(g)) - 2 }

func sum(list []int) int {
	n := 0
	for _, x := range list {
		n += x
	}
	return n
}

// without returns g without a column.
func without(g block.Grid, column int) block.Grid {
	less := func(row []string) []string { return slices.Delete(slices.Clone(row), column, min(column+1, len(row))) }
	g.Head = less(g.Head)
	rows := make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		rows[i] = less(row)
	}
	g.Rows = rows
	return g
}

// stack writes a table as one paragraph per row: the first cell leads, and the others follow with
// the names of their columns. The explanation of a rate is left out.
func (t *terminal) stack(g block.Grid) {
	lead := 0
	for _, row := range g.Rows {
		lead = max(lead, Width(t.plain(row[0])))
	}
	if lead = min(lead, t.width/3); len(g.Head) == 1 {
		lead = -2
	}
	for _, row := range g.Rows {
		var cells []string
		for j, cell := range row {
			switch {
			case j == 0 && lead >= 0 || cell == "" || g.Rates && j == 3:
				continue
			case !g.Rates && j > 1 && g.Head[j] != "":
				cell = g.Head[j] + " " + cell
			}
			cells = append(cells, cell)
		}
		name := ""
		if lead >= 0 {
			name = pad(cut(t.plain(row[0]), lead), lead+2)
		}
		t.para(para{indent: lead + 2, lead: name, leadStyle: strong, text: strings.Join(cells, " | ")})
	}
}

// shortened cuts s to n columns and marks the cut.
func shortened(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	return cut(s, n-2) + ".."
}
