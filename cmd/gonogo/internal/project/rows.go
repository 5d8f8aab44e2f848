package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// joinRows gives the items of a run whose rows hold nothing but a prompt, as imports leave them, the
// rows of the configuration's data files that have their ids: a grader and its audit read references
// there. A row with another question than the item's is another item's. notes gets how many were joined.
func (p *Project) joinRows(ctx context.Context, run *rollout.Run, notes io.Writer) error {
	if slices.ContainsFunc(run.Items, func(it rollout.Item) bool { return tells(&it) }) {
		return nil
	}
	rows := map[rollout.Key]*rollout.Item{}
	for _, split := range rollout.Splits() {
		path := p.Config.Data.Of(split)
		if path == "" {
			continue
		}
		f, err := dataset.Load(path, split, p.Config.Data.Options)
		if errors.Is(err, os.ErrNotExist) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%v: the items of the run get no rows from it", err))
			continue
		}
		if err != nil {
			return err
		}
		for i := range f.Items {
			rows[rollout.Key{Split: split, Item: f.Items[i].ID}] = &f.Items[i]
		}
	}
	if len(rows) == 0 {
		return nil
	}
	items, asked, err := recordedItems(ctx, run)
	if err != nil {
		return err
	}
	joined, other, unasked := 0, 0, 0
	for i := range items {
		it := &items[i]
		row := rows[rollout.Key{Split: it.Split, Item: it.ID}]
		switch {
		case row == nil:
		case asked[i] != "" && asked[i] != rollout.PromptOf(row.Messages, nil).Text:
			other++
		default:
			category, family := cmp.Or(it.Category, row.Category), cmp.Or(it.Family, row.Family)
			*it = *row
			it.Category, it.Family = category, family
			joined++
			if asked[i] == "" {
				unasked++
			}
		}
	}
	if other > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d items of the run have an id that the data files give to another "+
			"question: their rows are left out", other, len(items)))
	}
	if unasked > 0 && joined < len(items)*9/10 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("only %d of %d items of the run have an id of the data files, and their "+
			"questions are not recorded: their rows are left out", joined, len(items)))
		return nil
	}
	if joined > 0 {
		fmt.Fprintf(notes, "note: %d of %d items of the run take their rows from the configuration's data files, by id\n",
			joined, len(items))
		run.Items, p.Joined = items, true
	}
	return nil
}

// tells reports whether an item's row holds more than a prompt.
func tells(it *rollout.Item) bool {
	fields := it.Fields()
	delete(fields, "messages")
	return len(fields) > 0
}

// recordedItems returns the items of a run or, if it holds none, of its rollouts, and what they ask.
func recordedItems(ctx context.Context, run *rollout.Run) (items []rollout.Item, asked []string, err error) {
	for i := range run.Items {
		asked = append(asked, rollout.PromptOf(run.Items[i].Messages, nil).Text)
	}
	if len(run.Items) > 0 {
		return slices.Clone(run.Items), asked, nil
	}
	seen := map[rollout.Key]bool{}
	opt := rollout.ReadOptions{Lean: true, OnConflict: rollout.Last}
	_, err = run.Records(ctx, opt, func(r *rollout.Record) error {
		if key := (rollout.Key{Split: r.Split, Item: r.Item}); !seen[key] {
			seen[key] = true
			items = append(items, rollout.Item{ID: r.Item, Split: r.Split, Category: r.Category, Family: r.Family})
			asked = append(asked, r.Prompt(nil).Text)
		}
		return nil
	})
	if errors.Is(err, rollout.ErrNoRecords) {
		err = nil
	}
	return items, asked, err
}
