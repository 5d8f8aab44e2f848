package report

import (
	"cmp"
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/pdf"
)

// How many items are printed: all of a split up to wholeList, else the telling
// ones, of each kind so many.
const (
	wholeList   = 300
	tellingEach = 40
	tellingEnds = 20
)

// items is the appendix of items.
func (p *printed) items() {
	w := p.Words
	p.Break()
	p.section(w.Items)
	p.columnDocs()
	for _, s := range p.Splits {
		p.part(w.Capital(w.Split) + " " + visible(string(s.Name)))
		if len(s.Rows) == 0 {
			p.para(w.NoItems, inkText)
			continue
		}
		rows := s.Rows
		if len(rows) > wholeList {
			rows = telling(s, p.Result)
			p.para(fmt.Sprintf(p.words.Telling, message.Whole(len(rows)), message.Whole(len(s.Rows))), inkText)
		}
		t := pdf.Table{Head: headText, Line: hairline, Dense: true}
		for i, c := range w.Columns {
			t.Columns = append(t.Columns, pdf.ColumnSpec{Head: c.Label, Right: i > 1, Grow: 1})
		}
		for _, row := range rows {
			cells := row.Cells()
			line := []pdf.Cell{codeCell(cells[0])}
			line[0].Most = 3
			for _, text := range cells[1:] {
				line = append(line, textCell(text))
			}
			t.Rows = append(t.Rows, line)
		}
		p.Table(t)
		p.Space(8)
	}
}

// columnDocs say what the columns are.
func (p *printed) columnDocs() {
	c := p.Column(0)
	var spans []pdf.Span
	strong := mutedText
	strong.Face = headText.Face
	sign := p.Words.Signs
	for i, col := range p.Words.Columns {
		if i > 0 {
			spans = append(spans, pdf.Span{Text: sign.Stop + sign.Space + sign.Space, Style: mutedText})
		}
		spans = append(spans, pdf.Span{Text: col.Label, Style: strong}, pdf.Span{Text: p.Words.named("", col.Doc), Style: mutedText})
	}
	c.Text(pdf.Paragraph{Spans: append(spans, pdf.Span{Text: sign.Stop, Style: mutedText})})
	c.Space(4)
	p.Place(c)
}

// telling are the rows to look at when there are too many to print, in their
// order: the items that findings name, those with the most missing rollouts,
// those whose rewards differ most, and both ends.
func telling(s Split, r *analysis.Result) []Row {
	items := r.Splits[s.Name].Classes.Items
	order := sortedItems(items)
	picked := map[int]bool{}
	named := map[string]bool{}
	for _, f := range r.Findings {
		if f.Split == s.Name || f.Split == "" {
			for _, item := range f.Items[:min(len(f.Items), tellingEach)] {
				named[item] = true
			}
		}
	}
	most := func(n int, by func(analysis.ItemResult) float64) {
		all := make([]int, len(order))
		for i := range all {
			all[i] = i
		}
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(by(order[b]), by(order[a])) })
		for _, i := range all[:min(n, len(all))] {
			if by(order[i]) > 0 {
				picked[i] = true
			}
		}
	}
	most(2*tellingEach, func(it analysis.ItemResult) float64 {
		if named[it.Item] {
			return 1
		}
		return 0
	})
	most(tellingEach, func(it analysis.ItemResult) float64 { return float64(it.Missing) })
	most(tellingEach, func(it analysis.ItemResult) float64 {
		if it.SD == nil {
			return 0
		}
		return *it.SD
	})
	for i := range min(tellingEnds, len(order)) {
		picked[i], picked[len(order)-1-i] = true, true
	}
	var rows []Row
	for i, row := range s.Rows {
		if picked[i] {
			rows = append(rows, row)
		}
	}
	return rows
}
