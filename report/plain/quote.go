package plain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quoted returns the first n runes of s in quotation marks. Hidden characters are written as
// escapes, a backslash as two, and a space that a reader could miss (at an end, next to another) as
// ␣. complete reports whether that is all of s.
func Quoted(s string, n int) (text string, complete bool) {
	head := First(s, n)
	var b strings.Builder
	b.WriteString("“")
	shown := head
	if len(head) < len(s) {
		shown = strings.TrimRight(head, " ") // a space at the cut is not at the text's end
	}
	runes := []rune(Text(strings.ReplaceAll(shown, `\`, `\\`)))
	for i, r := range runes {
		switch {
		case r == '␣':
			b.WriteString(`\u2423`)
		case r == ' ' && (i == 0 || i == len(runes)-1 || runes[i-1] == ' ' || runes[i+1] == ' '):
			b.WriteRune('␣')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("”")
	return b.String(), len(head) == len(s)
}

// Quote is Quoted with an ellipsis after a cut.
func Quote(s string, n int) string {
	text, complete := Quoted(s, n)
	if !complete {
		text += "…"
	}
	return text
}

// QuoteAround quotes n runes of a text on one line: the first ones, or those around the key, from
// the beginning of a word, if the key is beyond them.
func QuoteAround(s, key string, n int) string {
	s, key = OneLine(s), OneLine(key)
	before, _, found := strings.Cut(s, key)
	start, length := utf8.RuneCountInString(before), utf8.RuneCountInString(key)
	if !found || start+length <= n {
		return Quote(s, n)
	}
	from := len(First(before, start-max(0, n-length)/2))
	if _, rest, ok := strings.Cut(before[from:], " "); ok {
		from = len(before) - len(rest)
	}
	return "…" + Quote(s[from:], n)
}

// OneLine joins the lines of a text into one, without indentation.
func OneLine(s string) string {
	var lines []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if words := strings.Fields(line); words != nil {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, " / ")
}

// First returns the first n runes of s. A broken byte counts as one.
func First(s string, n int) string {
	end := 0
	for range n {
		if end == len(s) {
			break
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}

// Lookalikes lists the characters of s that a reader mistakes for others: letters of scripts that
// resemble Latin in a word with ASCII letters or digits, and the alternative alphabets of Unicode.
// It lists at most six.
func Lookalikes(s string) []string {
	const handful = 6
	var list []string
	for _, word := range strings.Fields(s) {
		mixed := strings.ContainsFunc(word, func(r rune) bool {
			return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
		})
		for _, r := range word {
			second := r >= 0xff01 && r <= 0xff5e || r >= 0x1d400 && r <= 0x1d7ff || r == 0x2024
			if !second &&
				!(mixed && unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee,
					unicode.Coptic)) {
				continue
			}
			if name := fmt.Sprintf("U+%04X %c", r, r); !slices.Contains(list, name) {
				list = append(list, name)
			}
			if len(list) == handful {
				return append(list, "…")
			}
		}
	}
	return list
}
