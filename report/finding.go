package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// finding is a gate's answer on a split: the deciding finding, the threshold of the advisory
// finding merged into it, and the gate's other findings.
type finding struct {
	analysis.Finding
	caution message.Text
	others  []finding
	apart   bool // a part that had nothing to judge, although others of its gate had
}

// urgency is the order in which findings are shown.
var urgency = []block.Tone{block.Fail, block.Unknown, block.Caution, block.Pass, block.Skipped}

// tone returns the colour of a finding: its status, with failing advisory gates as cautions.
func (f finding) tone() block.Tone {
	switch f.Status {
	case analysis.Pass:
		return block.Pass
	case analysis.Skipped:
		return block.Skipped
	case analysis.Fail:
		if f.Severity == analysis.Advisory {
			return block.Caution
		}
		return block.Fail
	}
	return block.Unknown
}

// unsettled reports whether the finding is an undecided advisory one; nothing waits for it.
func (f finding) unsettled() bool {
	return f.Severity == analysis.Advisory && f.Status == analysis.Unknown
}

// open reports whether the finding needs the reader's attention.
func (f finding) open() bool { return f.tone() != block.Pass && f.tone() != block.Skipped }

// facts returns a finding's other facts as findings of their own.
func facts(f analysis.Finding) []finding {
	var list []finding
	for _, x := range f.Others {
		if x.IsMoot() {
			continue
		}
		list = append(list, finding{Finding: analysis.Finding{Gate: x.ID, Severity: f.Severity, Fact: x}})
	}
	return list
}

// place names the finding's gate and split.
func (f finding) place() string {
	name := visible(f.Gate)
	if f.apart {
		name = visible(f.ID)
	}
	if f.Split == "" {
		return name
	}
	return name + " · " + visible(string(f.Split))
}

// findings lists the findings of a result: failing first, then unknown, cautions, advisory unknown,
// passed and skipped; blocking before advisory, then in list order. Findings that do not apply to
// the run are left out.
func findings(r *analysis.Result) []finding {
	list := fold(slices.DeleteFunc(slices.Clone(r.Findings), func(f analysis.Finding) bool { return f.IsMoot() }))
	slices.SortStableFunc(list, byUrgency)
	return list
}

// findingBlocks describe the findings. Commands name the run directory if it is known.
func (p *RunPage) findingBlocks() block.Findings {
	w := p.Words
	rows := p.rowsOfItems()
	list := make(block.Findings, len(p.found))
	for i, f := range p.found {
		b := block.Finding{
			Tone: f.tone(), Label: w.States[f.tone()], Name: p.findingLabel(f.Finding), Title: p.title(f),
			Value: measured(f.Finding, w), Want: w.say(f.Want), Line: p.line(f),
			Gate: f.place(), ItemsLabel: w.ItemsToLook, Open: f.open(),
			Gauge: block.GaugeOf(f.Value, f.Low, f.High, f.Threshold, f.Unit == "share"),
		}
		if f.Split != "" {
			b.Name += " · " + visible(string(f.Split))
		}
		if b.Value == "" && f.Status == analysis.Pass && len(f.others) > 0 {
			b.Value = w.Lang.Count(len(f.others), "check")
		}
		b.Rule = p.rule(f)
		b.Facts = filledFacts(Fact{Name: w.Value, Value: b.Value}, Fact{Name: w.Want, Value: b.Want},
			Fact{Name: w.CautionAt, Value: w.say(f.caution)}, Fact{Value: w.Severity[f.Severity]}, Fact{Value: b.Rule})
		if p.doubted && p.Gates.Named(f.Gate).OnRewards {
			b.Facts = append(b.Facts, Fact{Value: w.ByFailed})
		}
		b.Texts = filledFacts(Fact{Name: w.Why, Value: w.say(f.Why)}, Fact{Name: w.Remedy, Value: p.say(f.Remedy)})
		listed := f.Listed(w.Lang)
		for _, x := range f.others {
			if !x.open() {
				b.Known = append(b.Known, w.named(w.States[x.tone()], p.line(x)))
				continue
			}
			b.Texts = append(b.Texts,
				Fact{
					Name:  w.Also,
					Value: strings.TrimSpace(p.line(x) + w.Signs.Stop + w.Signs.Space + p.say(x.Remedy)),
				})
			listed = append(listed[:len(listed):len(listed)], x.Listed(w.Lang)...)
		}
		for _, name := range f.Charts {
			if p.drawn(name) && b.Picture == "" {
				b.Picture = name
			}
		}
		for _, item := range ids(slices.Compact(listed)) {
			b.Items = append(b.Items, p.linked(item, f.Split, rows))
		}
		list[i] = b
	}
	return list
}

// rule explains which rule decides a finding if its interval suggests another answer, or which
// other interval it uses.
func (p *RunPage) rule(f finding) string {
	across := f.Threshold != nil && f.Low != nil && f.High != nil && *f.Low < *f.Threshold && *f.Threshold < *f.High
	switch {
	case across && f.Status == analysis.Pass:
		return p.Words.BySeen
	case across && f.Status == analysis.Unknown:
		return p.Words.BothSides
	case f.Gate == "baseline.headroom" && f.Split == p.Split && p.narrowed():
		return p.Words.OfFile
	}
	return ""
}

// filledFacts returns the facts that have a value.
func filledFacts(list ...Fact) []Fact {
	return slices.DeleteFunc(list, func(f Fact) bool { return f.Value == "" })
}

// say formats a text; its commands name the run.
func (p *RunPage) say(t message.Text) string { return p.Words.say(t.At(p.place())) }

