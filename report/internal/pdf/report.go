package pdf

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/internal/typeface"
)

// Report configures how a report is printed.
type Report struct {
	Paper    Paper
	Fallback func() []*typeface.Face // as in Options
	Warning  string                  // printed on page one
	Full     bool                    // include the annex, and what an HTML page folds
}

// Limits on what is printed.
const (
	columnsOnPaper = 10 // columns of a table next to the first; the others continue below
	rowsOnPaper    = 60
	wholeList      = 300 // items up to which a table is printed in full
	itemsNamed     = 24  // items that a finding names
	payloadsShown  = 30
	payloadShown   = 400 // characters of one payload
)

// The styles of a printed report.
var (
	inkText    = Style{Size: 9.2, Color: chart.Ink}
	strongText = Style{Face: typeface.Bold, Size: 9.2, Color: chart.Ink}
	mutedText  = Style{Size: 8, Color: chart.Muted}
	codeText   = Style{Face: typeface.Mono, Size: 7.6, Color: chart.Ink}
	faintCode  = Style{Face: typeface.Mono, Size: 7, Color: chart.Muted}
	cellText   = Style{Size: 8.2, Color: chart.Ink}
	headText   = Style{Face: typeface.Bold, Size: 7.8, Color: chart.Muted}
	sectionTop = Style{Face: typeface.Bold, Size: 14, Color: chart.Ink}
	partTop    = Style{Face: typeface.Bold, Size: 10.2, Color: chart.Ink}
	hairline   = color.RGBA{0xdf, 0xe3, 0xe8, 255}
	soft       = color.RGBA{0xf5, 0xf7, 0xf9, 255}
)

// Print lays out a report.
func Print(d *block.Doc, opt Report) *Doc {
	title := d.Title
	if d.Answer != "" {
		title = d.Answer + " – " + d.Title
	}
	p := &printer{words: d.Words, full: opt.Full, Doc: New(Options{
		Paper: opt.Paper, Title: title, Subject: d.Subject, Creator: strings.TrimSpace("gonogo " + d.Version),
		Language: d.Words.Lang.Tag(), Made: d.Made,
		Fallback: opt.Fallback, HeadLeft: strings.Join(d.Head, " · "), HeadRight: d.Footer,
		FootLeft: strings.Join(d.Foot, " · "), Pages: d.Words.Print.Pages,
	})}
	c := p.Column(0)
	c.Text(Paragraph{Spans: []Span{{d.Title, Style{Face: typeface.Bold, Size: 17, Color: chart.Ink}}}, Most: 3})
	if d.About != "" {
		c.Space(1)
		c.Text(Paragraph{Spans: []Span{{d.About, mutedText}}, Most: 2})
	}
	c.Space(7)
	p.Place(c)
	brief := d.Brief
	if opt.Warning != "" { // after the verdict and its numbers
		index := 1 + slices.IndexFunc(brief, func(b block.Block) bool { _, ok := b.(block.Tiles); return ok })
		brief = slices.Insert(slices.Clone(brief), index,
			block.Block(block.Note{Texts: []string{opt.Warning}, Tone: block.Caution}))
	}
	p.blocks(brief)
	if d.Words.Evidence != "" {
		p.note(block.Note{Texts: []string{d.Words.Evidence}, Muted: true})
	}
	for _, s := range d.Rest {
		if len(s.Blocks) > 0 && (s.Depth < block.Annex || opt.Full) {
			p.Space(14)
			p.Heading(0, s.Title, sectionTop)
			p.blocks(s.Blocks)
		}
	}
	return p.Doc
}

// printer prints the blocks of a report.
type printer struct {
	*Doc
	words    block.Words
	full     bool
	payloads int
}

func (p *printer) blocks(list []block.Block) {
	for i := 0; i < len(list); i++ {
		switch b := list[i].(type) {
		case block.Heading:
			p.part(string(b))
		case block.Verdict:
			p.verdict(b)
		case block.Tiles:
			p.tiles(b)
		case block.Note:
			p.note(b)
		case block.Facts:
			p.facts(b)
		case block.Grid:
			p.grid(b)
		case block.Figure:
			if b.Brief && b.Tall() {
				b.Brief = false
				p.figures([]block.Figure{b})
				continue
			}
			pair := []block.Figure{b}
			for b.Brief && i+1 < len(list) && len(pair) < 2 {
				next, ok := list[i+1].(block.Figure)
				if !ok || next.Tall() || next.Strip() || b.Strip() {
					break
				}
				pair = append(pair, next)
				i++
			}
			p.figures(pair)
		case block.Findings:
			p.findings(b)
		case block.Items:
			p.items(b)
		case block.Payload:
			p.payload(b)
		case block.Fold:
			if p.full && len(b.Blocks) > 0 {
				if _, grid := b.Blocks[0].(block.Grid); grid {
					p.part(b.Summary)
				}
				p.blocks(b.Blocks)
			}
		}
	}
}

