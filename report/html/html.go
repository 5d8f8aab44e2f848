// Package html writes a report as one page that loads nothing: the brief, all
// gates in a line each, what decides, and the rest behind folds. The script that
// sorts, filters and reads the pictures stands in it, and the page's policy allows
// that script alone.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// itemsInFinding is how many items a finding names at once.
const itemsInFinding = 12

//go:embed assets
var assets embed.FS

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
	style  = asset("page.css", "print.css")
	script = asset("page.js", "items.js", "charts.js")
)

// said are the words of the script.
type said struct {
	Hint, Together, NoMatch, Beyond, Show, NoTrace, Rewards, Spread, Read string
	OpenAll, CloseAll                                                     string
	Columns, Rollouts, Outcomes                                           []string
	Kinds                                                                 map[string]string // of items, by the word for them
	block.Signs
}

// policy allows the page its own style and script, and no request.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the report as one file.
func Write(w io.Writer, d *block.Doc) error {
	r := renderer{words: d.Words, said: words(d.Words.Page)}
	r.said.Signs = d.Words.Signs
	page := r.page(d)
	if r.err != nil {
		return fmt.Errorf("make html report: %w", r.err)
	}
	if _, err := io.WriteString(w, string(page)); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func (r *renderer) page(d *block.Doc) markup {
	top := r.blocks(d.Brief)
	var contents, parts markup
	for _, s := range d.Rest {
		if len(s.Blocks) == 0 {
			continue
		}
		contents += put(`<a href="#%s">%s</a>`, s.ID, s.Title)
		heading, body := put("<h2 id=\"%s\">%s</h2>", s.ID, s.Title), r.blocks(s.Blocks)
		if s.Depth > block.Open {
			parts += put("\n<details class=\"part\"><summary>%s</summary>\n%s</details>", heading, body)
		} else {
			parts += put("\n%s\n%s", heading, body)
		}
	}
	head := put(`<!doctype html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s%s</title>
<style>%s</style>
</head>
`, d.Words.Lang.Tag(), policy(), when(d.Answer != "", "%s – ", d.Answer), d.Title, markup(style))
	return head + put(`<body>
<main>
<header>
<h1>%s</h1>
%s%s
</header>%s
<footer>%s</footer>
</main>
<script type="application/json" id="said">%s</script>
<script>%s</script>
</body>
</html>
`, d.Title, top, when(contents != "", "\n<nav aria-label=\"%s\">%s</nav>", d.Words.Page.Contents, contents), parts, d.Footer, r.json(r.said), markup(script))
}

func words(w block.PageWords) said {
	s := said{
		Hint: w.Hint, Together: w.Together, NoMatch: w.NoMatch, Beyond: w.Beyond, Show: w.Show, NoTrace: w.NoTrace, Rewards: w.Rewards, Spread: w.Spread, Read: w.Read,
		OpenAll: w.OpenAll, CloseAll: w.CloseAll, Rollouts: w.Rollouts, Kinds: map[string]string{},
	}
	for _, o := range rollout.Outcomes() {
		s.Outcomes = append(s.Outcomes, w.Outcomes[o])
	}
	return s
}

// renderer writes blocks, and keeps the first error.
type renderer struct {
	words block.Words
	said  said
	err   error
}

// blocks writes blocks one after the other, pictures of the brief side by side.
func (r *renderer) blocks(list []block.Block) markup {
	var b, pair strings.Builder
	for _, one := range list {
		to := &b
		if f, ok := one.(block.Figure); ok && f.Brief {
			to = &pair
		} else if pair.Len() > 0 {
			b.WriteString(`<div class="pair">` + pair.String() + "</div>\n")
			pair.Reset()
		}
		if r.err == nil {
			to.WriteString(string(r.block(one)))
		}
	}
	if pair.Len() > 0 {
		b.WriteString(`<div class="pair">` + pair.String() + "</div>\n")
	}
	return markup(b.String())
}
