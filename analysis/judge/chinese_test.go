package judge

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis/gate"
	"gonogo/analysis/message"
)

// inWords lists what the catalogue of findings says, and the docs of gates and
// thresholds.
func inWords() []string {
	var list []string
	for _, d := range message.Defs() {
		if strings.ContainsFunc(placeholder.ReplaceAllString(d.English, ""), unicode.IsLetter) {
			list = append(list, d.English)
		}
	}
	for _, g := range gate.All() {
		list = append(list, g.Doc)
	}
	for _, row := range gate.Thresholds() {
		list = append(list, row.Doc)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

func TestEveryWordOfFindingsIsTranslated(t *testing.T) {
	var lacking []string
	l := message.Chinese.Lacking(func(english string) { lacking = append(lacking, english) })
	for _, text := range inWords() {
		checkChinese(t, text, l.Text(text))
	}
	if len(lacking) > 0 {
		t.Errorf("not translated:\n%q", lacking)
	}
}

var (
	placeholder = regexp.MustCompile(`\{[A-Za-z_0-9]+\}`)
	quoted      = regexp.MustCompile(`“[^”]*”|"(?:[^"\\]|\\.)*"|'[^']*'|gonogo [a-z]+( RUN| [A-Z]+| --[a-z-]+)*|\{[a-z_]+\}`)
	englishRun  = regexp.MustCompile(`[a-z]+(?: [a-z]+){3,}`)
)

// checkChinese finds what was left in English, or open, in a text in Chinese.
func checkChinese(t *testing.T, english, said string) {
	t.Helper()
	bare := quoted.ReplaceAllString(said, "")
	if strings.ContainsFunc(bare, unicode.IsLetter) && !strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		t.Errorf("%q has no Chinese: %q", english, said)
	}
	if strings.Contains(said, "%!") {
		t.Errorf("%q is filled in badly: %q", english, said)
	}
	if run := englishRun.FindString(bare); run != "" {
		t.Errorf("%q is left in %q", run, said)
	}
}
