package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

func tableVariance(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	items := measured(s)
	return Table{Columns: true, Items: true, Count: len(items), Each: varianceMarks(r, items).each}
}

func tableBestOfK(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	best, worst := bestWorst(s)
	fits := beyond(s, analysis.BestOfK, best)
	t := Table{Columns: true, Head: heads(r.Lang, "k", "best of k", "worst of k")}
	curves := []curve{best, worst}
	fitHeads, fitCurves := fits.columns(r.Lang)
	t.Head, curves = append(t.Head, fitHeads...), append(curves, fitCurves...)
	t.Head = append(t.Head, heads(r.Lang, "items", "rollouts")...)
	measured := map[float64]analysis.AtK{}
	for _, e := range s.BestOf {
		measured[float64(e.K)] = e
	}
	t.Marks = columnsAt(curves, func(x float64) []string {
		cells := []string{message.Digits(x)}
		for _, v := range curves {
			cells = append(cells, v.cell(x))
		}
		if e, ok := measured[x]; ok {
			return append(cells, message.Whole(e.Items), message.Whole(e.N))
		}
		return append(cells, "", "")
	})
	return t
}

func tableInformative(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	g := informativeCurves(s)
	t := Table{Columns: true, Head: heads(r.Lang, "group size", "measured", "possible range")}
	curves := []curve{g.exact, {x: g.bracket.x, y: g.bracket.lo}, {x: g.bracket.x, y: g.bracket.hi}}
	if len(g.raw.x) > 0 {
		t.Head, curves = append(t.Head, heads(r.Lang, "with grader noise")...), append(curves, g.raw)
	}
	fitHeads, fitCurves := g.fits.columns(r.Lang)
	t.Head, curves = append(t.Head, fitHeads...), append(curves, fitCurves...)
	t.Head = append(t.Head, heads(r.Lang, "items")...)
	items := map[float64]string{}
	for _, e := range s.Signal {
		if e.Known() {
			items[float64(e.GroupSize)] = message.Whole(e.Items)
		}
	}
	t.Marks = columnsAt(curves, func(x float64) []string {
		cells := []string{message.Digits(x), g.exact.percentCell(x), ""}
		_, _, _, measured := g.exact.at(x)
		lo, _, _, ok := curves[1].at(x)
		if hi, _, _, too := curves[2].at(x); ok && too && !measured {
			if cells[2] = message.Percent(lo); message.Percent(hi) != cells[2] {
				cells[2] += " – " + message.Percent(hi)
			}
		}
		for _, v := range curves[3:] {
			cells = append(cells, v.percentCell(x))
		}
		return append(cells, items[x])
	})
	return t
}

func tableRewards(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	h := s.Reward.Histogram
	t := Table{Columns: true, Head: heads(r.Lang, "reward", "rollouts", "share")}
	total := math.Max(1, float64(sum(h.Counts)))
	for i, b := range rewardBars(h).list {
		name := message.Digits(h.Edges[i]) + " – " + message.Digits(h.Edges[i+1])
		t.Marks = append(t.Marks, Mark{
			Cells: []string{name, message.Whole(h.Counts[i]), message.Percent(float64(h.Counts[i]) / total)},
			X0:    h.Edges[i], X1: h.Edges[i+1], Y0: b.y0, Y1: b.y1,
		})
	}
	return t
}

func tableItemClasses(r *analysis.Result) Table {
	t := Table{Head: heads(r.Lang, "split", "class", "items", "share")}
	for i, split := range classedSplits(r) {
		segments(r.Splits[split], func(class string, from, to float64, n int) {
			t.Marks = append(t.Marks, Mark{
				Cells: []string{string(split), r.Lang.Text(class), message.Whole(n), message.Percent(float64(n) / float64(classTotal(r.Splits[split])))},
				X0:    from, X1: to, Y0: row(i) - 0.32, Y1: row(i) + 0.32,
			})
		})
	}
	return t
}

func tableToolCalls(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	h := s.Tools.Histogram
	t := Table{Columns: true, Head: heads(r.Lang, "tool calls", "rollouts", "share")}
	total := math.Max(1, float64(sum(h.Counts)))
	for i, b := range callBars(h).list {
		calls := math.Ceil(h.Edges[i])
		t.Marks = append(t.Marks, Mark{
			Cells: []string{message.Digits(calls), message.Whole(h.Counts[i]), message.Percent(float64(h.Counts[i]) / total)},
			X0:    calls - 0.5, X1: calls + 0.5, Y0: b.y0, Y1: b.y1,
		})
	}
	return t
}
