package table

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// ItemRow is an item of a split.
type ItemRow struct {
	split rollout.Split
	*analysis.ItemResult
}

// ItemColumns returns the columns of items.csv.
func ItemColumns() []Column[ItemRow] {
	return []Column[ItemRow]{
		{"split", textCells, "train, eval or production", func(r ItemRow) any { return string(r.split) }},
		{"item", textCells, "the item's id, in full", func(r ItemRow) any { return r.Item }},
		{
			"class", textCells, "dead, saturated, flat, mixed, or unclassed: sampled once",
			func(r ItemRow) any { return r.Class },
		},
		{"n", countCells, "rollouts that count in the mean", func(r ItemRow) any { return int64(r.N) }},
		{"mean", numberCells, "mean reward", func(r ItemRow) any { return known(r.Mean) }},
		{
			"sd", numberCells, "standard deviation of the rewards, with n - 1",
			func(r ItemRow) any { return known(r.SD) },
		},
		{"best", numberCells, "highest reward", func(r ItemRow) any { return known(r.Best) }},
		{"worst", numberCells, "lowest reward", func(r ItemRow) any { return known(r.Worst) }},
		{
			"right", countCells, "rewards at pass_threshold or above, without one at the top: k rollouts are all right " +
				"(pass^k) with probability C(right, k) / C(n, k)", func(r ItemRow) any { return known(r.Right) },
		},
		{
			"missing", countCells, "rollouts without a reward because an endpoint failed",
			func(r ItemRow) any { return int64(r.Missing) },
		},
		{"targeted", countCells, "rollouts beyond those of every item: they count only for class, stays and " +
			"samples_to_tell", func(r ItemRow) any { return int64(r.Targeted) }},
		{
			"stays", numberCells, "probability that the class would hold for a whole group of the trainer's size",
			func(r ItemRow) any { return known(r.Stays) },
		},
		{
			"samples_to_tell", countCells, "samples after which the class would be settled if the pattern continues",
			func(r ItemRow) any { return known(r.SamplesToTell) },
		},
		{"tool_calls", numberCells, "tool calls per rollout, mean", func(r ItemRow) any { return known(r.Calls) }},
		{"category", textCells, "the item's category", func(r ItemRow) any { return textOrNil(r.Category) }},
		{"family", textCells, "the item's family", func(r ItemRow) any { return textOrNil(r.Family) }},
	}
}

// Items writes items.csv: one row per item, split by split, in the order of result.json.
func Items(w io.Writer, r *analysis.Result) error {
	var rows []ItemRow
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil {
			for i := range s.Classes.Items {
				rows = append(rows, ItemRow{split, &s.Classes.Items[i]})
			}
		}
	}
	return write(w, "items.csv", ItemColumns(), slices.Values(rows))
}

// ChangeRow is an item that is in both runs.
type ChangeRow struct {
	split rollout.Split
	*compare.ItemChange
}

// ChangeColumns returns the columns of the items.csv of a comparison.
func ChangeColumns() []Column[ChangeRow] {
	return []Column[ChangeRow]{
		{"split", textCells, "train, eval or production", func(r ChangeRow) any { return string(r.split) }},
		{"item", textCells, "the item's id, in full", func(r ChangeRow) any { return r.Item }},
		{"base", numberCells, "mean reward in the base run", func(r ChangeRow) any { return known(&r.Base) }},
		{"new", numberCells, "mean reward in the new run", func(r ChangeRow) any { return known(&r.New) }},
		{"change", numberCells, "new - base", func(r ChangeRow) any { return known(&r.Change) }},
		{
			"base_n", countCells, "rollouts that count in the mean of base",
			func(r ChangeRow) any { return int64(r.BaseN) },
		},
		{"new_n", countCells, "rollouts that count in the mean of new", func(r ChangeRow) any { return int64(r.NewN) }},
		{
			"calls_change", numberCells, "tool calls per rollout, new - base",
			func(r ChangeRow) any { return known(r.CallsChange) },
		},
		{"category", textCells, "the item's category", func(r ChangeRow) any { return textOrNil(r.Category) }},
		{"family", textCells, "the item's family", func(r ChangeRow) any { return textOrNil(r.Family) }},
	}
}

// Changes writes the items.csv of a comparison: one row per item that is in both runs, split by
// split, in the order of comparison.json.
func Changes(w io.Writer, c *compare.Comparison) error {
	var rows []ChangeRow
	for _, split := range rollout.Splits() {
		if s := c.Splits[split]; s != nil {
			for i := range s.Changes {
				rows = append(rows, ChangeRow{split, &s.Changes[i]})
			}
		}
	}
	return write(w, "items.csv", ChangeColumns(), slices.Values(rows))
}

// write writes rows as CSV; name is the file name in errors.
func write[R any](w io.Writer, name string, columns []Column[R], rows iter.Seq[R]) error {
	err := writeCSV(w, columns, func(yield func(R) error) error {
		for r := range rows {
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
