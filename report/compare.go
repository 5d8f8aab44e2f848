package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// ComparisonPage is the page of a comparison.
type ComparisonPage struct {
	common
	c *compare.Comparison
	w *compareWords // in the comparison's language
}

// NewComparisonPage makes the page of c, in the language of c.
func NewComparisonPage(c *compare.Comparison, opt Options) *ComparisonPage {
	w := message.In(c.Lang, "report.compare", compareEnglish)
	if c.TwoGraders {
		w = w.forGraders()
	}
	p := &ComparisonPage{common: newPage(opt, c.Lang), c: c, w: &w}
	p.confidence, p.rewards = c.Confidence, c.RewardRange
	p.Title, p.Answer, p.Sentence = w.Title, w.Answers[c.Answer], p.Words.say(c.Sentence)
	p.Split, _, _ = chart.ComparedSplit(c)
	p.Figures, p.empty = drawnOf(chart.Comparisons(), c)
	return p
}

// Doc returns the page in blocks, as every format writes it.
func (x *ComparisonPage) Doc() *block.Doc {
	if x.doc == nil {
		x.doc = x.compared()
	}
	return x.doc
}

func (x *ComparisonPage) compared() *block.Doc {
	c, w, d := x.c, x.w, x.frame(x.Answer)
	base, new := x.files()
	d.Words.Rest = fmt.Sprintf(w.Rest, nameOf(c.Base.File), x.newAndFlags())
	d.Words.Evidence = x.afterKeeping(fmt.Sprintf(w.Evidence, nameOf(base), nameOf(new)))
	d.About = x.models(c.Base.Model, c.New.Model)
	d.Head, d.Foot = []string{x.Title}, []string{w.Base + " " + visible(c.Base.File), w.New + " " + visible(c.New.File)}
	d.Brief = []block.Block{block.Facts{Rows: x.runs()}}
	if first := x.readFirst(); len(first) > 0 {
		d.Brief = append(d.Brief, block.Note{Lead: w.Notes, Texts: first, Points: true, Tone: block.Caution})
	}
	_, sc, ok := chart.ComparedSplit(c)
	hacked := ok && slices.ContainsFunc(sc.Hacks, func(h analysis.Difference) bool { return h.Direction == "up" })
	marks := func(f chart.Figure) bool { return hacked && f.Plot != nil && f.Name == "hacks" }
	d.Brief = append(d.Brief, small(x.figures(marks), 0)...)
	d.Brief = append(d.Brief, block.Verdict{
		Answer: x.Answer, Tone: verdictTone(like(c)), Reason: x.Sentence,
		Lead: x.Words.Next, Next: x.toDo(),
	}, x.numbers())
	if x.Split != "" {
		d.Brief = append(d.Brief, block.Note{Texts: []string{x.about()}, Muted: true})
	}
	decides := func(f chart.Figure) bool {
		return f.Plot != nil && slices.Contains([]string{"quadrants", "paired_differences"}, f.Name)
	}
	d.Brief = append(d.Brief, small(x.figures(decides), 0)...)
	d.Rest = append(d.Rest, block.Section{ID: "behind", Title: w.OtherAnswers, Blocks: filled(x.behindGrid())})
	for _, split := range x.splits() {
		d.Rest = append(d.Rest,
			block.Section{
				ID:     "split-" + string(split),
				Title:  fmt.Sprintf(w.SplitAnswer, split, w.Answers[c.Splits[split].Answer]),
				Blocks: x.splitBlocks(split),
			})
	}
	d.Rest = append(d.Rest,
		block.Section{
			ID: "pictures", Title: x.Words.Pictures, Depth: block.Folded,
			Blocks: append(x.figures(func(f chart.Figure) bool { return !decides(f) && !marks(f) }), x.nothingToShow()...),
		},
		block.Section{ID: "items", Title: w.AllItems, Depth: block.Annex, Blocks: x.itemBlocks()},
		block.Section{ID: "differs", Title: w.Differs, Depth: block.Folded, Blocks: filled(x.differGrid())},
		block.Section{ID: "input", Title: w.Input, Depth: block.Folded, Blocks: points(x.input())},
		block.Section{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: points([]string{
			fmt.Sprintf(w.Rule, message.Percent(c.Confidence), message.Digits(c.Tolerance),
				message.Percent(compare.MostRise), message.Digits(c.Delta)), w.Descriptive,
		})},
	)
	return d
}

