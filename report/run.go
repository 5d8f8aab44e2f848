package report

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/text"
)

// Doc is the page in blocks, as every format writes it.
func (p *Page) Doc() *block.Doc {
	w := p.Words
	d := p.doc(w, p.Title, string(p.Verdict))
	if p.Name != "" {
		d.Head = append(d.Head, p.Name)
	}
	if run := visible(p.Result.Run.ID); run != "" {
		d.Head = append(d.Head, fmt.Sprintf(w.PDF.Run, run))
	}
	for _, data := range p.Result.Run.Data {
		d.Foot = append(d.Foot, fmt.Sprintf(w.PDF.SHA, visible(string(data.Split)), visible(data.File), first(visible(data.SHA256), 12)))
	}
	deciding := p.deciding()
	d.Brief = p.brief(deciding)
	d.Rest = []block.Section{
		{ID: "findings", Title: w.Findings, Blocks: []block.Block{p.findingBlocks()}},
		{ID: "variants", Title: w.Variants.Title, Depth: block.Folded, Blocks: tabled(p.Variants.Lead, p.Variants.Tables, p.Variants.Notes)},
		{ID: "burst", Title: w.Burst.Title, Depth: block.Folded, Blocks: tabled(p.Burst.Lead, p.Burst.Tables, p.Burst.Notes)},
		{ID: "grader", Title: w.Audit.Title, Depth: block.Annex, Blocks: p.auditBlocks()},
		{ID: "splits", Title: w.Splits, Depth: block.Folded, Blocks: p.splitBlocks()},
		{ID: "behaviour", Title: w.Use.Title, Depth: block.Folded, Blocks: p.gridBlocks()},
		{ID: "notes", Title: w.Use.Notes, Depth: block.Folded, Blocks: points(p.Notes)},
		{ID: "input", Title: w.Input, Depth: block.Folded, Blocks: points(p.Input)},
		{ID: "pictures", Title: w.Pictures, Depth: block.Annex, Blocks: p.figures(func(f chart.Figure) bool { return !slices.Contains(deciding, f.Name) })},
		{ID: "items", Title: w.Items, Depth: block.Annex, Blocks: p.itemBlocks()},
		{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: factBlock(p.Facts)},
		{ID: "thresholds", Title: w.Thresholds, Depth: block.Annex, Blocks: codes(p.Settings)},
		{ID: "choices", Title: w.Choices, Depth: block.Annex, Blocks: factBlock(p.Choices)},
	}
	return d
}

// doc is what reports of every kind have in common.
func (p *Page) doc(w *words, title, answer string) *block.Doc {
	return &block.Doc{
		Words: block.Words{
			Lang: w.Lang, Signs: block.Signs(w.Signs), Quiet: w.Quiet, NotJudged: w.NotJudged, NoFindings: w.NoFindings, OtherFacts: w.OtherFacts, AndMore: w.AndMore, MoreLines: w.MoreLines,
			CutShort: w.CutShort, Page: w.Page, Print: w.Print, Rest: fmt.Sprintf(w.Rest, p.run()),
		},
		Title: title, Answer: answer, Subject: p.Sentence, Version: visible(p.Version), Made: p.Now, Footer: p.footer(),
	}
}

// run is the run directory as commands name it.
func (opt Options) run() string {
	if opt.Dir == "" {
		return "RUN"
	}
	return argument(opt.Dir)
}

// terminal is what the text format is written for.
func (opt Options) terminal() text.Options {
	return text.Options{Width: opt.Width, ASCII: opt.ASCII, Color: opt.Color, All: opt.All}
}

// points is a list of texts; nothing without one.
func points(list []string) []block.Block {
	if len(list) == 0 {
		return nil
	}
	return []block.Block{block.Note{Texts: list, Points: true}}
}

func factBlock(list []Fact) []block.Block {
	if len(list) == 0 {
		return nil
	}
	return []block.Block{block.Facts{Rows: list}}
}

func codes(list []Fact) []block.Block {
	if len(list) == 0 {
		return nil
	}
	return []block.Block{block.Facts{Rows: list, Code: true}}
}

// tabled is a section of tables; nothing without one.
func tabled(lead string, tables []Grid, notes []string) []block.Block {
	if len(tables) == 0 {
		return nil
	}
	list := []block.Block{block.Note{Texts: []string{lead}}}
	for _, g := range tables {
		list = append(list, g)
	}
	if len(notes) > 0 {
		list = append(list, block.Note{Texts: notes, Points: true, Muted: true})
	}
	return list
}

