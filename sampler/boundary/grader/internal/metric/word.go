package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a text for bleu, gleu and meteor, by the international rules of NIST's mteval-v14
// (sacreBLEU's "intl"): spaces separate words, each symbol is a separate word, and so is punctuation
// unless it is between two digits. The text is treated as if surrounded by spaces, so the full stop
// of "is 42." is split off as well. The rules are the same for all languages; scripts without spaces
// are not split into words.
func words(text string) []string {
	runes := append(append([]rune{' '}, []rune(text)...), ' ')
	runes = spacePairs(runes, func(a, b rune) bool { return !unicode.IsNumber(a) && unicode.IsPunct(b) }, false)
	runes = spacePairs(runes, func(a, b rune) bool { return unicode.IsPunct(a) && !unicode.IsNumber(b) }, true)
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

// spacePairs inserts a space between the two characters of every pair that matches rule, and another
// one on the other side of the pair's punctuation, which is the first character of the pair or else
// the second. Like a regular expression, it goes from left to right and uses no character twice.
func spacePairs(text []rune, rule func(a, b rune) bool, first bool) []rune {
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

// rougeWords splits a text as rouge-score 0.1.2 does: in lower case, words are runs of a-z and 0-9,
// and everything else separates them.
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
		if r == 'İ' { // Python's lower() turns it into i and a combining dot above
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
