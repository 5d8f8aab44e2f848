package shift

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalize removes from a text what does not matter for copies: letter case, the kinds and amount
// of white space, zero-width characters, the kinds of quotes, dashes and full-width forms, accents
// written as separate marks, and sentence marks at the very end. Invalid UTF-8 is read as
// replacement characters. It is idempotent.
func normalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch r = fold(r); {
		case r < 0:
			continue
		case r == ' ':
			space = b.Len() > 0
			continue
		case space:
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(norm.NFC.String(b.String()), " .?!。？！…")
}

// fold maps a character to its plain form, white space to a space, and invisible characters to -1.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r > ' ' && r < 0x7F:
			return r
		case r == ' ' || r >= '\t' && r <= '\r':
			return ' '
		}
		return -1 // control characters
	case r >= '！' && r <= '～': // full-width forms
		return fold(r - '！' + '!')
	case unicode.IsSpace(r):
		return ' '
	case r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u2064',
		r == '\ufeff', r == '\u00ad', r >= '\ufe00' && r <= '\ufe0f':
		return -1
	case strings.ContainsRune("‘’‚‛′", r):
		return '\''
	case strings.ContainsRune("“”„‟″«»", r):
		return '"'
	case r == '−' || r >= '‐' && r <= '―':
		return '-'
	}
	return lower(r)
}

// lower lowers a letter until its lower case is itself.
func lower(r rune) rune {
	for range 3 {
		low := unicode.ToLower(r)
		if low == r {
			break
		}
		r = low
	}
	return r
}
