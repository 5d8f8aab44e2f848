package report

import (
	"fmt"
	"time"

	"gonogo/analysis"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// Options are what a Page says that the Result does not know.
type Options struct {
	Name    string    // of the run, as the title says it; "" takes the Result's own
	Version string    // of the tool; "" takes the Result's own
	Now     time.Time // when the report is made; the zero time is not mentioned
	Dir     string    // the run directory, as commands in the report name it; "" writes RUN
	Config  string    // the configuration that commands with a changed grader name; "" names none

	Charts []chart.Chart // the pictures, in order; nil: chart.Charts

	GraderChanged bool // the configuration's grader is not the one that graded the run

	Rollouts Rollouts // for the formats that need them; nil: they are not at hand

	// Traces is the file of the rollouts as commands name it, and TracesLink the
	// way there from the report directory, a relative URL; "" where there is none.
	Traces, TracesLink string

	// ASCII and Color concern the text format alone.
	ASCII bool // nothing but printable ASCII
	Color bool // ANSI colours
	Width int  // columns; 0 is 96, and 60 the least
	All   bool // the rest behind the brief; of a comparison and a history also in Markdown

	// Paper concerns the PDF, Font the pictures too: a4 or letter ("" is a4),
	// and the file of a font with what Latin, Greek and Cyrillic ones lack (""
	// looks in the usual places, NoFont takes none).
	Paper string
	Font  string
	Full  bool // the PDF has its annex: all pictures, items, thresholds
}

// Page is everything a report says, in the order it is said.
type Page struct {
	Options
	Result *analysis.Result
	Words  *words

	Title    string
	Verdict  analysis.Verdict
	Sentence string // the verdict's reason in one sentence
	Next     string // what to do now, when the deciding finding says so

	Split    rollout.Split  // the split that the headlines speak of
	Findings block.Findings // the urgent ones first
	Figures  []chart.Figure

	found []finding // behind Findings

	warnings []string // what formats written so far could not show

	lettering lettering // read as it is needed

	survey *survey // of the rollouts, once a format has asked for them

	traced map[itemOf][]trace // the same by item

	items map[rollout.Split][]analysis.ItemResult // in the order of their rows
}

// Fact is a name and what it is.
type Fact = block.Fact

// NewPage makes the page of r, in the language of r.
func NewPage(r *analysis.Result, opt Options) *Page {
	p := &Page{Options: opt, Result: r, Words: wordsIn(r.Lang), Verdict: r.Verdict}
	if p.Name == "" {
		p.Name = r.Run.Name
	}
	if p.Version == "" {
		p.Version = r.Run.ToolVersion
	}
	p.Name, p.Version = id(p.Name), visible(p.Version)
	p.Title = p.Words.Title
	if p.Name != "" {
		p.Title = fmt.Sprintf(p.Words.TitleOf, p.Name)
	}
	p.Split, _, _ = chart.Shown(r)
	p.found = findings(r)
	p.Sentence, p.Next = p.sentence()
	charts := p.Charts
	if charts == nil {
		charts = chart.Charts()
	}
	for _, c := range charts {
		if c.Only != nil && !c.Only(r) {
			continue
		}
		p.Figures = append(p.Figures, chart.Render(c, r))
	}
	p.items = map[rollout.Split][]analysis.ItemResult{}
	for split, s := range r.Splits {
		p.items[split] = sortedItems(s.Classes.Items)
	}
	p.Findings = p.findingBlocks()
	return p
}
