package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/internal/markdown"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
	"gonogo/report/text"
)

// Of any verdict, in either language, a terminal shows at most so many lines, and a
// comment on a pull request is short and without pictures that are not there.
func TestTheBriefIsBrief(t *testing.T) {
	opt := options()
	opt.Dir, opt.All, opt.Font = "runs/2026-11-20", false, "none"
	for _, name := range reporttest.Names() {
		for _, in := range []func(*analysis.Result) *analysis.Result{
			func(r *analysis.Result) *analysis.Result { return r },
			func(r *analysis.Result) *analysis.Result { return r.In(message.Chinese) },
		} {
			r := in(reporttest.Load(t, name))
			p := NewRunPage(r, opt)
			held(t, name+" "+r.Lang.Tag(), write(t, "text", p), write(t, "markdown", p), string(p.Verdict))
			if n := len(p.toDo()); n > mostToDo || n == 0 {
				t.Errorf("%s: %d things to do first", name, n)
			}
		}
	}
	for _, name := range reporttest.Comparisons() {
		p := NewComparisonPage(reporttest.Compared(t, name), opt)
		held(t, name, written[Page](t, WriteText, p), written[Page](t, WriteMarkdown, p), p.Answer)

		c, long := reporttest.Compared(t, name), message.Verbatim(strings.Repeat("a setting ", 20))
		for i := range 12 {
			c.Differs = append(c.Differs, compare.RunDifference{What: "settings", Key: fmt.Sprint("key", i), Base: long, New: long, Confounds: true})
			c.Notes = append(c.Notes, long)
		}
		p = NewComparisonPage(c, opt)
		held(t, name+", much to read first", written[Page](t, WriteText, p), written[Page](t, WriteMarkdown, p), p.Answer)
	}
	for _, n := range []int{0, 1, 2, 12, 120} {
		p := NewHistoryPage(nightsOf(n, dated), opt)
		held(t, "history", written[Page](t, WriteText, p), written[Page](t, WriteMarkdown, p), p.Title)
	}
}

func held(t *testing.T, name string, terminal, comment []byte, answer string) {
	t.Helper()
	if n := bytes.Count(terminal, []byte("\n")); n > text.MaxLines {
		t.Errorf("%s: %d lines on a terminal:\n%s", name, n, terminal)
	}
	if n := len(comment); n > markdown.MaxBytes || bytes.Contains(comment, []byte("charts/")) {
		t.Errorf("%s: a comment of %d bytes, or with pictures:\n%s", name, n, comment)
	}
	for form, b := range map[string][]byte{"terminal": terminal, "comment": comment} {
		if !bytes.Contains(b, []byte(answer)) {
			t.Errorf("%s: the %s lacks %q", name, form, answer)
		}
	}
}

// With --all the terminal shows the brief and everything behind it.
func TestAllIsTheBriefAndTheRest(t *testing.T) {
	p := *page(t, "audited")
	p.All = false
	brief, _, _ := strings.Cut(string(write(t, "text", &p)), p.Words.Rest[:12])
	p.All = true
	all := string(write(t, "text", &p))
	rest := all
	for line := range strings.Lines(strings.TrimRight(brief, " \n")) { // the brief may leave some out
		_, after, found := strings.Cut(rest, strings.TrimRight(line, "\n"))
		if !found {
			t.Errorf("the whole report lacks %q, or has it elsewhere", line)
		}
		rest = after
	}
	if !strings.Contains(all, "HOW IT WAS MEASURED") || strings.Contains(brief, "HOW IT WAS MEASURED") {
		t.Errorf("the whole report is no longer than the brief:\n%s", brief)
	}
}

// A grader that fails its audit is named beside every number that it made.
func TestNumbersOfAFailedGraderAreMarked(t *testing.T) {
	for name, fails := range map[string]bool{"audited": true, "go": false, "dead": false} {
		p := page(t, name)
		for _, h := range mainNumbers(p.Result, p.Words) {
			if got := strings.Contains(h.About, english.ByFailed); got != fails {
				t.Errorf("%s: %s is marked: %t", name, h.Label, got)
			}
		}
		for i, f := range p.Findings {
			if got, want := strings.Contains(f.Measures("|"), english.ByFailed), fails && p.Gates.Named(p.found[i].Gate).OnRewards; got != want {
				t.Errorf("%s: the finding of %s is marked: %t", name, f.Gate, got)
			}
		}
		if s := string(write(t, "html", p)); strings.Contains(s, english.ByFailed) != fails {
			t.Errorf("%s: the page marks numbers: %t", name, !fails)
		}
	}
}

// The paper holds six pages at most, and none but the last has much room left.
func TestThePaperIsBrief(t *testing.T) {
	for _, name := range printedNames() {
		r := loaded(t, name)
		opt := options()
		opt.Full, opt.Font = false, typeface.None
		checkPaper(t, name, NewRunPage(r, opt))
	}
}

func checkPaper(t *testing.T, name string, p Page) {
	t.Helper()
	const most, full = 6, 0.66
	pages := reporttest.ReadPDF(t, written(t, writePDF, p))
	if len(pages) > most {
		t.Errorf("%s: %d pages", name, len(pages))
	}
	for i, page := range pages[:len(pages)-1] {
		lowest := page.Height
		for _, text := range page.Texts {
			if text.Box.Y0 > 54 { // above the foot
				lowest = min(lowest, text.Box.Y0)
			}
		}
		if used := (page.Height - 58 - lowest) / (page.Height - 58 - 54); used < full {
			t.Errorf("%s: page %d of %d is %.0f %% full", name, i+1, len(pages), 100*used)
		}
	}
}

// A size by itself asks for nothing: it says of which question it is.
func TestWhatWouldSettleSaysWhat(t *testing.T) {
	p := page(t, "one_item")
	list := p.toDo()
	if want := "Room to improve: about 4 items with 8 samples each would settle it."; !slices.Contains(list, want) {
		t.Errorf("to do is %q, want %q", list, want)
	}
	for _, name := range reporttest.Names() {
		for _, next := range page(t, name).toDo() {
			if strings.HasPrefix(next, "About ") || strings.HasPrefix(next, "More data ") {
				t.Errorf("%s: %s", name, next)
			}
		}
	}
}

// An audit that knows no right answer tries few wrong ones: what to do first names the key.
func TestAnAuditWithoutReferencesAsksForThem(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.NotJudged = append(r.NotJudged, analysis.Unjudged{Gate: "grader.truth", Why: message.Text{ID: "skip.no_reference_tried"}})
	if list := NewRunPage(r, options()).toDo(); !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "audit.reference") }) {
		t.Errorf("what to do first is %q", list)
	}
}
