package report

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"
)

// beyondKs are the numbers of rollouts that the table of models shows, besides the group
// size.
var beyondKs = []int{64, 256}

// beyondGrid shows the predictions of the models fitted to the items for more rollouts than were
// made: a column for each model, and their gap in words.
func beyondGrid(r *analysis.Result, w *words) Grid {
	g := Grid{Title: w.Beyond.Title}
	_, s, ok := chart.ShownSplit(r)
	if !ok {
		return g
	}
	for _, note := range s.Beyond.Notes {
		g.Notes = append(g.Notes, w.say(note))
	}
	ks := slices.Compact(slices.Sorted(slices.Values(append([]int{r.GroupSize}, beyondKs...))))
	for _, quantity := range []string{analysis.BestOfK, analysis.PassAtK, analysis.InformativeGroups} {
		unit := message.UnitShare
		if quantity == analysis.BestOfK {
			unit = ""
		}
		for _, k := range ks {
			estimates := s.ExtrapolatedAt(quantity, k)
			if len(estimates) == 0 {
				continue
			}
			row := []string{fmt.Sprintf(w.Beyond.Of[quantity], message.Whole(k)), "", ""}
			for _, x := range estimates { // a model that does not fit the measurements has no figure
				column := 1
				if x.Model == analysis.ZeroInflated {
					column = 2
				}
				row[column] = message.IntervalIn(unit, x.Value, x.Low, x.High)
			}
			g.Rows = append(g.Rows, row)
		}
	}
	if len(g.Rows) > 0 {
		g.Head = []string{"", w.Beyond.Plain, w.Beyond.Inflated}
		g.Notes = append([]string{fmt.Sprintf(w.Beyond.Doc, message.Percent(r.Confidence))}, g.Notes...)
	} else if len(g.Notes) > 0 {
		g.Head, g.Rows, g.Notes = []string{""}, [][]string{{g.Notes[0]}}, g.Notes[1:]
	}
	return g
}