// title returns a finding's title, or its gate if it has none.
func (p *RunPage) title(f finding) string {
	return p.Words.Capital(cmp.Or(p.say(f.Title), visible(f.Gate)))
}

// line describes a finding in one line.
func (p *RunPage) line(f finding) string {
	s := p.Words.named(f.place(), p.Words.Lower(p.title(f)))
	if how := p.measure(f); how != "" {
		s = unended(s) + how
	}
	return s
}

// measure returns the measured and the wanted value, to follow a title.
func (p *RunPage) measure(f finding) string {
	value, want := measured(f.Finding, p.Words), p.Words.say(f.Want)
	if value == "" || want == "" {
		return ""
	}
	return fmt.Sprintf(p.Words.Measure, value, want)
}

// place describes the run for commands.
func (opt Options) place() message.Place {
	return message.Place{Dir: opt.Dir, Config: opt.Config, ConfigFile: opt.ConfigFile, GraderFile: opt.GraderFile}
}

// fold merges the findings of a gate on a split into one: the most urgent decides, and an advisory
// one about the same fact adds only its threshold. A blocking part that had nothing to judge stays
// separate: it counts as not checked.
func fold(all []analysis.Finding) []finding {
	type place struct {
		gate  string
		split rollout.Split
		apart bool
	}
	judged := map[string]bool{} // whether a gate judged anything
	for _, f := range all {
		judged[f.Gate] = judged[f.Gate] || f.Status != analysis.Skipped
	}
	var order []place
	byPlace := map[place][]finding{}
	for _, f := range all {
		skipped := f.Status == analysis.Skipped && judged[f.Gate]
		if skipped && f.Severity == analysis.Advisory {
			continue // another of the gate's findings says what could be judged
		}
		p := place{f.Gate, f.Split, skipped}
		if !judged[f.Gate] {
			p.split = "" // one row covers all splits
		}
		if byPlace[p] == nil {
			order = append(order, p)
		}
		byPlace[p] = append(byPlace[p], finding{Finding: f})
	}
	out := make([]finding, len(order))
	for i, p := range order {
		out[i] = one(byPlace[p])
		out[i].apart = p.apart
	}
	return out
}

// one merges several findings of a gate on a split.
func one(list []finding) finding {
	slices.SortStableFunc(list, byUrgency)
	lead := list[0]
	lead.others = facts(lead.Finding)
	for _, f := range list[1:] {
		same := f.ID == lead.ID && f.Unit == lead.Unit &&
			(f.Status == lead.Status || open(f.Status) && open(lead.Status))
		switch {
		case !same:
			lead.others = append(lead.others, f)
		case f.Want.String() != lead.Want.String():
			lead.caution = f.Want
		}
		for _, x := range facts(f.Finding) {
			if !slices.ContainsFunc(lead.others, func(o finding) bool { return o.ID == x.ID && o.Status == x.Status }) {
				lead.others = append(lead.others, x)
			}
		}
	}
	return lead
}

// byUrgency orders findings, the most urgent first.
func byUrgency(a, b finding) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Severity, a.Severity))
}

// rank returns the finding's position in urgency; advisory unknown ones follow the cautions.
func (f finding) rank() int {
	if f.unsettled() {
		return 2*slices.Index(urgency, block.Caution) + 1
	}
	return 2 * slices.Index(urgency, f.tone())
}

func open(s analysis.Status) bool { return s == analysis.Fail || s == analysis.Unknown }

// units are the names of what is counted.
var units = map[string]message.Def{
	"items": message.New("unit.items", "{n|item}"), "prompts": message.New("unit.prompts", "{n|prompt}"),
	"rows":     message.New("unit.rows", "{n|row}"),
	"problems": message.New("unit.problems", "{n|problem}"), "calls": message.New("unit.calls", "{n|call}"),
	"values": message.New("unit.values", "{n|value}"),
	"times":  message.New("unit.times", "{n|time}"), "tokens": message.New("unit.tokens", "{n|token}"),
	"seconds": message.New("unit.seconds", "{n|second}"),
	"AUC":     message.New("unit.auc", "{n} AUC"), "correlation": message.New("unit.correlation", "{n} correlation"),
}

// measured returns the finding's value with its interval and, for counts, its unit.
func measured(f analysis.Finding, w *words) string {
	value, interval := measuredParts(f, w)
	return strings.TrimSpace(value + " " + interval)
}

// measuredParts returns the value and the interval separately; the unit follows the last of them.
func measuredParts(f analysis.Finding, w *words) (value, interval string) {
	value, interval = message.PartsIn(f.Unit, f.Value, f.Low, f.High)
	last := &interval
	if interval == "" {
		last = &value
	}
	if form, ok := units[f.Unit]; ok && *last != "" {
		*last = form.In(w.Lang, message.Args{"n": message.Name(*last)})
	} else if *last != "" && f.Unit != "" && f.Unit != "reward" && f.Unit != "share" {
		*last += " " + prose(f.Unit)
	}
	return value, interval
}

// Capital capitalizes the first letter of a title, in languages that do so.
func (w *words) Capital(s string) string {
	if w.Lang == english.Lang {
		return capital(s)
	}
	return s
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// unended removes the punctuation at the end of a title, for more text to follow.
func unended(title string) string { return strings.TrimRight(title, ".:。：") }

// Lower makes the first letter of a title small, for the middle of a sentence; a word in capitals
// is kept. This applies only to English: a name at the beginning of a Chinese title stays as it is.
func (w *words) Lower(s string) string {
	if w.Lang == english.Lang {
		return lower(s)
	}
	return s
}

func lower(s string) string {
	r := []rune(s)
	if len(r) > 1 && unicode.IsUpper(r[1]) || len(r) == 0 {
		return s
	}
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
