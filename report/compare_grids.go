package report

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
)

// differenceGrid is every quantity that was compared, the reward first.
func differenceGrid(sc *compare.Split, w *compareWords) Grid {
	g := Grid{Title: w.Differences, Head: []string{"", w.Base, w.New, w.Difference, "p"}}
	for i, d := range slices.Concat([]analysis.Difference{sc.Reward}, sc.Others) {
		name, p := w.Quantities[d.Name], d.PHolm
		if d.K > 0 {
			name = fmt.Sprintf(name, message.Whole(d.K))
		}
		if i == 0 {
			p = d.P
		}
		g.Rows = append(g.Rows, []string{name, message.DigitsOf(d.Base), message.DigitsOf(d.New), change(d.Estimate), pValue(p)})
	}
	g.Notes = []string{w.OthersNote}
	return g
}

// breakdownGrid is the reward by group, the largest drop first.
func breakdownGrid(title string, b *compare.Breakdown, l message.Language, w *compareWords) Grid {
	g := Grid{Title: title, Head: []string{"", w.ItemsHead, w.Base, w.New, w.Difference, "p"}}
	for _, row := range b.Groups {
		g.Rows = append(g.Rows, []string{
			id(row.Group), message.Whole(row.Items), message.DigitsOf(row.Base), message.DigitsOf(row.New), change(row.Estimate), pValue(row.PHolm),
		})
	}
	g.Notes = []string{fmt.Sprintf(w.Corrected, prose(compare.Holm.In(l)))}
	if b.LeftOut > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf(w.LeftOut, w.Group.of(b.LeftOut)))
	}
	return g
}

// quadrantGrid counts items by the change of reward and of tool calls.
func quadrantGrid(q *compare.Quadrants, w *compareWords) Grid {
	g := Grid{Title: w.Quadrants, Head: []string{"", w.Fewer, w.AsMany, w.More}, Notes: []string{fmt.Sprintf(w.QuadrantNote, w.Item.of(q.Items))}}
	for i := 0; i+2 < len(q.Cells); i += 3 {
		row := []string{w.RewardMoves[q.Cells[i].Reward]}
		for _, cell := range q.Cells[i : i+3] {
			row = append(row, message.Whole(cell.Items))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// outcomeGrid is how rollouts ended that have no grade.
func outcomeGrid(sc *compare.Split, w *compareWords) Grid {
	g := Grid{Title: w.Outcomes, Head: []string{"", w.Base, w.New, w.ShareDifference}}
	for _, o := range sc.Outcomes {
		name := visible(string(o.Outcome))
		if o.Kind != "" {
			name = fmt.Sprintf(w.OfKind, name, visible(o.Kind))
		}
		g.Rows = append(g.Rows, []string{name, message.Whole(o.Base), message.Whole(o.New), change(o.Difference)})
	}
	for i, c := range sc.Causes {
		if i == 5 {
			break
		}
		text := c.Error
		if text == "" {
			text = w.NoCause
		}
		g.Notes = append(g.Notes, fmt.Sprintf(w.Cause, message.Whole(c.Base), message.Whole(c.New), visible(string(c.Outcome)), clip(prose(text), 160)))
	}
	return g
}
