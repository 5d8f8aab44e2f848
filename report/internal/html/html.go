// Package html writes a report as one page that loads nothing: the brief, all gates on a line each,
// what decides, and the rest behind folds. The script that sorts, filters and reads the pictures is
// part of the page, and the policy of the page allows only that script.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// itemsInFinding is how many items of a finding are shown at first.
const itemsInFinding = 12

//go:embed assets
var assets embed.FS

func asset(names ...string) string {
	var b bytes.Buffer
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // assets are embedded
		}
		b.Write(text)
	}
	return b.String()
}

var (
	style  = asset("page.css", "print.css")
	script = asset("page.js", "items.js", "charts.js")

	templates = template.Must(template.New("page").Funcs(template.FuncMap{
		"more":  func(w block.Words, n int) string { return fmt.Sprintf(w.MoreLines, message.Whole(n)) },
		"few":   func(items []block.Item) int { return min(len(items), itemsInFinding) },
		"dict":  func(w block.Words, b any) view { return view{Words: w, B: b} },
		"kind":  func(g block.Grid, i int) string { return [...]string{"number", "text", "code", "state"}[g.Kind(i)] },
		"gauge": gauge,
		"tone":  func(g block.Grid, i int) block.Tone { return g.Tone(i) },
	}).Parse(asset("page.html", "blocks.html")))
)

// page is the data of the page template.
type page struct {
	*block.Doc
	CSS    template.CSS
	Script template.JS
	Policy string
	Top    template.HTML
	Parts  []part
	Said   scriptWords
}

// part is a rendered section.
type part struct {
	block.Section
	Body template.HTML
}

// Fold reports whether the part is behind a fold.
func (p part) Fold() bool { return p.Depth > block.Open }

// scriptWords are the words that the script shows.
type scriptWords struct {
	Hint, Together, NoMatch, Beyond, Show, NoTrace, Rewards, Spread, Read string
	OpenAll, CloseAll                                                     string
	Columns, Rollouts, Outcomes                                           []string
	// kinds of items, by their words
	Kinds map[string]string
	block.Signs
}

// policy returns a policy that allows the page its own style and script, and no request.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the report as a single file.
func Write(w io.Writer, d *block.Doc) error {
	r := renderer{words: d.Words, shown: words(d.Words.Page)}
	r.shown.Signs = d.Words.Signs
	p := page{Doc: d, CSS: template.CSS(style), Script: template.JS(script), Policy: policy(), Top: r.blocks(d.Brief)}
	for _, s := range d.Rest {
		if len(s.Blocks) > 0 {
			p.Parts = append(p.Parts, part{s, r.blocks(s.Blocks)})
		}
	}
	p.Said = r.shown
	if r.err == nil {
		var b bytes.Buffer
		if r.err = templates.ExecuteTemplate(&b, "page", p); r.err == nil {
			_, err := w.Write(b.Bytes())
			if err != nil {
				return fmt.Errorf("write html report: %w", err)
			}
			return nil
		}
	}
	return fmt.Errorf("make html report: %w", r.err)
}

func words(w block.PageWords) scriptWords {
	s := scriptWords{
		Hint: w.Hint, Together: w.Together, NoMatch: w.NoMatch, Beyond: w.Beyond, Show: w.Show, NoTrace: w.NoTrace,
		Rewards: w.Rewards, Spread: w.Spread, Read: w.Read,
		OpenAll: w.OpenAll, CloseAll: w.CloseAll, Rollouts: w.Rollouts, Kinds: map[string]string{},
	}
	for _, o := range rollout.Outcomes() {
		s.Outcomes = append(s.Outcomes, w.Outcomes[o])
	}
	return s
}

// renderer renders blocks and keeps the first error.
type renderer struct {
	words block.Words
	shown scriptWords
	err   error
}

// blocks renders blocks one after the other, with pictures side by side.
func (r *renderer) blocks(list []block.Block) template.HTML {
	var b, pair strings.Builder
	flush := func() {
		if pair.Len() > 0 {
			b.WriteString(`<div class="pair">` + pair.String() + "</div>\n")
			pair.Reset()
		}
	}
	for i, one := range list {
		f, figure := one.(block.Figure)
		switch {
		case figure && f.Strip():
			flush()
			pair.WriteString(r.block(one))
			flush()
		case figure:
			pair.WriteString(r.block(one))
		case explains(list[i:]):
			pair.WriteString("<div>" + r.block(one) + "</div>") // includes its heading
		default:
			flush()
			b.WriteString(r.block(one))
		}
	}
	flush()
	return template.HTML(b.String())
}

// explains reports whether the first of the blocks is a table, followed by exactly one brief
// picture that it explains.
func explains(list []block.Block) bool {
	picture := func(i int) bool {
		if i >= len(list) {
			return false
		}
		f, ok := list[i].(block.Figure)
		return ok && f.Brief
	}
	_, table := list[0].(block.Grid)
	return table && picture(1) && !picture(2)
}

// view is the data of the template of a block.
type view struct {
	Words   block.Words
	B       any
	Inner   template.HTML
	Picture picture
	Table   table
}

func (r *renderer) block(one block.Block) string {
	v, name := view{Words: r.words, B: one}, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", one), "block."))
	switch one := one.(type) {
	case block.Figure:
		v.Picture, r.err = r.picture(one)
	case block.Items:
		v.Table = r.table(one)
	case block.Fold:
		v.Inner = r.blocks(one.Blocks)
	}
	var b strings.Builder
	if r.err == nil {
		r.err = templates.ExecuteTemplate(&b, name, v)
	}
	switch one.(type) {
	case block.Verdict, block.Tiles, block.Findings:
		return unbroken.Replace(b.String())
	}
	return b.String()
}

// unbroken keeps a number on one line with its percent sign and with the comparison sign before it.
var unbroken = strings.NewReplacer("≤ ", "≤&nbsp;", "≥ ", "≥&nbsp;", " %", "&nbsp;%")
