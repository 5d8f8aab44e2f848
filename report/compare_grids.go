package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// differenceGrid lists every compared quantity, the reward first.
func (x *ComparisonPage) differenceGrid(sc *compare.Split) Grid {
	w := x.w
	g := Grid{Title: w.Differences, Head: []string{"", w.Base, w.New, w.Difference, "p", ""}, Most: 60}
	if !sc.Reward.Known() {
		return g
	}
	for i, d := range slices.Concat([]analysis.Difference{sc.Reward}, sc.Others) {
		p := d.PHolm
		if i == 0 {
			p = d.P
		}
		g.Rows = append(g.Rows, []string{
			quantity(d, w), message.DigitsIn(d.Unit, d.Base),
			message.DigitsIn(d.Unit, d.New), change(d.Unit, d.Estimate), pValue(p), w.Changes[d.Change],
		})
	}
	g.Notes = []string{fmt.Sprintf(w.OthersNote, message.Percent(x.c.Thresholds["compare.delta"]))}
	return g
}

// errorGrid shows how often the graders err, by people's labels of both runs.
func (x *ComparisonPage) errorGrid(sc *compare.Split) Grid {
	w := x.w
	g := Grid{Title: w.Errors, Head: []string{"", w.Base, w.New, w.Difference, ""}, Notes: []string{w.ErrorsNote}}
	for _, d := range sc.Errors {
		g.Rows = append(g.Rows, []string{
			quantity(d, w), message.DigitsIn(d.Unit, d.Base), message.DigitsIn(d.Unit, d.New),
			change(d.Unit, d.Estimate), w.Changes[d.Change],
		})
	}
	return g
}

// breakdownGrid shows the reward by group, the largest fall first.
func (x *ComparisonPage) breakdownGrid(title string, b *compare.Breakdown) Grid {
	w := x.w
	g := Grid{Title: title, Head: []string{"", w.ItemsHead, w.Base, w.New, w.Difference, "p"}}
	if b == nil {
		return g
	}
	for _, row := range b.Groups {
		g.Rows = append(g.Rows, []string{
			id(row.Group), message.Whole(row.Items), message.DigitsOf(row.Base), message.DigitsOf(row.New),
			change("", row.Estimate), pValue(row.PHolm),
		})
	}
	g.Notes = []string{fmt.Sprintf(w.Corrected, prose(compare.Holm.In(x.c.Lang)))}
	if b.LeftOut > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf(w.LeftOut, x.Words.Lang.Count(b.LeftOut, "group")))
	}
	return g
}

// quadrantGrid counts items by the change of reward and of tool calls.
func (x *ComparisonPage) quadrantGrid(q *compare.Quadrants) Grid {
	if q == nil {
		return Grid{}
	}
	w := x.w
	g := Grid{
		Title: w.Quadrants, Head: []string{"", w.Fewer, w.AsMany, w.More},
		Notes: []string{fmt.Sprintf(w.QuadrantNote, x.Words.Lang.Count(q.Items, "item"))},
	}
	for i := 0; i+2 < len(q.Cells); i += 3 {
		row := []string{w.RewardMoves[q.Cells[i].Reward]}
		for _, cell := range q.Cells[i : i+3] {
			row = append(row, message.Whole(cell.Items))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// outcomeGrid shows how rollouts without a grade ended.
func (x *ComparisonPage) outcomeGrid(sc *compare.Split) Grid {
	w := x.w
	g := Grid{Title: w.Outcomes, Head: []string{"", w.Base, w.New, w.ShareDifference}}
	for _, o := range sc.Outcomes {
		name := visible(string(o.Outcome))
		if o.Kind != "" {
			name = fmt.Sprintf(w.OfKind, name, visible(o.Kind))
		}
		g.Rows = append(g.Rows, []string{
			name, message.Whole(o.Base), message.Whole(o.New),
			change(message.UnitShare, o.Difference),
		})
	}
	for i, c := range sc.Causes {
		if i == 5 {
			break
		}
		text := c.Error
		if text == "" {
			text = w.NoCause
		}
		g.Notes = append(g.Notes, fmt.Sprintf(w.Cause, message.Whole(c.Base), message.Whole(c.New),
			visible(string(c.Outcome)), clip(prose(text), 160)))
	}
	return g
}

// movedGrid lists the items that changed much, with the rollouts that show it.
func (x *ComparisonPage) movedGrid(sc *compare.Split) Grid {
	w := x.w
	base, new := x.files()
	g := Grid{
		Title: w.Moved, Head: w.MovedHead,
		Notes: []string{x.afterKeeping(fmt.Sprintf(w.MovedNote, visible(base), visible(new)))}, Most: 8,
		Kinds: []block.Kind{block.Code, block.Number, block.Number, block.Number, block.Number, block.Text, block.Text},
	}
	for _, m := range sc.Moved {
		g.Rows = append(g.Rows, []string{
			id(m.Item), message.Digits(m.Base), message.Digits(m.New), message.Signed(m.Change),
			signedOr(m.CallsChange), x.refs(base, m.BaseRollouts), x.refs(new, m.NewRollouts),
		})
	}
	return g
}

// behindGrid lists what tools answered to the same calls in both runs, if that changed.
func (x *ComparisonPage) behindGrid() Grid {
	g := Grid{Words: true, Head: x.w.OtherAnswersHead}
	for _, cause := range x.c.LikelyCauses {
		for _, e := range cause.Examples {
			g.Rows = append(g.Rows, []string{
				id(cause.Of), id(e.Item), id(e.Arguments), visible(e.Base),
				visible(e.New),
			})
		}
	}
	return g
}

// refs names rollouts by line, sample and reward, with the command that prints them.
func (x *ComparisonPage) refs(file string, list []compare.SampleRef) string {
	var out []string
	for _, r := range list {
		line, sample, reward := strconv.Itoa(r.Line), strconv.Itoa(r.Sample), message.Digits(r.Reward)
		if r.Outcome == rollout.Graded {
			out = append(out, fmt.Sprintf(x.w.Ref, line, sample, reward))
		} else {
			out = append(out, fmt.Sprintf(x.w.RefOutcome, line, sample, reward, visible(string(r.Outcome))))
		}
	}
	if command := printLines(file, list); command != "" {
		out = append(out, command)
	}
	return strings.Join(out, x.w.Signs.Semicolon)
}
