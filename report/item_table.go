package report

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// itemBlocks are the tables of items.
func (p *RunPage) itemBlocks() []block.Block {
	w := p.Words
	var list []block.Block
	category, family := false, false
	for _, items := range p.items {
		for _, it := range items {
			category, family = category || it.Category != "", family || it.Family != ""
		}
	}
	for _, split := range shownSplits(p.Result) {
		items := p.items[split]
		t := block.Items{
			Name: string(split), All: len(items), Count: w.Lang.Count(len(items), "item"),
			KindOf: map[string]string{}, Wordy: len(w.Columns), ClassName: w.Page.ClassLabel, AnyClass: w.Page.AnyClass,
			Cut: w.Capped, Empty: w.NoItems,
		}
		t.Columns = slices.Clone(w.Columns)
		for i, has := range []bool{category, family} {
			if has {
				t.Columns = append(t.Columns, w.GroupColumns[i])
			}
		}
		there := map[string]bool{}
		for _, it := range items {
			cells := itemCells(it, w)
			if category {
				cells = append(cells, visible(it.Category))
			}
			if family {
				cells = append(cells, visible(it.Family))
			}
			t.Rows, t.Kinds = append(t.Rows, cells), append(t.Kinds, visible(it.Class))
			there[it.Class] = true
		}
		for _, class := range analysis.ClassNames() {
			t.KindOf[w.Classes[class]] = class
			if there[class] {
				t.Classes = append(t.Classes, w.Classes[class])
			}
		}
		if len(items) > wholeList {
			t.Telling = telling(items, named(p.Result.Findings, split))
		}
		if p.Rollouts != nil {
			t.Traces, t.File, t.Link = func(n int) ([][]string, error) { return p.tracesOf(split, n) },
				message.Shell(p.Traces), p.TracesLink
		}
		list = append(list, block.Heading(w.Capital(w.Split)+" "+visible(string(split))), t)
	}
	return list
}

// itemCells are an item's texts in the order of the columns; "" if there is no number.
func itemCells(it analysis.ItemResult, w *words) []string {
	class, ok := w.Classes[it.Class]
	if !ok {
		class = visible(it.Class)
	}
	return []string{
		id(it.Item), class, message.Whole(it.N), number(it.Mean), number(it.SD), number(it.Best), number(it.Worst),
		message.Whole(it.Missing), number(it.Stays), number(it.Calls),
	}
}

// sortedItems returns the items in the order of their rows: lowest mean first, as in the variance
// chart, then the lost ones.
func sortedItems(items []analysis.ItemResult) []analysis.ItemResult {
	items = slices.Clone(items)
	sort.Slice(items, func(i, j int) bool {
		a, b := &items[i], &items[j]
		switch {
		case a.Mean == nil && b.Mean == nil:
			return a.Item < b.Item
		case a.Mean == nil || b.Mean == nil:
			return b.Mean == nil
		}
		return cmp.Or(cmp.Compare(*a.Mean, *b.Mean), cmp.Compare(a.Item, b.Item)) < 0
	})
	return items
}

// itemOf identifies an item of a run.
type itemOf struct {
	split rollout.Split
	item  string
}

// rowsOfItems maps items, by their displayed ids, to rows of the tables; −1 for ids that differ
// only in the part that is cut off.
func (p *RunPage) rowsOfItems() map[itemOf]int {
	rows := map[itemOf]int{}
	for split, items := range p.items {
		for i, it := range items[:min(len(items), block.MaxRows)] {
			k := itemOf{split, id(it.Item)}
			if _, again := rows[k]; again {
				i = -1
			}
			rows[k] = i
		}
	}
	return rows
}

// linked is an item that a finding on a split names, with a link to its row.
func (p *RunPage) linked(item string, split rollout.Split, rows map[itemOf]int) block.Item {
	out := block.Item{Name: item}
	for _, s := range shownSplits(p.Result) {
		row, there := rows[itemOf{s, item}]
		if there && row >= 0 && (split == "" && out.Table == "" || split == s) {
			out.Table, out.Row = string(s), row
		}
	}
	return out
}

// The numbers of items that are printed: all of a split up to wholeList, otherwise the telling
// ones, up to a number of each kind.
const (
	wholeList   = 300
	tellingEach = 40
	tellingEnds = 20
)

// named returns the items that the findings on a split name.
func named(list []analysis.Finding, split rollout.Split) map[string]bool {
	items := map[string]bool{}
	for _, f := range list {
		if f.Split == split || f.Split == "" {
			for _, item := range f.Items[:min(len(f.Items), tellingEach)] {
				items[item] = true
			}
		}
	}
	return items
}

// telling returns the rows to look at if there are too many to print, in order: the items that
// findings name, those with the most missing rollouts, those whose rewards differ most, and both
// ends.
func telling(order []analysis.ItemResult, named map[string]bool) []int {
	picked := map[int]bool{}
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
