package analysis_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// saidInChinese says a comparison, and the same read from its file, in Chinese:
// nothing that it says itself stays English, its numbers and its file do not
// change, and English is found again.
func saidInChinese(t *testing.T, c *analysis.Comparison) {
	t.Helper()
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	read := new(analysis.Comparison)
	if err := json.Unmarshal(file.Bytes(), read); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*analysis.Comparison{c, read} {
		zh := c.In(message.Chinese.Lacking(func(english string) { t.Errorf("Chinese lacks %q", english) }))
		for _, text := range textsOf(zh) {
			if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || wordsInARow.MatchString(text) {
				t.Errorf("it is no Chinese: %q", text)
			}
		}
		if zh.In(message.Language{}) != c || c.In(message.Language{}) != c {
			t.Error("the English comparison is not found again")
		}
		var again bytes.Buffer
		if err := zh.Encode(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
			t.Errorf("comparison.json is another one in Chinese (%v)", err)
		}
	}
}

var wordsInARow = regexp.MustCompile(`[a-z]+( [a-z]+){3,}`)

// textsOf is all that a comparison says in its own words.
func textsOf(c *analysis.Comparison) []string {
	list := append([]string{c.Sentence}, c.Notes...)
	for _, d := range c.Differs {
		if d.Note != "" {
			list = append(list, d.Note)
		}
		if d.What == "items" {
			list = append(list, d.Base, d.New)
		}
	}
	for _, sc := range c.Splits {
		list = append(append(list, sc.Why), sc.Reward.Warnings...)
	}
	return list
}

// A text that today's numbers do not make, as another version's, stays.
func TestWhatCannotBeSaidAgainStaysEnglish(t *testing.T) {
	c := compare(t, opened(t, graded("eval", 30, 4, steps(4, 0))), opened(t, graded("eval", 30, 4, steps(4, 1))))
	sc := c.Splits[rollout.Eval]
	c.Sentence, sc.Why, c.Notes = "Once it was said so.", "once it was said so", []string{"a note of once"}
	zh := c.In(message.Chinese)
	if zh.Sentence != c.Sentence || zh.Splits[rollout.Eval].Why != sc.Why || zh.Notes[0] != c.Notes[0] {
		t.Errorf("%q, %q and %q", zh.Sentence, zh.Splits[rollout.Eval].Why, zh.Notes[0])
	}
}

// A file by hand or of another version may lack the end of an interval.
func TestAComparisonWithHalfAnIntervalIsSaid(t *testing.T) {
	c := compare(t, opened(t, graded("eval", 30, 4, steps(4, 1))), opened(t, graded("eval", 30, 4, steps(4, 0))))
	sc := c.Splits[rollout.Eval]
	if sc.Answer != analysis.Regressed && sc.Answer != analysis.Improved {
		t.Fatalf("the answer is %s", sc.Answer)
	}
	below := -0.1
	sc.Reward.Family = &stat.Estimate{Low: &below}
	if zh := c.In(message.Chinese); !strings.Contains(zh.Splits[rollout.Eval].Why, "平均奖励") {
		t.Errorf("it is said as %q", zh.Splits[rollout.Eval].Why)
	}
}

// Data files are told apart by their contents, and rows are counted.
func TestRowsOfDataAreCountedInTheLanguage(t *testing.T) {
	c := &analysis.Comparison{Differs: []analysis.RunDifference{{What: "data", Key: "data.eval", Base: "12ab (2 rows.jsonl, 1,200 rows)", New: "34cd (eval.jsonl, 1 row)"}}}
	d := c.In(message.Chinese).Differs[0]
	if d.Base != "12ab（2 rows.jsonl，1,200 行）" || d.New != "34cd（eval.jsonl，1 行）" {
		t.Errorf("%q and %q", d.Base, d.New)
	}
}
