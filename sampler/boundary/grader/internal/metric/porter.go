package metric

import "slices"

// stem returns the stem of a lower-case word by Porter's algorithm (Porter 1980, "An algorithm for
// suffix stripping", Program 14:130), with the changes that nltk's PorterStemmer makes by default. A
// letter that is not ASCII counts as a consonant.
func stem(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	w := []rune(word)
	if len(w) <= 2 {
		return word
	}
	w = plural(w)
	w = past(w)
	if s, ok := without(w, "y"); ok && len(s) > 1 && consonant(s, len(s)-1) {
		w = with(s, "i")
	}
	w = double(w)
	w = strip(w, singles, 1)
	w = final(w)
	if s, ok := without(w, "e"); ok && (measure(s) > 1 || measure(s) == 1 && !shortEnd(s)) {
		w = s
	}
	if s, ok := without(w, "l"); ok && endsIn(s, "l") && measure(s) > 1 {
		w = s
	}
	return string(w)
}

// irregular holds nltk's exceptions.
var irregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed", "exceed": "exceed",
	"succeed": "succeed",
}

// suffix is a rule: from at the end of a word becomes to, if the rest of the word is long enough.
type suffix struct{ from, to string }

// doubles, singles and finals are the rules of steps 2, 3 and 4 of the algorithm. The first suffix
// that matches decides, even if the rest of the word is too short for it.
var (
	doubles = []suffix{
		{"ational", "ate"},
		{"tional", "tion"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"izer", "ize"},
		{"bli", "ble"},
		{"alli", "al"},
		{"entli", "ent"},
		{"eli", "e"},
		{"ousli", "ous"},
		{"ization", "ize"},
		{"ation", "ate"},
		{"ator", "ate"},
		{"alism", "al"},
		{"iveness", "ive"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"aliti", "al"},
		{"iviti", "ive"},
		{"biliti", "ble"},
		{"fulli", "ful"},
	}
	singles = []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	finals = []suffix{
		{"al", ""},
		{"ance", ""},
		{"ence", ""},
		{"er", ""},
		{"ic", ""},
		{"able", ""},
		{"ible", ""},
		{"ant", ""},
		{"ement", ""},
		{"ment", ""},
		{"ent", ""},
		{"ion", ""},
		{"ou", ""},
		{"ism", ""},
		{"ate", ""},
		{"iti", ""},
		{"ous", ""},
		{"ive", ""},
		{"ize", ""},
	}
)

// plural is step 1a.
func plural(w []rune) []rune {
	switch {
	case endsIn(w, "ies") && len(w) == 4:
		return w[:3]
	case endsIn(w, "sses"), endsIn(w, "ies"):
		return w[:len(w)-2]
	case endsIn(w, "s") && !endsIn(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// past is step 1b.
func past(w []rune) []rune {
	if s, ok := without(w, "ied"); ok {
		if len(w) == 4 {
			return with(s, "ie")
		}
		return with(s, "i")
	}
	if s, ok := without(w, "eed"); ok {
		if measure(s) > 0 {
			return with(s, "ee")
		}
		return w
	}
	s, ok := without(w, "ed")
	if !ok || !hasVowel(s) {
		if s, ok = without(w, "ing"); !ok || !hasVowel(s) {
			return w
		}
	}
	n := len(s)
	switch last := s[n-1]; {
	case endsIn(s, "at"), endsIn(s, "bl"), endsIn(s, "iz"):
		return with(s, "e")
	case n >= 2 && s[n-2] == last && consonant(s, n-1):
		if last != 'l' && last != 's' && last != 'z' {
			return s[:n-1]
		}
	case measure(s) == 1 && shortEnd(s):
		return with(s, "e")
	}
	return s
}

// double is step 2.
func double(w []rune) []rune {
	if s, ok := without(w, "alli"); ok && measure(s) > 0 {
		return double(with(s, "al"))
	}
	for _, d := range doubles {
		if endsIn(w, d.from) {
			return strip(w, []suffix{d}, 1)
		}
	}
	// The l counts as part of the rest of the word, so that geologi is long enough.
	if endsIn(w, "logi") && measure(w[:len(w)-3]) > 0 {
		return w[:len(w)-1]
	}
	return w
}

// final is step 4.
func final(w []rune) []rune {
	if s, ok := without(w, "ion"); ok && !endsIn(s, "s") && !endsIn(s, "t") {
		return w
	}
	return strip(w, finals, 2)
}

// strip replaces the first suffix that the word ends in, if the measure of the rest is at least
// minMeasure.
func strip(w []rune, list []suffix, minMeasure int) []rune {
	for _, x := range list {
		if s, ok := without(w, x.from); ok {
			if measure(s) >= minMeasure {
				return with(s, x.to)
			}
			return w
		}
	}
	return w
}

// measure counts the transitions from vowel to consonant.
func measure(w []rune) int {
	n := 0
	for i := 1; i < len(w); i++ {
		if consonant(w, i) && !consonant(w, i-1) {
			n++
		}
	}
	return n
}

// consonant reports whether w[i] is a consonant. A y is a consonant unless it follows one.
func consonant(w []rune, i int) bool {
	ys := 0 // length of the run of y that ends at i
	for ; i >= 0 && w[i] == 'y'; i-- {
		ys++
	}
	first := i < 0 || !vowel(w[i])
	switch {
	case ys == 0:
		return first
	case i < 0: // the run starts the word, and its first y is a consonant
		return ys%2 == 1
	}
	return (ys%2 == 0) == first
}

func vowel(r rune) bool { return r == 'a' || r == 'e' || r == 'i' || r == 'o' || r == 'u' }

func hasVowel(w []rune) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

// shortEnd reports whether the word ends in consonant, vowel, consonant, the last one not w, x or y,
// or consists of a vowel and a consonant.
func shortEnd(w []rune) bool {
	n := len(w)
	if n == 2 {
		return !consonant(w, 0) && consonant(w, 1)
	}
	return n >= 3 && consonant(w, n-3) && !consonant(w, n-2) && consonant(w, n-1) &&
		!slices.Contains([]rune("wxy"), w[n-1])
}

func endsIn(w []rune, end string) bool {
	if len(w) < len(end) {
		return false
	}
	for i, r := range w[len(w)-len(end):] {
		if r != rune(end[i]) {
			return false
		}
	}
	return true
}

// without returns the word without an end, and whether the word ends in it.
func without(w []rune, end string) ([]rune, bool) {
	if !endsIn(w, end) {
		return nil, false
	}
	return w[:len(w)-len(end)], true
}

// with returns the word with an end appended. It never writes into w's array.
func with(w []rune, end string) []rune { return append(w[:len(w):len(w)], []rune(end)...) }