// findingBlocks are the findings, the urgent ones first.
func (p *Page) findingBlocks() block.Findings {
	w := p.Words
	rows := p.rowsOfItems()
	list := make(block.Findings, len(p.Findings))
	for i, f := range p.Findings {
		b := block.Finding{
			Tone: block.Tone(f.State.String()), Label: f.Label, Name: w.gateLabel(f.Gate), Title: f.Title, Value: f.Measured, Want: f.Want, Line: f.brief(w), Gate: gateOf(f), ItemsLabel: w.ItemsToLook, Open: f.Open(), Known: f.others(w),
		}
		if f.Split != "" {
			b.Name += " · " + f.Split
		}
		for _, x := range []Fact{{Name: w.Value, Value: f.Measured}, {Name: w.Want, Value: f.Want}, {Name: w.CautionAt, Value: f.Caution}, {Value: f.Severity}} {
			if x.Value != "" {
				b.Facts = append(b.Facts, x)
			}
		}
		if slices.Contains(onRewards, f.Gate) && graderFails(p.Result) {
			b.Facts = append(b.Facts, Fact{Value: w.ByFailed})
		}
		for _, x := range []Fact{{Name: w.Why, Value: f.Why}, {Name: w.Remedy, Value: f.Remedy}} {
			if x.Value != "" {
				b.Texts = append(b.Texts, x)
			}
		}
		for _, also := range f.also(w) {
			b.Texts = append(b.Texts, Fact{Name: w.Also, Value: also})
		}
		for _, name := range f.Charts {
			if p.drawn(name) && b.Picture == "" {
				b.Picture = name
			}
		}
		for _, item := range f.Items {
			b.Items = append(b.Items, p.linked(item, f.Split, rows))
		}
		list[i] = b
	}
	return list
}

// gateOf names a finding's gate and split.
func gateOf(f Finding) string {
	if f.Split == "" {
		return f.Gate
	}
	return f.Gate + " · " + f.Split
}

// drawn reports whether the page has a picture with something to show.
func (p *Page) drawn(name string) bool {
	return slices.ContainsFunc(p.Figures, func(f chart.Figure) bool { return f.Name == name && f.Plot != nil })
}

// rowsOfItems are the rows of the tables of items, by item; −1 for ids that only
// differ where they are cut.
func (p *Page) rowsOfItems() map[itemOf]int {
	rows := map[itemOf]int{}
	for _, s := range p.Splits {
		for i, r := range s.Rows {
			k := itemOf{s.Name, r.Item}
			if _, again := rows[k]; again {
				i = -1
			}
			rows[k] = i
		}
	}
	return rows
}

// linked is an item that a finding on a split names, with the way to its row.
func (p *Page) linked(item, split string, rows map[itemOf]int) block.Item {
	out := block.Item{Name: item}
	for _, s := range p.Splits {
		row, there := rows[itemOf{s.Name, item}]
		if there && row >= 0 && (split == "" && out.Table == "" || split == string(s.Name)) {
			out.Table, out.Row = string(s.Name), row
		}
	}
	return out
}

// figures are the pictures that are wanted.
func (p *Page) figures(wanted func(chart.Figure) bool) []block.Block {
	var list []block.Block
	for _, f := range p.Figures {
		if wanted(f) {
			list = append(list, p.figure(f))
		}
	}
	return list
}

func (p *Page) figure(f chart.Figure) block.Figure {
	b := block.Figure{Figure: f, Range: p.Result.RewardRange}
	b.Title, b.Subtitle, b.Fonts = prose(f.Title), prose(f.Subtitle), p.letters()
	b.Table.Head, b.Table.Marks = ids(f.Table.Head), slices.Clone(f.Table.Marks)
	for i := range b.Table.Marks {
		b.Table.Marks[i].Cells = ids(b.Table.Marks[i].Cells)
	}
	if slices.Contains(onRewards, f.Name) && f.Plot != nil && graderFails(p.Result) {
		b.Subtitle += p.Words.Signs.Semicolon + p.Words.ByFailed
	}
	if f.Table.Items {
		b.Axis = string(p.Split)
	}
	return b
}

// splitBlocks are the splits side by side, then what is to be said of each.
func (p *Page) splitBlocks() []block.Block {
	if len(p.Splits) == 0 {
		return nil
	}
	w := p.Words
	g := Grid{Spare: []int{2, 6}, Head: []string{
		w.Split, w.ItemsOf, w.SamplesOf, w.RolloutsOf, w.Lower(w.Mean), w.Lower(fmt.Sprintf(w.BestOf, message.Whole(p.Result.GroupSize))), w.Lower(w.Informative), w.MissingOf,
	}}
	for _, s := range p.Splits {
		g.Rows = append(g.Rows, []string{string(s.Name), s.Items, s.Samples, s.Rollouts, s.Mean, s.Best, s.Signal, s.Missing})
	}
	if graderFails(p.Result) {
		g.Notes = []string{p.Words.Capital(fmt.Sprintf(w.ByFailedOf, w.Lower(w.Mean)+w.Signs.List+w.Lower(w.Informative))) + w.Signs.Stop}
	}
	list := []block.Block{g}
	for _, s := range p.Splits {
		list = append(list, block.Heading(w.Capital(w.Split)+" "+visible(string(s.Name))), block.Note{Texts: s.Notes})
		if len(s.Causes) == 0 {
			continue
		}
		causes := Grid{Words: true, Head: []string{"", w.Causes, w.RolloutsOf, w.ItemsOf}, Kinds: []block.Kind{block.Code, block.Text, block.Number, block.Code}, Most: 8}
		for _, c := range s.Causes {
			causes.Rows = append(causes.Rows, []string{c.Outcome, c.Error, c.Count, few(c.Items, 12, w)})
		}
		list = append(list, causes)
	}
	return list
}

