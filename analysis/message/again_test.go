package message

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// Every format that is kept is found in what it has written, and what was put
// into it is there again.
func TestWhatWasKeptIsSaidAgain(t *testing.T) {
	for english, said := range chineseKeptAll {
		var args []any
		var filled []string
		most := 0
		for _, m := range formatVerb.FindAllStringSubmatch(english, -1) {
			at := len(args) + 1
			if m[1] != "" {
				fmt.Sscan(m[1], &at)
			}
			if m[2] == "%" || at <= most {
				continue
			}
			most = at
			arg := map[string]any{"s": fmt.Sprint("name", at), "q": fmt.Sprint("quote; ", at), "d": 100 + at}[m[2]]
			if arg == nil {
				arg = float64(10 + at)
			}
			args = append(args, arg)
			filled = append(filled, strings.Trim(fmt.Sprintf("%q", fmt.Sprint(arg)), `"`))
		}
		text := fmt.Sprintf(english, args...)
		again := Chinese.Again(text)
		if again == text || !strings.ContainsFunc(again, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || strings.Contains(again, "%!") {
			t.Errorf("%q is said again as %q, by %q", text, again, said)
		}
		for _, arg := range filled {
			if !strings.Contains(again, arg) {
				t.Errorf("%q is said again as %q, without %q", text, again, arg)
			}
		}
	}
}

func TestTextsAreSaidAgain(t *testing.T) {
	texts := map[string]string{"%s items": "%s Dinge", "%s %s": "%s %s", "; ": " / "}
	keep := map[string]string{"%s of %d": "%[2]d-%[1]s", "none": "keins", "%.3g %% of %q": "%[2]q %[1].3g %%", "a group of %[1]d is %[1]d": "Gruppe %[1]d", "; ": " / "}
	l := Language{&catalogue{tag: "xx", texts: texts, kept: keep, formats: func() []keptFormat { return finding(keep) }}}
	for _, c := range []struct{ about, english, want string }{
		{"a text", "none", "keins"},
		{"a count", "1,200 items", "1,200 Dinge"},
		{"a count of one", "1 item", "1 Dinge"},
		{"a percentage is no count", "100 %", "100 %"},
		{"a format with another order", "x of 3", "3-x"},
		{"a text within a format", "none of 3", "3-keins"},
		{"a count within a format", "2 items of 3", "3-2 Dinge"},
		{"a quoted text stays as it is", `0.5 % of "none; of 3"`, `"none; of 3" 0.5 %`},
		{"an argument twice", "a group of 8 is 8", "Gruppe 8"},
		{"several", "none; unheard of", "keins / unheard of"},
		{"what is not known", "unheard of", "unheard of"},
		{"nothing", "", ""},
	} {
		if got := l.Again(c.english); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
		if got := (Language{}).Again(c.english); got != c.english {
			t.Errorf("%s in English: %q", c.about, got)
		}
	}
}
