package shift

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of a text. In scripts that are written without spaces each
// character is a word.
type token struct {
	text    string // as it is in the text
	number  bool   // it holds a digit
	capital bool   // it begins with a capital letter
	opens   bool   // it begins a sentence
}

// tokens cuts a text into words and leaves the marks between them out. Digits
// keep the points and commas between them.
func tokens(s string) []token {
	var out []token
	opens := true
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !wordRune(r) {
			if strings.ContainsRune(".?!:\n。？！：\"“", r) {
				opens = true
			}
			at += size
			continue
		}
		end := at + size
		t := token{number: unicode.IsDigit(r), capital: unicode.IsUpper(r), opens: opens}
		for !unspaced(r) && end < len(s) {
			next, n := utf8.DecodeRuneInString(s[end:])
			if unspaced(next) || !wordRune(next) && !inside(s, end, n, r, next) {
				break
			}
			t.number = t.number || unicode.IsDigit(next)
			end += n
			r = next
		}
		t.text = s[at:end]
		out = append(out, t)
		at, opens = end, false
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// inside reports marks that part no word: the apostrophe between letters, the
// point and the comma between digits.
func inside(s string, at, size int, before, mark rune) bool {
	after, _ := utf8.DecodeRuneInString(s[at+size:])
	switch mark {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// unspaced reports characters of scripts that are written without spaces.
func unspaced(r rune) bool {
	if r < 0xE00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// skeletonOf takes numbers and names out of a text. It returns hashes of what is
// left and of what was taken out, and the words that are left. A name is a run
// of capitalized words; one capitalized word at the beginning of a sentence is
// none.
func skeletonOf(list []token) (left, slots uint64, words int) {
	for i := 0; i < len(list); i++ {
		switch t := list[i]; {
		case t.number:
			left, slots = chain(left, "#"), chain(slots, normalize(t.text))
		case named(list, i):
			left, slots = chain(left, "@"), chain(slots, normalize(t.text))
			for i+1 < len(list) && list[i+1].capital && !list[i+1].number && !list[i+1].opens {
				i++
				slots = chain(slots, normalize(list[i].text))
			}
		default:
			left = chain(left, normalize(t.text))
			words++
		}
	}
	return left, slots, words
}

// chain adds a word to the hash of those before it. The hash is FNV-1a of 64
// bits, mixed at the end of each word.
func chain(h uint64, word string) uint64 {
	h ^= 0xcbf29ce484222325
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 0x100000001b3
	}
	return mix(h)
}

func named(list []token, i int) bool {
	if !list[i].capital {
		return false
	}
	if !list[i].opens {
		return true
	}
	return i+1 < len(list) && list[i+1].capital && !list[i+1].opens && !list[i+1].number &&
		!openers[strings.ToLower(list[i].text)]
}

// functional are words that two ways of asking the same may differ by.
var functional = wordSet(`a an the is are was were be been am do does did has have had of in on at for by with as
	that this these those it its there and please kindly just now me my i you your we us our
	can could would will shall should may might tell give say state find let need want know so then exactly`)

// openers begin a sentence and no name.
var openers = wordSet("what which who whom whose when where why how if is are was were do does did has have the a " +
	"an in on at for by to from")

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// content hashes the sequence of the words that carry content; 0 where fewer
// than three do.
func content(list []token) uint64 {
	h, n := uint64(0), 0
	for _, t := range list {
		w := normalize(t.text)
		if w == "" || functional[w] {
			continue
		}
		h = chain(h, w)
		n++
	}
	if n < 3 {
		return 0
	}
	return h
}
