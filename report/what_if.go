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

// limitRows is the most limits of one quantity that the tables show; the picture has
// all.
const limitRows = 6

// whatIfBlocks are what tighter limits and other group sizes would leave, on the split
// that is shown.
func whatIfBlocks(r *analysis.Result, w *words) []block.Block {
	_, s, ok := chart.ShownSplit(r)
	if !ok || len(s.WhatIf) == 0 {
		return nil
	}
	texts := []string{w.If.Lead}
	var grids []Grid
	for i := range s.WhatIf {
		of := &s.WhatIf[i]
		if c, ok := of.Tightest(r.Range()); ok && !s.LimitOf(of.Quantity).Cliff() && c.Cut.Known() && *c.Cut.Value > 0 {
			texts = append(texts, fmt.Sprintf(w.If.Tightest, message.Digits(c.At), w.If.Of[of.Quantity],
				message.Percent(*c.Cut.Value), message.Difference(c.Change.Value, c.Change.Low, c.Change.High)))
		}
		grids = append(grids, limitGrid(of, w))
	}
	return append([]block.Block{block.Note{Texts: texts}}, filled(append(grids, groupGrid(r, s, w))...)...)
}

// limitGrid is a limit in each row, the loosest last.
func limitGrid(of *analysis.WhatIf, w *words) Grid {
	g := Grid{Title: w.If.Limit[of.Quantity], Head: slices.Clone(w.If.Head)}
	if of.Limit != nil {
		g.Title = fmt.Sprintf(w.If.Now, g.Title, message.Digits(*of.Limit))
	}
	g.Head[4] = fmt.Sprintf(g.Head[4], message.Whole(of.GroupSize))
	last := len(of.Caps) - 1
	for i := range min(limitRows, len(of.Caps)) {
		c := of.Caps[last]
		if len(of.Caps) <= limitRows {
			c = of.Caps[i]
		} else if i < limitRows-1 {
			c = of.Caps[(i+1)*last/limitRows]
		}
		g.Rows = append(g.Rows, []string{
			message.Digits(c.At), percentOf(c.Cut), message.Interval(c.Reward.Value, c.Reward.Low, c.Reward.High),
			message.Difference(c.Change.Value, c.Change.Low, c.Change.High), percentOf(c.Informative),
		})
	}
	return g
}

// percentOf is a share in percent, without its interval.
func percentOf(e stat.Estimate) string {
	if !e.Known() {
		return "–"
	}
	return message.Percent(*e.Value)
}

// groupGrid is a group size in each row: the powers of two, and that of the trainer.
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
