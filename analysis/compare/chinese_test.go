package compare_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// saidInChinese says a comparison, and the same read from its file, in Chinese:
// nothing of it stays English.
func saidInChinese(t *testing.T, c *compare.Comparison) {
	t.Helper()
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	read := new(compare.Comparison)
	if err := json.Unmarshal(file.Bytes(), read); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(textsOf(read), textsOf(c)) {
		t.Errorf("read from its file it says %q, not %q", textsOf(read), textsOf(c))
	}
	chinese := message.Chinese.OnMissing(func(_, english string) { t.Errorf("Chinese lacks %q", english) })
	for _, text := range textsOf(c) {
		said := text.In(chinese)
		han := strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		if !slices.Contains(message.Untranslated(), "zh "+text.ID) && (!han || wordsInARow.MatchString(said)) {
			t.Errorf("%q is no Chinese: %q", text, said)
		}
	}
}

var wordsInARow = regexp.MustCompile(`[a-z]+( [a-z]+){3,}`)

// textsOf is all that a comparison says in its own words.
func textsOf(c *compare.Comparison) []message.Text {
	list := append([]message.Text{c.Sentence}, c.Notes...)
	for _, d := range c.Differs {
		if !d.Note.IsEmpty() {
			list = append(list, d.Note)
		}
		if d.What == "items" {
			list = append(list, d.Base, d.New)
		}
	}
	for _, split := range rollout.Splits() {
		if sc := c.Splits[split]; sc != nil {
			list = append(list, sc.Why)
		}
	}
	return list
}

// Data files are told apart by their contents, and rows are counted.
func TestRowsOfDataAreCountedInTheLanguage(t *testing.T) {
	made := func(file string, rows int) *rollout.Run {
		run := opened(t, graded("eval", 2, 2, steps(2, 0)))
		run.Manifest = &rollout.Manifest{Data: []rollout.Data{{Split: rollout.Eval, File: file, SHA256: "12ab34cd56ef7890", Rows: rows}}}
		return run
	}
	d := compared(t, made("2 rows.jsonl", 1200), made("eval.jsonl", 1)).Differs
	if len(d) == 0 || d[0].Key != "data.eval" {
		t.Fatalf("what differs is %+v", d)
	}
	for want, text := range map[string]string{
		"12ab34cd56ef (2 rows.jsonl, 1,200 rows)": d[0].Base.String(), "12ab34cd56ef (eval.jsonl, 1 row)": d[0].New.String(),
		"12ab34cd56ef（2 rows.jsonl，1,200 行）": d[0].Base.In(message.Chinese), "12ab34cd56ef（eval.jsonl，1 行）": d[0].New.In(message.Chinese),
	} {
		if text != want {
			t.Errorf("a data file is named %q, want %q", text, want)
		}
	}
}
