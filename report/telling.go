package report

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
)

// How many items are printed: all of a split up to wholeList, else the telling
// ones, of each kind so many.
const (
	wholeList   = 300
	tellingEach = 40
	tellingEnds = 20
)

// telling are the rows to look at when there are too many to print, in their
// order: the items that findings name, those with the most missing rollouts,
// those whose rewards differ most, and both ends.
func telling(s Split, r *analysis.Result) []int {
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
	return slices.Sorted(maps.Keys(picked))
}
