package measure

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
)

// The rollouts of an item are compared with each other, so they must be independent attempts at one
// prompt by one model.

// pooled counts the items whose rollouts had different prompts; nil if there are none.
func (m *Split) pooled() *analysis.Pooled {
	var out *analysis.Pooled
	for _, it := range m.Items {
		if it.Prompts[1] == "" {
			continue
		}
		if out == nil {
			out = &analysis.Pooled{Prompts: it.Prompts, Items: []string{}}
		}
		out.Count++
		out.Items = oneMore(out.Items, it.ID, analysis.MaxItemsListed)
	}
	if out != nil {
		out.Share = float64(out.Count) / float64(len(m.Items))
	}
	return out
}

// served counts rollouts by the model that answered them; nil if it was one model, as far as is
// known. An item is mixed if its rollouts name different models or deployments, or different
// fingerprints if all of them name one model: hosted services change the fingerprint of a model
// from request to request, with the machine that answers.
func (m *Split) served() *analysis.Served {
	count := make(map[uint16]int)
	for _, it := range m.Items {
		for _, r := range it.Rows {
			if r.By != 0 {
				count[r.By]++
			}
		}
	}
	if len(count) < 2 {
		return nil
	}
	out := &analysis.Served{Items: []string{}}
	for by, n := range count {
		out.By = append(out.By, analysis.ServedBy{Name: m.c.By[by], Rollouts: n})
	}
	sort.Slice(out.By, func(i, j int) bool {
		a, b := &out.By[i], &out.By[j]
		return cmp.Or(b.Rollouts-a.Rollouts, cmp.Compare(a.Name, b.Name)) < 0
	})
	names := slices.Clone(m.c.By)
	if !out.OneModel() {
		for i, name := range names {
			names[i] = analysis.WithoutFingerprint(name)
		}
	}
	known := 0
	for _, it := range m.Items {
		here, n := make(map[string]bool), 0
		for _, r := range it.Rows {
			if r.By != 0 {
				here[names[r.By]] = true
				n++
			}
		}
		known += one(n > 1)
		if len(here) > 1 {
			out.Mixed++
			out.Items = oneMore(out.Items, it.ID, analysis.MaxItemsListed)
		}
	}
	out.Share = float64(out.Mixed) / float64(max(1, known))
	return out
}

// copies counts the items whose rollouts are identical in all that was said; nil if no item has two
// rollouts that record it.
func (m *Split) copies() *analysis.Copies {
	out := &analysis.Copies{Signs: []string{}, Items: []string{}}
	text, outputs := 0.0, 0
	ids, times, cache := 0, 0, 0
	for _, it := range m.Items {
		rows := slices.DeleteFunc(slices.Clone(it.Rows), func(r *collect.Row) bool { return r.Whole == 0 })
		if len(rows) < 2 {
			continue
		}
		out.Compared++
		if !alike(rows, func(r *collect.Row) uint64 { return uint64(r.Whole) }) {
			continue
		}
		out.Equal++
		out.Items = oneMore(out.Items, it.ID, analysis.MaxItemsListed)
		marked := 0
		for _, r := range rows {
			text += float64(r.Text)
			marked += one(r.Cached())
		}
		outputs += len(rows)
		ids += one(alike(rows, func(r *collect.Row) uint64 { return uint64(r.Trace) }))
		times += one(alike(rows, func(r *collect.Row) uint64 {
			if r.Elapsed == math.Trunc(r.Elapsed) { // a log with rounded times
				return 0
			}
			return math.Float64bits(r.Elapsed)
		}))
		cache += one(marked >= len(rows)-1) // the first reply filled the cache
	}
	if out.Compared == 0 {
		return nil
	}
	out.Share = float64(out.Equal) / float64(out.Compared)
	out.Text = text / float64(max(1, outputs))
	mostly := func(n int) bool { return out.Equal > 0 && float64(n) >= mostAreCopies*float64(out.Equal) }
	for _, sign := range []struct {
		name  string
		shows bool
	}{
		{analysis.CopiesText, out.Text > collect.IdenticalText},
		{analysis.CopiesTemperature, m.greedy},
		{analysis.CopiesIDs, mostly(ids)},
		{analysis.CopiesTimes, mostly(times)},
		{analysis.CopiesCache, mostly(cache)},
	} {
		if sign.shows {
			out.Signs = append(out.Signs, sign.name)
		}
	}
	return out
}

// mostAreCopies is the share of identical items that must show a sign.
const mostAreCopies = 0.9

// alike reports whether all rows have the same nonzero mark.
func alike(rows []*collect.Row, mark func(*collect.Row) uint64) bool {
	first := mark(rows[0])
	return first != 0 && !slices.ContainsFunc(rows, func(r *collect.Row) bool { return mark(r) != first })
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
