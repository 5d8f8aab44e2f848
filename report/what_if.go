package report

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
)

// limitRows is the maximum number of limits of one quantity in the tables; the picture has all.
const limitRows = 6

// whatIfBlocks show the effect of tighter limits and other group sizes on the shown split.
func whatIfBlocks(r *analysis.Result, w *words) []block.Block {
	_, s, ok := chart.ShownSplit(r)
	if !ok || len(s.WhatIf) == 0 {
		return nil
	}
	texts := []string{w.If.Lead}
	var grids []Grid
	for i := range s.WhatIf {
		whatIf := &s.WhatIf[i]
		c, ok := whatIf.Tightest(r.Range())
		if ok && !s.LimitOf(whatIf.Quantity).Cliff() && c.Cut.Known() && *c.Cut.Value > 0 {
			texts = append(texts, fmt.Sprintf(w.If.Tightest, message.Digits(c.At), w.If.Of[whatIf.Quantity],
				message.Percent(*c.Cut.Value), message.Difference(c.Change.Value, c.Change.Low, c.Change.High)))
		}
		grids = append(grids, limitGrid(whatIf, w))
	}
	return append([]block.Block{block.Note{Texts: texts}}, filled(append(grids, groupGrid(r, s, w))...)...)
}

// limitGrid has a row for each limit, the loosest last.
func limitGrid(whatIf *analysis.WhatIf, w *words) Grid {
	g := Grid{Title: w.If.Limit[whatIf.Quantity], Head: slices.Clone(w.If.Head)}
	if whatIf.Limit != nil {
		g.Title = fmt.Sprintf(w.If.Now, g.Title, message.Digits(*whatIf.Limit))
	}
	g.Head[4] = fmt.Sprintf(g.Head[4], message.Whole(whatIf.GroupSize))
	last := len(whatIf.Caps) - 1
	for i := range min(limitRows, len(whatIf.Caps)) {
		c := whatIf.Caps[last]
		if len(whatIf.Caps) <= limitRows {
			c = whatIf.Caps[i]
		} else if i < limitRows-1 {
			c = whatIf.Caps[(i+1)*last/limitRows]
		}
		g.Rows = append(g.Rows, []string{
			message.Digits(c.At), percentOf(c.Cut), message.Interval(c.Reward.Value, c.Reward.Low, c.Reward.High),
			message.Difference(c.Change.Value, c.Change.Low, c.Change.High), percentOf(c.Informative),
		})
	}
	return g
}

// percentOf formats a share in percent, without its interval.
func percentOf(e stat.Estimate) string {
	if !e.Known() {
		return "–"
	}
	return message.Percent(*e.Value)
}

// groupGrid has a row for each group size: the powers of two, and the trainer's.
func groupGrid(r *analysis.Result, s *analysis.SplitResult, w *words) Grid {
	g := Grid{Title: w.If.Groups, Head: w.If.GroupHead}
	for _, e := range s.Signal {
		teach := e.Teaches()
		if e.Bound != "exact" || !teach.Known() || e.GroupSize&(e.GroupSize-1) != 0 && e.GroupSize != r.GroupSize {
			continue
		}
		cost := "–"
		if *teach.Value > 0 {
			cost = message.Digits(float64(e.GroupSize) / *teach.Value)
		}
		g.Rows = append(g.Rows,
			[]string{message.Whole(e.GroupSize), message.IntervalIn(message.UnitShare, teach.Value, teach.Low,
				teach.High), cost})
	}
	return g
}
