package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonogo/analysis/message"
)

// rowsInMarkdown is how many items the Markdown table holds: the form is for
// pull requests, which have a limit.
const rowsInMarkdown = 50

// writeMarkdown writes the page as GitHub-flavoured Markdown that fits a comment
// on a pull request. Pictures are linked, as charts/NAME.png beside the file;
// they and the items are folded.
func writeMarkdown(w io.Writer, p *Page) error {
	m := &markdown{words: p.Words}
	m.top(p)
	m.findings(p)
	m.variants(p)
	m.burst(p)
	m.pictures(p)
	m.audit(p)
	m.splits(p)
	m.grids(p)
	m.method(p)
	if _, err := w.Write(fit(m.buf.Bytes(), mostMarkdown, md(fmt.Sprintf(m.words.CutShort, message.Whole(mostMarkdown))))); err != nil {
		return fmt.Errorf("write markdown report: %w", err)
	}
	return nil
}

type markdown struct {
	buf   bytes.Buffer
	words *words
}

func (m *markdown) f(format string, args ...any) { fmt.Fprintf(&m.buf, format, args...) }

func (m *markdown) top(p *Page) {
	m.f("# %s\n\n", md(p.Title))
	m.f("**%s** %s\n\n", md(string(p.Verdict)), md(p.Sentence))
	if p.Next != "" {
		m.named(m.words.Next, md(p.Next))
	}
	m.f("| | %s | n | |\n|:--|--:|:--|:--|\n", md(m.words.Value))
	for _, h := range p.Headlines {
		m.f("| **%s** | %s | %s | %s |\n", md(h.Label), md(h.Number()), md(h.N), md(h.Doc))
	}
	if p.Split != "" {
		m.f("\n%s\n", md(p.About()))
	}
	m.f("\n")
}

func (m *markdown) findings(p *Page) {
	m.f("## %s\n\n", md(m.words.Findings))
	if len(p.Findings) == 0 {
		m.f("%s\n\n", md(m.words.NoFindings))
		return
	}
	quiet := false
	for _, f := range p.Findings {
		if f.Open() {
			m.finding(f)
			continue
		}
		if !quiet {
			m.f("### %s\n\n", md(m.words.Quiet))
			quiet = true
		}
		m.f("- **%s** %s\n", md(f.Label), fmt.Sprintf(m.words.Noted, md(f.Title), m.facts(f)))
	}
	if quiet {
		m.f("\n")
	}
}

// facts are a finding's facts with its gate as code.
func (m *markdown) facts(f Finding) string {
	facts := f.Facts(m.words)
	for i := range facts {
		facts[i] = md(facts[i])
	}
	return strings.Join(facts, m.words.Signs.Comma)
}

func (m *markdown) finding(f Finding) {
	m.f("### %s\n\n%s\n\n", m.words.named(md(f.Label), md(f.Title)), m.facts(f))
	for _, part := range [][2]string{{m.words.Why, f.Why}, {m.words.Remedy, f.Remedy}} {
		if part[1] != "" {
			m.named(part[0], md(part[1]))
		}
	}
	if len(f.Items) > 0 {
		m.named(m.words.ItemsToLook, m.codes(f.Items, 20))
	}
	for _, text := range f.also(m.words) {
		m.named(m.words.Also, md(text))
	}
}

