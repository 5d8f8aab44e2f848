package report

import (
	"image/color"
	"strings"

	"gonogo/analysis"
	"gonogo/report/chart"
	"gonogo/report/pdf"
	"gonogo/report/typeface"
)

// front is page one: verdict and reason, what to do, the three numbers, and
// every finding in a line.
func (p *printed) front(warning string) {
	w := p.Words
	c := p.Column(0)
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Title, Style: pdf.Style{Face: typeface.Bold, Size: 17, Color: chart.Ink}}}, Most: 3})
	c.Space(7)
	p.Place(c)
	p.verdict(string(p.Verdict), p.Verdict)
	p.tiles()
	if p.Split != "" {
		p.para(p.About(), mutedText)
	}
	if warning != "" {
		p.boxed(warning)
	}
	p.Space(2)
	p.Heading(0, w.Findings, sectionTop)
	if len(p.Findings) == 0 {
		p.para(w.NoFindings, inkText)
		return
	}
	p.findingsTable()
}

// boxed are points to be seen before anything below them.
func (p *printed) boxed(points ...string) {
	strong, ground := tones("")
	c := p.Column(10)
	c.Ground, c.Edge, c.EdgeWidth = ground, strong, 3
	c.Space(4)
	for _, s := range points {
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: s, Style: pdf.Style{Size: 8, Color: strong}}}})
	}
	c.Space(4)
	p.Place(c)
	p.Space(4)
}

// findingsTable is every finding in a line; those that were skipped share the
// last.
func (p *printed) findingsTable() {
	w := p.Words
	t := pdf.Table{Head: headText, Line: hairline, Columns: []pdf.ColumnSpec{
		{}, {Grow: 1}, {Head: w.Value, Least: 88, Most: 92}, {Head: w.Want, Least: 116, Most: 116},
	}}
	var skipped []string
	for _, f := range p.Findings {
		if f.State == Skipped {
			skipped = append(skipped, gateName(f))
			if len(skipped) > 1 {
				continue
			}
			t.Rows = append(t.Rows, []pdf.Cell{{Chip: stateChip(f)}, {}})
			continue
		}
		want := f.Want
		if f.Caution != "" {
			want += w.Signs.Semicolon + w.CautionAt + " " + f.Caution
		}
		t.Rows = append(t.Rows, []pdf.Cell{
			{Chip: stateChip(f)},
			{Spans: []pdf.Span{{Text: f.Title + "  ", Style: cellText}, {Text: gateName(f), Style: faintCode}}, Most: 4},
			{Spans: []pdf.Span{{Text: f.Measured, Style: cellText}}, Most: 4},
			{Spans: []pdf.Span{{Text: want, Style: cellText}}, Most: 5},
		})
	}
	if len(skipped) > 0 {
		t.Rows[len(t.Rows)-1][1] = pdf.Cell{Spans: []pdf.Span{{Text: w.list(skipped), Style: faintCode}}, Most: 20}
	}
	p.Table(t)
}

// gate names a finding's gate and split, in one piece.
func gateName(f Finding) string {
	if f.Split == "" {
		return f.Gate
	}
	return f.Gate + "\u00a0·\u00a0" + f.Split
}

// verdict is the verdict in the colours of like, with its reason.
func (p *printed) verdict(verdict string, like analysis.Verdict) {
	strong, ground := tones(like)
	c := p.Column(18)
	c.Ground, c.Edge, c.EdgeWidth = ground, strong, 5
	c.Space(9)
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: verdict, Style: pdf.Style{Face: typeface.Bold, Size: 24, Color: strong}}}})
	c.Space(1)
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Sentence, Style: pdf.Style{Size: 11, Color: chart.Ink}}}})
	if p.Next != "" {
		c.Space(4)
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Words.named(p.Words.Next, ""), Style: strongText}, {Text: p.Next, Style: inkText}}})
	}
	c.Space(10)
	p.Place(c)
	p.Space(12)
}

// tiles are the three numbers.
func (p *printed) tiles() {
	c := p.Column(0)
	c.Beside(len(p.Headlines), 16, func(i int, c *pdf.Column) {
		h := p.Headlines[i]
		c.Rule(1.2, chart.Axis)
		c.Space(5)
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: h.Label, Style: strongText}}, Most: 2})
		value := pdf.Style{Face: typeface.Bold, Size: 19, Color: chart.Ink}
		if !h.Known {
			value.Size, value.Color = 14, chart.Muted
		}
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: h.Value + " ", Style: value}, {Text: h.Interval, Style: pdf.Style{Size: 9.5, Color: chart.Muted}}}})
		c.Space(1)
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: h.About(), Style: mutedText}}})
	})
	c.Space(9)
	p.Place(c)
}

// The colours of the states, after those of the verdicts.
func stateTones(s State) (strong, ground color.RGBA) {
	switch s {
	case Failing:
		return tones("NO-GO")
	case Passing:
		return tones("GO")
	case Skipped:
		return chart.Muted, chart.Paper
	}
	return tones("")
}

func stateChip(f Finding) *pdf.Chip {
	strong, ground := stateTones(f.State)
	return &pdf.Chip{Text: f.Label, Ink: strong, Ground: ground, Size: 7, Edge: true, Dashed: f.State == Unsettled}
}

// findings tell every finding in full, those that ask something first.
func (p *printed) findings() {
	w := p.Words
	quiet := false
	skipped := pdf.Table{Head: headText, Line: hairline, Columns: []pdf.ColumnSpec{{}, {Grow: 1}, {Least: 130}}}
	for i, f := range p.Findings {
		if i == 0 && f.Open() {
			p.section(p.words.Full)
		}
		if !f.Open() && !quiet {
			quiet = true
			p.section(p.words.FullQuiet)
		}
		if f.State == Skipped {
			skipped.Rows = append(skipped.Rows, []pdf.Cell{{Chip: stateChip(f)}, textCell(f.Title), {Spans: []pdf.Span{{Text: gateName(f), Style: faintCode}}}})
			continue
		}
		strong, _ := stateTones(f.State)
		c := p.Column(11)
		c.Edge, c.EdgeWidth = strong, 2.5
		title := pdf.Style{Face: typeface.Bold, Size: 9.6, Color: chart.Ink}
		if quiet {
			title.Size = 8.6
		} else {
			c.Mark(1, w.named(f.Label, f.Title))
		}
		c.Chip(stateChip(f), []pdf.Span{{Text: f.Title, Style: title}})
		c.Space(1)
		c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: gateName(f), Style: faintCode}, {Text: " · " + strings.Join(f.Facts(w)[1:], " · "), Style: mutedText}}})
		text := inkText
		if quiet {
			text = pdf.Style{Size: 8.2, Color: chart.Ink}
		}
		p.aside(c, w.Why, f.Why, text)
		p.aside(c, w.Remedy, f.Remedy, text)
		if len(f.Items) > 0 {
			c.Space(2)
			c.Text(pdf.Paragraph{Most: 8, Spans: []pdf.Span{{Text: w.named(w.ItemsToLook, ""), Style: strongText}, {Text: few(f.Items, 24, w), Style: codeText}}})
		}
		for _, more := range f.also(w) {
			p.aside(c, w.Also, more, text)
		}
		p.Place(c)
		p.Space(6)
	}
	p.Table(skipped)
}

// aside is a named paragraph; nothing without a text.
func (p *printed) aside(c *pdf.Column, name, text string, sty pdf.Style) {
	if text == "" {
		return
	}
	strong := sty
	strong.Face = typeface.Bold
	c.Space(2)
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Words.named(name, ""), Style: strong}, {Text: text, Style: sty}}})
}
