package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// changeRow is an item of both runs.
type changeRow struct {
	split rollout.Split
	*compare.ItemChange
}

// changeColumns are the columns of a comparison's items.csv.
func changeColumns() []column[changeRow] {
	return []column[changeRow]{
		{"split", textCells, "train, eval or production", func(r changeRow) any { return string(r.split) }},
		{"item", textCells, "the item's id, whole", func(r changeRow) any { return r.Item }},
		{"base", numberCells, "mean reward in the base run", func(r changeRow) any { return known(&r.Base) }},
		{"new", numberCells, "mean reward in the new run", func(r changeRow) any { return known(&r.New) }},
		{"change", numberCells, "new - base", func(r changeRow) any { return known(&r.Change) }},
		{"base_n", countCells, "rollouts that count in the mean of base", func(r changeRow) any { return int64(r.BaseN) }},
		{"new_n", countCells, "rollouts that count in the mean of new", func(r changeRow) any { return int64(r.NewN) }},
		{"calls_change", numberCells, "tool calls per rollout, new - base", func(r changeRow) any { return known(r.CallsChange) }},
		{"category", textCells, "the item's category", func(r changeRow) any { return told(r.Category) }},
		{"family", textCells, "the item's family", func(r changeRow) any { return told(r.Family) }},
	}
}

// writeComparedItems writes one row an item, split by split, in the order of
// comparison.json.
func writeComparedItems(w io.Writer, p *Page) error {
	err := writeCSV(w, changeColumns(), func(yield func(changeRow) error) error {
		for _, split := range rollout.Splits() {
			sc := p.Comparison.Splits[split]
			if sc == nil {
				continue
			}
			for i := range sc.Changes {
				if err := yield(changeRow{split, &sc.Changes[i]}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write items.csv: %w", err)
	}
	return nil
}

// itemBlocks are the tables of all items of both runs.
func (x compared) itemBlocks() []block.Block {
	w := x.w
	var list []block.Block
	for _, split := range x.splits() {
		t := block.Items{
			Name: string(split), Rows: changedItems(x.c.Splits[split], w), KindOf: map[string]string{}, Wordy: 8, Flat: true,
			ClassName: w.Direction, AnyClass: w.AnyDirection, Cut: w.ItemsCut, Empty: w.NoItems,
		}
		t.All, t.Count = len(t.Rows), w.Item.of(len(t.Rows))
		for _, c := range w.Columns {
			t.Columns = append(t.Columns, block.Column(c))
		}
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

// changedItems are the rows of a split's table of all items, the largest drop
// first, as texts: they stand under compareWords.Columns.
func changedItems(sc *compare.Split, w *compareWords) [][]string {
	list := slices.Clone(sc.Changes)
	slices.SortStableFunc(list, func(a, b compare.ItemChange) int { return cmp.Compare(a.Change, b.Change) })
	rows := make([][]string, len(list))
	for i, ic := range list {
		direction := cmp.Compare(ic.Change, 0)
		calls := ""
		if ic.CallsChange != nil {
			calls = message.Signed(*ic.CallsChange)
		}
		rows[i] = []string{
			id(ic.Item), w.Directions[direction], message.Signed(ic.Change), message.Digits(ic.Base), message.Digits(ic.New),
			strconv.Itoa(ic.BaseN), strconv.Itoa(ic.NewN), calls, visible(ic.Category), visible(ic.Family),
		}
	}
	return rows
}
