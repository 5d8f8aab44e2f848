package shift

import (
	"strings"
	"unicode"

	"gonogo/analysis/message"
)

// trait is one number that describes a text.
type trait struct {
	name  message.Text
	share bool // between 0 and 1: shown in per cent
	count bool // a count, which enters distances as log(1+x)
}

// traits lists the results of textTraits, in its order.
var traits = []trait{
	{name: message.New("shift.characters", "characters").Text(), count: true},
	{name: message.New("shift.words", "words").Text(), count: true},
	{name: message.New("shift.lines", "lines").Text(), count: true},
	{name: message.New("shift.share_of_digits", "share of digits").Text(), share: true},
	{name: message.New("shift.letters_per_word", "letters per word").Text()},
	{name: message.New("shift.share_of_distinct_words", "share of distinct words").Text(), share: true},
	{name: message.New("shift.share_of_capitals", "share of capitals").Text(), share: true},
	{name: message.New("shift.share_of_punctuation", "share of punctuation").Text(), share: true},
	{name: message.New("shift.share_of_cjk_characters", "share of CJK characters").Text(), share: true},
}

// typeTokenWords is the maximum number of words for the share of distinct words: in longer texts it
// would measure their length.
const typeTokenWords = 200

// textTraits describes a text by its characters, words and non-empty lines, and by shares of
// characters (capitals: of letters). An empty text has zeros.
func textTraits(text string) []float64 {
	var chars, letters, capitals, digits, points, cjk float64
	for _, r := range text {
		chars++
		switch {
		case isDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				capitals++
			}
			if isCJK(r) {
				cjk++
			}
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
			points++
		}
	}
	var words, runes, first float64
	seen := make(map[string]bool)
	eachWord(text, func(word string) bool {
		words++
		runes += float64(len([]rune(word)))
		if first < typeTokenWords {
			first++
			seen[word] = true
		}
		return true
	})
	return []float64{
		chars, words, lines(text),
		over(digits, chars), over(runes, words), over(float64(len(seen)), first),
		over(capitals, letters), over(points, chars), over(cjk, chars),
	}
}

func over(x, total float64) float64 {
	if total == 0 {
		return 0
	}
	return x / total
}

// lines counts the lines that contain more than white space.
func lines(text string) (n float64) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// eachWord yields the words of a text in lower case until yield returns false: runs of letters and
// digits. Han and kana, written without spaces, are words of one character each.
func eachWord(text string, yield func(string) bool) {
	lower := strings.ToLower(text)
	start := -1
	flush := func(end int) bool {
		from := start
		start = -1
		return from < 0 || yield(lower[from:end])
	}
	for i, r := range lower {
		alone := isIdeograph(r)
		if !alone && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) {
			if start < 0 {
				start = i
			}
			continue
		}
		if !flush(i) || alone && !yield(string(r)) {
			return
		}
	}
	flush(len(lower))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' || r > unicode.MaxASCII && unicode.IsDigit(r) }

func isIdeograph(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func isCJK(r rune) bool {
	return isIdeograph(r) || r > unicode.MaxASCII && unicode.Is(unicode.Hangul, r)
}
