package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// plain is what results are made in, and kept.
var plain message.Language

// In returns a copy of r whose findings, note and notes are said in l: the gates
// are asked again what r tells, and each finding takes over their words for the
// answer that it gave, with its own numbers; what it says of items is said again
// where it says that of them in English today. Verdict, statuses and numbers stay
// what they are. What cannot be said again (the answer of a gate that is no
// more, or that answers otherwise now; a note of another version) stays English.
//
// r is English, as Analyze and Decode return it, or itself a copy by In, which
// remembers the English one. In English it is returned as it is.
func (r *Result) In(l message.Language) *Result {
	if r.english != nil {
		r = r.english
	}
	if l == plain {
		return r
	}
	return r.said(l)
}

// said is In for any language.
func (r *Result) said(l message.Language) *Result {
	out := retold(l, r)
	out.Lang, out.english = l, r
	out.Findings = slices.Clone(r.Findings)
	type answer struct {
		gate     string
		split    rollout.Split
		severity Severity
		status   Status
	}
	of := func(f Finding) answer { return answer{f.Gate, f.Split, f.Severity, f.Status} }
	type today struct {
		said  Finding
		items []string // in English
	}
	again := make(map[answer][]today)
	for _, g := range Gates() {
		attempt(func() {
			now := g.Check(r, r.Thresholds)
			for i, f := range g.Check(out, out.Thresholds) {
				again[of(f)] = append(again[of(f)], today{f, now[i].Items})
			}
		})
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		if list := again[of(*f)]; len(list) > 0 { // a gate that answers alike several times does so in order
			again[of(*f)] = list[1:]
			f.Want = list[0].said.Want
			if slices.Equal(f.Items, list[0].items) {
				f.Items = list[0].said.Items
			}
			f.say(list[0].said.saying)
		}
	}
	if r.Note != "" {
		attempt(func() { out.Note = note(out) })
	}
	return out
}

// attempt runs f as far as it comes: a gate may miss what it reads in a result
// of another version, and then its words stay what they were.
func attempt(f func()) {
	defer func() { _ = recover() }()
	f()
}
