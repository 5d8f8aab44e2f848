package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/report/internal/junit"
	"gonogo/report/reporttest"
)

func TestGoldenJUnit(t *testing.T) {
	for _, name := range []string{"dead", "tiny", "hostile"} {
		golden(t, name+".junit.xml", string(write(t, "junit", page(t, name))))
	}
}

// read parses a JUnit file and counts again what its attributes say.
func readJUnit(t *testing.T, b []byte) junit.Suite {
	t.Helper()
	var all junit.Suites
	if err := xml.Unmarshal(b, &all); err != nil {
		t.Fatalf("%v in %.300s", err, b)
	}
	var failures, errors, skipped int
	names := make(map[[2]string]bool)
	for _, c := range all.Suite.Cases {
		answers := 0
		for _, m := range []struct {
			there *junit.Message
			count *int
		}{{c.Failure, &failures}, {c.Error, &errors}, {c.Skipped, &skipped}} {
			if m.there != nil {
				answers++
				*m.count++
			}
		}
		if answers > 1 || names[[2]string{c.Class, c.Name}] || c.Name == "" || c.Time == "" {
			t.Errorf("test case %s %s has %d answers, no name or is there twice", c.Class, c.Name, answers)
		}
		names[[2]string{c.Class, c.Name}] = true
	}
	s := all.Suite
	if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errors || s.Skipped != skipped || all.Tests != s.Tests || all.Failures != s.Failures || all.Errors != s.Errors {
		t.Errorf("the suite says %d tests, %d failures, %d errors, %d skipped; there are %d, %d, %d, %d", s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases), failures, errors, skipped)
	}
	return s
}

// A CI that looks at nothing but failures and errors stops where the exit code
// would stop it, and every gate that blocks is a failure.
func TestJUnitAgreesWithTheVerdict(t *testing.T) {
	for _, name := range reporttest.Names() {
		p := page(t, name)
		s := readJUnit(t, write(t, "junit", p))
		blocking := make(map[[2]string]bool)
		for _, f := range p.Result.Findings {
			if f.Severity == analysis.Blocking && f.Status == analysis.Fail {
				blocking[[2]string{junitClass(string(f.Split)), f.Gate}] = true
			}
		}
		wantFailures, wantErrors := len(blocking), 0
		switch p.Verdict {
		case analysis.NoGo:
			wantFailures++
		case analysis.Undecided:
			wantErrors++
		}
		if s.Failures != wantFailures || s.Errors != wantErrors {
			t.Errorf("%s: %s with %d failures and %d errors, want %d and %d", name, p.Verdict, s.Failures, s.Errors, wantFailures, wantErrors)
		}
		if pass := s.Failures+s.Errors == 0; pass != (p.Result.ExitCode == 0) {
			t.Errorf("%s: passes is %v and the exit code %d", name, pass, p.Result.ExitCode)
		}
		for _, c := range s.Cases[1:] {
			if (c.Failure != nil) != blocking[[2]string{c.Class, c.Name}] {
				t.Errorf("%s: %s %s fails is %v", name, c.Class, c.Name, c.Failure != nil)
			}
		}
	}
}

// A caution passes with a word; what blocks is not hidden behind what advises.
func TestJUnitOfSeveralFindingsOfAGate(t *testing.T) {
	f := func(gate string, sev analysis.Severity, st analysis.Status) analysis.Finding {
		return analysis.Finding{Gate: gate, Severity: sev, Fact: analysis.Fact{Status: st, Want: message.Verbatim(string(sev)), Title: message.Verbatim(gate)}}
	}
	p := NewRunPage(&analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo}, Findings: []analysis.Finding{
		f("caution", analysis.Blocking, analysis.Pass), f("blocked", analysis.Blocking, analysis.Pass), f("blocked", analysis.Blocking, analysis.Fail),
		f("caution", analysis.Advisory, analysis.Fail), f("unsure", analysis.Advisory, analysis.Unknown), f("skipped", analysis.Blocking, analysis.Skipped),
		f("half", analysis.Blocking, analysis.Skipped), f("half", analysis.Advisory, analysis.Fail),
	}}, Options{})
	got := ""
	for _, c := range readJUnit(t, write(t, "junit", p)).Cases[1:] {
		state := "passed"
		switch {
		case c.Failure != nil:
			state = "failed"
		case c.Skipped != nil:
			state = "skipped as " + c.Skipped.Type
		case strings.Contains(c.Out.Text, "CAUTION"):
			state = "passed with a caution"
		}
		got += c.Name + " " + state + "; "
	}
	if want := "caution passed with a caution; blocked failed; unsure skipped as unknown; skipped skipped as skipped; half passed with a caution; "; got != want {
		t.Errorf("test cases are\n%s\nwant\n%s", got, want)
	}
}

// FuzzJUnit holds that no text of a run breaks the XML.
func FuzzJUnit(f *testing.F) {
	for _, s := range []string{"", "]]>", "a]]", "<!--", "\x00\x1b[31m", "\ufffe\uffff", "\xff\xfe", "&amp;&#0;", `"'`, "\u202e", "多😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		said := message.Verbatim(s)
		r := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo}, Run: analysis.RunInfo{ID: s, Model: s, Name: s}}
		r.Findings = []analysis.Finding{{Gate: s, Split: "train", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Fail, Title: said, Why: said, Remedy: said, Unit: s, Want: said, Items: []string{s}}}}
		p := NewRunPage(r, Options{Dir: s, Config: s, Charts: []chart.Chart{}})
		var b bytes.Buffer
		if err := writeJUnit(&b, p); err != nil {
			t.Fatal(err)
		}
		readJUnit(t, b.Bytes())
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, ok := token.(xml.CharData); ok && strings.ContainsFunc(string(text), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("unseen signs in %q", text)
			}
		}
	})
}
