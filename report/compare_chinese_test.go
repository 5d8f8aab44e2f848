package report

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/report/reporttest"
)

// lacking is Chinese, and fails the test where a text is not translated. A text
// that is Chinese already was said before.
func lacking(t *testing.T, where string) message.Language {
	said := map[string]bool{}
	return message.Chinese.OnMissing(func(_, text string) {
		if !said[text] && !strings.ContainsFunc(text, han) {
			said[text] = true
			t.Errorf("%s: Chinese lacks %q", where, text)
		}
	})
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// inEnglish are words behind each other that are not translated. Commands and methods of
// estimates keep theirs, and untranslated texts are in English.
var (
	inEnglish = regexp.MustCompile(`[a-z]+( [a-z]+){3,}`)
	methods   = regexp.MustCompile(`gonogo view [a-z]+ [a-z]+|mean over items of the difference|difference of the means of item means|bound on unseen differences`)
)

// withoutUntranslated returns text without the words of untranslated texts.
func withoutUntranslated(t *testing.T, text string) string {
	lacking := message.Untranslated()
	if len(lacking) == 0 {
		return text
	}
	for id, english := range allTexts(t) {
		if slices.Contains(lacking, message.Chinese.Tag()+" "+id) {
			for _, words := range placeholders.Split(english, -1) {
				if len(strings.Fields(words)) > 1 {
					text = strings.ReplaceAll(text, words, "")
				}
			}
		}
	}
	return text
}

func checkChinese(t *testing.T, where, text string) {
	t.Helper()
	text = withoutUntranslated(t, text)
	for line := range strings.Lines(methods.ReplaceAllString(text, "")) {
		if found := inEnglish.FindString(line); found != "" {
			t.Errorf("%s: %q is English in: %s", where, found, strings.TrimSpace(line))
		}
	}
}

func chineseComparison(t *testing.T, name string) *ComparisonPage {
	opt := options()
	opt.Rollouts, opt.Font = nil, "none"
	c := reporttest.Compared(t, name)
	c.Lang = lacking(t, name)
	return NewComparisonPage(c, opt)
}

// TestLongEveryComparisonIsInChinese writes every comparison in every format.
func TestLongEveryComparisonIsInChinese(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, name := range reporttest.Comparisons() {
		p := chineseComparison(t, name)
		for _, f := range ComparisonFormats() {
			if name == "many" && f.Name != "markdown" || f.Name == "pdf" && name != "regressed" {
				continue // that takes long and says nothing more
			}
			b := compareAs(t, f.Name, p)
			if name != "hostile" && name != "many" && (f.Name == "markdown" || f.Name == "junit") {
				checkChinese(t, f.Name+" of "+name, string(b))
			}
			if f.Name == "html" && name != "hostile" && name != "many" {
				checkChinese(t, "page of "+name, wordsOf(string(b)))
			}
			if f.Name == "html" && !bytes.Contains(b, []byte(`<html lang="zh">`)) {
				t.Errorf("the page of %s does not say that it is Chinese", name)
			}
		}
		for _, columns := range []int{60, 96} {
			var b bytes.Buffer
			p.Width = columns
			if err := WriteText(&b, p); err != nil {
				t.Fatal(err)
			}
			checkLines(t, name, b.String(), columns, false)
		}
	}
}

func TestGoldenComparisonInChinese(t *testing.T) {
	p := chineseComparison(t, "regressed")
	golden(t, "compare.regressed.zh.md", string(compareAs(t, "markdown", p)))
	golden(t, "compare.regressed.zh.txt", string(written[Page](t, WriteText, p)))
}

// TestAHistoryIsInChinese writes histories of every length, and one of all that
// can be noted.
func TestAHistoryIsInChinese(t *testing.T) {
	for name, h := range map[string]*history.History{
		"no night": nightsOf(0, dated), "one night": nightsOf(1, dated), "two nights": nightsOf(2, dated), "twelve nights": nightsOf(12, dated), "all": nightsOfAllKinds(),
	} {
		h.Lang = lacking(t, name)
		p := NewHistoryPage(h, Options{Font: "none", All: true})
		for format, write := range map[string]func(io.Writer, *HistoryPage) error{
			"text": as[*HistoryPage](WriteText), "markdown": as[*HistoryPage](WriteMarkdown),
			"html": as[*HistoryPage](writeHTML), "junit": writeNightsJUnit,
		} {
			text := string(written(t, write, p))
			said := text
			if format == "html" {
				said = wordsOf(text)
			}
			checkChinese(t, format+" of "+name, said)
			if name == "all" && format == "html" && !strings.Contains(said, "按趋势看则有退步：平均奖励原为 0.6，在夜间运行 n-9 前后下降，现为 0.5") {
				t.Errorf("the page does not say what the newest night says: %s", said)
			}
			if format == "html" && !strings.Contains(text, `<html lang="zh">`) {
				t.Errorf("the page of %s does not say that it is Chinese", name)
			}
		}
	}
}

// nightsOfAllKinds holds an empty night, one of other items, one dated before the
// last, a change that is not sure of its place, and a night that stands out.
func nightsOfAllKinds() *history.History {
	var nights []history.Night
	for i := range 14 {
		nights = append(nights, nightOf(i, dated))
	}
	nights[2].Split, nights[2].Values = "", nil
	nights[4].Items = []history.ItemMean{{ID: "other", Mean: 1, N: 1}}
	nights[6].Time = nights[5].Time.AddDate(0, 0, -3)
	nights[9].Accepted = true
	nights[12].Made = map[string]string{"grader": "python 2222", "tool_version": "2", "data.eval": "x", "job.suffix": "y", "sampling.samples": "8", "model.name": "large"}
	last := &nights[13]
	last.Answer = "equivalent"
	last.RegressedByTrend(&history.Change{Before: 0.6, After: 0.5}, "n-9")
	last.Values["latency"] = history.Value{Value: 9, N: 160}
	h := history.Analyze(nights, history.DefaultOptions())
	h.NoteTornLine("nights.jsonl")
	return h
}

func TestGoldenHistoryInChinese(t *testing.T) {
	h := nightsOf(12, dated)
	h.Lang = message.Chinese
	p := NewHistoryPage(h, Options{All: true})
	golden(t, "history.zh.md", string(written[Page](t, WriteMarkdown, p)))
	golden(t, "history.zh.txt", string(written[Page](t, WriteText, p)))
}

func written[P Page](t *testing.T, write func(io.Writer, P) error, p P) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
