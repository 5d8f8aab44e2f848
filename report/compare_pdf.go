package report

import (
	"fmt"
	"io"
	"strings"

	"gonogo/report/chart"
	"gonogo/report/pdf"
	"gonogo/report/typeface"
)

// writeComparedPDF writes the comparison for paper.
func writeComparedPDF(w io.Writer, p *ComparisonPage) error { return p.page.print(w, p.printed) }

// printed lays the comparison out. warning stands on page one.
func (p *ComparisonPage) printed(paper pdf.Paper, fonts machineFonts, warning string) *pdf.Doc {
	w := p.words
	doc := pdf.New(pdf.Options{
		Paper: paper, Title: p.Answer + " – " + p.Title, Subject: p.Sentence, Creator: strings.TrimSpace("gonogo " + p.Version),
		Language: p.page.Words.Lang.Tag(), Made: p.Now, Fallback: fonts.find,
		HeadLeft: p.Title, HeadRight: p.page.footer(), FootLeft: w.Base + " " + p.Base + " · " + w.New + " " + p.New, Pages: p.page.Words.PDF.Pages,
	})
	out := &printed{p.page, doc, &p.page.Words.PDF}
	out.comparedFront(p, warning)
	out.pictures()
	for _, s := range p.Splits {
		out.comparedSplit(s, p)
	}
	if len(p.Differs) > 0 {
		out.section(w.Differs)
		out.grid(p.differGrid())
	}
	out.list(w.Input, p.Input)
	out.list(w.Method, p.Method)
	return doc
}

// comparedFront is page one: what to read first, the answer and its reason,
// and the differences.
func (p *printed) comparedFront(of *ComparisonPage, warning string) {
	w := of.words
	c := p.Column(0)
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Title, Style: pdf.Style{Face: typeface.Bold, Size: 17, Color: chart.Ink}}}, Most: 3})
	c.Space(4)
	p.Place(c)
	p.facts(of.Runs())
	p.Space(8)
	if first := of.ReadFirst(); len(first) > 0 {
		p.boxed(first...)
	}
	p.verdict(of.Answer, like(of.Comparison))
	p.tiles()
	if p.Split != "" {
		p.para(p.About(), mutedText)
	}
	if warning != "" {
		p.boxed(warning)
	}
	for _, s := range of.Splits {
		if of.onFront(s) {
			p.part(w.OnAnswer)
			p.points(s.Facts, inkText)
			if len(s.Grids) > 0 {
				p.grid(s.Grids[0])
			}
		}
	}
}

// onFront reports whether page one has a split's facts and differences.
func (p *ComparisonPage) onFront(s ComparedSplit) bool {
	return p.Answering(s) || len(p.Splits) == 1
}

// comparedSplit is what is told of a split beside page one.
func (p *printed) comparedSplit(s ComparedSplit, of *ComparisonPage) {
	w := of.words
	p.Break()
	p.section(s.Heading)
	grids := s.Grids
	if of.onFront(s) {
		grids = grids[min(1, len(grids)):]
	} else {
		p.points(s.Facts, inkText)
	}
	if !of.Answering(s) {
		p.para(s.Why, inkText)
	}
	for _, g := range grids {
		p.part(g.Title)
		p.grid(g)
	}
	if len(s.Moved) == 0 {
		return
	}
	p.part(w.Moved)
	t := pdf.Table{Head: headText, Line: hairline}
	for i, head := range w.MovedHead {
		c := pdf.ColumnSpec{Head: head, Right: i > 0 && i < 5}
		if i == 0 || i > 4 {
			c.Grow = 1
		}
		t.Columns = append(t.Columns, c)
	}
	for _, m := range s.Moved {
		line := []pdf.Cell{codeCell(m.Item), textCell(m.From), textCell(m.To), textCell(m.Delta), textCell(m.Calls), textCell(strings.Join(m.Base, w.Signs.Semicolon)), textCell(strings.Join(m.New, w.Signs.Semicolon))}
		line[0].Most = 3
		t.Rows = append(t.Rows, line)
	}
	p.Table(t)
	p.Space(4)
	p.points([]string{fmt.Sprintf(w.MovedNote, of.Base, of.New), w.ItemsElsewhere}, mutedText)
}

// differGrid is what the runs were made with differently.
func (p *ComparisonPage) differGrid() Grid {
	w := p.words
	g := Grid{Words: true, Head: w.DifferHead}
	for _, d := range p.Differs {
		note := d.Note
		if d.Confounds {
			note = strings.TrimPrefix(note+w.Signs.Semicolon+w.Confounds, w.Signs.Semicolon)
		}
		g.Rows = append(g.Rows, []string{d.Key, d.Base, d.New, note})
	}
	return g
}
