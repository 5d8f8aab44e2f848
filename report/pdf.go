package report

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonogo/report/chart"
	"gonogo/report/pdf"
	"gonogo/report/typeface"
)

// printed is a Page on its way to paper.
type printed struct {
	*Page
	*pdf.Doc
	words *pdfWords
}

// The styles of the printed report.
var (
	inkText    = pdf.Style{Size: 9.2, Color: chart.Ink}
	strongText = pdf.Style{Face: typeface.Bold, Size: 9.2, Color: chart.Ink}
	mutedText  = pdf.Style{Size: 8, Color: chart.Muted}
	codeText   = pdf.Style{Face: typeface.Mono, Size: 7.6, Color: chart.Ink}
	faintCode  = pdf.Style{Face: typeface.Mono, Size: 7, Color: chart.Muted}
	cellText   = pdf.Style{Size: 8.2, Color: chart.Ink}
	headText   = pdf.Style{Face: typeface.Bold, Size: 7.8, Color: chart.Muted}
	sectionTop = pdf.Style{Face: typeface.Bold, Size: 14, Color: chart.Ink}
	partTop    = pdf.Style{Face: typeface.Bold, Size: 10.2, Color: chart.Ink}
	hairline   = color.RGBA{0xdf, 0xe3, 0xe8, 255}
	soft       = color.RGBA{0xf5, 0xf7, 0xf9, 255}
)

// writePDF writes the page for paper: verdict, numbers and findings first, then
// what they rest on. Signs that cannot be drawn are told on page one, and in
// the Page's Warnings.
func writePDF(w io.Writer, p *Page) error { return p.print(w, p.printed) }

// print writes what lay lays out, once more with a warning where signs of it
// cannot be drawn.
func (p *Page) print(w io.Writer, lay func(paper pdf.Paper, fonts machineFonts, warning string) *pdf.Doc) error {
	paper, err := pdf.PaperNamed(p.Paper)
	if err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	fonts, err := p.machine()
	if err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	doc := lay(paper, fonts, "")
	if missing := doc.Missing(); len(missing) > 0 {
		warning := p.boxes(missing, fonts)
		p.warn(warning)
		doc = lay(paper, fonts, warning)
	}
	if err := doc.Write(w); err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	return nil
}

// machineFonts are the fonts of the machine, found when they are first needed.
type machineFonts struct {
	find  func() []*typeface.Face
	notes *[]string
}

// fonts are those that Options ask for. One that is named is read at once, so
// that a mistake in its name is told.
func (p *Page) fonts() (machineFonts, error) {
	var notes []string
	m := machineFonts{notes: &notes}
	if p.Font != "" {
		faces, _, err := typeface.Find(p.Font, p.Words.Lang.Tag())
		m.find = func() []*typeface.Face { return faces }
		return m, err
	}
	var faces []*typeface.Face
	found := false
	m.find = func() []*typeface.Face {
		if !found {
			faces, notes, _ = typeface.Find("", p.Words.Lang.Tag()) // only a named font can be in error
			found = true
		}
		return faces
	}
	return m, nil
}

