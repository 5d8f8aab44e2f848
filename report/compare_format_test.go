package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/compare"
	"gonogo/report/internal/junit"
	"gonogo/report/internal/markdown"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

var comparisons = map[string]*ComparisonPage{}

// comparison is the page of a frozen Comparison, made once.
func comparison(t *testing.T, name string) *ComparisonPage {
	t.Helper()
	if comparisons[name] == nil {
		opt := options()
		opt.Rollouts, opt.Font, opt.BaseLink, opt.NewLink = nil, "none", "../base/rollouts.jsonl", "../new/rollouts.jsonl"
		comparisons[name] = NewComparisonPage(reporttest.Compared(t, name), opt)
	}
	return comparisons[name]
}

func compareAs(t *testing.T, format string, p *ComparisonPage) []byte {
	t.Helper()
	all := ComparisonFormats()
	f := all[slices.IndexFunc(all, func(f Format[*ComparisonPage]) bool { return f.Name == format })]
	var b bytes.Buffer
	if err := f.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGoldenComparisons(t *testing.T) {
	for _, name := range []string{"regressed", "hostile", "unpaired"} {
		p := comparison(t, name)
		if name != "hostile" {
			golden(t, "compare."+name+".html.txt", wordsOf(string(compareAs(t, "html", p))))
		}
		golden(t, "compare."+name+".md", string(compareAs(t, "markdown", p)))
		golden(t, "compare."+name+".junit.xml", string(compareAs(t, "junit", p)))
	}
	golden(t, "compare.cannot_tell.items.csv", string(compareAs(t, "items", comparison(t, "cannot_tell"))))
}

// untrusted is the page of runs that improved by a grader that could be fooled.
func untrusted(t *testing.T) *ComparisonPage {
	t.Helper()
	c := reporttest.Compared(t, "improved")
	by := "grader.hackable"
	c.Base.Detectors = []collect.DetectorMarks{{Detector: "peek", Rollouts: 320, Marked: 16, Share: 0.05}}
	c.New.Detectors = []collect.DetectorMarks{{Detector: "peek", Rollouts: 320, Marked: 198, Share: 0.61875}}
	c.AddVerdicts(&analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &by}}, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &by}})
	opt := options()
	opt.Rollouts, opt.Font = nil, "none"
	return NewComparisonPage(c, opt)
}

// Every format says that a higher reward may not mean a better policy where the grader is not
// to be trusted, and none says so in green.
func TestWhatAnUntrustedGraderCallsBetterIsNotGreen(t *testing.T) {
	p := untrusted(t)
	p.Color = true
	var text bytes.Buffer
	if err := WriteText(&text, p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "1;31mNOT BETTER") {
		t.Errorf("the terminal is shown %q", text.String()[:1500])
	}
	for name, in := range map[string]string{
		"text": sgr.ReplaceAllString(text.String(), ""), "html": string(compareAs(t, "html", p)), "markdown": string(compareAs(t, "markdown", p)), "junit": string(compareAs(t, "junit", p)),
		"print": fmt.Sprint(p.readFirst(), p.runs()),
	} {
		said := strings.Join(strings.Fields(in), " ")
		for _, want := range []string{"both runs are NO-GO because of their grader", "may not mean a better policy", "“peek” marks 5 % of the rollouts", "61.9 % in the new one"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if name != "junit" && strings.Count(said, "(by itself NO-GO, by grader.hackable)") != 2 {
			t.Errorf("%s does not tell both verdicts", name)
		}
	}
	if html := string(compareAs(t, "html", p)); !strings.Contains(html, "verdict v-fail") {
		t.Error("the page is in the colours of a GO")
	}
}

// A report of runs without a common item, of one item, of nothing, of the same
// rollouts twice and of thousands of items is whole as well.
func TestEveryFormatOfEveryComparison(t *testing.T) {
	for _, name := range reporttest.Comparisons() {
		p := comparison(t, name)
		for _, f := range ComparisonFormats() {
			if (f.Name == "pdf" || f.Name == "summary") && name != "empty" || f.Name == "html" && name == "many" {
				continue // other tests write them
			}
			b := compareAs(t, f.Name, p)
			if len(b) == 0 || f.Name != "pdf" && f.Name != "summary" && bytes.Contains(b, []byte("%!")) {
				t.Errorf("%s of %s is empty or badly worded", f.Name, name)
			}
			switch f.Name {
			case "html", "markdown", "junit":
				if !bytes.Contains(b, []byte(p.Answer)) {
					t.Errorf("%s of %s lacks the answer %q", f.Name, name, p.Answer)
				}
			}
			if f.Name == "markdown" && bytes.Count(b, nil) > markdown.MaxChars {
				t.Errorf("%s: report.md is too long for a comment", name)
			}
			if f.Name == "html" && len(b) > 500_000 {
				t.Errorf("the page of %s has %d bytes", name, len(b))
			}
		}
	}
}

func TestAComparisonsDirectoryIsWrittenWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	p := new(ComparisonPage)
	*p = *comparison(t, "one_item")
	p.Figures = p.Figures[:1] // drawing takes most of a test's time
	formats := slices.DeleteFunc(ComparisonFormats(), func(f Format[*ComparisonPage]) bool { return f.Name == "pdf" || f.Name == "summary" })
	if err := Write(dir, p, formats); err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		if info, err := os.Stat(filepath.Join(dir, f.File)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f.File, err)
		}
	}
	for _, f := range p.Figures {
		if _, err := os.Stat(filepath.Join(dir, "charts", f.Name+".png")); err != nil {
			t.Errorf("chart %s is not there: %v", f.Name, err)
		}
	}
	var stdout bytes.Buffer
	if err := WriteMarkdown(&stdout, p); err != nil || strings.Contains(stdout.String(), "charts/") {
		t.Errorf("Markdown without a directory shows pictures that are not there (%v)", err)
	}
}

