package report

import (
	"fmt"
	"strconv"
	"strings"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// ComparisonPage is everything a comparison says, in the order it is said. Its
// texts are safe to show: what stems from data has been made visible.
type ComparisonPage struct {
	Options
	Comparison *compare.Comparison

	Title       string
	Answer      string // the label of the answer
	Sentence    string
	Base        string // the file of rollouts
	New         string
	BaseVerdict string // of the run by itself, in brackets behind its name; "" where not known
	NewVerdict  string
	Differs     []Difference // what the runs were made with differently, what confounds first
	Notes       []string
	Input       []string // what was wrong with the files that were read
	Splits      []ComparedSplit
	Method      []string

	Figures []chart.Figure // of the split that answers

	// BaseLink and NewLink are the ways to the files of rollouts from the
	// directory of the report, relative URLs; "" where there are none.
	BaseLink, NewLink string

	page  *Page         // what it shares with the page of a run
	words *compareWords // in the language of the comparison
}

// Difference is one thing that two runs were made with differently.
type Difference struct {
	Key, Base, New, Note string
	Confounds            bool
}

// ComparedSplit is one split of a comparison.
type ComparedSplit struct {
	Name    rollout.Split
	Heading string // its name and answer
	Answer  string
	Lead    string // why, within a sentence
	Why     string // why, in one sentence
	Facts   []string
	Grids   []Grid
	Moved   []Moved
}

// Moved is an item that changed much.
type Moved struct {
	Item, Change           string
	From, To, Delta, Calls string   // mean reward in base and new, the change, and that of tool calls
	Base, New              []string // rollouts that show it, by line
	BaseCommand            string   // prints those of base whole
	NewCommand             string
}

// NewComparison makes the page of c, in the language of c.
func NewComparison(c *compare.Comparison, opt Options) *ComparisonPage {
	said, shared := message.In(c.Lang, "report.compare", compareEnglish), wordsIn(c.Lang)
	w := &said
	p := &ComparisonPage{
		Options: opt, Comparison: c, words: w, Title: w.Title, Answer: w.Answers[c.Answer], Sentence: prose(c.Sentence.In(c.Lang)),
		Base: visible(c.Base.File), New: visible(c.New.File),
	}
	p.Version = visible(p.Version)
	p.BaseVerdict, p.NewVerdict = verdictOf(c.Base, w), verdictOf(c.New, w)
	for _, d := range c.Differs {
		p.Differs = append(p.Differs, Difference{Key: id(d.Key), Base: setTo(d.Base, c.Lang, w), New: setTo(d.New, c.Lang, w), Note: prose(d.Note.In(c.Lang)), Confounds: d.Confounds})
	}
	for _, note := range c.Notes {
		p.Notes = append(p.Notes, prose(note.In(c.Lang)))
	}
	for _, side := range []struct {
		name  string
		input rollout.Input
	}{{w.Base, c.Base.Input}, {w.New, c.New.Input}} {
		for _, problem := range inputProblems(side.input, shared) {
			p.Input = append(p.Input, w.Signs.named(side.name, problem))
		}
	}
	for _, split := range rollout.Splits() {
		if sc := c.Splits[split]; sc != nil {
			p.Splits = append(p.Splits, newComparedSplit(split, c, sc, w))
		}
	}
	for _, one := range chart.Comparisons() {
		if one.Only == nil || one.Only(c) {
			p.Figures = append(p.Figures, chart.Render(one, c))
		}
	}
	p.page = p.shared(shared)
	p.Method = []string{
		fmt.Sprintf(w.Rule, message.Percent(c.Confidence), message.Digits(c.Tolerance), message.Digits(c.Delta)),
		w.Descriptive,
	}
	return p
}

// verdictOf is a run's own verdict with the gate that decided it.
func verdictOf(r compare.Side, w *compareWords) string {
	switch {
	case r.Verdict == "":
		return ""
	case r.Reason == "":
		return fmt.Sprintf(w.Verdict, visible(string(r.Verdict)))
	}
	return fmt.Sprintf(w.VerdictBy, visible(string(r.Verdict)), id(r.Reason))
}

func setTo(value message.Text, l message.Language, w *compareWords) string {
	if value.None() {
		return w.NotSet
	}
	return id(value.In(l))
}

func newComparedSplit(split rollout.Split, c *compare.Comparison, sc *compare.Split, w *compareWords) ComparedSplit {
	s := ComparedSplit{Name: split, Answer: w.Answers[sc.Answer], Lead: prose(sc.Why.In(c.Lang)), Facts: comparedFacts(sc, c.Lang, w)}
	s.Heading, s.Why = fmt.Sprintf(w.SplitAnswer, split, s.Answer), capital(s.Lead)+w.Signs.Stop
	if sc.Reward.Known() {
		s.Grids = append(s.Grids, differenceGrid(sc, w))
	}
	for _, b := range []struct {
		title string
		of    *compare.Breakdown
	}{{w.Categories, sc.Categories}, {w.Families, sc.Families}} {
		if b.of != nil && len(b.of.Groups) > 0 {
			s.Grids = append(s.Grids, breakdownGrid(b.title, b.of, c.Lang, w))
		}
	}
	if sc.Quadrants != nil {
		s.Grids = append(s.Grids, quadrantGrid(sc.Quadrants, w))
	}
	if len(sc.Outcomes) > 0 {
		s.Grids = append(s.Grids, outcomeGrid(sc, w))
	}
	for _, m := range sc.Moved {
		change := fmt.Sprintf(w.Change, message.Digits(m.Base), message.Digits(m.New), message.Signed(m.Change), message.Whole(m.BaseN), w.Sample.of(m.NewN))
		if m.CallsChange != nil && *m.CallsChange != 0 {
			change += fmt.Sprintf(w.CallsChange, message.Signed(*m.CallsChange))
		}
		s.Moved = append(s.Moved, Moved{
			Item: id(m.Item), Change: change, From: message.Digits(m.Base), To: message.Digits(m.New), Delta: message.Signed(m.Change), Calls: signedOr(m.CallsChange),
			Base: refs(m.BaseRollouts, w), New: refs(m.NewRollouts, w), BaseCommand: printLines(c.Base.File, m.BaseRollouts), NewCommand: printLines(c.New.File, m.NewRollouts),
		})
	}
	return s
}

// refs names rollouts by line, sample and reward.
func refs(list []compare.SampleRef, w *compareWords) []string {
	var out []string
	for _, r := range list {
		line, sample, reward := strconv.Itoa(r.Line), strconv.Itoa(r.Sample), message.Digits(r.Reward)
		if r.Outcome == rollout.Graded {
			out = append(out, fmt.Sprintf(w.Ref, line, sample, reward))
		} else {
			out = append(out, fmt.Sprintf(w.RefOutcome, line, sample, reward, visible(string(r.Outcome))))
		}
	}
	return out
}

// comparedFacts are what the answer rests on.
func comparedFacts(sc *compare.Split, l message.Language, w *compareWords) []string {
	items := fmt.Sprintf(w.Items, w.Item.of(sc.Items.Common))
	if !sc.Paired {
		items = w.Unpaired
	}
	for _, c := range []struct {
		form string
		n    int
	}{{w.OnlyBase, len(sc.Items.OnlyBase)}, {w.OnlyNew, len(sc.Items.OnlyNew)}, {w.Lost, len(sc.Items.Lost)}, {w.Changed, len(sc.Items.Changed)}} {
		if c.n > 0 {
			items += fmt.Sprintf(c.form, message.Whole(c.n))
		}
	}
	facts := []string{items + w.Signs.Stop}
	if r := sc.Reward; r.Known() {
		facts = append(facts, fmt.Sprintf(w.Measured, w.Rollout.of(r.N), prose(r.Method)))
		for _, warning := range r.Warnings {
			facts = append(facts, capital(prose(warning.In(l)))+w.Signs.Stop)
		}
	}
	if checks := checks(sc, w); checks != "" {
		facts = append(facts, checks)
	}
	if e := sc.Equivalence; e.Low != nil && e.High != nil {
		facts = append(facts, fmt.Sprintf(w.OneSided, message.Signed(*e.Low), message.Signed(*e.High), message.Digits(e.Delta)))
	}
	if sc.Reward.MDE != nil {
		text := fmt.Sprintf(w.MDE, message.Digits(*sc.Reward.MDE))
		if sc.SameModel != nil {
			text += fmt.Sprintf(w.SameModel, message.Digits(*sc.SameModel))
		}
		facts = append(facts, text+w.Signs.Stop)
	}
	return facts
}

// checks are the tests beside the interval.
func checks(sc *compare.Split, w *compareWords) string {
	r, parts := sc.Reward, []string{}
	add := func(form string, p *float64) {
		if p != nil {
			parts = append(parts, fmt.Sprintf(form, pEquals(p)))
		}
	}
	if sc.Paired {
		add(w.Flips, r.P)
	} else {
		add(w.Welch, r.P)
	}
	add(w.Wilcoxon, r.Wilcoxon)
	add(w.McNemar, r.McNemar)
	if f := r.Family; f != nil && f.Low != nil {
		parts = append(parts, fmt.Sprintf(w.ByFamily, change(*f)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(w.Checks, strings.Join(parts, w.Signs.Semicolon))
}

// signedOr writes a change with its sign; none is a dash.
func signedOr(x *float64) string {
	if x == nil {
		return "–"
	}
	return message.Signed(*x)
}

// change writes a difference with its interval.
func change(e stat.Estimate) string { return chart.Change(e.Value, e.Low, e.High) }

// printLines is the command that prints rollouts whole.
func printLines(file string, list []compare.SampleRef) string {
	var lines []string
	for _, r := range list {
		if r.Line > 0 {
			lines = append(lines, strconv.Itoa(r.Line)+"p")
		}
	}
	if len(lines) == 0 || file == "" {
		return ""
	}
	return "sed -n '" + strings.Join(lines, ";") + "' " + argument(file)
}

// pEquals writes a p-value with its name.
func pEquals(p *float64) string { return strings.Replace("p = "+pValue(p), "= <", "<", 1) }

// pValue writes a p-value; none is a dash.
func pValue(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.0001:
		return "< 0.0001"
	}
	return message.Digits(*p)
}
