package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible returns s with everything that is not plain to see (control
// characters, escape sequences, direction marks, broken UTF-8) written out as
// an escape. Every text of a Page that comes from data has been through it,
// so that no format can be steered by an item's id or a server's error.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[0]), 16))
		case hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }

// prose is visible for running text, in which line ends are only layout.
func prose(s string) string { return visible(strings.Join(strings.Fields(s), " ")) }

// longest is how many runes of an id are shown.
const longest = 96

// id is visible, with the middle of an overlong id left out: ids often differ
// at their ends.
func id(s string) string {
	s = visible(s)
	r := []rune(s)
	if len(r) <= longest {
		return s
	}
	return string(r[:longest-36]) + "…" + string(r[len(r)-35:])
}

func ids(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = id(s)
	}
	return out
}
