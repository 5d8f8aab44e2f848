package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"gonogo/analysis/message"
)

var (
	compareCSS      = asset("page.css", "print.css", "compare.css")
	compareTemplate = template.Must(template.Must(pageTemplate.Clone()).Parse(asset("compare.html")))
)

// comparedHTML is what the template sees beside the ComparisonPage.
type comparedHTML struct {
	*ComparisonPage
	W        *compareWords
	Words    *words
	Class    string // of the answer's colours
	Long     bool   // the answer is long for a line beside its reason
	CSS      template.CSS
	Script   template.JS
	Policy   string
	About    string
	Pictures []picture
	Sections []comparedSection
	Differs  Grid
	Footer   string
	Said     said
}

// comparedSection is a split with the table of its items.
type comparedSection struct {
	ComparedSplit
	Answering  bool
	MovedNote  string
	Items      table
	Rows       [][]string // plain ones, for readers without scripts
	Directions []string
}

// wordy reports whether an answer has no room beside its reason.
func wordy(answer string) bool { return width(answer) > 15 }

// writeComparedHTML writes the comparison as one file that loads nothing, under
// the policy of a run's page.
func writeComparedHTML(w io.Writer, p *ComparisonPage) error {
	words := p.words
	h := comparedHTML{
		ComparisonPage: p, W: words, Words: p.page.Words, Class: string(like(p.Comparison)), Long: wordy(p.Answer),
		CSS: template.CSS(compareCSS), Script: template.JS(pageJS), Policy: policy(pageJS), Footer: p.page.footer(), Said: p.page.said(),
	}
	if p.page.Split != "" {
		h.About = p.page.About()
	}
	if len(p.Differs) > 0 {
		h.Differs = p.differGrid()
	}
	h.Said.Columns, h.Said.Kinds = nil, map[string]string{}
	for direction, kind := range compareEnglish.Directions {
		h.Said.Kinds[words.Directions[direction]] = kind
	}
	for _, c := range words.Columns {
		h.Said.Columns = append(h.Said.Columns, c.Label)
	}
	for _, f := range p.Figures {
		one, err := p.page.picture(f)
		if err != nil {
			return err
		}
		h.Pictures = append(h.Pictures, one)
	}
	for _, s := range p.Splits {
		h.Sections = append(h.Sections, p.section(s))
	}
	var b bytes.Buffer
	if err := compareTemplate.ExecuteTemplate(&b, "comparison", h); err != nil {
		return fmt.Errorf("make html report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func (p *ComparisonPage) section(s ComparedSplit) comparedSection {
	w := p.words
	rows := changedItems(p.Comparison.Splits[s.Name], w)
	out := comparedSection{
		ComparedSplit: s, Answering: p.Answering(s), MovedNote: fmt.Sprintf(w.MovedNote, p.Base, p.New),
		Items: table{Name: string(s.Name)}, Rows: rows[:min(len(rows), rowsWithoutScript)],
	}
	t := &out.Items
	if len(rows) > rowsInPage {
		t.Capped = fmt.Sprintf(w.ItemsCut, message.Whole(rowsInPage), message.Whole(len(rows)))
		rows = rows[:rowsInPage]
	}
	t.Data.Rows, t.All = rows, w.Item.of(len(rows))
	t.Count = t.All
	if len(out.Rows) < len(rows) {
		t.Count = fmt.Sprintf(p.page.Words.Shown, message.Whole(len(out.Rows)), message.Whole(len(rows)))
	}
	if len(rows) > rowsInPrint {
		t.Printed = fmt.Sprintf(p.page.Words.Page.Printed, message.Whole(rowsInPrint))
	}
	for _, direction := range []int{-1, 0, 1} {
		for _, row := range rows {
			if row[1] == w.Directions[direction] {
				out.Directions = append(out.Directions, row[1])
				break
			}
		}
	}
	return out
}
