package analysis

import (
	"strconv"
	"strings"
)

// catalogue holds the words of findings, by gate and status. Another language
// is another catalogue.
type catalogue struct {
	skipped    message
	unmeasured message // an unknown answer without any estimate
	gates      map[string]gateWords
}

// message is a title, why it matters and what to do. Words in braces are
// filled in: {value}, {low}, {high}, {want}, {split} and what the gate gives.
type message struct{ title, why, remedy string }

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
	unmeasured      message // instead of the catalogue's, where more rollouts are not what is missing
}

// words returns the texts of a finding.
func (c catalogue) words(f Finding, vars map[string]string) (title, why, remedy string) {
	fill := filler(f, vars)
	w := c.gates[f.Gate]
	m := message{why: w.why}
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
	return fill(m.title), fill(m.why), fill(m.remedy)
}

// filler replaces the words in braces. Values are put in as they are: pages
// escape them.
func filler(f Finding, vars map[string]string) func(string) string {
	pairs := []string{
		"{value}", value(f.Value), "{low}", value(f.Low), "{high}", value(f.High), "{want}", f.Want,
		"{split}", string(f.Split), "{percent}", percentOf(f.Value), "{lowpercent}", percentOf(f.Low), "{highpercent}", percentOf(f.High),
		"{needs}", needs(f),
	}
	for k, v := range vars {
		pairs = append(pairs, "{"+k+"}", v)
	}
	return strings.NewReplacer(pairs...).Replace
}

func percentOf(p *float64) string {
	if p == nil {
		return "unknown"
	}
	return percent(*p)
}

// needs says in words how much more data would settle a finding.
func needs(f Finding) string {
	switch {
	case f.Needs != nil && f.Settleable:
		return "About " + plural(f.Needs.Items, "item") + " with " + plural(f.Needs.Samples, "sample") + " each would settle it."
	case f.Settleable:
		return "More data would settle it."
	}
	return "The estimate sits on the threshold or too little is known: more data alone may not settle it."
}

// plural counts things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// count prints a whole number with its thousands parted.
func count(n int) string {
	if n < 0 {
		return "-" + count(-n)
	}
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
