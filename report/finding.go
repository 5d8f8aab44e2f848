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
	"gonogo/sampler/rollout"
)

// State is how a finding is shown: its status, with failing advisory gates set
// apart as cautions.
type State int

// The states, in the order they are shown.
const (
	Failing State = iota
	Unsettled
	Caution
	Passing
	Skipped
)

// String names the state for styles and machines.
func (s State) String() string {
	return [...]string{"fail", "unknown", "caution", "pass", "skipped"}[s]
}

// Finding is a gate's answer, worded.
type Finding struct {
	Gate     string
	Split    string // "" when it concerns the whole run
	State    State
	Label    string // of the state
	Severity string
	Title    string
	Measured string // "0.42 [0.36, 0.49]"; "" when nothing was measured
	Want     string
	Caution  string // the threshold under which it would be a caution
	Why      string
	Remedy   string
	Items    []string
	Charts   []string  // that show what the gate judges
	Others   []Finding // the other facts of the gate: title, measure and state
}

// also lists the other facts that ask something of the reader, each with what to do.
func (f Finding) also(w *words) []string {
	var list []string
	for _, x := range f.Others {
		if x.Open() {
			list = append(list, strings.TrimSpace(x.brief(w)+w.Signs.Stop+w.Signs.Space+x.Remedy))
		}
	}
	return list
}

// others lists the other facts, in a line each, those too that had nothing to judge.
func (f Finding) others(w *words) []string {
	var list []string
	for _, x := range f.Others {
		list = append(list, w.named(x.Label, x.brief(w)))
	}
	return list
}

// Open reports whether the finding asks something of the reader.
func (f Finding) Open() bool { return f.State <= Caution }

// findings words the findings: failing first, then unknown, cautions, passed
// and skipped; blocking before advisory, then in list order.
// Commands name the run directory where it is known.
func findings(r *analysis.Result, opt Options, w *words) []Finding {
	list := fold(r.Findings)
	slices.SortStableFunc(list, func(a, b folded) int {
		return cmp.Or(cmp.Compare(state(a.Finding), state(b.Finding)), cmp.Compare(rank(a.Severity), rank(b.Severity)))
	})
	out := make([]Finding, len(list))
	for i, f := range list {
		s := state(f.Finding)
		out[i] = Finding{
			Gate: visible(f.Gate), Split: visible(string(f.Split)), State: s, Label: w.States[s], Severity: w.Severity[f.Severity],
			Title: opt.inRun(prose(f.Title.In(r.Lang))), Measured: measured(f.Finding, w), Want: prose(f.Want.In(r.Lang)), Caution: prose(f.caution.In(r.Lang)),
			Why: prose(f.Why.In(r.Lang)), Remedy: opt.inRun(prose(f.Remedy.In(r.Lang))), Items: ids(f.Listed(r.Lang)), Charts: f.Charts,
		}
		for _, x := range f.Others {
			out[i].Others = append(out[i].Others, other(f.Finding, x, r, opt, w))
		}
		if out[i].Title == "" {
			out[i].Title = out[i].Gate
		}
		out[i].Title = w.Capital(out[i].Title)
	}
	return out
}

// other words a fact of a finding that does not decide it.
func other(of analysis.Finding, x analysis.Fact, r *analysis.Result, opt Options, w *words) Finding {
	of.Fact = x
	s := state(of)
	return Finding{
		Gate: visible(x.ID), State: s, Label: w.States[s], Title: w.Capital(opt.inRun(prose(x.Title.In(r.Lang)))),
		Measured: measured(of, w), Want: prose(x.Want.In(r.Lang)), Remedy: opt.inRun(prose(x.Remedy.In(r.Lang))),
	}
}

// inRun names the run directory in the commands of a text, and the configuration in
// those that make a run.
func (opt Options) inRun(text string) string {
	with := ""
	if opt.Config != "" {
		with = " -c " + argument(opt.Config)
	}
	dir, next := "RUN", "RUN-2"
	if opt.Dir != "" {
		dir, next = argument(opt.Dir), argument(strings.TrimRight(opt.Dir, "/")+"-2")
	}
	var pairs []string
	for _, command := range []string{"audit", "grade", "burst"} {
		pairs = append(pairs, "gonogo "+command+" RUN-2", "gonogo "+command+" "+next, "gonogo "+command+" RUN", "gonogo "+command+" "+dir)
	}
	return strings.NewReplacer(append(pairs, " -o RUN-2", with+" -o "+next, " -o RUN", with+" -o "+dir)...).Replace(text)
}

// folded is a finding with the threshold of the advisory finding that it
// stands for as well.
type folded struct {
	analysis.Finding
	caution message.Text
}

// fold leaves out each advisory finding that says no more than the blocking
// one of its gate and split, which then shows both thresholds: both passed, or
// the blocking one is open itself. One of another fact, or in another unit, judges
// something else. The other facts of both go together.
func fold(all []analysis.Finding) []folded {
	type place struct {
		gate  string
		split rollout.Split
	}
	blocking := map[place]int{}
	var out []folded
	for _, f := range all {
		if f.Severity == analysis.Blocking {
			blocking[place{f.Gate, f.Split}] = len(out)
			out = append(out, folded{Finding: f})
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
			out = append(out, folded{Finding: f})
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

func state(f analysis.Finding) State {
	switch f.Status {
	case analysis.Pass:
		return Passing
	case analysis.Skipped:
		return Skipped
	case analysis.Fail:
		if f.Severity == analysis.Advisory {
			return Caution
		}
		return Failing
	}
	return Unsettled
}

func rank(s analysis.Severity) int {
	if s == analysis.Advisory {
		return 1
	}
	return 0
}

// measured is the finding's value with its interval and, for what is counted,
// its unit.
func measured(f analysis.Finding, w *words) string {
	s := message.Interval(f.Value, f.Low, f.High)
	if s == "" || f.Unit == "" || f.Unit == "reward" || f.Unit == "share" {
		return s
	}
	if form, ok := w.Units[f.Unit]; ok {
		form = fmt.Sprintf(form, s)
		if s == "1" && w.Lang == english.Lang {
			form = strings.TrimSuffix(form, "s") // 1 row
		}
		return form
	}
	return s + " " + prose(f.Unit)
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

// brief is the finding in a line: what asks nothing of the reader.
func (f Finding) brief(w *words) string {
	s := w.named(gateOf(f), w.Lower(f.Title))
	if how := measure(f, w); how != "" {
		s = unended(s) + how
	}
	return s
}

// Facts are the finding's gate, split, value and threshold, ready to stand in
// one line.
func (f Finding) Facts(w *words) []string {
	facts := []string{gateOf(f)}
	if f.Measured != "" {
		facts = append(facts, w.Value+" "+f.Measured)
	}
	if f.Want != "" {
		facts = append(facts, w.Want+" "+f.Want)
	}
	if f.Caution != "" {
		facts = append(facts, w.CautionAt+" "+f.Caution)
	}
	return append(facts, f.Severity)
}
