// Package plain serves the gonogo command; its API may change in any release.
//
// It makes texts from models, tools and data safe to display: nothing in them can control a
// terminal, a page or a table.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything invisible or misleading (control characters, escape sequences,
// direction marks, broken UTF-8) written as escapes. Every text of a report that comes from data
// has passed through it, so that the id of an item or the error of a server cannot control the
// output.
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

// Hidden reports whether a rune is not printable.
func Hidden(r rune) bool { return !unicode.IsPrint(r) }

// Prose is Text for running text, in which line breaks are only layout.
func Prose(s string) string { return Text(strings.Join(strings.Fields(s), " ")) }

// longest is the maximum length of a displayed id, in runes.
const longest = 96

// ID is Text with the middle of an overlong id left out: ids often differ at their ends.
func ID(s string) string {
	s = Text(s)
	r := []rune(s)
	if len(r) <= longest {
		return s
	}
	return string(r[:longest-36]) + "…" + string(r[len(r)-35:])
}

// IDs returns the texts as ID displays them.
func IDs(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = ID(s)
	}
	return out
}