// boxes says which signs cannot be drawn, and how to mend it.
func (p *Page) boxes(missing []rune, fonts machineFonts) string {
	const few = 5
	w := p.Words.PDF
	var names []string
	for _, r := range missing[:min(few, len(missing))] {
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	signs, such := w.Signs.of(len(missing)), p.Words.list(names)
	if missing[0] > 0xffff {
		return fmt.Sprintf(w.Emoji, signs, such)
	}
	s := fmt.Sprintf(w.Boxes, signs, such)
	if len(*fonts.notes) > 0 {
		s += p.Words.Signs.Space + fmt.Sprintf(w.Useless, prose(strings.Join(*fonts.notes, p.Words.Signs.Semicolon)))
	}
	return s
}

// printed lays the page out. warning stands on page one.
func (p *Page) printed(paper pdf.Paper, fonts machineFonts, warning string) *pdf.Doc {
	w := &p.Words.PDF
	var head, foot []string
	if p.Name != "" {
		head = append(head, p.Name)
	}
	if run := visible(p.Result.Run.ID); run != "" {
		head = append(head, fmt.Sprintf(w.Run, run))
	}
	for _, d := range p.Result.Run.Data {
		foot = append(foot, fmt.Sprintf(w.SHA, visible(string(d.Split)), visible(d.File), first(visible(d.SHA256), 12)))
	}
	doc := pdf.New(pdf.Options{
		Paper: paper, Title: string(p.Verdict) + " – " + p.Title, Subject: p.Sentence, Creator: strings.TrimSpace("gonogo " + visible(p.Version)),
		Language: p.Words.Lang.Tag(), Made: p.Now, Fallback: fonts.find,
		HeadLeft: strings.Join(head, " · "), HeadRight: p.footer(), FootLeft: strings.Join(foot, " · "), Pages: w.Pages,
	})
	out := &printed{p, doc, w}
	out.front(warning)
	out.findings()
	out.pictures()
	out.variants()
	out.burst()
	out.audit()
	out.splits()
	for _, g := range p.Grids {
		out.section(g.Title)
		out.grid(g)
	}
	out.list(p.Words.Use.Notes, p.Notes)
	out.list(p.Words.Input, p.Input)
	out.items()
	out.method()
	return doc
}

// section begins a part of the report.
func (p *printed) section(title string) {
	p.Space(14)
	p.Heading(0, title, sectionTop)
}

// part begins a part of a section.
func (p *printed) part(title string) {
	if title != "" {
		p.Space(6)
		p.Heading(1, title, partTop)
	}
}

// para is running text.
func (p *printed) para(text string, sty pdf.Style) {
	if text == "" {
		return
	}
	c := p.Column(0)
	c.Loose = true
	c.Text(pdf.Paragraph{Spans: []pdf.Span{{Text: text, Style: sty}}})
	c.Space(4)
	p.Place(c)
}

// list is a section of points; nothing without points.
func (p *printed) list(title string, points []string) {
	if len(points) > 0 {
		p.section(title)
		p.points(points, inkText)
	}
}

func (p *printed) points(points []string, sty pdf.Style) {
	for _, s := range points {
		c := p.Column(0)
		c.Loose = true
		c.Text(pdf.Paragraph{Lead: "•", Indent: 9, Spans: []pdf.Span{{Text: s, Style: sty}}})
		c.Space(1.5)
		p.Place(c)
	}
	p.Space(3)
}

// pictures draws the charts as lines and letters, two a page.
func (p *printed) pictures() {
	p.Break()
	p.section(p.Words.Pictures)
	for _, f := range p.Figures {
		c := p.Column(0)
		c.Mark(1, f.Title)
		height := min(f.Height.Points()*p.Width()/chart.Width.Points(), p.Height()-120)
		if f.Plot == nil {
			height = 110 // it only says why there is nothing
		}
		f.Fonts = p.letters().Elsewhere() // the document has these fonts itself
		c.Figure(0, p.Width(), height, f.Draw)
		c.Text(pdf.Paragraph{Indent: 10, Spans: []pdf.Span{{Text: f.Doc, Style: mutedText}}})
		c.Space(12)
		p.Place(c)
	}
}

// Warnings lists what formats written so far could not show, for whoever had
// them written.
func (p *Page) Warnings() []string { return p.warnings }

func (p *Page) warn(text string) {
	if !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}

// Papers names the sizes of paper that Options may ask for, the usual one
// first.
func Papers() []string {
	var names []string
	for _, p := range pdf.Papers() {
		names = append(names, p.Name)
	}
	return names
}

// NoFont as Options.Font asks for no font of the machine.
const NoFont = typeface.None

// CheckFont says why the file of Options.Font cannot be used; "" and NoFont can.
func CheckFont(path string) error {
	if path == "" || path == NoFont {
		return nil
	}
	_, err := typeface.Open(path, "")
	return err
}