// splits lists the splits that were compared, in order.
func (x *ComparisonPage) splits() []rollout.Split {
	return slices.DeleteFunc(rollout.Splits(), func(s rollout.Split) bool { return x.c.Splits[s] == nil })
}

// input lists the problems of the files of both runs.
func (x *ComparisonPage) input() []string {
	var list []string
	for _, side := range []struct {
		name  string
		input rollout.Input
	}{{x.w.Base, x.c.Base.Input}, {x.w.New, x.c.New.Input}} {
		for _, problem := range inputProblems(side.input, x.Words) {
			list = append(list, x.Words.named(side.name, problem))
		}
	}
	return list
}

// toDo names what to look at first: the item that dropped most, or, if none did and the reward
// rose, the item that rose most.
func (x *ComparisonPage) toDo() []string {
	if x.c.Split == nil || x.c.Splits[*x.c.Split] == nil || like(x.c) == analysis.Go && x.c.Answer != compare.Improved {
		return nil
	}
	base, new := x.files()
	for _, rise := range []bool{false, x.c.Answer == compare.Improved} {
		for _, m := range x.c.Splits[*x.c.Split].Moved {
			if m.Change < 0 || rise {
				return []string{x.afterKeeping(fmt.Sprintf(x.w.ReadDrop, id(m.Item), message.Signed(m.Change), nameOf(base),
					nameOf(new)))}
			}
		}
	}
	return nil
}

// keptIn is the directory that a page suggests for the rollouts of logs.
const keptIn = "compared"

// files returns where the rollouts of both sides are. Those of a log are where a report would keep
// them.
func (x *ComparisonPage) files() (base, new string) {
	place := func(s compare.Side, name string) string {
		if s.Log {
			return filepath.Join(keptIn, name, rollout.RolloutsFile)
		}
		return s.File
	}
	return place(x.c.Base, "base"), place(x.c.New, "new")
}

// afterKeeping puts before a text that names files the command that makes them, if they are of logs.
func (x *ComparisonPage) afterKeeping(text string) string {
	if !x.c.Base.Log && !x.c.New.Log {
		return text
	}
	return fmt.Sprintf(x.w.Keep, nameOf(x.c.Base.File), x.newAndFlags(), keptIn, text)
}

// newAndFlags returns the end of the command that makes this comparison: its new side and its flags.
func (x *ComparisonPage) newAndFlags() string {
	return strings.TrimSpace(nameOf(x.c.New.File) + " " + message.Shell(x.CompareFlags...))
}

// why gives the reason for a split's answer, in one sentence.
func (x *ComparisonPage) why(sc *compare.Split) string {
	return capital(x.Words.say(sc.Why)) + x.w.Signs.Stop
}

// splitBlocks describe a split: the answer's reason if it differs from the report's, what it is
// based on, and tables, those after the first two folded.
func (x *ComparisonPage) splitBlocks(split rollout.Split) []block.Block {
	sc, w := x.c.Splits[split], x.w
	var list []block.Block
	if x.c.Split == nil || *x.c.Split != split {
		list = append(list, block.Note{Texts: []string{x.why(sc)}})
	}
	list = append(list, points(x.facts(sc))...)
	grids := filled(x.differenceGrid(sc), x.errorGrid(sc), x.breakdownGrid(w.Categories, sc.Categories),
		x.breakdownGrid(w.Families, sc.Families), x.quadrantGrid(sc.Quadrants), x.outcomeGrid(sc))
	for i, b := range grids {
		g := b.(Grid)
		if g.Most = cmp.Or(g.Most, 12); i < 2 {
			list = append(list, g)
			continue
		}
		title := g.Title
		g.Title = ""
		list = append(list, block.Fold{Summary: title, Blocks: []block.Block{g}})
	}
	return append(list, filled(x.movedGrid(sc))...)
}

