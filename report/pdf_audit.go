package report

import (
	"fmt"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/pdf"
)

// How many payloads are printed, and how much of each.
const (
	payloadsOnPaper = 30
	payloadOnPaper  = 400
)

// audit tells of the grader: rates, every probe, the payloads that found holes
// with the command that replays each, and what else speaks of it.
func (p *printed) audit() {
	a, w := p.Audit, p.Words.Audit
	p.section(w.Title)
	p.para(a.Lead, inkText)
	if len(a.Rates.Rows) > 0 {
		p.grid(a.Rates)
	}
	p.probes(a.Probes)
	shown := p.holes(Holed, w.HolesTitle, payloadsOnPaper)
	p.holes(Shifted, w.MovesTitle, max(1, payloadsOnPaper-shown))
	if len(a.ByItem.Rows) > 0 {
		p.part(a.ByItem.Title)
		p.byItem(a.ByItem)
	}
	for _, g := range a.Tables {
		p.part(g.Title)
		p.grid(g)
	}
}

func (p *printed) probes(list []Probe) {
	if len(list) == 0 {
		return
	}
	t := pdf.Table{Head: headText, Line: hairline}
	for i, head := range p.Words.Audit.ProbeHead {
		t.Columns = append(t.Columns, pdf.ColumnSpec{Head: head, Right: i == 3 || i > 4})
	}
	t.Columns[2].Grow = 1
	for _, one := range list {
		t.Rows = append(t.Rows, []pdf.Cell{
			codeCell(one.Name), {Chip: probeChip(one)}, textCell(one.Must), textCell(one.Items), textCell(one.Above), textCell(one.Accept), textCell(one.Gap), textCell(one.Failed),
		})
	}
	p.Table(t)
	p.Space(4)
}

func probeChip(one Probe) *pdf.Chip {
	state := map[ProbeState]State{Held: Passing, Holed: Failing, Shifted: Caution, Untold: Unsettled, Noted: Skipped}[one.State]
	return stateChip(Finding{State: state, Label: one.Label})
}

// holes prints the payloads of the probes of a state, at most so many, and
// returns how many.
func (p *printed) holes(state ProbeState, title string, most int) int {
	shown, left := 0, 0
	strong, _ := stateTones(Failing)
	if state == Shifted {
		strong, _ = stateTones(Caution)
	}
	for _, one := range p.Audit.Probes {
		if one.State != state {
			continue
		}
		for i, h := range one.Holes {
			if shown == most {
				left += len(one.Holes) - i
				break
			}
			if shown == 0 {
				p.part(title)
			}
			shown++
			c := p.Column(11)
			c.Edge, c.EdgeWidth = strong, 2
			if i == 0 {
				c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: one.Name + " ", Style: strongText}, {Text: one.On, Style: inkText}}})
				c.Space(1)
			}
			c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: h.ID, Style: faintCode}, {Text: " · " + h.Earned, Style: mutedText}}})
			c.Space(1)
			c.Text(pdf.Paragraph{Ground: soft, Indent: 4, Spans: []pdf.Span{{Text: shorten(h.Payload, payloadOnPaper), Style: codeText}}})
			for _, note := range h.Notes {
				c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: p.Words.aside(note), Style: mutedText}}})
			}
			c.Space(1)
			c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: h.Command, Style: codeText}}})
			p.Place(c)
			p.Space(6)
		}
	}
	if left > 0 {
		p.para(fmt.Sprintf(p.Words.Audit.MoreMD, message.Whole(left)), mutedText)
	}
	return shown
}

// byItem is the table of what every probe earned on every item: its heads
// stand upright, for there are many.
func (p *printed) byItem(g Grid) {
	const small = 6.8
	name, faint, number := codeText, faintCode, cellText
	name.Size, faint.Size, number.Size = small, small, small
	printable := strings.NewReplacer("✕", "×").Replace // the fonts lack the first
	rows := g.Rows[:min(len(g.Rows), rowsOnPaper)]
	for from, to := 1, 1; from < len(g.Head); from = to {
		for width := 90.0; to < len(g.Head) && (width < p.Width() || to == from); to++ {
			width += upright(rows, to, small)
		}
		t := pdf.Table{Head: faint, Line: hairline, Upright: true, Dense: true, Columns: []pdf.ColumnSpec{{Head: g.Head[0], Least: 60, Most: 110}}}
		for _, head := range g.Head[from:to] {
			t.Columns = append(t.Columns, pdf.ColumnSpec{Head: head, Right: true})
		}
		for _, row := range rows {
			cells := []pdf.Cell{{Spans: []pdf.Span{{Text: row[0], Style: name}}, Most: 3}}
			for _, text := range row[min(from, len(row)):min(to, len(row))] {
				cells = append(cells, pdf.Cell{Spans: []pdf.Span{{Text: printable(text), Style: number}}, Most: 2})
			}
			t.Rows = append(t.Rows, cells)
		}
		p.Table(t)
		p.Space(6)
	}
	p.notes(g, len(rows), printable)
}

// upright is about how wide a column under an upright head will be.
func upright(rows [][]string, column int, size float64) float64 {
	longest := 2
	for _, row := range rows {
		if column < len(row) {
			longest = max(longest, len([]rune(row[column])))
		}
	}
	return float64(longest)*size*0.56 + 6
}

// notes stand below a table of which so many rows are shown.
func (p *printed) notes(g Grid, shown int, printable func(string) string) {
	var notes []string
	if shown < len(g.Rows) {
		notes = append(notes, fmt.Sprintf(p.words.MoreRows, message.Whole(shown), message.Whole(len(g.Rows))))
	}
	for _, note := range g.Notes {
		notes = append(notes, printable(note))
	}
	p.points(notes, mutedText)
}
