package pdf

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// grid prints a table. If it has more columns than fit on the paper, the others continue below.
func (p *printer) grid(g block.Grid) {
	p.part(g.Title)
	most := rowsOnPaper
	if !p.full && g.Most > 0 {
		most = min(most, g.Most)
	}
	rows := g.Rows[:min(len(g.Rows), most)]
	for from, to := 1, 1; ; from = to {
		to = p.until(g, rows, from)
		t := Table{Head: headText, Line: hairline, Upright: g.Upright, Dense: g.Upright}
		for _, i := range picked(from, to) {
			t.Columns = append(t.Columns, p.column(g, i, i == to-1))
		}
		for r, row := range rows {
			var cells []Cell
			for _, i := range picked(from, min(to, len(row))) {
				cells = append(cells, cell(g, r, i, row[i]))
			}
			t.Rows = append(t.Rows, cells)
		}
		p.Table(t)
		p.Space(6)
		if to >= len(g.Head) {
			break
		}
	}
	notes := g.Notes
	if len(rows) < len(g.Rows) {
		notes = append([]string{fmt.Sprintf(p.words.Print.MoreRows, message.Whole(len(rows)),
			message.Whole(len(g.Rows)))}, notes...)
	}
	if len(notes) > 0 {
		p.note(block.Note{Texts: notes, Points: true, Muted: true})
	}
}

// picked returns column 0 and the columns from one to before another.
func picked(from, to int) []int {
	list := []int{0}
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// until returns the column after the last that fits next to the first, beginning at from.
func (p *printer) until(g block.Grid, rows [][]string, from int) int {
	if !g.Upright {
		return min(from+columnsOnPaper, len(g.Head))
	}
	to := from
	for width := 90.0; to < len(g.Head) && (width < p.Width() || to == from); to++ {
		longest := 2
		for _, row := range rows {
			if to < len(row) {
				longest = max(longest, len([]rune(row[to])))
			}
		}
		width += float64(longest)*uprightSize*0.56 + 6
	}
	return to
}

// uprightSize is the text size in tables with many columns.
const uprightSize = 6.8

func (p *printer) column(g block.Grid, i int, last bool) ColumnSpec {
	c := ColumnSpec{Head: g.Head[i], Right: g.Kind(i) == block.Number}
	switch {
	case g.Upright && i == 0:
		c.Least, c.Most = 60, 110
	case g.Upright:
	case g.Words && last, g.Kind(i) == block.Text && i > 0:
		c.Grow = 1
	case !g.Words && i == 0:
		c.Grow = 2
	case !g.Words && g.Kind(i) == block.Number:
		c.Grow = 1
	}
	return c
}

func cell(g block.Grid, row, i int, text string) Cell {
	if g.Upright {
		sty, most := cellText, 2
		if i == 0 {
			sty, most = codeText, 3
		}
		sty.Size = uprightSize
		return Cell{Spans: []Span{{text, sty}}, Most: most}
	}
	switch g.Kind(i) {
	case block.Code:
		return codeCell(text)
	case block.State:
		return Cell{Chip: chip(text, g.Tone(row))}
	case block.Number:
		return textCell(unbroken(text))
	}
	return textCell(text)
}
