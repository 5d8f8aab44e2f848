package shift

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// normalise is a text without what makes no difference between two copies of
// it: letter case, the kinds and amount of white space, characters without
// width, the kinds of quotes, dashes and full-width forms, accents written as
// marks of their own, and sentence marks at the very end. Texts that are no
// UTF-8 are read with replacement characters. It is idempotent.
func normalise(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	last := rune(-1) // held back: a mark may still join it
	space := false
	for _, r := range s {
		r = fold(r)
		switch {
		case r < 0:
			continue
		case r == ' ':
			space = last >= 0
			continue
		}
		if whole, ok := composed(last, r); ok && !space {
			last = whole
			continue
		}
		if last >= 0 {
			b.WriteRune(last)
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		last = r
	}
	if last >= 0 {
		b.WriteRune(last)
	}
	return strings.TrimRight(b.String(), " .?!。？！…")
}

// fold maps a character to the one that it is read as, white space to a space,
// and to -1 what is not seen.
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
	case r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u2064', r == '\ufeff', r == '\u00ad', r >= '\ufe00' && r <= '\ufe0f':
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

// lower is the lower case of a letter, of which the lower case is itself.
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

// accents lists, by combining mark, the letters that have a character of their
// own with it, each followed by that character.
var accents = map[rune]string{
	'\u0300': "aàeèiìoòuùnǹ",
	'\u0301': "aáeéiíoóuúyýcćlĺnńrŕsśzź",
	'\u0302': "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷ",
	'\u0303': "aãnñoõiĩuũ",
	'\u0304': "aāeēiīoōuū",
	'\u0306': "aăeĕgğiĭoŏuŭ",
	'\u0307': "cċeėgġzż",
	'\u0308': "aäeëiïoöuüyÿ",
	'\u030a': "aåuů",
	'\u030b': "oőuű",
	'\u030c': "cčdďeěnňrřsštťzž",
	'\u0327': "cçsştţ",
	'\u0328': "aąeęiįuų",
}

// composed joins a letter and a combining mark.
func composed(letter, mark rune) (rune, bool) {
	if letter < 0 || mark < 0x300 || mark > 0x36F {
		return 0, false
	}
	pairs := []rune(accents[mark])
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == letter {
			return pairs[i+1], true
		}
	}
	return 0, false
}
