package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
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
	return message.Chinese.Lacking(func(text string) {
		if !said[text] && !strings.ContainsFunc(text, han) {
			said[text] = true
			t.Errorf("%s: Chinese lacks %q", where, text)
		}
	})
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// inEnglish are words behind each other that nobody translated. Methods of
// estimates keep theirs.
var (
	inEnglish = regexp.MustCompile(`[a-z]+( [a-z]+){3,}`)
	methods   = regexp.MustCompile(`mean over items of the difference|difference of the means of item means|bound on unseen differences`)
)

func checkChinese(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(methods.ReplaceAllString(text, "")) {
		if found := inEnglish.FindString(line); found != "" {
			t.Errorf("%s: %q is English in: %s", where, found, strings.TrimSpace(line))
		}
	}
}

func chineseComparison(t *testing.T, name string) *ComparisonPage {
	opt := options()
	opt.Rollouts, opt.Font = nil, "none"
	return NewComparison(reporttest.Compared(t, name).In(lacking(t, name)), opt)
}

// TestEveryComparisonIsInChinese writes every comparison in every format. Two say
// something else than their numbers, and keep it.
func TestEveryComparisonIsInChinese(t *testing.T) {
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
			if f.Name == "json" && bytes.ContainsFunc(b, han) && name != "hostile" {
				t.Errorf("comparison.json of %s is not English", name)
			}
		}
		for _, columns := range []int{60, 96} {
			var b bytes.Buffer
			p.Width = columns
			if err := p.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			checkLines(t, name, b.String(), columns, false)
		}
	}
}

func TestGoldenComparisonInChinese(t *testing.T) {
	p := chineseComparison(t, "regressed")
	golden(t, "compare.regressed.zh.md", string(compareAs(t, "markdown", p)))
	golden(t, "compare.regressed.zh.txt", string(written(t, p.WriteText)))
}

// TestAHistoryIsInChinese writes histories of every length, and one of all that
// can be noted.
func TestAHistoryIsInChinese(t *testing.T) {
	for name, h := range map[string]*history.History{
		"no night": nightsOf(0, dated), "one night": nightsOf(1, dated), "two nights": nightsOf(2, dated), "twelve nights": nightsOf(12, dated), "all": nightsOfAllKinds(),
	} {
		h.Lang = lacking(t, name)
		p := NewHistory(h, Options{Font: "none"})
		for format, write := range map[string]func(io.Writer) error{"text": p.WriteText, "markdown": p.WriteMarkdown, "html": p.WriteHTML, "junit": p.writeJUnit} {
			text := string(written(t, write))
			said := text
			if format == "html" {
				said = wordsOf(text)
			}
			checkChinese(t, format+" of "+name, said)
			if format == "html" && !strings.Contains(text, `<html lang="zh">`) {
				t.Errorf("the page of %s does not say that it is Chinese", name)
			}
		}
		if json := written(t, p.History.Encode); bytes.ContainsFunc(json, han) {
			t.Errorf("history.json of %s is not English", name)
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
	last.Answer, last.ExitCode, last.Sentence = "equivalent", 3, "It is English."
	last.Values["latency"] = history.Value{Value: 9, N: 160}
	h := history.Analyze(nights, history.DefaultOptions())
	h.Torn("nights.jsonl")
	return h
}

// What a night kept in English is said again wholly, or not at all.
func TestWhatANightKeptIsSaidInChinese(t *testing.T) {
	trend := fmt.Sprintf(" Against the trend it regressed: the mean reward was %.3g, fell around night %s and is %.3g, and no single night since shows it; --accept takes that for the new normal.", 0.5, "n-9", 0.4)
	for _, c := range []struct{ about, kept, want string }{
		{"an answer", "On eval the mean reward went from 0.4 to 0, by -0.4 [-0.5, -0.3], over 40 items that both runs hold.", "在 eval 上，平均奖励从 0.4 变为 0，变化 -0.4 [-0.5, -0.3]，依据是两次运行共有的 40 道题目。"},
		{
			"several parts, and the trend", "On eval the mean reward went from 0.4 to 0.4, by 0 [-0.1, +0.1], over 40 items that both runs hold; the one-sided bounds -0.07 and +0.07 lie within 0.15." + trend,
			"在 eval 上，平均奖励从 0.4 变为 0.4，变化 0 [-0.1, +0.1]，依据是两次运行共有的 40 道题目；两个单侧界限 -0.07 和 +0.07 都不超出 ±0.15。" + message.Chinese.Again(trend),
		},
		{"a part that another version said", "On eval the mean reward went from 0.4 to 0.4, by 0, over 40 items that both runs hold; it is so.", ""},
		{"another trend", "On eval the mean reward went from 0.4 to 0.4, by 0, over 40 items that both runs hold. Against the trend it rose.", ""},
		{"a night compared with none", "The night holds no rollout with a reward.", "这次夜间运行没有任何带奖励的轨迹。"},
		{"another sentence", "It is so.", ""},
	} {
		if said, ok := saidAgain(message.Chinese, c.kept); ok != (c.want != "") || ok && said != c.want {
			t.Errorf("%s: %q, %t, want %q", c.about, said, ok, c.want)
		}
	}
}

func TestGoldenHistoryInChinese(t *testing.T) {
	h := nightsOf(12, dated)
	h.Lang = message.Chinese
	p := NewHistory(h, Options{})
	golden(t, "history.zh.md", string(written(t, p.WriteMarkdown)))
	golden(t, "history.zh.txt", string(written(t, p.WriteText)))
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
