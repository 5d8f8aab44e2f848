package report

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/report/pdf"
	"gonogo/report/typeface"
)

// The bounds of one table on paper.
const (
	columnsOnPaper = 10 // beside the first; what is wider goes on below
	rowsOnPaper    = 60
)

// grid is a table of the page with its notes.
func (p *printed) grid(g Grid) {
	rows := g.Rows[:min(len(g.Rows), rowsOnPaper)]
	for from := 1; from == 1 || from < len(g.Head); from += columnsOnPaper {
		t := pdf.Table{Head: headText, Line: hairline}
		to := min(from+columnsOnPaper, len(g.Head))
		pick := func(row []string) []string {
			return append([]string{row[0]}, row[min(from, len(row)):min(to, len(row))]...)
		}
		for i, head := range pick(g.Head) {
			c := pdf.ColumnSpec{Head: head, Right: i > 0 && !g.Words}
			switch {
			case g.Words && i == to-from:
				c.Grow = 1
			case !g.Words && i == 0:
				c.Grow = 2
			case !g.Words:
				c.Grow = 1
			}
			t.Columns = append(t.Columns, c)
		}
		for _, row := range rows {
			var cells []pdf.Cell
			for _, text := range pick(row) {
				cells = append(cells, pdf.Cell{Spans: []pdf.Span{{Text: text, Style: cellText}}})
			}
			t.Rows = append(t.Rows, cells)
		}
		p.Table(t)
		p.Space(6)
	}
	p.notes(g, len(rows), func(s string) string { return s })
}

func (p *printed) variants() {
	if len(p.Variants.Tables) == 0 {
		return
	}
	p.section(p.Words.Variants.Title)
	p.para(p.Variants.Lead, inkText)
	for _, g := range p.Variants.Tables {
		p.part(g.Title)
		p.grid(g)
	}
	p.points(p.Variants.Notes, mutedText)
}

func (p *printed) burst() {
	if len(p.Burst.Tables) == 0 {
		return
	}
	p.section(p.Words.Burst.Title)
	p.para(p.Burst.Lead, inkText)
	for _, g := range p.Burst.Tables {
		p.part(g.Title)
		p.grid(g)
	}
	p.points(p.Burst.Notes, mutedText)
}

// splits tell of each split: its numbers, its items by class, and what is
// missing.
func (p *printed) splits() {
	if len(p.Splits) == 0 {
		return
	}
	w := p.Words
	p.section(w.Splits)
	g := Grid{Head: []string{
		w.Split, w.ItemsOf, w.SamplesOf, w.RolloutsOf, w.Lower(w.Mean), w.Lower(fmt.Sprintf(w.BestOf, message.Whole(p.Result.GroupSize))), w.Lower(w.Informative), w.MissingOf,
	}}
	for _, s := range p.Splits {
		g.Rows = append(g.Rows, []string{string(s.Name), s.Items, s.Samples, s.Rollouts, s.Mean, s.Best, s.Signal, s.Missing})
	}
	p.grid(g)
	for _, s := range p.Splits {
		p.part(w.Capital(w.Split) + " " + visible(string(s.Name)))
		for _, note := range s.Notes {
			p.para(note, inkText)
		}
		if len(s.Causes) == 0 {
			continue
		}
		t := pdf.Table{Head: headText, Line: hairline, Columns: []pdf.ColumnSpec{
			{Least: 60}, {Head: w.Causes, Grow: 1}, {Head: w.RolloutsOf, Right: true}, {Head: w.ItemsOf, Least: 90},
		}}
		for _, c := range s.Causes {
			t.Rows = append(t.Rows, []pdf.Cell{codeCell(c.Outcome), textCell(c.Error), textCell(c.Count), codeCell(few(c.Items, itemsInFinding, w))})
		}
		p.Table(t)
		p.Space(6)
	}
}

func textCell(s string) pdf.Cell { return pdf.Cell{Spans: []pdf.Span{{Text: s, Style: cellText}}} }

func codeCell(s string) pdf.Cell { return pdf.Cell{Spans: []pdf.Span{{Text: s, Style: codeText}}} }

// method is the last part: how it was measured, and under which settings.
func (p *printed) method() {
	p.section(p.Words.Method)
	p.facts(p.Facts)
	p.thresholds()
	if len(p.Choices) > 0 {
		p.section(p.Words.Choices)
		p.facts(p.Choices)
	}
}

func (p *printed) facts(list []Fact) {
	name := cellText
	name.Face = typeface.Bold
	t := pdf.Table{Line: hairline, Columns: []pdf.ColumnSpec{{}, {Grow: 1}}}
	for _, f := range list {
		t.Rows = append(t.Rows, []pdf.Cell{{Spans: []pdf.Span{{Text: f.Name, Style: name}}}, textCell(f.Value)})
	}
	p.Table(t)
}

// thresholds stand side by side, to be read downward.
func (p *printed) thresholds() {
	const columns = 3
	if len(p.Settings) == 0 {
		return
	}
	p.section(p.Words.Thresholds)
	t := pdf.Table{Line: hairline, Dense: true}
	down := (len(p.Settings) + columns - 1) / columns
	for range columns {
		t.Columns = append(t.Columns, pdf.ColumnSpec{Grow: 1}, pdf.ColumnSpec{Right: true}, pdf.ColumnSpec{Least: 4})
	}
	for i := range down {
		var cells []pdf.Cell
		for at := i; at < len(p.Settings); at += down {
			cells = append(cells, codeCell(p.Settings[at].Name), textCell(p.Settings[at].Value), pdf.Cell{})
		}
		t.Rows = append(t.Rows, cells)
	}
	p.Table(t)
}
