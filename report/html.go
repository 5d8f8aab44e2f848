package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"gonogo/analysis/message"
)

//go:embed assets
var assets embed.FS

// asset returns files of the page, one behind the other.
func asset(names ...string) string {
	var b bytes.Buffer
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is built in
		}
		b.Write(text)
	}
	return b.String()
}

var (
	pageCSS = asset("page.css", "print.css")
	pageJS  = asset("page.js", "items.js", "charts.js")

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"count": message.Whole}).
			Parse(asset("page.html", "findings.html", "charts.html", "items.html", "audit.html")))
)

// htmlPage is what the template sees beside the Page.
type htmlPage struct {
	*Page
	CSS         template.CSS
	Script      template.JS
	Policy      string
	Pictures    []picture
	Tables      []table
	BestLabel   string
	Open, Quiet []htmlFinding
	Holes       []htmlProbe
	Moves       []htmlProbe
	Footer      string
	Thresholds  [][]Fact // by row
	Said        said
}

// said is what the script has to say.
type said struct {
	Hint, Together, NoMatch, Beyond, Show, NoTrace, Rewards, Spread, Read string
	OpenAll, CloseAll                                                     string
	Columns, Rollouts, Outcomes                                           []string
	Kinds                                                                 map[string]string // of items, by the word for them
	signs
}

// policy forbids a page every request, and every script but its own, which it
// names by its hash.
func policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// writeHTML writes the page as one file that loads nothing. Its policy
// forbids every request, and every script but its own, which it names by its
// hash; markup in the data is text.
func writeHTML(w io.Writer, p *Page) error {
	traces, err := p.traces()
	if err != nil {
		return err
	}
	h := htmlPage{
		Page: p, CSS: template.CSS(pageCSS), Script: template.JS(pageJS),
		Policy:    policy(pageJS),
		BestLabel: fmt.Sprintf(p.Words.BestOf, message.Whole(p.Result.GroupSize)), Footer: p.footer(), Thresholds: beside(p.Settings), Said: p.said(),
		Holes: htmlHoles(p, Holed), Moves: htmlHoles(p, Shifted),
	}
	h.Open, h.Quiet = htmlFindings(p)
	for _, f := range p.Figures {
		one, err := p.picture(f)
		if err != nil {
			return err
		}
		h.Pictures = append(h.Pictures, one)
	}
	most := rolloutsShown(p)
	for _, s := range p.Splits {
		h.Tables = append(h.Tables, p.table(s, traces, most))
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
