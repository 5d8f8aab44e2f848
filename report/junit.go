package report

import (
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/report/block"
	"gonogo/report/internal/junit"
	"gonogo/sampler/rollout"
)

// writeJUnit writes junit.xml. Its first test case is the verdict: a failure if it is NO-GO, an
// error if it is UNDECIDED, so that no CI takes an open question for a pass. Then each gate and
// split has a test case: a failure if it blocks, skipped if it was unknown or not required,
// otherwise passed, with a caution in its output.
func writeJUnit(w io.Writer, p *RunPage) error {
	took := duration(p.Result.Timing)
	s := junit.Suite{
		Name: cmp.Or(p.Name, "gonogo"), Timestamp: began(p.Now, p.Result.Timing.Started), Hostname: "localhost", Time: took,
		Properties: properties(p), Cases: append([]junit.Case{verdictCase(p, took)}, gateCases(p)...),
		Out: junit.Text{Text: p.Sentence},
	}
	return s.Write(w)
}

// junitClass is the class of a split's test cases; Jenkins shows the part before the full stop as
// their package.
func junitClass(split string) string { return "gonogo." + cmp.Or(split, "run") }

func verdictCase(p *RunPage, took string) junit.Case {
	c := junit.Case{Class: junitClass(""), Name: "verdict", Time: took}
	m := &junit.Message{Type: string(p.Verdict), Message: p.Words.named(string(p.Verdict), p.Sentence), Text: "\n" +
		p.Sentence + "\n"}
	if p.Next != "" {
		m.Text += p.Words.named(p.Words.Next, p.Next) + "\n"
	}
	settle(&c, p.Verdict, m)
	return c
}

// settle fills in a test case by a verdict: passed, failed, or an error if it is unknown.
func settle(c *junit.Case, v analysis.Verdict, m *junit.Message) {
	switch v {
	case analysis.Go:
		c.Out = &junit.Text{Text: m.Text}
	case analysis.NoGo:
		c.Failure = m
	default:
		c.Error = m
	}
}

// gateCases returns a test case for each gate and split, in the order of the gates, so that the
// list stays the same every night.
func gateCases(p *RunPage) []junit.Case {
	type place struct {
		gate  string
		split rollout.Split
	}
	indices := make(map[place][]int) // into p.found
	for i, f := range p.found {
		k := place{f.Gate, f.Split}
		indices[k] = append(indices[k], i)
	}
	var cases []junit.Case
	for _, f := range p.Result.Findings {
		k := place{f.Gate, f.Split}
		if len(indices[k]) > 0 {
			cases = append(cases, p.gateCase(indices[k]))
			delete(indices, k)
		}
	}
	return cases
}

// gateCase returns one test case for the findings of a gate on a split, by their indices. A
// blocking fact decides.
func (p *RunPage) gateCase(indices []int) junit.Case {
	f, text := p.found[indices[0]], ""
	for _, x := range f.others {
		if f.Severity == analysis.Advisory && x.Severity == analysis.Blocking {
			f = x
		}
	}
	for _, i := range indices {
		text += "\n" + junitFinding(p.Findings[i], p.Words)
	}
	tone := f.tone()
	c := junit.Case{
		Class: junitClass(visible(string(p.found[indices[0]].Split))),
		Name:  cmp.Or(visible(p.found[indices[0]].Gate), "gate"), Time: "0",
	}
	m := &junit.Message{
		Type: string(tone), Message: p.Words.named(p.Words.States[tone], p.title(f)) + p.measure(f),
		Text: text,
	}
	switch tone {
	case block.Fail:
		c.Failure = m
	case block.Unknown, block.Skipped:
		c.Skipped = m
	default:
		c.Out = &junit.Text{Text: text}
	}
	return c
}

// junitFinding returns the full text of a finding.
func junitFinding(f block.Finding, w *words) string {
	s := w.named(f.Label, f.Title) + "\n" + f.Gate + w.Signs.Comma + f.Measures(w.Signs.Comma) + "\n"
	for _, x := range append(f.Texts,
		filledFacts(Fact{Name: w.ItemsToLook, Value: few(block.Names(f.Items), 20, w)})...) {
		s += w.named(x.Name, x.Value) + "\n"
	}
	return s
}

// properties identify the run.
func properties(p *RunPage) []junit.Property {
	r := p.Result
	var list []junit.Property
	add := func(name, value string) {
		if value != "" {
			list = append(list, junit.Property{Name: name, Value: visible(value)})
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

// began returns when sampling began, otherwise when the report is made.
func began(made time.Time, started string) string {
	start := made
	if t, err := time.Parse(time.RFC3339, started); err == nil {
		start = t
	}
	if start.IsZero() {
		return ""
	}
	return antTime(start)
}

// antTime formats a time in UTC without a zone, as the JUnit schema of Ant requires.
func antTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

// duration returns how long sampling took, in seconds; 0 if that is not known.
func duration(t analysis.Timing) string {
	begin, errBegin := time.Parse(time.RFC3339, t.Started)
	end, errEnd := time.Parse(time.RFC3339, t.Ended)
	if errBegin != nil || errEnd != nil || end.Before(begin) {
		return "0"
	}
	return strconv.FormatFloat(end.Sub(begin).Seconds(), 'f', -1, 64)
}