// codes are the first n ids, each as code.
func (m *markdown) codes(list []string, n int) string {
	rest := len(list) - n
	if rest > 0 {
		list = list[:n]
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	if rest > 0 {
		return fmt.Sprintf(m.words.AndMore, m.words.list(out), message.Whole(rest))
	}
	return m.words.list(out)
}

// named is a paragraph under its name. The space stays in every language: behind
// a full-width colon the name would else not be set off.
func (m *markdown) named(name, text string) {
	m.f("**%s%s** %s\n\n", md(name), m.words.Signs.Colon, text)
}

func (m *markdown) pictures(p *Page) {
	if len(p.Figures) == 0 {
		return
	}
	m.f("## %s\n\n", md(m.words.Pictures))
	m.unfold(fmt.Sprintf(m.words.PicturesIn, message.Whole(len(p.Figures))))
	for _, fig := range p.Figures {
		m.f("![%s](charts/%s.png)\n\n", md(prose(fig.Alt())), fig.Name)
	}
	m.f("%s\n\n", unfolded)
}

func (m *markdown) splits(p *Page) {
	w := m.words
	if len(p.Splits) == 0 {
		return
	}
	m.f("## %s\n\n", md(w.Splits))
	m.f("| %s | %s | %s | %s | %s | %s | %s | %s |\n|:--|--:|--:|--:|--:|--:|--:|--:|\n",
		w.Split, w.ItemsOf, w.SamplesOf, w.RolloutsOf, w.Lower(w.Mean), w.Lower(fmt.Sprintf(w.BestOf, message.Whole(p.Result.GroupSize))), w.Lower(w.Informative), w.MissingOf)
	for _, s := range p.Splits {
		m.f("| %s | %s | %s | %s | %s | %s | %s | %s |\n", md(string(s.Name)), md(s.Items), s.Samples, s.Rollouts, s.Mean, s.Best, s.Signal, s.Missing)
	}
	for _, s := range p.Splits {
		m.f("\n### %s %s\n\n", md(w.Capital(w.Split)), md(string(s.Name)))
		for _, note := range s.Notes {
			m.f("%s\n\n", md(note))
		}
		for _, c := range s.Causes {
			m.f("- %s × %s\n", c.Count, w.named(code(c.Outcome), md(c.Error)))
		}
		m.items(s)
	}
	m.f("\n")
}

func (m *markdown) items(s Split) {
	w := m.words
	m.f("\n### %s%s%s\n\n", md(w.Items), w.Signs.Comma, md(string(s.Name)))
	if len(s.Rows) == 0 {
		m.f("%s\n", md(w.NoItems))
		return
	}
	m.unfold(w.Item.of(len(s.Rows)))
	for _, c := range w.Columns {
		m.f("| %s ", md(c.Label))
	}
	m.f("|\n|:--|:--%s|\n", strings.Repeat("|--:", len(w.Columns)-2))
	for i, r := range s.Rows {
		if i == rowsInMarkdown {
			m.f("\n%s\n", md(fmt.Sprintf(w.Capped, message.Whole(i), message.Whole(len(s.Rows)))))
			break
		}
		for j, cell := range r.Cells() {
			if j == 0 {
				cell = code(cell)
			}
			m.f("| %s ", cell)
		}
		m.f("|\n")
	}
	m.f("\n%s\n", unfolded)
}

func (m *markdown) method(p *Page) {
	w := m.words
	m.list("## "+md(w.Input), p.Input)
	m.list("## "+md(w.Use.Notes), p.Notes)
	m.factTable(w.Method, p.Facts)
	m.factTable(w.Thresholds, p.Settings)
	m.factTable(w.Choices, p.Choices)
	m.f("%s\n", md(p.footer()))
}

// list is a heading with points below it; nothing without points.
func (m *markdown) list(heading string, points []string) {
	if len(points) == 0 {
		return
	}
	if heading != "" {
		m.f("%s\n\n", heading)
	}
	for _, s := range points {
		m.f("- %s\n", md(s))
	}
	m.f("\n")
}

func (m *markdown) grids(p *Page) {
	for _, g := range p.Grids {
		m.f("## %s\n\n", md(g.Title))
		m.grid(g)
	}
}

// grid is a table with its notes.
func (m *markdown) grid(g Grid) {
	align := "--:|"
	if g.Words {
		align = ":--|"
	}
	for i, row := range append([][]string{g.Head}, g.Rows...) {
		m.f("|")
		for _, cell := range row {
			m.f(" %s |", md(cell))
		}
		m.f("\n")
		if i == 0 {
			m.f("|:--|%s\n", strings.Repeat(align, len(row)-1))
		}
	}
	m.f("\n")
	m.list("", g.Notes)
}

func (m *markdown) factTable(head string, facts []Fact) {
	if len(facts) == 0 {
		return
	}
	m.f("## %s\n\n| | |\n|:--|:--|\n", md(head))
	for _, f := range facts {
		m.f("| %s | %s |\n", md(f.Name), md(f.Value))
	}
	m.f("\n")
}

// markdownSigns are the signs that mean something in Markdown. An at sign
// would call a person, a colon after http make a link.
var markdownSigns = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "~", `\~`, "&", "&amp;",
	"#", `\#`, "@", "&#64;", "://", "&#58;//", "www.", "www&#46;", "!", `\!`, "$", `\$`,
)

// md escapes running text for Markdown.
func md(s string) string { return markdownSigns.Replace(s) }

// code writes s as a code span that may stand in a table: a pipe in it is
// escaped.
func code(s string) string { return strings.ReplaceAll(span(s), "|", `\|`) }

// span writes s as a code span, with a fence longer than any run of backticks
// in it.
func span(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}