func (p *Page) gridBlocks() []block.Block {
	var list []block.Block
	for i, g := range p.Grids {
		if i == 0 && g.Title == p.Words.Use.Title {
			g.Title = "" // the section's own
		}
		list = append(list, g)
	}
	return list
}

// itemBlocks are the tables of items.
func (p *Page) itemBlocks() []block.Block {
	w := p.Words
	var list []block.Block
	for _, s := range p.Splits {
		t := block.Items{
			Name: string(s.Name), All: len(s.Rows), Count: w.Item.of(len(s.Rows)), KindOf: map[string]string{}, Wordy: len(w.Columns), ClassName: w.Page.ClassLabel, AnyClass: w.Page.AnyClass,
			Cut: w.Capped, Empty: w.NoItems,
		}
		for _, c := range w.Columns {
			t.Columns = append(t.Columns, block.Column(c))
		}
		there := map[string]bool{}
		for _, r := range s.Rows {
			t.Rows, t.Kinds = append(t.Rows, r.Cells()), append(t.Kinds, r.Kind)
			there[r.Kind] = true
		}
		for _, class := range analysis.ClassNames() {
			t.KindOf[w.Classes[class]] = class
			if there[class] {
				t.Classes = append(t.Classes, w.Classes[class])
			}
		}
		if len(s.Rows) > wholeList {
			t.Telling = telling(s, p.Result)
		}
		if p.Rollouts != nil {
			t.Traces, t.File, t.Link = func(n int) ([][]string, error) { return p.tracesOf(s, n) }, argument(p.Traces), p.TracesLink
		}
		list = append(list, block.Heading(w.Capital(w.Split)+" "+visible(string(s.Name))), t)
	}
	return list
}

// auditBlocks tell of the grader: what was found, rates, every probe, the payloads
// that found holes with the command that replays each, and what else speaks of it.
func (p *Page) auditBlocks() []block.Block {
	a, w := p.Audit, p.Words.Audit
	list := []block.Block{block.Note{Texts: []string{a.Lead}}}
	if len(a.Rates.Rows) > 0 {
		list = append(list, a.Rates)
	}
	if len(a.Probes) > 0 {
		list = append(list, probeGrid(a.Probes, w))
	}
	list = append(list, p.payloads(Holed, w.HolesTitle)...)
	list = append(list, p.payloads(Shifted, w.MovesTitle)...)
	var more []block.Block
	if len(a.ByItem.Rows) > 0 {
		g := a.ByItem
		g.Title, g.Upright = "", true
		more = append(more, block.Fold{Summary: a.ByItem.Title, Blocks: []block.Block{g}})
	}
	for _, g := range a.Tables {
		list = append(list, g)
	}
	return append(list, more...)
}

func probeGrid(probes []Probe, w auditWords) Grid {
	g := Grid{Head: w.ProbeHead, Kinds: []block.Kind{block.Code, block.State, block.Text, block.Number, block.Text, block.Number, block.Number, block.Number}, Spare: []int{2, 6, 5, 3}}
	for _, one := range probes {
		g.Rows = append(g.Rows, []string{one.Name, one.Label, one.Must, one.Items, one.Above, one.Accept, one.Gap, one.Failed})
		g.Tones = append(g.Tones, one.State.tone())
	}
	return g
}

// tone is the colour of what came of a probe.
func (s ProbeState) tone() block.Tone {
	return map[ProbeState]block.Tone{Held: block.Pass, Holed: block.Fail, Shifted: block.Caution, Untold: block.Unknown, Noted: block.Skipped}[s]
}

// payloads are those of the probes of a state: the worst of each in sight, the
// others behind a fold.
func (p *Page) payloads(state ProbeState, title string) []block.Block {
	var list []block.Block
	for _, one := range p.Audit.Probes {
		if len(one.Holes) == 0 || one.State != state {
			continue
		}
		if list == nil {
			list = append(list, block.Heading(title))
		}
		var rest []block.Block
		for i, h := range one.Holes {
			b := block.Payload{Tone: state.tone(), ID: h.ID, Earned: h.Earned, Text: h.Payload, Notes: h.Notes, Command: h.Command}
			if i > 0 {
				rest = append(rest, b)
				continue
			}
			b.Name = p.Words.named(one.Name, one.On)
			list = append(list, b)
		}
		if len(rest) > 0 {
			list = append(list, block.Fold{Summary: fmt.Sprintf(p.Words.MoreLines, message.Whole(len(rest))), Blocks: rest})
		}
	}
	return list
}

// part is some sections of the page by themselves, for a terminal.
func (p *Page) part(sections ...block.Section) *block.Doc {
	d := p.doc(p.Words, "", "")
	for _, s := range sections {
		if len(s.Blocks) > 0 {
			d.Brief = append(append(d.Brief, block.Heading(strings.ToUpper(s.Title))), s.Blocks...)
		}
	}
	return d
}
