package text

import (
	"strings"
	"testing"
)

func TestWrapKeepsEveryWord(t *testing.T) {
	for _, s := range []string{"", "one", "some words of a sentence that is longer than a line", strings.Repeat("x", 300), "中文标识符日本語 and " + strings.Repeat("報告", 60)} {
		got := strings.Join(wrap(s, 40, 20), "")
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("wrap(%.20q) changed the text to %q", s, got)
		}
	}
}

func TestWrapBreaksBetweenTheSignsOfEastAsia(t *testing.T) {
	for _, c := range []struct {
		about, text string
		n           int
		want        []string
	}{
		{"between signs, each two columns wide", "训练可以奏效", 8, []string{"训练可以", "奏效"}},
		{"never before a full stop", "训练可以。奏效", 8, []string{"训练可", "以。奏效"}},
		{"never behind an opening bracket", "训练可（以）", 8, []string{"训练可", "（以）"}},
		{"between a sign and a word", "平均奖励 0.42 [0.36, 0.49]", 13, []string{"平均奖励 0.42", "[0.36, 0.49]"}},
		{"no word within", "检查项signal.informative", 22, []string{"检查项", "signal.informative"}},
		{"no hyphen of English", "a well-known-word of many", 10, []string{"a", "well-known", "-word of", "many"}},
	} {
		if got := wrap(c.text, c.n, c.n); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: wrap(%q, %d) = %q, want %q", c.about, c.text, c.n, got, c.want)
		}
	}
}
