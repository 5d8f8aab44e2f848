package report

import (
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// How much of a large item table one page carries.
const (
	rowsWithoutScript = 80     // as plain rows, for readers without scripts
	rowsInPrint       = 50     // of those that stand there
	rowsInPage        = 20_000 // as data for the script
)

// table is one split's item table.
type table struct {
	Name       string
	First      []Row
	Classes    []string
	Data       tableData
	All, Count string
	Capped     string
	Printed    string
	File, Link string // of the rollouts; "" where none are known
}

// tableData is what the script makes the table of: texts as they are shown,
// and each item's rollouts as packed writes them.
type tableData struct {
	Rows   [][]string `json:"rows"`
	Traces [][]string `json:"traces,omitempty"`
}

// rolloutsShown is how many rollouts of an item fit into the page.
func rolloutsShown(p *Page) int {
	items := 0
	for _, s := range p.Splits {
		items += min(len(s.Rows), rowsInPage)
	}
	return max(1, min(rolloutsOfItem, rolloutsInPage/max(1, items)))
}

func (p *Page) table(s Split, traces map[itemOf][]trace, most int) table {
	w := p.Words
	t := table{Name: string(s.Name), First: s.Rows[:min(len(s.Rows), rowsWithoutScript)]}
	rows := s.Rows
	if len(rows) > rowsInPage {
		rows = rows[:rowsInPage]
		t.Capped = fmt.Sprintf(w.Capped, message.Whole(rowsInPage), message.Whole(len(s.Rows)))
	}
	t.All = w.Item.of(len(rows))
	t.Count = t.All
	if len(t.First) < len(rows) {
		t.Count = fmt.Sprintf(w.Shown, message.Whole(len(t.First)), message.Whole(len(rows)))
	}
	if len(rows) > rowsInPrint {
		t.Printed = fmt.Sprintf(w.Page.Printed, message.Whole(rowsInPrint))
	}
	if traces != nil {
		t.File, t.Link = argument(p.Traces), p.TracesLink
	}
	there := map[string]bool{}
	t.Data.Rows = make([][]string, len(rows))
	for i, r := range rows {
		t.Data.Rows[i] = r.Cells()
		there[r.Kind] = true
		if traces != nil {
			t.Data.Traces = append(t.Data.Traces, packed(traces[itemOf{s.Name, r.whole}], most))
		}
	}
	for _, class := range analysis.ClassNames() {
		if there[class] {
			t.Classes = append(t.Classes, p.Words.Classes[class])
		}
	}
	return t
}

// said gathers what the script says, in the page's language.
func (p *Page) said() said {
	w := p.Words.Page
	s := said{
		Hint: w.Hint, Together: w.Together, NoMatch: w.NoMatch, Beyond: w.Beyond, Show: w.Show, NoTrace: w.NoTrace, Rewards: w.Rewards, Spread: w.Spread, Read: w.Read,
		OpenAll: w.OpenAll, CloseAll: w.CloseAll, Rollouts: w.Rollouts, Kinds: map[string]string{}, signs: p.Words.Signs,
	}
	for _, c := range p.Words.Columns {
		s.Columns = append(s.Columns, c.Label)
	}
	for _, o := range rollout.Outcomes() {
		s.Outcomes = append(s.Outcomes, w.Outcomes[o])
	}
	for kind, word := range p.Words.Classes {
		s.Kinds[word] = kind
	}
	return s
}
