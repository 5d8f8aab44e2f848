package report

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/block"
)

// itemBlocks are the tables of all items of both runs.
func (x *ComparisonPage) itemBlocks() []block.Block {
	w := x.w
	var list []block.Block
	for _, split := range x.splits() {
		t := block.Items{
			Name: string(split), Rows: changedItems(x.c.Splits[split], w), KindOf: map[string]string{}, Wordy: 8,
			Flat:      true,
			ClassName: w.Direction, AnyClass: w.AnyDirection, Cut: w.ItemsCut, Empty: w.NoItems,
		}
		t.All, t.Count = len(t.Rows), x.Words.Lang.Count(len(t.Rows), "item")
		t.Columns = w.Columns
		for direction, kind := range compareEnglish.Directions {
			t.KindOf[w.Directions[direction]] = kind
		}
		there := map[string]bool{}
		for _, row := range t.Rows {
			t.Kinds = append(t.Kinds, t.KindOf[row[1]])
			there[row[1]] = true
		}
		for _, direction := range []int{-1, 0, 1} {
			if word := w.Directions[direction]; there[word] {
				t.Classes = append(t.Classes, word)
			}
		}
		list = append(list, block.Heading(w.Split+" "+string(split)), t)
	}
	return list
}

// changedItems are the rows of a split's table of all items as texts, the largest fall first; the
// columns are compareWords.Columns.
func changedItems(sc *compare.Split, w *compareWords) [][]string {
	list := slices.Clone(sc.Changes)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Change < list[j].Change })
	rows := make([][]string, len(list))
	for i, ic := range list {
		direction := cmp.Compare(ic.Change, 0)
		calls := ""
		if ic.CallsChange != nil {
			calls = message.Signed(*ic.CallsChange)
		}
		rows[i] = []string{
			id(ic.Item), w.Directions[direction], message.Signed(ic.Change), message.Digits(ic.Base),
			message.Digits(ic.New),
			strconv.Itoa(ic.BaseN), strconv.Itoa(ic.NewN), calls, visible(ic.Category), visible(ic.Family),
		}
	}
	return rows
}
