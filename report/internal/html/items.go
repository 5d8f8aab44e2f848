package html

import (
	"fmt"
	"maps"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// How many items of a table the page shows.
const (
	rowsWithoutScript = 80 // plain rows, for readers without scripts
	rowsInPrint       = 50 // rows in print, of the visible ones
)

// table is a table of items.
type table struct {
	First      []row
	Data       data
	All, Count string
	Cut        string
	Printed    string
}

// row is an item for a reader without scripts.
type row struct {
	Kind  string
	Cells []string
}

// data is what the script builds the table from.
type data struct {
	Rows   []string   `json:"rows"` // cells separated by tabs, which no cell contains
	Traces [][]string `json:"traces,omitempty"`
}

func (r *renderer) table(items block.Items) table {
	w, rows := r.words.Page, items.Rows
	t := table{All: items.Count}
	if len(rows) > block.MaxRows {
		rows = rows[:block.MaxRows]
		t.Cut = fmt.Sprintf(items.Cut, message.Whole(block.MaxRows), message.Whole(items.All))
	}
	for i, cells := range rows[:min(len(rows), rowsWithoutScript)] {
		t.First = append(t.First, row{items.Kinds[i], cells})
	}
	t.Count = t.All
	if len(t.First) < len(rows) {
		t.Count = fmt.Sprintf(w.Shown, message.Whole(len(t.First)), message.Whole(len(rows)))
	}
	if len(rows) > rowsInPrint {
		t.Printed = fmt.Sprintf(w.Printed, message.Whole(rowsInPrint))
	}
	t.Data.Rows = make([]string, len(rows))
	for i, cells := range rows {
		t.Data.Rows[i] = strings.Join(cells, "\t")
	}
	if items.Traces != nil && r.err == nil {
		t.Data.Traces, r.err = items.Traces(len(rows))
	}
	maps.Copy(r.shown.Kinds, items.KindOf)
	if r.shown.Columns == nil {
		for _, c := range items.Columns {
			r.shown.Columns = append(r.shown.Columns, c.Label)
		}
	}
	return t
}