// part begins a part of a section.
func (p *printer) part(title string) {
	if title != "" {
		p.Space(6)
		p.Heading(1, title, partTop)
	}
}

// chip returns the chip of a state.
func chip(label string, t block.Tone) *Chip {
	strong, ground := t.Colours()
	return &Chip{Text: label, Ink: strong, Ground: ground, Size: 7, Edge: true, Dashed: t == block.Unknown}
}

func (p *printer) verdict(v block.Verdict) {
	strong, ground := v.Tone.Colours()
	c := p.Column(18)
	c.Ground, c.Edge, c.EdgeWidth = ground, strong, 5
	c.Space(9)
	c.Text(Paragraph{Spans: []Span{
		{v.Answer + "  ", Style{Face: typeface.Bold, Size: 24, Color: strong}},
		{v.Scope, Style{Face: typeface.Bold, Size: 13, Color: strong}},
	}})
	c.Space(1)
	c.Text(Paragraph{Spans: []Span{{v.Reason, Style{Size: 11, Color: chart.Ink}}}})
	for _, text := range v.Follow() {
		c.Space(3)
		c.Text(Paragraph{Spans: []Span{{text, inkText}}})
	}
	for i, next := range v.Next {
		c.Space(3)
		if i == 0 {
			c.Text(Paragraph{Spans: []Span{{v.Lead, strongText}}})
			c.Space(1)
		}
		c.Text(Paragraph{Lead: fmt.Sprintf("%d.", i+1), Indent: 12, Spans: []Span{{next, inkText}}})
	}
	c.Space(10)
	p.Place(c)
	p.Space(12)
}

func (p *printer) tiles(list block.Tiles) {
	c := p.Column(0)
	scale, gap := 1.0, 16.0
	if len(list) > 3 { // so that a number and its interval share a line
		scale, gap = 0.8, 12
	}
	c.Beside(len(list), gap, func(i int, c *Column) {
		h := list[i]
		c.Rule(1.2, chart.Axis)
		c.Space(5)
		c.Text(Paragraph{Spans: []Span{{h.Label, strongText}}, Most: 2})
		value := Style{Face: typeface.Bold, Size: 19 * scale, Color: chart.Ink}
		if !h.Known {
			value.Size, value.Color = 14, chart.Muted
		} else if h.Doubted {
			value.Color = chart.Muted
		}
		c.Text(Paragraph{Spans: []Span{{h.Value + " ", value}, {h.Interval, Style{Size: 9.5 * scale, Color: chart.Muted}}}})
		c.Space(1)
		c.Text(Paragraph{Spans: []Span{{h.About, mutedText}}})
	})
	c.Space(9)
	p.Place(c)
}

func (p *printer) note(n block.Note) {
	sty := inkText
	if n.Muted {
		sty = mutedText
	}
	if n.Tone != "" {
		p.boxed(n)
		return
	}
	if n.Lead != "" && n.Points {
		p.para(Paragraph{Spans: []Span{{n.Lead, strongText}}}, 2)
	}
	for _, s := range n.Texts {
		switch {
		case n.Points:
			p.para(Paragraph{Lead: "•", Indent: 9, Spans: []Span{{s, sty}}}, 1.5)
		case n.Lead != "":
			p.para(Paragraph{Spans: []Span{{p.words.Signs.Named(n.Lead, ""), strongText}, {s, sty}}}, 4)
		default:
			p.para(Paragraph{Spans: []Span{{s, sty}}}, 4)
		}
	}
	p.Space(3)
}

// para prints running text that may be split over pages.
func (p *printer) para(text Paragraph, space float64) {
	c := p.Column(0)
	c.Loose = true
	c.Text(text)
	c.Space(space)
	p.Place(c)
}

