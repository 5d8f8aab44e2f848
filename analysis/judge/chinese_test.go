package judge

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis/message"
)

func TestMessagesInChineseAreChinese(t *testing.T) {
	for _, d := range message.Defs() {
		if !slices.Contains(message.Untranslated(), "zh "+d.ID) && strings.ContainsFunc(placeholder.ReplaceAllString(d.English, ""), unicode.IsLetter) {
			checkChinese(t, d.English, d.In(message.Chinese))
		}
	}
}

var (
	placeholder = regexp.MustCompile(`\{[^}]*\}`)
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
