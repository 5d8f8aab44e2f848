package report

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/reporttest"

	"gonum.org/v1/plot/vg"
)

// chinese is a Result whose report is Chinese.
func chinese(t *testing.T, name string) *analysis.Result {
	return reporttest.Load(t, name).In(message.Chinese)
}

func TestTheCatalogueIsTranslated(t *testing.T) {
	w := wordsIn(message.Chinese.OnMissing(func(_, text string) { t.Errorf("Chinese lacks %q", text) }))
	if w.Lang.Tag() != message.Chinese.Tag() {
		t.Errorf("the Chinese words are in %q", w.Lang.Tag())
	}
}

// TestLongEveryFormatIsInChinese writes every result and asks for each text that is
// not translated.
func TestLongEveryFormatIsInChinese(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	lacking := map[string]bool{}
	for _, name := range reporttest.Names() {
		r := reporttest.Load(t, name).In(message.Chinese.OnMissing(func(_, text string) { lacking[text] = true }))
		p := NewRunPage(r, options())
		for _, f := range Usual() {
			if !f.Rollouts {
				write(t, f.Name, p)
			}
		}
	}
	for text := range lacking {
		t.Errorf("Chinese lacks %q", text)
	}
}

func TestGoldenChinese(t *testing.T) {
	p := NewRunPage(chinese(t, "audited"), options())
	golden(t, "audited.zh.txt", string(write(t, "text", p)))
	golden(t, "audited.zh.md", string(write(t, "markdown-full", p)))
}

func TestChineseTextKeepsToItsWidth(t *testing.T) {
	for _, name := range reporttest.Names() {
		p := NewRunPage(chinese(t, name), options())
		for _, columns := range []int{60, 96} {
			p.Width = columns
			checkLines(t, name, string(write(t, "text", p)), columns, false)
		}
	}
}

func TestAnswersHaveTheRoomThatTheyTake(t *testing.T) {
	for _, c := range []struct {
		about, answer string
		size          vg.Length
		long          bool
	}{
		{"the longest that stands large", "CANNOT TELL", 28, false},
		{"one that needs its own line", "NO CHANGE THAT MATTERS", 19, true},
		{"as many columns in Chinese", "无法判断", 28, false},
		{"some columns more", "没有比较对象", 19, false},
		{"long in Chinese", "无法判断，按趋势退步", 19, true},
	} {
		if size, long := wordSize(c.answer), (block.Verdict{Answer: c.answer}).Long(); size != c.size || long != c.long {
			t.Errorf("%s: %q is written in %g points, long %v; want %g and %v", c.about, c.answer, size, long, c.size, c.long)
		}
	}
}

func TestSentencesAreJoinedAsTheLanguageDoes(t *testing.T) {
	for _, c := range []struct {
		of   message.Language
		want []string
	}{
		{message.Language{}, []string{"What to do first: ", "; ", ". "}},
		{message.Chinese, []string{"先做什么：", "，", "。"}},
	} {
		text := string(write(t, "junit", NewRunPage(reporttest.Load(t, "dead").In(c.of), options())))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the report holds no %q", c.of.Tag(), want)
			}
		}
	}
}

// TestLongTheChinesePageInABrowser tries what the script says and looks up by words.
func TestLongTheChinesePageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	p := traced(chinese(t, "cautious"), 4)
	b.open(p)
	b.quiet()
	if lang := js[string](b, `document.documentElement.lang`); lang != "zh" {
		b.Errorf("the page is in %q", lang)
	}
	mixed := p.Words.Classes[analysis.Mixed]
	js[bool](b, `(() => { const s = document.querySelector("[data-items=train] select"); s.value = %s; return s.dispatchEvent(new Event("change")); })()`, mixed)
	class := js[[]string](b, `[...document.querySelectorAll("[data-items=train] tbody tr")].map((e) => e.cells[1].className + " " + e.cells[1].textContent)`)
	if len(class) == 0 {
		b.Errorf("no item is %s", mixed)
	}
	for _, got := range class {
		if got != "c-mixed "+mixed {
			b.Errorf("an item that is %s is shown as %q", mixed, got)
		}
	}
	js[bool](b, `(() => { const s = document.querySelector("[data-items=train] select"); s.value = ""; return s.dispatchEvent(new Event("change")); })()`)
	tryFindings(b, p)
	tryVariance(b, p)
	tryRollouts(b, p)
	tryContrast(b, p)
	b.quiet()
}
