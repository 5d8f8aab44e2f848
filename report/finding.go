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

// finding is a gate's answer, with the threshold of the advisory finding that it
// stands for as well.
type finding struct {
	analysis.Finding
	caution message.Text
}

// urgency is the order in which findings are shown.
var urgency = []block.Tone{block.Fail, block.Unknown, block.Caution, block.Pass, block.Skipped}

// tone is how a finding is shown: its status, with failing advisory gates set apart as
// cautions.
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

// open reports whether the finding asks something of the reader.
func (f finding) open() bool { return f.tone() != block.Pass && f.tone() != block.Skipped }

// of is another fact of the gate as a finding of its own.
func (f finding) of(x analysis.Fact) finding {
	f.Gate, f.Split, f.Fact, f.Others, f.caution = x.ID, "", x, nil, message.Text{}
	return f
}

// place names the finding's gate and split.
func (f finding) place() string {
	if f.Split == "" {
		return visible(f.Gate)
	}
	return visible(f.Gate) + " · " + visible(string(f.Split))
}

// findings are those of a result: failing first, then unknown, cautions, passed and
// skipped; blocking before advisory, then in list order.
func findings(r *analysis.Result) []finding {
	list := fold(r.Findings)
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(cmp.Compare(slices.Index(urgency, a.tone()), slices.Index(urgency, b.tone())), cmp.Compare(b.Severity, a.Severity))
	})
	return list
}

// findingBlocks words the findings. Commands name the run directory where it is known.
func (p *Page) findingBlocks() block.Findings {
	w := p.Words
	rows := p.rowsOfItems()
	list := make(block.Findings, len(p.found))
	for i, f := range p.found {
		b := block.Finding{
			Tone: f.tone(), Label: w.States[f.tone()], Name: w.gateLabel(f.Gate), Title: p.title(f), Value: measured(f.Finding, w), Want: w.say(f.Want), Line: p.line(f),
			Gate: f.place(), ItemsLabel: w.ItemsToLook, Open: f.open(), Gauge: block.GaugeOf(f.Value, f.Low, f.High, f.Threshold, f.Unit == "share"),
		}
		if f.Split != "" {
			b.Name += " · " + visible(string(f.Split))
		}
		b.Facts = filledFacts(Fact{Name: w.Value, Value: b.Value}, Fact{Name: w.Want, Value: b.Want}, Fact{Name: w.CautionAt, Value: w.say(f.caution)}, Fact{Value: w.Severity[f.Severity]})
		if g, _ := analysis.GateByName(f.Gate); p.doubted && g.OnRewards {
			b.Facts = append(b.Facts, Fact{Value: w.ByFailed})
		}
		b.Texts = filledFacts(Fact{Name: w.Why, Value: w.say(f.Why)}, Fact{Name: w.Remedy, Value: p.say(f.Remedy)})
		for _, fact := range f.Others {
			x := f.of(fact)
			b.Known = append(b.Known, w.named(w.States[x.tone()], p.line(x)))
			if x.open() {
				b.Texts = append(b.Texts, Fact{Name: w.Also, Value: strings.TrimSpace(p.line(x) + w.Signs.Stop + w.Signs.Space + p.say(x.Remedy))})
			}
		}
		for _, name := range f.Charts {
			if p.drawn(name) && b.Picture == "" {
				b.Picture = name
			}
		}
		for _, item := range ids(f.Listed(w.Lang)) {
			b.Items = append(b.Items, p.linked(item, f.Split, rows))
		}
		list[i] = b
	}
	return list
}

// filledFacts are the facts with a value.
func filledFacts(list ...Fact) []Fact {
	return slices.DeleteFunc(list, func(f Fact) bool { return f.Value == "" })
}

// say says a text, whose commands name the run.
func (p *Page) say(t message.Text) string { return p.Words.say(t.At(p.place())) }

// title is what a finding says; its gate where it says nothing.
func (p *Page) title(f finding) string {
	return p.Words.Capital(cmp.Or(p.say(f.Title), visible(f.Gate)))
}

// line is a finding in one line.
func (p *Page) line(f finding) string {
	s := p.Words.named(f.place(), p.Words.Lower(p.title(f)))
	if how := p.measure(f); how != "" {
		s = unended(s) + how
	}
	return s
}

// measure is what was measured and wanted, behind a title.
func (p *Page) measure(f finding) string {
	value, want := measured(f.Finding, p.Words), p.Words.say(f.Want)
	if value == "" || want == "" {
		return ""
	}
	return fmt.Sprintf(p.Words.Measure, value, want)
}

// place is where the run is, for commands.
func (opt Options) place() message.Place { return message.Place{Dir: opt.Dir, Config: opt.Config} }

// fold leaves out each advisory finding that says no more than the blocking
// one of its gate and split, which then shows both thresholds: both passed, or
// the blocking one is open itself. One of another fact, or in another unit, judges
// something else. The other facts of both go together.
func fold(all []analysis.Finding) []finding {
	type place struct {
		gate  string
		split rollout.Split
	}
	blocking := map[place]int{}
	var out []finding
	for _, f := range all {
		if f.Severity == analysis.Blocking {
			blocking[place{f.Gate, f.Split}] = len(out)
			out = append(out, finding{Finding: f})
		}
	}
	for _, f := range all {
		if f.Severity == analysis.Blocking {
			continue
		}
		i, ok := blocking[place{f.Gate, f.Split}]
		if ok && out[i].Status == analysis.Pass && f.Status == analysis.Pass && f.ID != out[i].ID {
			out[i].Others = slices.Concat(out[i].Others, f.Others) // all parts pass
			continue
		}
		if !ok || f.ID != out[i].ID || f.Unit != out[i].Unit || !(out[i].Status == f.Status || open(out[i].Status) && open(f.Status)) {
			out = append(out, finding{Finding: f})
			continue
		}
		out[i].Others = slices.Concat(out[i].Others, f.Others)
		if f.Want.String() != out[i].Want.String() {
			out[i].caution = f.Want
		}
	}
	return out
}

func open(s analysis.Status) bool { return s == analysis.Fail || s == analysis.Unknown }

// units say what was measured.
var units = map[string]message.Def{
	"items": message.New("unit.items", "{n|item}"), "prompts": message.New("unit.prompts", "{n|prompt}"), "rows": message.New("unit.rows", "{n|row}"),
	"problems": message.New("unit.problems", "{n|problem}"), "calls": message.New("unit.calls", "{n|call}"), "values": message.New("unit.values", "{n|value}"),
	"times": message.New("unit.times", "{n|time}"), "tokens": message.New("unit.tokens", "{n|token}"), "seconds": message.New("unit.seconds", "{n|second}"),
	"AUC": message.New("unit.auc", "{n} AUC"), "correlation": message.New("unit.correlation", "{n} correlation"),
}

// measured is the finding's value with its interval and, for what is counted,
// its unit.
func measured(f analysis.Finding, w *words) string {
	value, interval := measuredParts(f, w)
	return strings.TrimSpace(value + " " + interval)
}

// measuredParts are the value and the interval apart; the unit is behind the last.
func measuredParts(f analysis.Finding, w *words) (value, interval string) {
	value, interval = message.Parts(f.Value, f.Low, f.High)
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

// Capital begins a title with a capital letter, in languages that do so.
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

// unended is a title without the sign at its end, for more to follow.
func unended(title string) string { return strings.TrimRight(title, ".:。：") }

// Lower begins a title with a small letter, for the middle of a sentence; a
// word in capitals is left as it is. Only English begins titles otherwise than
// what follows: a name at the beginning of a Chinese one is one.
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
