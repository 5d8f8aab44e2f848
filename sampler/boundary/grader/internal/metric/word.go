package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a text for bleu, gleu and meteor, by the international rules of
// NIST's mteval-v14 (sacreBLEU's "intl"): punctuation becomes a word of its own
// unless it is between two numbers, symbols always, and blanks separate.
// The text counts as if blanks were around it, so the point in "is 42."
// is cut off as well. The rules know no language; scripts without blanks are
// not cut into words.
func words(text string) []string {
	runes := append(append([]rune{' '}, []rune(text)...), ' ')
	runes = apart(runes, func(a, b rune) bool { return !unicode.IsNumber(a) && unicode.IsPunct(b) }, false)
	runes = apart(runes, func(a, b rune) bool { return unicode.IsPunct(a) && !unicode.IsNumber(b) }, true)
	var b strings.Builder
	b.Grow(len(runes))
	for _, r := range runes {
		if unicode.IsSymbol(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.Fields(b.String())
}

// apart sets blanks between the pairs that a rule names, and around its
// punctuation: before the pair when that comes first, else behind. Like a
// regular expression it goes from left to right and uses no character twice.
func apart(text []rune, rule func(a, b rune) bool, first bool) []rune {
	out := make([]rune, 0, len(text)+len(text)/4)
	for i := 0; i < len(text); i++ {
		switch {
		case i+1 == len(text) || !rule(text[i], text[i+1]):
			out = append(out, text[i])
			continue
		case first:
			out = append(out, ' ', text[i], ' ', text[i+1])
		default:
			out = append(out, text[i], ' ', text[i+1], ' ')
		}
		i++
	}
	return out
}

// rougeWords splits a text as rouge-score 0.1.2 does: in small letters, words
// are runs of a-z and 0-9, all else separates.
func rougeWords(text string) []string {
	var (
		out  []string
		word []byte
	)
	cut := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = word[:0]
		}
	}
	for _, r := range text {
		if r == 'İ' { // in Python its small form is i and a dot above
			word = append(word, 'i')
			cut()
			continue
		}
		r = unicode.ToLower(r)
		if r < utf8.RuneSelf && ('a' <= r && r <= 'z' || '0' <= r && r <= '9') {
			word = append(word, byte(r))
			continue
		}
		cut()
	}
	cut()
	return out
}