// boxed prints a note that a reader should see before anything below it.
func (p *printer) boxed(n block.Note) {
	strong, ground := n.Tone.Colours()
	c := p.Column(10)
	c.Ground, c.Edge, c.EdgeWidth = ground, strong, 3
	c.Space(4)
	if n.Lead != "" {
		c.Text(Paragraph{Spans: []Span{{n.Lead, Style{Face: typeface.Bold, Size: 8.5, Color: strong}}}})
	}
	for _, s := range n.Texts {
		c.Text(Paragraph{Spans: []Span{{s, Style{Size: 8, Color: strong}}}})
	}
	c.Space(4)
	p.Place(c)
	p.Space(4)
}

// facts prints names and values. Names from a file, which are short, are in three columns.
func (p *printer) facts(f block.Facts) {
	t := Table{Line: hairline, Columns: []ColumnSpec{{}, {Grow: 1}}}
	across := 1
	if f.Code {
		across, t.Columns, t.Dense = 3, nil, true
		for range across {
			t.Columns = append(t.Columns, ColumnSpec{Grow: 1}, ColumnSpec{Right: true}, ColumnSpec{Least: 4})
		}
	}
	name := cellText
	name.Face = typeface.Bold
	down := (len(f.Rows) + across - 1) / across
	for i := range down {
		var cells []Cell
		for row := i; row < len(f.Rows); row += down {
			if f.Code {
				cells = append(cells, codeCell(f.Rows[row].Name), textCell(f.Rows[row].Value), Cell{})
			} else {
				cells = append(cells, Cell{Spans: []Span{{f.Rows[row].Name, name}}}, textCell(f.Rows[row].Value))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	p.Table(t)
	p.Space(6)
}

func textCell(s string) Cell { return Cell{Spans: []Span{{s, cellText}}} }

// unbroken makes a number breakable only before its interval.
func unbroken(s string) string {
	value, interval, ok := strings.Cut(strings.ReplaceAll(s, " ", "\u00a0"), "\u00a0[")
	if !ok {
		return s
	}
	return value + " [" + interval
}

// joinedBy joins the texts that are not empty.
func joinedBy(sign string, list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), sign)
}

func codeCell(s string) Cell { return Cell{Spans: []Span{{s, codeText}}} }

// figures draws charts as lines and letters: two brief ones side by side, others over the whole
// width.
func (p *printer) figures(list []block.Figure) {
	const gap, least = 18, 150
	width := p.Width()
	if list[0].Brief && len(list) > 1 { // a single one takes the whole width
		width = (width - gap) / 2
	}
	c := p.Column(0)
	for _, f := range list {
		c.Mark(1, f.Title)
	}
	c.Beside(max(len(list), int(p.Width()/width)), gap, func(i int, c *Column) {
		if i >= len(list) {
			return
		}
		f := list[i]
		height := min(f.Height.Points()*p.Width()/chart.Width.Points(), p.Height()-120)
		switch {
		case f.Strip():
			height = f.Height.Points()
			f.Panel = true
		case f.Brief:
			height = min(300, max(least, f.Height.Points()*0.85)) // its text keeps its size
			if room := p.room() - 24; room >= least {
				height = min(height, room) // better smaller than on the next page
			}
			f.Panel = true
		}
		f.Fonts = f.Fonts.External() // the document draws with its own fonts
		c.Figure(0, width, height, f.Draw)
		if !f.Brief {
			c.Text(Paragraph{Indent: 10, Spans: []Span{{f.Doc, mutedText}}})
		}
	})
	c.Space(12)
	p.Place(c)
}

// findings prints each finding once: those that need action in full, those that passed on one line
// each, and the names of those that were not judged.
func (p *printer) findings(list block.Findings) {
	if len(list) == 0 {
		p.note(block.Note{Texts: []string{p.words.NoFindings}})
	}
	passed := Table{
		Head: headText, Line: hairline, Dense: true,
		Columns: []ColumnSpec{
			{},
			{Head: p.words.Quiet, Grow: 1},
			{Head: p.words.Value, Least: 84},
			{},
			{Head: p.words.Want, Least: 76, Most: 140},
		},
	}
	var skipped []string
	for _, f := range list {
		switch {
		case f.Open:
			p.finding(f)
		case f.Tone == block.Skipped && !p.full:
			skipped = append(skipped, f.Name)
		default:
			name, gate := f.Title, f.Gate
			if !p.full {
				name = f.Name
				gate, _, _ = strings.Cut(f.Gate, " · ") // the name includes the split
			}
			passed.Rows = append(passed.Rows,
				[]Cell{
					{Chip: chip(f.Label, f.Tone)},
					{Spans: []Span{{name + "  ", cellText}, {gate, faintCode}}},
					textCell(unbroken(f.Value)),
					{Gauge: gauge(f)},
					textCell(joinedBy(p.words.Signs.Semicolon, f.Want, f.Rule)),
				})
		}
	}
	if len(passed.Rows) > 0 {
		p.Table(passed)
		p.Space(4)
	}
	if len(skipped) > 0 {
		p.note(block.Note{
			Lead:  p.words.NotJudged,
			Texts: []string{strings.Join(slices.Compact(skipped), p.words.Signs.List) + p.words.Signs.Stop},
			Muted: true,
		})
	}
}

// gauge returns the gauge of a finding, in the colour and shape of its answer; nil if it has none.
func gauge(f block.Finding) *Gauge {
	g := f.Gauge
	if g == nil {
		return nil
	}
	ink, corners := chart.Blue, 8
	if f.Tone != block.Pass {
		ink, _ = f.Tone.Colours()
		corners = 4
	}
	return &Gauge{g.Value, g.Low, g.High, g.Threshold, ink, corners}
}

func (p *printer) finding(f block.Finding) {
	strong, _ := f.Tone.Colours()
	c := p.Column(11)
	c.Edge, c.EdgeWidth = strong, 2.5
	c.Mark(1, p.words.Signs.Named(f.Label, f.Title))
	c.Chip(chip(f.Label, f.Tone), []Span{{f.Title, Style{Face: typeface.Bold, Size: 9.6, Color: chart.Ink}}})
	c.Space(1)
	measures := Paragraph{Spans: []Span{{f.Gate, faintCode}, {" · " + f.Measures(" · "), mutedText}}}
	if g := gauge(f); g != nil {
		c.gauge(g, c.x, c.y+5)
		measures.Indent = gaugeWidth + 6
	}
	c.Text(measures)
	for _, x := range f.Texts {
		c.Space(2)
		c.Text(Paragraph{Spans: []Span{{p.words.Signs.Named(x.Name, ""), strongText}, {x.Value, inkText}}})
	}
	if len(f.Items) > 0 {
		c.Space(2)
		c.Text(Paragraph{Most: 8, Spans: []Span{
			{p.words.Signs.Named(f.ItemsLabel, ""), strongText},
			{p.words.Few(block.Names(f.Items), itemsNamed), codeText},
		}})
	}
	p.Place(c)
	p.Space(6)
}

// items prints a table of items: all of them, or the most informative ones.
func (p *printer) items(t block.Items) {
	if len(t.Rows) == 0 {
		p.note(block.Note{Texts: []string{t.Empty}})
		return
	}
	rows := t.Rows
	if len(rows) > wholeList {
		rows = rows[:min(len(rows), wholeList)]
		if t.Telling != nil {
			rows = nil
			for _, i := range t.Telling {
				rows = append(rows, t.Rows[i])
			}
		}
		p.note(
			block.Note{Texts: []string{fmt.Sprintf(p.words.Print.Telling, message.Whole(len(rows)),
				message.Whole(t.All))}})
	}
	table := Table{Head: headText, Line: hairline, Dense: true}
	for i, c := range t.Columns {
		table.Columns = append(table.Columns, ColumnSpec{Head: c.Label, Right: i > 1 && i < t.Wordy, Grow: 1})
	}
	for _, row := range rows {
		line := []Cell{codeCell(row[0])}
		line[0].Most = 3
		for _, text := range row[1:] {
			line = append(line, textCell(text))
		}
		table.Rows = append(table.Rows, line)
	}
	p.Table(table)
	p.Space(8)
}

// payload prints what was sent to a grader, with the command that replays it.
func (p *printer) payload(b block.Payload) {
	if p.payloads++; p.payloads > payloadsShown {
		return
	}
	strong, _ := b.Tone.Colours()
	c := p.Column(11)
	c.Edge, c.EdgeWidth = strong, 2
	if b.Name != "" {
		c.Text(Paragraph{Spans: []Span{{b.Name, strongText}}})
		c.Space(1)
	}
	c.Text(Paragraph{Spans: []Span{{b.ID, faintCode}, {" · " + b.Earned, mutedText}}})
	c.Space(1)
	c.Text(Paragraph{Ground: soft, Indent: 4, Spans: []Span{{block.Shorten(b.Text, payloadShown), codeText}}})
	for _, note := range b.Notes {
		c.Text(Paragraph{Spans: []Span{{"(" + note + ")", mutedText}}})
	}
	c.Space(1)
	c.Text(Paragraph{Spans: []Span{{b.Command, codeText}}})
	p.Place(c)
	p.Space(6)
}
