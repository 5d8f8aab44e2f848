// Package plain serves the gonogo command; its API may change in any release.
//
// It makes texts of models, tools and data plain to see: nothing in them steers a terminal, a
// page or a table.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything that is not plain to see (control
// characters, escape sequences, direction marks, broken UTF-8) written out as
// an escape. Every text of a Page that comes from data has been through it,
// so that no format can be steered by an item's id or a server's error.
func Text(s string) string {
	if !strings.ContainsFunc(s, Hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[0]), 16))
		case Hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// Hidden reports whether a sign is not plain to see.
func Hidden(r rune) bool { return !unicode.IsPrint(r) }

// Prose is Text for running text, in which line ends are only layout.
func Prose(s string) string { return Text(strings.Join(strings.Fields(s), " ")) }

// longest is how many runes of an id are shown.
const longest = 96

// ID is Text, with the middle of an overlong id left out: ids often differ
// at their ends.
func ID(s string) string {
	s = Text(s)
	r := []rune(s)
	if len(r) <= longest {
		return s
	}
	return string(r[:longest-36]) + "…" + string(r[len(r)-35:])
}

// IDs are texts as ID shows them.
func IDs(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = ID(s)
	}
	return out
}
