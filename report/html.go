package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"gonogo/report/chart"
)

//go:embed assets/page.html
var pageHTML string

//go:embed assets/audit.html
var auditHTML string

//go:embed assets/page.css
var pageCSS string

//go:embed assets/page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"count": chart.Count, "lower": lower, "capital": capital}).Parse(pageHTML + auditHTML))

// How much of a large item table one page carries.
const (
	rowsWithoutScript = 100    // as plain rows, for readers and printers without scripts
	rowsInPage        = 20_000 // as data for the script
	itemsInFinding    = 12
)

// htmlPage is what the template sees beside the Page.
type htmlPage struct {
	*Page
	CSS       template.CSS
	Script    template.JS
	Policy    string
	Pictures  []picture
	Tables    []table
	BestLabel string
	Open      []htmlFinding
	Quiet     []Finding
	Holes     []htmlProbe
	Moves     []htmlProbe
	Footer    string
}

type picture struct {
	Name, Doc string
	SVG       template.HTML
}

type htmlFinding struct {
	Finding
	FirstItems, OtherItems []string
}

// table is one split's item table.
type table struct {
	Name       string
	First      []Row
	Data       [][]any
	All, Count string
	Capped     string
}

// writeHTML writes the page as one file that loads nothing. Its policy
// forbids every request, and every script but its own, which it names by its
// hash; markup in the data is text.
func writeHTML(w io.Writer, p *Page) error {
	sum := sha256.Sum256([]byte(pageJS))
	h := htmlPage{
		Page: p, CSS: template.CSS(pageCSS), Script: template.JS(pageJS),
		Policy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'",
		BestLabel: fmt.Sprintf(p.Words.BestOf, chart.Count(p.Result.GroupSize)), Footer: p.footer(),
	}
	for _, f := range p.Findings {
		if !f.Open() {
			h.Quiet = append(h.Quiet, f)
			continue
		}
		n := min(len(f.Items), itemsInFinding)
		h.Open = append(h.Open, htmlFinding{f, f.Items[:n], f.Items[n:]})
	}
	h.Holes, h.Moves = htmlHoles(p, Holed), htmlHoles(p, Shifted)
	for _, f := range p.Figures {
		svg, err := inlineSVG(f)
		if err != nil {
			return err
		}
		h.Pictures = append(h.Pictures, picture{f.Name, f.Doc, svg})
	}
	for _, s := range p.Splits {
		h.Tables = append(h.Tables, newTable(s, p.Words))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, h); err != nil {
		return fmt.Errorf("make html report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func newTable(s Split, w *words) table {
	t := table{Name: string(s.Name), First: s.Rows[:min(len(s.Rows), rowsWithoutScript)]}
	rows := s.Rows
	if len(rows) > rowsInPage {
		rows = rows[:rowsInPage]
		t.Capped = fmt.Sprintf(w.Capped, chart.Count(rowsInPage), chart.Count(len(s.Rows)))
	}
	t.All = fmt.Sprintf(w.AllShown, chart.Count(len(rows)))
	t.Count = t.All
	if len(t.First) < len(rows) {
		t.Count = fmt.Sprintf(w.Shown, chart.Count(len(t.First)), chart.Count(len(rows)))
	}
	for _, r := range rows {
		t.Data = append(t.Data, datum(r))
	}
	return t
}

// datum is a row as the script wants it: text for id and class, numbers as
// they are written everywhere else, null for none.
func datum(r Row) []any {
	cells := r.Cells()
	out := make([]any, len(cells))
	for i, c := range cells {
		switch {
		case i < 2:
			out[i] = c
		case c != "":
			out[i] = json.Number(strings.ReplaceAll(c, ",", ""))
		}
	}
	return out
}
