package wording

import (
	"strings"
	"testing"
)

func TestTextsAreShortened(t *testing.T) {
	for _, c := range []struct{ about, got, want string }{
		{"a text that fits", Clip("12345", 5), "12345"},
		{"a text one rune longer", Clip("123456", 5), "1234…"},
		{"runes, not bytes", Clip("äöüßé", 5), "äöüßé"},
		{"broken bytes", Clip("\xff\xff\xff\xff", 3), "\uFFFD\uFFFD…"},
		{"several lines", Line(" a\n\tb  c ", 5), "a b c"},
		{"several long lines", Line("a\nb\nc\nd", 5), "a b …"},
		{"bytes that fit", ClipBytes("12345", 5), "12345"},
		{"more bytes", ClipBytes("123456", 5), "12345…"},
		{"a rune at the limit", ClipBytes("1234ä6", 5), "1234…"},
		{"nothing but the middle of runes", ClipBytes("\x80\x80\x80", 2), "…"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.about, c.got, c.want)
		}
	}
	if got := Clip(strings.Repeat("x", 1000), 10); len([]rune(got)) != 10 {
		t.Errorf("Clip(…, 10) is %d runes", len([]rune(got)))
	}
}

func TestPlural(t *testing.T) {
	for words, want := range map[string][2]string{
		"item":                                  {"item", "items"},
		"category":                              {"category", "categories"},
		"day":                                   {"day", "days"},
		"key":                                   {"key", "keys"},
		"row[|s] [was|were] left out":           {"row was left out", "rows were left out"},
		"[entry|entries] ended":                 {"entry ended", "entries ended"},
		"call[|s], with [its|their] answer[|s]": {"call, with its answer", "calls, with their answers"},
	} {
		if got := [2]string{Plural(1, words), Plural(2, words)}; got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	if got := Plural(0, "item"); got != "items" {
		t.Errorf("no %s", got)
	}
}
