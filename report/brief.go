package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"

	"github.com/rivo/uniseg"
)

// Limits of a brief.
const (
	mostToDo     = 3
	mostPictures = 2
	clearly      = 260 // maximum columns of a text, cut after a sentence
)

// brief is the opening of every form of the report: the verdict with its coverage, the reason, the
// first actions, three numbers, and the evidence that decides.
func (p *RunPage) brief(deciding []string) []block.Block {
	w := p.Words
	v := block.Verdict{
		Answer: string(p.Verdict), Tone: verdictTone(p.Verdict), Reason: p.Sentence, Lead: w.Next,
		Next: p.toDo(),
	}
	v.Scope = p.scope()
	if f := p.decider(); f != nil {
		v.Texts = append(v.Texts, sentences(p.Words.say(f.Why)))
		v.Texts = append(v.Texts, p.coverage()+w.Signs.Stop)
	}
	if p.Verdict == analysis.Go && v.Scope != "" {
		v.Tone, v.Unchecked = block.SoFar, p.unchecked()
	}
	list := []block.Block{v}
	if p.pilot != nil {
		list = append(list, p.pilotLine())
	}
	if t := p.tiles(); len(t) > 0 {
		list = append(list, t)
	}
	if p.Split != "" {
		list = append(list, block.Note{Texts: []string{p.about()}, Muted: true})
	}
	if g := p.exhibit(); len(g.Rows) > 0 {
		list = append(list, g)
	}
	for _, name := range deciding {
		i := slices.IndexFunc(p.Figures, func(f chart.Figure) bool { return f.Name == name })
		list = append(list, small([]block.Block{p.figure(p.Figures[i])}, 0)...)
	}
	return list
}

