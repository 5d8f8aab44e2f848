package report

import (
	"fmt"
	"io"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// itemRow is an item of a split.
type itemRow struct {
	split rollout.Split
	*analysis.ItemResult
}

// itemColumns are the columns of items.csv.
func itemColumns() []column[itemRow] {
	return []column[itemRow]{
		{"split", textCells, "train, eval or production", func(r itemRow) any { return string(r.split) }},
		{"item", textCells, "the item's id, whole", func(r itemRow) any { return r.Item }},
		{"class", textCells, "dead, saturated, flat, mixed, or unclassed: sampled once", func(r itemRow) any { return r.Class }},
		{"n", countCells, "rollouts that count in the mean", func(r itemRow) any { return int64(r.N) }},
		{"mean", numberCells, "mean reward", func(r itemRow) any { return known(r.Mean) }},
		{"sd", numberCells, "standard deviation of the rewards, with n - 1", func(r itemRow) any { return known(r.SD) }},
		{"best", numberCells, "highest reward", func(r itemRow) any { return known(r.Best) }},
		{"worst", numberCells, "lowest reward", func(r itemRow) any { return known(r.Worst) }},
		{"missing", countCells, "rollouts without a reward because an endpoint failed", func(r itemRow) any { return int64(r.Missing) }},
		{"targeted", countCells, "rollouts beyond those of every item: they count for class, stays and samples_to_tell alone", func(r itemRow) any { return int64(r.Targeted) }},
		{"stays", numberCells, "probability that the class would hold for a whole group of the trainer's size", func(r itemRow) any { return known(r.Stays) }},
		{"samples_to_tell", countCells, "samples after which an unbroken class would be settled", func(r itemRow) any { return known(r.SamplesToTell) }},
		{"tool_calls", numberCells, "tool calls per rollout, mean", func(r itemRow) any { return known(r.Calls) }},
		{"category", textCells, "the item's category", func(r itemRow) any { return told(r.Category) }},
		{"family", textCells, "the item's family", func(r itemRow) any { return told(r.Family) }},
	}
}

// writeItems writes one row an item, split by split, in the order of
// result.json.
func writeItems(w io.Writer, p *Page) error {
	err := writeCSV(w, itemColumns(), func(yield func(itemRow) error) error {
		for _, split := range rollout.Splits() {
			s := p.Result.Splits[split]
			if s == nil {
				continue
			}
			for i := range s.Classes.Items {
				if err := yield(itemRow{split, &s.Classes.Items[i]}); err != nil {
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
