package html

import (
	"fmt"
	"maps"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// How many items there are in the page.
const (
	rowsWithoutScript = 80 // as plain rows, for readers without scripts
	rowsInPrint       = 50 // of those that are in sight
)

// table is a table of items.
type table struct {
	First      []row
	Data       data
	All, Count string
	Cut        string
	Printed    string
}

// row is an item as a reader without scripts sees it.
type row struct {
	Kind  string
	Cells []string
}

// data is what the script makes a table of.
type data struct {
	Rows   []string   `json:"rows"` // cells with a tab between them, which no cell holds
	Traces [][]string `json:"traces,omitempty"`
}

func (r *renderer) table(of block.Items) table {
	w, rows := r.words.Page, of.Rows
	t := table{All: of.Count}
	if len(rows) > block.MaxRows {
		rows = rows[:block.MaxRows]
		t.Cut = fmt.Sprintf(of.Cut, message.Whole(block.MaxRows), message.Whole(of.All))
	}
	for i, cells := range rows[:min(len(rows), rowsWithoutScript)] {
		t.First = append(t.First, row{of.Kinds[i], cells})
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
	if of.Traces != nil && r.err == nil {
		t.Data.Traces, r.err = of.Traces(len(rows))
	}
	maps.Copy(r.said.Kinds, of.KindOf)
	if r.said.Columns == nil {
		for _, c := range of.Columns {
			r.said.Columns = append(r.said.Columns, c.Label)
		}
	}
	return t
}
