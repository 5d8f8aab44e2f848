package analysis

import (
	"strings"

	"gonogo/analysis/message"
)

// catalogue holds the words of findings, by gate and status. Another language
// has a translation of each.
type catalogue struct {
	skipped    wording
	unmeasured wording // an unknown answer without any estimate
	gates      map[string]gateWords
}

// message is a title, why it matters and what to do. Words in braces are
// filled in: {value}, {low}, {high}, {want}, {split} and what the gate gives.
type wording struct{ title, why, remedy string }

// gateWords are the words of one gate. Why is shared by all answers.
type gateWords struct {
	why             string
	pass            string // title
	fail, unknown   string
	failRemedy      string
	unknownRemedy   string
	caution         string // title of a failing advisory finding
	cautionRemedy   string
	cautionUnknown  string
	cautionUnknownR string
	unmeasured      wording // instead of the catalogue's, where more rollouts are not what is missing
}

// saying is what a finding's texts are made of besides its numbers.
type saying struct {
	l       message.Language
	vars    map[string]string
	instead *wording // of the catalogue's title and remedy
}

// say fills the texts of a finding with its own numbers.
func (f *Finding) say(s saying) {
	f.saying = s
	fill := filler(s.l, *f, s.vars)
	m := english.words(*f)
	if s.instead != nil {
		m.title, m.remedy = s.instead.title, s.instead.remedy
	}
	f.Title, f.Why, f.Remedy = fill(s.l.Text(m.title)), fill(s.l.Text(m.why)), fill(s.l.Text(m.remedy))
}

// words returns what is said of a finding, to be filled in.
func (c catalogue) words(f Finding) wording {
	w := c.gates[f.Gate]
	m := wording{why: w.why}
	switch {
	case f.Status == Skipped:
		m.title, m.remedy = c.skipped.title, ""
	case f.Status == Unknown && f.Value == nil:
		m.title, m.remedy = c.unmeasured.title, c.unmeasured.remedy
		if w.unmeasured.title != "" {
			m.title, m.remedy = w.unmeasured.title, w.unmeasured.remedy
		}
	case f.Status == Pass:
		m.title = w.pass
	case f.Status == Fail && f.Severity == Advisory:
		m.title, m.remedy = w.caution, w.cautionRemedy
	case f.Status == Fail:
		m.title, m.remedy = w.fail, w.failRemedy
	case f.Severity == Advisory:
		m.title, m.remedy = w.cautionUnknown, w.cautionUnknownR
	default:
		m.title, m.remedy = w.unknown, w.unknownRemedy
	}
	return m
}

// filler replaces the words in braces. Values are put in as they are: pages
// escape them.
func filler(l message.Language, f Finding, vars map[string]string) func(string) string {
	var pairs []string
	for k, v := range vars {
		pairs = append(pairs, "{"+k+"}", v)
	}
	pairs = append(pairs, // the first of a name holds
		"{value}", valueOf(l, f.Value), "{low}", valueOf(l, f.Low), "{high}", valueOf(l, f.High), "{want}", f.Want,
		"{split}", string(f.Split), "{percent}", percentOf(l, f.Value), "{lowpercent}", percentOf(l, f.Low), "{highpercent}", percentOf(l, f.High),
		"{needs}", needs(l, f),
	)
	return strings.NewReplacer(pairs...).Replace
}

// percentOf prints a share that may be missing.
func percentOf(l message.Language, p *float64) string {
	if p == nil {
		return l.Text("unknown")
	}
	return message.Percent(*p)
}

// needs says in words how much more data would settle a finding.
func needs(l message.Language, f Finding) string {
	switch {
	case f.Needs != nil && f.Settleable:
		return l.Say("About %s with %s each would settle it.", l.Count(f.Needs.Items, "item"), l.Count(f.Needs.Samples, "sample"))
	case f.Settleable:
		return l.Text("More data would settle it.")
	}
	return l.Text("The estimate sits on the threshold or too little is known: more data alone may not settle it.")
}