// unchecked names the blocking gates that judged nothing although they could have, after those that
// the verdict rests on if they are few.
func (p *RunPage) unchecked() string {
	const few = 6
	w := p.Words
	passed, all := p.Result.Coverage()
	var names []string
	for _, f := range p.Result.Findings {
		name := p.findingLabel(f)
		if f.Severity == analysis.Blocking && !f.IsMoot() && slices.Contains(all, f.Gate) &&
			!slices.Contains(p.Result.Judged, f.Gate) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	open := w.named(w.NotJudged, w.list(names)) + w.Signs.Stop
	if len(passed) == 0 || len(passed) > few {
		return open
	}
	for i, gate := range passed {
		passed[i] = p.gateLabel(gate)
	}
	return w.named(w.RestsOn, w.list(passed)) + w.Signs.Stop + w.Signs.Space + open
}

// coverage says how many blocking gates passed, and how many were not checked.
func (p *RunPage) coverage() string {
	w := p.Words
	passed, all := p.Result.Coverage()
	s := fmt.Sprintf(w.Passed, message.Whole(len(passed)), w.Lang.Count(len(all), "blocking gate"))
	judged := 0
	for _, gate := range all {
		if slices.Contains(p.Result.Judged, gate) {
			judged++
		}
	}
	if judged == len(all) {
		return s
	}
	return fmt.Sprintf(w.Unjudged, s, message.Whole(len(all)-judged))
}

// verdictTone returns the colour of a verdict.
func verdictTone(v analysis.Verdict) block.Tone {
	switch v {
	case analysis.Go:
		return block.Pass
	case analysis.NoGo:
		return block.Fail
	}
	return block.Unknown
}

// graderFails reports whether the grader failed one of its own gates; its rewards are then marked
// wherever they are shown.
func graderFails(r *analysis.Result) bool {
	return slices.ContainsFunc(r.Findings, func(f analysis.Finding) bool {
		return strings.HasPrefix(f.Gate, "grader.") && f.Severity == analysis.Blocking && f.Status == analysis.Fail
	})
}

// decider returns the finding that the verdict names as its reason, or nil if there is none.
func (p *RunPage) decider() *finding {
	if i := slices.IndexFunc(p.found, func(f finding) bool { return decides(p.Result, f) }); i >= 0 {
		return &p.found[i]
	}
	return nil
}

// onTraining reports whether the verdict is about what training can use. A leak, a broken endpoint
// and a refused file are not.
func (p *RunPage) onTraining() bool {
	f := p.decider()
	if f == nil || p.Verdict != analysis.NoGo {
		return true
	}
	return p.Gates.Named(f.Gate).OnRewards
}

// deciding names the deciding pictures: those of the deciding finding, then, if the verdict is
// about training, those that show what training can use.
func (p *RunPage) deciding() []string {
	var names []string
	if f := p.decider(); f != nil {
		names = slices.Clone(f.Charts)
	}
	if slices.ContainsFunc(p.found, func(f finding) bool {
		return f.Gate == "infra.failures" && (f.tone() == block.Fail || f.tone() == block.Unknown)
	}) {
		names = append(names, "failures")
	}
	if !p.doubted && p.onTraining() {
		names = append(names, "variance", "informative", "best_of_k")
	}
	var out []string
	for _, name := range names {
		if len(out) < mostPictures && p.drawn(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 && p.drawn("failures") && len(p.exhibit().Rows) == 0 {
		out = []string{"failures"}
	}
	return out
}

// graderChanged is the advice if the configuration has another grader than the run.
var graderChanged = message.New("report.grader_changed",
	"The configuration has a different grader from the one that graded this run: {grade} grades the recorded "+
		"answers with it, without new rollouts.")

// toDo lists the first actions, each a command or an edit, by harm: the remedies of the deciding
// finding, then those of other open findings, then the commands that judge the unjudged gates. Those
// of findings that did not fail the run follow the labels of their gates.
func (p *RunPage) toDo() []string {
	var list []string
	about := map[string][]string{} // labels by text
	add := func(text string, labels ...string) {
		if text == "" || len(list) >= mostToDo && !slices.Contains(list, text) {
			return
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
		for _, label := range labels {
			if !slices.Contains(about[text], label) {
				about[text] = append(about[text], label)
			}
		}
	}
	remedy := func(f *finding) {
		text := p.withItems(sentences(p.say(f.Remedy)), f)
		if f.tone() == block.Fail {
			add(text)
		} else {
			add(text, p.gateLabel(f.Gate))
		}
	}
	add(p.afterPilot())
	if p.GraderChanged {
		add(sentences(p.say(graderChanged.With(analysis.Commands))))
	}
	if f := p.decider(); f != nil {
		remedy(f)
	} else {
		p.judge(p.Result.Missing(), add)
		for _, u := range p.Result.Missing() {
			if u.Command == nil {
				add(p.toRequired(u))
			}
		}
	}
	if p.Verdict == analysis.Go { // before cautions: rewards are only as good as their grader
		p.judge(slices.DeleteFunc(slices.Clone(p.Result.NotJudged),
			func(u analysis.Unjudged) bool { return !strings.HasPrefix(u.Gate, "grader.") }), add)
		if slices.ContainsFunc(p.Result.NotJudged, func(u analysis.Unjudged) bool {
			return u.Gate == "grader.truth" && u.Why.ID == "skip.no_reference_tried"
		}) {
			add(p.say(nameReference.Text()))
		}
	}
	var seen []string // a gate has one sentence for all splits
	for _, f := range p.byHarm() {
		if f.open() && !f.unsettled() && (f.tone() == block.Fail || p.Verdict != analysis.NoGo) &&
			!slices.Contains(seen, f.Gate) {
			remedy(f)
			seen = append(seen, f.Gate)
		}
	}
	if p.Verdict != analysis.NoGo {
		p.judge(p.Result.NotJudged, add)
	}
	if next := p.lookAgain(); next != "" { // once the rest is done
		list = append(list[:min(len(list), mostToDo-1)], next)
	}
	for i, text := range list {
		if labels := about[text]; labels != nil {
			list[i] = p.Words.named(p.Words.list(labels), p.Words.Lower(text))
		}
	}
	return list
}

// toRequired says what to do about a required gate that judged nothing and that no command judges.
func (p *RunPage) toRequired(u analysis.Unjudged) string {
	label := p.gateLabel(u.Gate)
	for _, f := range p.found {
		if remedy := p.say(f.Remedy); f.Gate == u.Gate && f.unsettled() && remedy != "" {
			return p.Words.named(label, p.Words.Lower(sentences(remedy)))
		}
	}
	why := p.Words.Lower(unended(p.whyMissing(u)))
	if u.Gate == analysis.Sampling { // required whatever the key says
		return p.Words.named(label, why) + p.Words.Signs.Stop
	}
	return fmt.Sprintf(p.Words.Unrequire, label, why)
}

// nameReference is the advice where an audit knew no right answer, and so tried no wrong one that looks right.
var nameReference = message.New("report.name_reference",
	"If the items have a field with the right answer, name it (audit.reference), and audit again: without it no wrong "+
		"answer that looks right was tried on the grader.")

// lesser are the gates whose cautions say little about whether training works: more data would
// narrow intervals, or a platform advises another phrasing.
var lesser = []string{"data.enough", "eval.power", "tools.tail", "variants.gain", "data.valid"}

// byHarm returns the findings in the order of what to do about them: of equally urgent ones, first
// those about the grader, and last the lesser ones. Among blocking ones, the order of the gates is
// that of harm.
func (p *RunPage) byHarm() []*finding {
	list := make([]*finding, len(p.found))
	for i := range p.found {
		list[i] = &p.found[i]
	}
	harm := func(f *finding) int {
		switch i := slices.Index(lesser, f.Gate); {
		case f.Severity == analysis.Blocking:
			return 0
		case i >= 0:
			return 2 + i
		case strings.HasPrefix(f.Gate, "grader."):
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(harm(a), harm(b)))
	})
	return list
}

// withItems adds two of the items that a finding points at to what to do about it, unless the text
// names one.
func (p *RunPage) withItems(text string, f *finding) string {
	const most = 2
	if text == "" || slices.ContainsFunc(f.Items, func(item string) bool { return names(text, id(item)) }) {
		return text
	}
	items := ids(f.Items[:min(len(f.Items), most)])
	if len(items) == 0 {
		return text
	}
	w := p.Words
	return text + w.Signs.Space + w.named(w.LookAt, w.list(items)) + w.Signs.Stop
}

// names reports whether a text has an id as a word. A number may be any number of the text.
func names(text, id string) bool {
	if _, err := strconv.ParseFloat(id, 64); err == nil {
		return false
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := strings.Index(text, id); id != "" && at >= 0; at = strings.Index(text, id) {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(id):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		text = text[at+len(id):]
	}
	return false
}

// judge adds the commands that would judge gates, if there are any.
func (p *RunPage) judge(gates []analysis.Unjudged, add func(text string, labels ...string)) {
	var commands []string
	labels := map[string][]string{}
	_, all := p.Result.Coverage()
	for _, u := range gates {
		if u.Command == nil || u.Gate != analysis.Sampling && !slices.Contains(all, u.Gate) {
			continue
		}
		command := message.Shell(p.place().At(u.Command)...)
		if !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
		labels[command] = append(labels[command], p.gateLabel(u.Gate))
	}
	for _, command := range commands {
		add(fmt.Sprintf(p.Words.Judges, command, p.Words.list(labels[command])))
	}
}

// sentences returns the beginning of a text in whole sentences.
func sentences(text string) string { return within(text, clearly) }

// within returns the beginning of a text in whole sentences, of at most most columns unless the
// first sentence is longer.
func within(text string, most int) string {
	end, wide := 0, 0
	for i, r := range text {
		next := i + len(string(r))
		wide += uniseg.StringWidth(string(r))
		if (r == '.' || r == '!') && strings.HasPrefix(text[next:], " ") || r == '。' {
			if end > 0 && wide > most {
				break
			}
			end = next
		}
	}
	if wide <= most || end == 0 {
		return clip(text, 2*clearly)
	}
	return clip(text[:end], 2*clearly)
}

// gateLabel returns the label of a gate in a few words, or its name if it has no label.
func (p *RunPage) gateLabel(gate string) string {
	return cmp.Or(p.label(gate), id(gate))
}

// label returns the label of a gate or a part in a few words, or "".
func (p *RunPage) label(name string) string {
	return visible(p.Gates.Named(name).LabelIn(p.Words.Lang))
}

// findingLabel returns the subject of a finding in a few words: its gate, or the gate and the part
// that found it.
func (p *RunPage) findingLabel(f analysis.Finding) string {
	name := p.gateLabel(f.Gate)
	if part := p.label(f.ID); f.ID != f.Gate && part != "" {
		return p.Words.named(name, part)
	}
	return name
}

// tiles are the main numbers; those of a finding that decides by another number have it first, in the
// place of the best of a group.
func (p *RunPage) tiles() block.Tiles {
	f, numbers := p.decider(), mainNumbers(p.Result, p.Words)
	if f == nil || f.Value == nil || p.Gates.Named(f.Gate).Headline {
		return numbers
	}
	label := p.gateLabel(f.Gate)
	if part := p.label(f.ID); part != "" && f.ID != f.Gate { // the number is the part's
		label = p.Words.Capital(part)
	}
	t := block.Tile{Label: label, Known: true}
	if !f.Want.IsEmpty() {
		t.About = p.Words.Want + " " + p.Words.say(f.Want)
	}
	t.Value, t.Interval = measuredParts(f.Finding, p.Words)
	if f.Split != "" {
		t.Label += " · " + visible(string(f.Split))
	}
	list := block.Tiles{t}
	const most = 3
	if len(numbers) < most {
		return append(list, numbers...)
	}
	list = append(list, numbers[0]) // the best of a group makes room
	return append(list, numbers[2:]...)
}

// exhibit is the deciding evidence, if it can be shown in words: an answer that fools the grader
// next to what other answers to the item earn, an answer that the server should have parsed, or how
// rollouts were lost.
func (p *RunPage) exhibit() Grid {
	f := p.decider()
	switch {
	case f == nil:
	case f.Gate == "grader.hackable":
		return p.holed(rollout.Bottom, "")
	case f.Gate == "grader.truth":
		return p.holed(rollout.Top, rollout.ProbeReference)
	case f.Gate == "infra.failures":
		return p.lost(f.Split)
	case f.ID == "rollouts.markup":
		return p.markedAnswer(f.Split)
	case f.Gate == "leakage" && p.Result.Shift != nil:
		return p.leaked(f.Split)
	case f.Gate == "grader.noise" && p.Result.Grader != nil:
		return p.regraded()
	}
	return Grid{}
}

// holed is the worst payload of the audit's probes with an expectation (only of the named probe,
// unless the name is ""), and what a right answer to its item and the model's own answers earn.
func (p *RunPage) holed(expect rollout.Expectation, probe string) Grid {
	w, g := p.Words.Exhibit, Grid{Words: true, Kinds: []block.Kind{block.Text, block.Number, block.Text}}
	if p.Result.Grader == nil {
		return g
	}
	for _, one := range chart.ProbesByUrgency(p.Result.Grader.Probes) {
		if one.Expect != expect || probe != "" && one.Probe != probe || chart.CountHoles(one) == 0 ||
			len(one.Holes) == 0 {
			continue
		}
		h := one.Holes[0]
		g.Title = fmt.Sprintf(w.Title, id(h.Item))
		g.Head = []string{"", w.Reward, w.Answer}
		head, _, _ := excerpt(h.Payload)
		name := w.Worthless
		if one.Expect == rollout.Top {
			name = w.Right
		}
		g.Rows = append(g.Rows, []string{name, message.Digits(h.Reward), quoteAround(head, h.Right, 100)})
		for _, right := range p.Result.Grader.Probes {
			for _, score := range right.Rewards {
				if one.Expect != rollout.Top && right.Expect == rollout.Top && score.Item == h.Item &&
					score.Split == h.Split && score.Reward != nil && len(g.Rows) == 1 {
					text, _, _ := excerpt(h.Right)
					if text != "" {
						text = quote(oneLine(text), 100)
					}
					g.Rows = append(g.Rows, []string{w.Right, message.Digits(*score.Reward), text})
				}
			}
		}
		if s := p.Result.Splits[h.Split]; s != nil {
			for _, it := range s.Classes.Items {
				if it.Item == h.Item && it.Mean != nil {
					g.Rows = append(g.Rows, []string{w.Own, message.Digits(*it.Mean), ""})
				}
			}
		}
		return g
	}
	return g
}

// leaked lists the rows of a split that train has too.
func (p *RunPage) leaked(split rollout.Split) Grid {
	const most = 5
	w := p.Words.Exhibit
	g := Grid{Title: w.Leaked, Words: true, Head: []string{string(split), "", string(rollout.Train)}}
	for _, l := range p.Result.Shift.Leakage {
		known := slices.ContainsFunc(g.Rows, func(row []string) bool { return row[0] == id(l.B) && row[2] == id(l.A) })
		if l.ASplit == rollout.Train && l.BSplit == split && len(g.Rows) < most && !known &&
			w.Leaks[string(l.Kind)] != "" {
			g.Rows = append(g.Rows, []string{id(l.B), w.Leaks[string(l.Kind)], id(l.A)})
		}
	}
	return g
}

// markedAnswer shows an answer with text that the server should have parsed.
func (p *RunPage) markedAnswer(split rollout.Split) Grid {
	w, g := p.Words.Exhibit, Grid{Words: true}
	if s := p.Result.Splits[split]; s != nil && s.Ends.MarkupAnswer != "" {
		g.Title, g.Head = w.Marked, []string{w.Answer}
		g.Rows = [][]string{{quote(oneLine(s.Ends.MarkupAnswer), 280)}}
	}
	return g
}

// regraded lists the rewards that the grader gave to the same outputs again.
func (p *RunPage) regraded() Grid {
	w := p.Words.Exhibit
	g := Grid{Title: w.Again, Words: true, Head: []string{w.Rollout, w.Rewards}}
	for _, r := range p.Result.Grader.Regraded {
		var grades []string
		for _, x := range r.Grades[:min(len(r.Grades), 8)] {
			grades = append(grades, message.Digits(x))
		}
		g.Rows = append(g.Rows, []string{
			fmt.Sprintf(w.Output, id(r.Item), message.Whole(r.Sample)),
			p.Words.list(grades),
		})
	}
	return g
}

// lost lists the most common reasons why rollouts have no reward.
func (p *RunPage) lost(split rollout.Split) Grid {
	const most = 3
	w := p.Words
	g := Grid{
		Title: w.Exhibit.Lost, Words: true, Head: []string{w.RolloutsOf, ""},
		Kinds: []block.Kind{block.Number, block.Text},
	}
	if s := p.Result.Splits[split]; s != nil {
		for _, c := range s.Failures {
			if c.Outcome.Missing() && len(g.Rows) < most { // a failure of the model itself has a grade
				g.Rows = append(g.Rows,
					[]string{message.Whole(c.Count), w.named(visible(string(c.Outcome)), clip(prose(c.Error), 120))})
			}
		}
	}
	return g
}
