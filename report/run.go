package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/text"
)

// run returns the report of a run.
func (p *RunPage) run() *block.Doc {
	w, d := p.Words, p.frame()
	d.Words.Rest, d.Words.Evidence = fmt.Sprintf(w.Rest, p.directory("RUN")),
		fmt.Sprintf(w.Evidence, p.directory("RUN"))
	if p.Name != "" {
		d.Head = append(d.Head, p.Name)
	}
	if run := visible(p.Result.Run.ID); run != "" {
		d.Head = append(d.Head, fmt.Sprintf(w.PDF.Run, run))
	}
	for _, data := range p.Result.Run.Data {
		d.Foot = append(d.Foot, fmt.Sprintf(w.PDF.SHA, visible(string(data.Split)), visible(data.File),
			first(visible(data.SHA256), 12)))
	}
	deciding := p.deciding()
	d.Brief = p.brief(deciding)
	d.Rest = []block.Section{
		{ID: "findings", Title: w.Findings, Blocks: []block.Block{p.Findings}},
		{ID: "pilot", Title: w.Pilot.Title, Blocks: p.pilotBlocks()},
		{ID: "variants", Title: w.Variants.Title, Depth: block.Folded, Blocks: variantBlocks(p.Result, p.Options, w)},
		{ID: "burst", Title: w.Burst.Title, Depth: block.Folded, Blocks: burstBlocks(p.Result.Burst, w)},
		{ID: "grader", Title: w.Audit.Title, Depth: block.Annex, Blocks: auditBlocks(p.Result, p.Options, w)},
		{ID: "splits", Title: w.Splits, Depth: block.Folded, Blocks: splitBlocks(p.Result, w)},
		{
			ID: "behaviour", Title: w.Use.Title, Depth: block.Folded,
			Blocks: filled(useGrid(p.Result, w), toolGrid(p.Result, w), beyondGrid(p.Result, w),
				planGrid(p.Result, w), sizeGrid(p.Result, w)),
		},
		{ID: "what-if", Title: w.If.Title, Depth: block.Annex, Blocks: whatIfBlocks(p.Result, w)},
		{ID: "notes", Title: w.Use.Notes, Depth: block.Folded, Blocks: points(p.notes())},
		{ID: "input", Title: w.Input, Depth: block.Folded, Blocks: points(inputProblems(p.Result.Input, w))},
		{
			ID: "pictures", Title: w.Pictures, Depth: block.Annex,
			Blocks: append(p.figures(func(f chart.Figure) bool { return !slices.Contains(deciding, f.Name) && !isPilot(f) }),
				p.nothingToShow()...),
		},
		{ID: "items", Title: w.Items, Depth: block.Annex, Blocks: p.itemBlocks()},
		{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: factBlock(p.facts())},
		{ID: "thresholds", Title: w.Thresholds, Depth: block.Annex, Blocks: codes(settings(p.Result))},
		{ID: "choices", Title: w.Choices, Depth: block.Annex, Blocks: factBlock(choices(p.Result))},
	}
	return d
}

// directory returns the directory of the run or the history in commands.
func (opt Options) directory(unknown string) string {
	if opt.Dir == "" {
		return unknown
	}
	return message.Shell(opt.Dir)
}

// points is a list of texts; nothing without texts.
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

// tabled is a lead, tables, and notes on them; nothing without tables.
func tabled(lead string, tables []block.Block, notes []string) []block.Block {
	if len(tables) == 0 {
		return nil
	}
	list := append([]block.Block{block.Note{Texts: []string{lead}}}, tables...)
	if len(notes) > 0 {
		list = append(list, block.Note{Texts: notes, Points: true, Muted: true})
	}
	return list
}

// drawn reports whether the page has a picture with something to show.
func (p *common) drawn(name string) bool {
	return slices.ContainsFunc(p.Figures, func(f chart.Figure) bool { return f.Name == name })
}

// nothingToShow lists the pictures without anything to show, and why.
func (p *common) nothingToShow() []block.Block {
	var texts []string
	for _, f := range p.empty {
		texts = append(texts, p.Words.named(f.Title, f.NoData))
	}
	if len(texts) == 0 {
		return nil
	}
	return []block.Block{block.Note{Lead: p.Words.NothingToShow, Texts: texts, Points: true, Muted: true}}
}

// figures returns the pictures that are wanted.
func (p *common) figures(wanted func(chart.Figure) bool) []block.Block {
	var list []block.Block
	for _, f := range p.Figures {
		if wanted(f) {
			list = append(list, p.figure(f))
		}
	}
	return list
}

// small sets the height of deciding pictures; 0 keeps their own.
func small(list []block.Block, height vg.Length) []block.Block {
	for i, b := range list {
		f := b.(block.Figure)
		f.Brief = true
		if height > 0 {
			f.Height = height
		}
		list[i] = f
	}
	return list
}

func (p *common) figure(f chart.Figure) block.Figure {
	b := block.Figure{Figure: f, Range: p.rewards}
	b.Title, b.Subtitle, b.Fonts = prose(f.Title), prose(f.Subtitle), p.letters()
	b.Table.Head, b.Table.Marks = ids(f.Table.Head), slices.Clone(f.Table.Marks)
	for i := range b.Table.Marks {
		b.Table.Marks[i].Cells = ids(b.Table.Marks[i].Cells)
	}
	if f.OnRewards && f.Plot != nil && p.doubted {
		b.Subtitle += p.Words.Signs.Semicolon + p.Words.ByFailed
	}
	if f.Table.Items || f.Table.Filter {
		b.Axis = string(p.Split)
	}
	return b
}

// WriteAudit writes only the page's section on the grader, for a terminal.
func WriteAudit(w io.Writer, p *RunPage) error { return p.writePart(w, "grader") }

// WriteBurst writes only the page's section on the endpoints under load, for a terminal.
func WriteBurst(w io.Writer, p *RunPage) error { return p.writePart(w, "burst") }

// writePart writes the findings and a section.
func (p *RunPage) writePart(w io.Writer, id string) error {
	d := p.frame()
	d.Title = ""
	for _, s := range p.Doc().Rest {
		if (s.ID == "findings" || s.ID == id) && len(s.Blocks) > 0 {
			d.Brief = append(append(d.Brief, block.Heading(strings.ToUpper(s.Title))), s.Blocks...)
		}
	}
	return text.Write(w, d, p.terminal())
}
