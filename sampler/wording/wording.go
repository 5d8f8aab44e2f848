// Package wording serves the gonogo command; its API may change in any release.
//
// It shortens texts and chooses plurals for messages.
//
// In: texts of any length, and English words for things that are counted. Out: texts that
// fit a line or a limit, with an ellipsis where something was cut, and the word for one
// thing or for several. Standard library only.
package wording

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Ellipsis marks where a text was cut.
const Ellipsis = "…"

// Clip shortens s to at most n runes, the ellipsis included.
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + Ellipsis
}

// Line puts s on one line, with single spaces between its words, and clips it to n runes.
func Line(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }

// ClipBytes keeps at most n bytes of s, without splitting a rune, and adds an ellipsis if
// that is not all of s.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + Ellipsis
}

// forms matches words in the form [one|several].
var forms = regexp.MustCompile(`\[([^|\]]*)\|([^\]]*)\]`)

// Plural returns the words for n things. In words with forms, such as "row[|s] [was|were]
// left out", it chooses the first form of each for one thing and the second for several.
// Other words are a singular, such as "item" or "category", and get their English plural.
func Plural(n int, words string) string {
	form := "$2"
	if n == 1 {
		form = "$1"
	}
	if strings.Contains(words, "[") {
		return forms.ReplaceAllString(words, form)
	}
	stem, y := strings.CutSuffix(words, "y")
	switch {
	case n == 1:
		return words
	case y && !strings.HasSuffix(stem, "e") && !strings.HasSuffix(stem, "a"):
		return stem + "ies"
	}
	return words + "s"
}