// facts list what a split's answer is based on.
func (x *ComparisonPage) facts(sc *compare.Split) []string {
	w := x.w
	items := fmt.Sprintf(w.Items, x.Words.Lang.Count(sc.Items.Common, "item"))
	if !sc.Paired {
		items = w.Unpaired
	}
	for _, c := range []struct {
		form string
		n    int
	}{
		{w.OnlyBase, len(sc.Items.OnlyBase)},
		{w.OnlyNew, len(sc.Items.OnlyNew)},
		{w.Lost, len(sc.Items.Lost)},
		{w.Changed, len(sc.Items.Changed)},
	} {
		if c.n > 0 {
			items += fmt.Sprintf(c.form, message.Whole(c.n))
		}
	}
	facts := []string{items + w.Signs.Stop}
	if r := sc.Reward; r.Known() {
		facts = append(facts, fmt.Sprintf(w.Measured, x.Words.Lang.Count(r.N, "rollout"), prose(r.Method)))
		for _, warning := range r.Warnings {
			facts = append(facts, capital(x.Words.say(warning))+w.Signs.Stop)
		}
	}
	if g := sc.Graders; g != nil {
		share := message.IntervalIn(message.UnitShare, g.Differ.Value, g.Differ.Low, g.Differ.High)
		facts = append(facts, fmt.Sprintf(w.Graders.Differ, share,
			x.Words.Lang.Count(g.Differ.N, "output")))
	}
	if checks := checks(sc, w); checks != "" {
		facts = append(facts, checks)
	}
	if e := sc.Equivalence; e.Low != nil && e.High != nil {
		facts = append(facts, fmt.Sprintf(w.OneSided, message.Signed(*e.Low), message.Signed(*e.High),
			message.Digits(e.Delta)))
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

// checks list the tests in addition to the interval.
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
		parts = append(parts, fmt.Sprintf(w.ByFamily, change("", *f)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(w.Checks, strings.Join(parts, w.Signs.Semicolon))
}

// like returns the verdict whose colours an answer gets. "Better" or "no worse" from a grader that
// cannot be trusted is not green.
func like(c *compare.Comparison) analysis.Verdict {
	switch a := c.Answer; {
	case a.ExitCode() == analysis.NoGo.ExitCode():
		return analysis.NoGo
	case len(c.UntrustedGates()) > 0:
		return analysis.Undecided
	case a == compare.Improved, a == compare.Equivalent, a == compare.NoFall:
		return analysis.Go
	}
	return analysis.Undecided
}

// tileOrder lists candidates for the two numbers next to the reward if too little else has
// certainly changed: the first known ones are taken.
var tileOrder = []string{
	"tool_calls", "latency", "output_tokens", "input_tokens", "best_of", "pass_rate",
	"own_failures",
}

// inDetail lists quantities that repeat what the reward, the tool calls or the seconds show.
var inDetail = []string{
	"best_of", "informative", "pass_rate", compare.CallsOfTool, compare.ToolPair,
	"tool_calls_p50", "tool_calls_p95", "tool_calls_p99", "turns_p95", "latency_p50", "latency_p95",
}

// numbers are the differences of the page's split: that of the reward, then the two largest that
// are certain; or, of two graders, the share of groups that differ and their agreement.
func (x *ComparisonPage) numbers() block.Tiles {
	w := x.w
	_, sc, ok := chart.ComparedSplit(x.c)
	if !ok {
		sc = &compare.Split{Reward: analysis.Difference{Name: "reward"}}
	}
	var shown []analysis.Difference
	for _, d := range sc.Others {
		if d.Known() && slices.Contains([]string{"better", "worse", "changed"}, d.Change) &&
			!slices.Contains(inDetail, d.Name) {
			shown = append(shown, d)
		}
	}
	slices.SortStableFunc(shown, func(a, b analysis.Difference) int { return cmp.Compare(b.Size(), a.Size()) })
	for _, name := range tileOrder {
		for _, d := range sc.Others {
			if d.Name == name && d.Known() &&
				!slices.ContainsFunc(shown, func(s analysis.Difference) bool { return s.Name == name }) {
				shown = append(shown, d)
			}
		}
	}
	list := block.Tiles{x.tile(sc.Reward)}
	if g := sc.Graders; g != nil {
		name := w.Graders.Spearman
		if g.YesNo {
			name = w.Graders.Kappa
		}
		if i := slices.IndexFunc(sc.Others, func(d analysis.Difference) bool { return d.Name == "informative" }); i >= 0 {
			list = append(list, x.tile(sc.Others[i]))
		}
		return append(list, tile(name, w.Graders.AgreementDoc, "", g.Agreement, x.Words))
	}
	for _, d := range shown[:min(2, len(shown))] {
		list = append(list, x.tile(d))
	}
	return list
}

func (x *ComparisonPage) tile(d analysis.Difference) block.Tile {
	w := x.w
	doc := w.NoneCompared
	if d.Known() {
		doc = fmt.Sprintf(w.BaseNew, message.DigitsIn(d.Unit, d.Base), message.DigitsIn(d.Unit, d.New))
	}
	h := tile(fmt.Sprintf(w.Tile, capital(quantity(d, w))), doc, "", d.Estimate, x.Words)
	if h.Known {
		h.Value, h.Interval, _ = strings.Cut(message.DifferenceIn(d.Unit, d.Value, d.Low, d.High), " ")
	}
	return h
}

// quantity returns the name of a difference's quantity.
func quantity(d analysis.Difference, w *compareWords) string {
	name := w.Quantities[d.Name]
	switch {
	case d.K > 0:
		name = fmt.Sprintf(name, message.Whole(d.K))
	case d.Of != "":
		name = fmt.Sprintf(name, id(d.Of))
	}
	return name
}

// readFirst lists what a reader has to know before the answer: how the setups of the runs differ,
// the likeliest causes of a change, and notes.
func (x *ComparisonPage) readFirst() []string {
	const most = 3 // of each: the answer comes after them
	var differs, notes []string
	for _, d := range x.c.Differs {
		if d.Key == "model.name" && x.c.Base.Model != "" && x.c.New.Model != "" {
			continue // the first lines name both
		}
		if x.c.TwoGraders && (d.What == "grader" || d.What == "job") {
			continue // these are compared
		}
		line := fmt.Sprintf(x.w.DifferLine, id(d.Key), x.setTo(d.Base), x.setTo(d.New))
		if note := x.Words.say(d.Note); note != "" {
			line += fmt.Sprintf(x.w.DifferNote, note)
		}
		if d.Confounds {
			line = x.Words.named(line, x.w.Confounds)
		}
		differs = append(differs, line)
	}
	for _, note := range x.c.Notes {
		notes = append(notes, x.Words.say(note))
	}
	cut := func(list []string) []string {
		if len(list) <= most {
			return list
		}
		return append(list[:most-1:most-1], fmt.Sprintf(x.w.FurtherFirst, message.Whole(len(list)-most+1)))
	}
	return append(cut(differs), cut(notes)...)
}

// nameOf returns the name of a run in a command: its directory, or its file of rollouts.
func nameOf(file string) string {
	if filepath.Base(file) == rollout.RolloutsFile {
		file = filepath.Dir(file)
	}
	return message.Shell(file)
}

// differGrid lists the differences between the runs' setups, confounding ones first.
func (x *ComparisonPage) differGrid() Grid {
	g := Grid{Words: true, Head: x.w.DifferHead}
	for _, d := range x.c.Differs {
		note := x.Words.say(d.Note)
		if d.Confounds {
			note = strings.TrimPrefix(note+x.w.Signs.Semicolon+x.w.Confounds, x.w.Signs.Semicolon)
		}
		g.Rows = append(g.Rows, []string{id(d.Key), x.setTo(d.Base), x.setTo(d.New), note})
	}
	return g
}

func (x *ComparisonPage) setTo(value message.Text) string {
	if value.IsEmpty() {
		return x.w.NotSet
	}
	return id(value.In(x.c.Lang))
}

// runs names both runs: by file, own name and model, with the verdict on each.
func (x *ComparisonPage) runs() []Fact {
	w := x.w
	run := func(r compare.Side) string {
		s := visible(r.File)
		for _, more := range []string{r.Name, r.Model} {
			if more != "" {
				s += w.Signs.List + id(more)
			}
		}
		if x.c.TwoGraders && r.Grader != "" {
			s += fmt.Sprintf(w.Graders.By, id(r.Grader))
		}
		switch {
		case r.Verdict == "":
			return s
		case r.Reason == "":
			return s + fmt.Sprintf(w.Verdict, visible(string(r.Verdict)))
		}
		return s + fmt.Sprintf(w.VerdictBy, visible(string(r.Verdict)), id(r.Reason))
	}
	return []Fact{
		{Name: w.Base, Value: run(x.c.Base), Link: x.BaseLink},
		{Name: w.New, Value: run(x.c.New), Link: x.NewLink},
	}
}

// signedOr formats a change with its sign; nil becomes a dash.
func signedOr(x *float64) string {
	if x == nil {
		return "–"
	}
	return message.Signed(*x)
}

// change formats a difference in a unit with its interval.
func change(unit string, e stat.Estimate) string {
	return message.DifferenceIn(unit, e.Value, e.Low, e.High)
}

// printLines returns the command that prints rollouts in full.
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
	return "sed -n '" + strings.Join(lines, ";") + "' " + message.Shell(file)
}

// pEquals formats a p-value with its name.
func pEquals(p *float64) string { return strings.Replace("p = "+pValue(p), "= <", "<", 1) }

// pValue formats a p-value; nil becomes a dash.
func pValue(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.0001:
		return "< 0.0001"
	}
	return message.Digits(*p)
}
