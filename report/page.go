package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/table"
	"gonogo/sampler/rollout"
)

// Options are the settings of a Page, and what its subject does not contain.
type Options struct {
	Name    string    // of the run, for the title; "" uses the Result's own
	Version string    // of the tool; "" uses the Result's own
	Now     time.Time // when the report is made; the zero time is not shown
	Dir     string    // the run directory in commands of the report; "" writes RUN
	Config  string    // the configuration in commands with a changed grader; "" names none

	ConfigFile, GraderFile string // the files of the run's own configuration and grader, for commands that use them

	Pilot *pilot.Result // what the first steps of the training say; nil: no pilot

	Gates  analysis.Gates // that judged the run; nil: gate.All
	Charts []chart.Chart  // the pictures of a run, in order; nil: chart.Charts

	GraderChanged bool // the configuration's grader is not the one that graded the run

	Rollouts Rollouts // for the formats that need them; nil: not available

	// Traces is the file of the rollouts in commands, and TracesLink its relative URL from the
	// report directory; "" if there is none. BaseLink and NewLink are the URLs of a comparison's
	// files.
	Traces, TracesLink string
	BaseLink, NewLink  string
	CompareFlags       []string // that the comparison was made with, for its commands

	// ASCII, Color and Width concern only the text format.
	ASCII bool // only printable ASCII
	Color bool // ANSI colours
	Width int  // columns; 0 means 96, the minimum is 60
	All   bool // also the rest after the brief; of a comparison and a history also in Markdown

	// Paper concerns the PDF, Font also the pictures. Paper is a4 or letter ("" is a4). Font is the
	// file of a font for characters that Latin, Greek and Cyrillic fonts lack ("" searches the
	// usual places, NoFont uses none).
	Paper string
	Font  string
	Full  bool // the PDF has its annex: all pictures, items, thresholds
}

// Page is a report before it is formatted: a RunPage, a ComparisonPage or a HistoryPage.
type Page interface {
	Doc() *block.Doc        // the page in blocks, as every format writes it
	Warnings() []string     // what formats written so far could not show
	PictureWarning() string // what pictures written so far could not show; "" where Warnings says it

	base() *common
}

// common is what the pages have in common. Its texts are safe to show: special characters from
// data have been made visible.
type common struct {
	Options
	Words *words

	Title    string
	Answer   string        // in a word or two: the verdict, or the answer of a comparison or of the newest night
	Sentence string        // the answer's reason in one sentence
	Split    rollout.Split // the split that the headlines are about
	Figures  []chart.Figure
	empty    []chart.Figure // with nothing to show
	tables   bool           // rows of rollouts are among the formats to write

	doc        *block.Doc // made once
	confidence float64
	rewards    [2]float64 // the range
	doubted    bool       // the run's grader failed its audit
	warnings   []string   // what the formats written so far could not show
	fallbacks  fallbacks  // read when needed
}

func (p *common) base() *common { return p }

// RunPage is the page of a run.
type RunPage struct {
	common
	Result *analysis.Result

	Verdict  analysis.Verdict
	Scope    string         // of the verdict: "so far", of how many gates; "" if it is based on everything
	Next     string         // the next action, if the deciding finding has one
	Findings block.Findings // the urgent ones first

	pilot  *pilot.Result                           // Options.Pilot in the page's language
	found  []finding                               // the findings that Findings describes
	survey *table.Survey                           // of the rollouts, once a format has needed them
	traced traces                                  // the survey's rollouts by item
	items  map[rollout.Split][]analysis.ItemResult // in the order of their rows
}

// Fact is a name and its value.
type Fact = block.Fact

// Grid is a small table of text. The first column names the row.
type Grid = block.Grid

// withRecorded returns the gates, followed by recorded gates of other programs: their labels come
// from the result.
func withRecorded(gates, recorded analysis.Gates) analysis.Gates {
	all := slices.Clone(gates)
	for _, g := range recorded {
		if known := gates.Named(g.Name); known.Check == nil && len(known.Parts) == 0 {
			all = append(all, g)
		}
	}
	return all
}