func TestJUnitAgreesWithTheAnswer(t *testing.T) {
	for name, want := range map[string][3]int{ // failures, errors, skipped
		"regressed": {2, 0, 0}, "improved": {0, 0, 0}, "cannot_tell": {0, 1, 1}, "empty": {0, 1, 0}, "identical": {0, 1, 1},
	} {
		var got junit.Suites
		if err := xml.Unmarshal(compareAs(t, "junit", comparison(t, name)), &got); err != nil {
			t.Fatal(err)
		}
		if have := [3]int{got.Suite.Failures, got.Suite.Errors, got.Suite.Skipped}; have != want || got.Suite.Tests != len(got.Suite.Cases) {
			t.Errorf("%s: failures, errors and skipped are %v, want %v", name, have, want)
		}
		if first := got.Suite.Cases[0]; first.Name != "answer" || (first.Failure != nil) != (name == "regressed") {
			t.Errorf("%s: the first case is %+v", name, first)
		}
	}
}

// A CI takes two cases of one name for one: each tool has its own.
func TestEachToolIsACaseOfItsOwn(t *testing.T) {
	c := reporttest.Compared(t, "regressed")
	for _, tool := range []string{"search", "cat"} {
		for _, sc := range c.Splits {
			sc.Others = append(sc.Others, analysis.Difference{Name: "calls_of_tool", Of: tool, Unit: "calls"})
		}
	}
	readJUnit(t, compareAs(t, "junit", NewComparisonPage(c, options())))
}

func TestHostileTextsOfAComparisonStayTexts(t *testing.T) {
	p := comparison(t, "hostile")
	page := string(compareAs(t, "html", p))
	run := 0
	for _, m := range scripts.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[1], "application/json") {
			run++
		} else if !json.Valid([]byte(m[2])) {
			t.Errorf("%.80q is no JSON", m[2])
		}
	}
	if run != 1 {
		t.Errorf("%d scripts would run, want 1", run)
	}
	body := scripts.ReplaceAllString(page, "")
	for _, bad := range []string{"<img", "\x1b", "\u202e", "\x00"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	tags := strings.Join(anyTag.FindAllString(body, -1), "\n")
	for _, m := range references.FindAllStringSubmatch(tags, -1) {
		if !strings.HasPrefix(m[2], "#") && m[2] != p.BaseLink && m[2] != p.NewLink {
			t.Errorf("the page refers to %q", m[0])
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(compareAs(t, "items", p))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(p.c.Splits[rollout.Eval].Changes)+1 {
		t.Errorf("items.csv has %d rows", len(rows))
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") || strings.ContainsRune(cell, 0) {
				t.Errorf("a spreadsheet would run %.30q", cell)
			}
		}
	}
}

func TestTheSummaryOfAComparison(t *testing.T) {
	reporttest.SamePicture(t, filepath.Join("testdata", "compare.untrusted.summary.png"), compareAs(t, "summary", untrusted(t)), *update)
	reporttest.SamePicture(t, filepath.Join("testdata", "compare.regressed.summary.png"), compareAs(t, "summary", comparison(t, "regressed")), *update)
	for _, name := range []string{"regressed", "unpaired", "empty", "hostile", "many"} {
		var rec recorder.Canvas
		drawCard(draw.NewCanvas(&rec, cardWidth, cardHeight), comparison(t, name))
		checkCard(t, name, rec)
	}
	nasty := NewComparisonPage(nastyComparison(compare.Equivalent), Options{All: true})
	var rec recorder.Canvas
	drawCard(draw.NewCanvas(&rec, cardWidth, cardHeight), nasty)
	checkCard(t, "what does not matter", rec)
}

func TestTheComparisonOnPaper(t *testing.T) {
	for _, name := range []string{"regressed", "hostile"} {
		p := comparison(t, name)
		pages := reporttest.ReadPDF(t, compareAs(t, "pdf", p))
		all := reporttest.Squeeze(reporttest.Running(pages...))
		w := &compareEnglish
		for _, want := range []string{p.Title, p.Answer, w.Moved, w.Method, w.Categories, p.Figures[0].Title} {
			if !strings.Contains(all, reporttest.Squeeze(want)) {
				t.Errorf("%s: the paper lacks %q", name, want)
			}
		}
		if first := reporttest.Squeeze(reporttest.Running(pages[0])); !strings.Contains(first, reporttest.Squeeze(p.Answer)) || !strings.Contains(first, reporttest.Squeeze(p.numbers()[0].Value)) {
			t.Errorf("%s: page one lacks the answer or its number", name)
		}
	}
	if warnings := comparison(t, "hostile").Warnings(); len(warnings) != 1 {
		t.Errorf("signs that cannot be printed are told as %q", warnings)
	}
}
