package shift

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of a text. In scripts that are written without spaces each character is a word.
type token struct {
	text    string // as it occurs in the text
	number  bool   // it holds a digit
	capital bool   // it begins with a capital letter
	opens   bool   // it begins a sentence
}

// tokens splits a text into words and drops the marks between them. Numbers keep the points and
// commas between digits.
func tokens(s string) []token {
	var out []token
	opens := true
	for index := 0; index < len(s); {
		r, size := utf8.DecodeRuneInString(s[index:])
		if !wordRune(r) {
			if strings.ContainsRune(".?!:\n。？！：\"“", r) {
				opens = true
			}
			index += size
			continue
		}
		end := index + size
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
		t.text = s[index:end]
		out = append(out, t)
		index, opens = end, false
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// inside reports whether a mark is within a word: an apostrophe between letters, a point or a comma
// between digits.
func inside(s string, index, size int, before, mark rune) bool {
	after, _ := utf8.DecodeRuneInString(s[index+size:])
	switch mark {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// unspaced reports whether a character belongs to a script that is written without spaces.
func unspaced(r rune) bool {
	if r < 0xE00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// skeletonOf removes numbers and names from a text. It returns hashes of what remains and of what
// was removed, and the number of remaining words. A name is a run of capitalized words; one
// capitalized word at the beginning of a sentence is not a name.
func skeletonOf(list []token) (rest, slots uint64, words int) {
	for i := 0; i < len(list); i++ {
		switch t := list[i]; {
		case t.number:
			rest, slots = chain(rest, "#"), chain(slots, normalize(t.text))
		case named(list, i):
			rest, slots = chain(rest, "@"), chain(slots, normalize(t.text))
			for i+1 < len(list) && list[i+1].capital && !list[i+1].number && !list[i+1].opens {
				i++
				slots = chain(slots, normalize(list[i].text))
			}
		default:
			rest = chain(rest, normalize(t.text))
			words++
		}
	}
	return rest, slots, words
}

// chain adds a word to the hash of the words before it. The hash is FNV-1a of 64 bits, mixed at the
// end of each word.
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

// functional lists words by which two ways of asking the same may differ.
var functional = wordSet(`a an the is are was were be been am do does did has have had of in on at for by with as
	that this these those it its there and please kindly just now me my i you your we us our
	can could would will shall should may might tell give say state find let need want know so then exactly`)

// openers lists words that begin a sentence and are not names.
var openers = wordSet("what which who whom whose when where why how if is are was were do does did has have the a " +
	"an in on at for by to from")

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// content hashes the sequence of the words that carry content; 0 if there are fewer than three.
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