// NewRunPage makes the page of a run's result, in the language of r.
func NewRunPage(r *analysis.Result, opt Options) *RunPage {
	if opt.Gates == nil {
		opt.Gates = gate.All()
	}
	opt.Gates.Declare()
	opt.Gates = withRecorded(opt.Gates, r.Gates)
	p := &RunPage{common: newPage(opt, r.Lang)}
	p.Result, p.Verdict, p.Answer, p.confidence, p.rewards = r, r.Verdict, string(r.Verdict), r.Confidence,
		r.RewardRange
	if p.Name == "" {
		p.Name = r.Run.Name
	}
	if p.Version == "" {
		p.Version = visible(r.Run.ToolVersion)
	}
	p.Name = id(p.Name)
	p.Title = p.Words.Title
	if p.Name != "" {
		p.Title = fmt.Sprintf(p.Words.TitleOf, p.Name)
	}
	p.Split, _, _ = chart.ShownSplit(r)
	p.doubted = graderFails(r)
	p.found = findings(r)
	p.Sentence, p.Next = p.sentence()
	p.Scope = p.scope()
	charts := p.Charts
	if charts == nil {
		charts = chart.Charts()
	}
	p.Figures, p.empty = drawnOf(charts, r)
	if _, _, sampled := chart.ShownSplit(r); !sampled {
		p.empty = nil // all for the same reason
	}
	if opt.Pilot != nil {
		shown := *opt.Pilot
		shown.Lang = r.Lang
		p.pilot = &shown
		drawn, empty := drawnOf(chart.Pilots(), p.pilot)
		p.Figures, p.empty = append(p.Figures, drawn...), append(p.empty, empty...)
	}
	for i := range p.empty { // charts do not know the run's directory
		why := &p.empty[i].NoData
		*why = strings.ReplaceAll(*why, message.Shell(analysis.Commands["audit"].Command...),
			message.Shell(auditCommand(r, opt)...))
	}
	p.items = map[rollout.Split][]analysis.ItemResult{}
	for split, s := range r.Splits {
		p.items[split] = sortedItems(s.Classes.Items)
	}
	p.Findings = p.findingBlocks()
	return p
}

func newPage(opt Options, l message.Language) common {
	opt.Version = visible(opt.Version)
	return common{Options: opt, Words: wordsIn(l)}
}

// drawnOf renders the charts that apply to a subject: those with something to show, and the others.
func drawnOf[R any](charts []chart.Spec[R], subject R) (drawn, empty []chart.Figure) {
	for _, c := range charts {
		if c.Only != nil && !c.Only(subject) {
			continue
		}
		if f := chart.Render(c, subject); f.Plot != nil {
			drawn = append(drawn, f)
		} else {
			empty = append(empty, f)
		}
	}
	return drawn, empty
}

// Doc returns the page in blocks; every format renders these.
func (p *RunPage) Doc() *block.Doc {
	if p.doc == nil {
		p.doc = p.run()
	}
	return p.doc
}

// frame returns the parts that all documents of a run have in common.
func (p *RunPage) frame() *block.Doc {
	d := p.common.frame(block.Verdict{Answer: p.Answer, Scope: p.Scope}.Said())
	d.About = p.subject()
	return d
}

// frame returns the parts that all kinds of reports have in common.
func (p *common) frame(answer string) *block.Doc {
	w := p.Words
	return &block.Doc{
		Words: block.Words{
			Lang: w.Lang, Signs: w.Signs, Quiet: w.Quiet, Value: w.Value, Want: w.Want, Why: w.Why,
			NotJudged: w.NotJudged, NoFindings: w.NoFindings, OtherFacts: w.OtherFacts, AndMore: w.AndMore,
			MoreLines: w.MoreLines,
			CutShort:  w.CutShort, Page: w.Page, Print: w.Print,
		},
		Title: p.Title, Answer: answer, Subject: p.Sentence,
		Version: p.Version, Made: p.Now, Footer: p.footer(),
	}
}
