package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis"
)

// The elements of a JUnit file, as the schema of Jenkins has them.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Time     string     `xml:"time,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Hostname   string          `xml:"hostname,attr"`
		Time       string          `xml:"time,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        junitText       `xml:"system-out"`
		Err        junitText       `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Error   *junitMessage `xml:"error"`
		Failure *junitMessage `xml:"failure"`
		Out     *junitText    `xml:"system-out"`
	}
	junitMessage struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// writeJUnit writes junit.xml. Its first test case is the verdict: a failure
// when it is NO-GO, an error when it is UNDECIDED, so that no CI takes an open
// question for a pass. Then there is a test case for each gate and split: a
// failure when it blocks, skipped when it could not be told or was not asked,
// else passed, with a caution in its output.
func writeJUnit(w io.Writer, p *Page) error {
	took := duration(p.Result.Timing)
	s := junitSuite{
		Name: cmp.Or(p.Name, "gonogo"), Timestamp: began(p), Hostname: "localhost", Time: took,
		Properties: properties(p), Cases: append([]junitCase{verdictCase(p, took)}, gateCases(p)...), Out: junitText{p.Sentence},
	}
	return s.write(w)
}

// write writes a suite as a file, its cases counted.
func (s junitSuite) write(w io.Writer) error {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	b, err := xml.MarshalIndent(junitSuites{Name: "gonogo", Time: s.Time, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}, "", "  ")
	if err == nil {
		_, err = w.Write(append([]byte(xml.Header), append(b, '\n')...))
	}
	if err != nil {
		return fmt.Errorf("write junit.xml: %w", err)
	}
	return nil
}

// junitClass is the class of a split's test cases; Jenkins shows what stands
// before the full stop as their package.
func junitClass(split string) string { return "gonogo." + cmp.Or(split, "run") }

func verdictCase(p *Page, took string) junitCase {
	c := junitCase{Class: junitClass(""), Name: "verdict", Time: took}
	m := &junitMessage{Type: string(p.Verdict), Message: p.Words.named(string(p.Verdict), p.Sentence), Text: "\n" + p.Sentence + "\n"}
	if p.Next != "" {
		m.Text += p.Words.named(p.Words.Next, p.Next) + "\n"
	}
	switch p.Verdict {
	case analysis.Go:
		c.Out = &junitText{m.Text}
	case analysis.NoGo:
		c.Failure = m
	default:
		c.Error = m
	}
	return c
}

// gateCases are a test case for each gate and split, in the order of the
// gates, so that the list stays the same from night to night.
func gateCases(p *Page) []junitCase {
	type place struct{ gate, split string }
	at := make(map[place]int)
	var places []place
	for _, f := range p.Result.Findings {
		k := place{visible(f.Gate), visible(string(f.Split))}
		if _, ok := at[k]; !ok {
			at[k] = len(places)
			places = append(places, k)
		}
	}
	found := make([][]Finding, len(places))
	for _, f := range p.Findings {
		i := at[place{f.Gate, f.Split}]
		found[i] = append(found[i], f)
	}
	cases := make([]junitCase, len(places))
	for i, k := range places {
		cases[i] = gateCase(k.gate, k.split, found[i], p.Words)
	}
	return cases
}

// gateCase is one test case. The first of its findings decides: blocking ones
// before advisory ones, failed before untold before passed, skipped ones last.
func gateCase(gate, split string, found []Finding, w *words) junitCase {
	c := junitCase{Class: junitClass(split), Name: cmp.Or(gate, "gate"), Time: "0"}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(junitRank(a, w), junitRank(b, w)) })
	f, text := found[0], ""
	for _, x := range found {
		text += "\n" + junitFinding(x, w)
	}
	m := &junitMessage{Type: f.State.String(), Message: w.named(f.Label, f.Title) + measure(f, w), Text: text}
	switch f.State {
	case Failing:
		c.Failure = m
	case Unsettled, Skipped:
		c.Skipped = m
	default:
		c.Out = &junitText{text}
	}
	return c
}

// junitRank orders the findings of one gate and split. One that was skipped
// decides only where there is no other.
func junitRank(f Finding, w *words) int {
	rank := int(f.State)
	if f.Severity == w.Severity[analysis.Advisory] {
		rank += 10
	}
	if f.State == Skipped {
		rank += 20
	}
	return rank
}

// measure is what was measured and wanted, behind a title.
func measure(f Finding, w *words) string {
	if f.Measured == "" || f.Want == "" {
		return ""
	}
	return fmt.Sprintf(w.Measure, f.Measured, f.Want)
}

// junitFinding is all that a finding says.
func junitFinding(f Finding, w *words) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", w.named(f.Label, f.Title), strings.Join(f.Facts(w), w.Signs.Comma))
	for _, part := range [][2]string{{w.Why, f.Why}, {w.Remedy, f.Remedy}, {w.ItemsToLook, few(f.Items, 20, w)}} {
		if part[1] != "" {
			b.WriteString(w.named(part[0], part[1]) + "\n")
		}
	}
	for _, text := range f.also(w) {
		b.WriteString(w.named(w.Also, text) + "\n")
	}
	return b.String()
}

// properties tell which run it was.
func properties(p *Page) []junitProperty {
	r := p.Result
	var list []junitProperty
	add := func(name, value string) {
		if value != "" {
			list = append(list, junitProperty{name, visible(value)})
		}
	}
	add("gonogo.verdict", string(r.Verdict))
	add("gonogo.exit_code", strconv.Itoa(r.ExitCode))
	if r.Reason != nil {
		add("gonogo.reason", *r.Reason)
	}
	add("gonogo.cautions", strings.Join(r.Cautions, " "))
	add("gonogo.run_id", r.Run.ID)
	add("gonogo.run", p.Name)
	add("gonogo.model", r.Run.Model)
	if r.Run.Seed != nil {
		add("gonogo.seed", strconv.FormatUint(*r.Run.Seed, 10))
	}
	add("gonogo.group_size", strconv.Itoa(r.GroupSize))
	add("gonogo.version", p.Version)
	return list
}

// began is when sampling began, else when the report is made, without a zone
// as the schema of Ant wants it: UTC.
func began(p *Page) string {
	at, err := time.Parse(time.RFC3339, p.Result.Timing.Started)
	if err != nil {
		at = p.Now
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}

// duration is how long sampling took, in seconds; 0 where that is not known.
func duration(t analysis.Timing) string {
	begin, errBegin := time.Parse(time.RFC3339, t.Started)
	end, errEnd := time.Parse(time.RFC3339, t.Ended)
	if errBegin != nil || errEnd != nil || end.Before(begin) {
		return "0"
	}
	return strconv.FormatFloat(end.Sub(begin).Seconds(), 'f', -1, 64)
}
