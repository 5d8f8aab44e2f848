package plain

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for what, c := range map[string][2]string{
		"plain text is left alone":           {"item-17 é 中文 🎉", "item-17 é 中文 🎉"},
		"an escape sequence is written out":  {"\x1b[31mred", `\x1b[31mred`},
		"line ends are written out":          {"a\r\nb\tc", `a\r\nb\tc`},
		"a direction mark is written out":    {"a\u202eb", `a\u202eb`},
		"a zero-width joiner is written out": {"a\u200db", `a\u200db`},
		"broken UTF-8 is written out":        {"a\xffb", `a\xffb`},
		"a single low byte has two digits":   {"\x00", `\x00`},
		"a C1 control is written out":        {"\u009b31m", `\u009b31m`},
	} {
		if got := Text(c[0]); got != c[1] {
			t.Errorf("%s: Text(%q) = %q, want %q", what, c[0], got, c[1])
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b]0;title\a", "\u2028", "\xed\xa0\x80", strings.Repeat("长", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Text(s), Prose(s), ID(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, Hidden) {
				t.Fatalf("%q is not plain to see", got)
			}
		}
		if n := utf8.RuneCountInString(ID(s)); n > longest {
			t.Fatalf("id is %d runes long, want at most %d", n, longest)
		}
	})
}

func TestLongIDsKeepBothEnds(t *testing.T) {
	got := ID("begin-" + strings.Repeat("x", 500) + "-end")
	if !strings.HasPrefix(got, "begin-") || !strings.HasSuffix(got, "-end") || !strings.Contains(got, "…") {
		t.Errorf("id is %q", got)
	}
}
