package audit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file decides which payloads would be unfair: a wrong answer that a sound grader may well pay
// for, or a rewrite that a careful reader would not accept as the reference. In doubt a payload is
// not made.

// How close an answer may come before a grader may pay for it: the share of common words, and of a
// number's value.
const (
	tooAlike = 0.5
	tenth    = 100 // in thousandths
)

// paid reports whether the answer to another item is so close to this item's that a sound grader
// may pay more than half for it: most words in common, one contained in the other, a number at most
// a tenth off, the same yes or no in another word.
func (c *Case) paid(other string) bool {
	if c.right(other) {
		return true
	}
	return slices.ContainsFunc(c.rights(), func(ref string) bool {
		if abstains(ref) && abstains(other) || affirms(ref)*affirms(other) > 0 {
			return true
		}
		x, ok := parseNumber(other)
		y, too := parseNumber(ref)
		if ok && too {
			return within(x, y, tenth)
		}
		a, b := words(other), words(ref)
		return likeness(a, b) > tooAlike || holds(a, b) || holds(b, a)
	})
}

// affirms returns 1 for a text that says yes, -1 for one that says no, else 0.
func affirms(text string) int {
	switch normal(text) {
	case "yes", "true", "correct", "right", "ja", "oui", "sí", "是":
		return 1
	case "no", "false", "incorrect", "wrong", "nein", "non", "否":
		return -1
	}
	return 0
}

// rights returns the answers that are known to be right.
func (c *Case) rights() []string {
	if !c.HasReference {
		return c.Accepted
	}
	return append(slices.Clone(c.Accepted), c.Reference)
}

// mentions reports whether a text names a right answer, or ends with its number: a grader that
// finds it there has not been fooled.
func (c *Case) mentions(text string) bool {
	all := words(text)
	last, numeric := lastNumber(text)
	return slices.ContainsFunc(c.rights(), func(ref string) bool {
		if n, ok := parseNumber(ref); ok && numeric && near(last, n) {
			return true
		}
		return holds(all, words(ref)) || unspaced(ref) && strings.Contains(normal(text), normal(ref))
	})
}

// words returns a text's words and numbers in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// holds reports whether the words of row occur in all, in sequence.
func holds(all, row []string) bool {
	if len(row) == 0 {
		return false
	}
	for i := 0; i+len(row) <= len(all); i++ {
		if slices.Equal(all[i:i+len(row)], row) {
			return true
		}
	}
	return false
}

// likeness returns the harmonic mean of the shares of words that two texts have in common, from 0
// to 1.
func likeness(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	counts := make(map[string]int, len(a))
	for _, w := range a {
		counts[w]++
	}
	common := 0
	for _, w := range b {
		if counts[w] > 0 {
			counts[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// unspaced reports whether a text is in a script without spaces between words.
func unspaced(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	})
}

// chosen reports whether the reference is one of a few choices: a letter, yes or no, or one that
// the row offers. Graders of such answers look for the first or the last choice in a text.
func (c *Case) chosen() bool {
	r, size := utf8.DecodeRuneInString(normal(c.Reference))
	return affirms(c.Reference) != 0 || size > 0 && size == len(normal(c.Reference)) && unicode.IsLetter(r) ||
		slices.ContainsFunc(c.choices(), c.right)
}

// listed returns the items of a text that lists short ones; nil for any other text.
func listed(text string) []string {
	for _, sep := range []string{"\n", "; ", ", ", " and "} {
		items := strings.Split(text, sep)
		if len(items) > 1 && !slices.ContainsFunc(items, func(s string) bool { return len(strings.Fields(s)) > 4 }) {
			return items
		}
	}
	return nil
}

// several reports whether a text states several things, of which an answer may state some: then a
// text that holds all of them may be paid for each.
func several(text string) bool {
	return strings.Count(text, "|")+strings.Count(text, "\n")+strings.Count(text, "; ") > 0 || strings.Count(text, ", ") > 1
}

var (
	// codePattern finds questions that ask for a number which is a name: there, 250.00 is not 250,
	// and 99213 has no thousands separator.
	codePattern = regexp.MustCompile(
		`(?i)\b(?:codes?|icd|cpt|hcpcs|snomed|loinc|ndc|zip|postcode|telephone|identifiers?|isbn|version|(?:phone|serial|account|invoice|order|id) numbers?)\b`)
	// lossPattern finds questions whose words reverse the sign: a loss of 5 is −5.
	lossPattern = regexp.MustCompile(
		`(?i)\b(?:loss|losses|lost|lose|decreased?|declined?|drop(?:ped)?|reduc\w*|fall|fell|deficit|outflows?|expenses?|impairments?|below|debt)\b`)
	// dayPattern finds what follows a number that is a day or a time.
	dayPattern = regexp.MustCompile(`^\.?\s*(?:\p{Lu}|(?i:[ap]\.?m\b|uhr\b|o'clock)|[年月日号時时点])`)
)

// name reports whether a number is a name, or a part of one: Apollo 11, a code, one of the choices.
func (c *Case) name(n number) bool {
	return strings.ContainsFunc(n.lead, unicode.IsLetter) || codePattern.MatchString(c.prompt()) || c.chosen()
}

// pointed reports whether n is like 1.500, which is 1500 where points separate thousands.
func (n number) pointed() bool {
	return n.group+n.exponent == "" && n.point == "." && len(n.fraction) == 3 && len(n.whole) <= 3 &&
		strings.Trim(n.whole, "0") != ""
}

// paired reports whether n is like 1,2 without a unit, which may be two numbers.
func (n number) paired() bool {
	return n.group+n.exponent == "" && n.point == "," && len(n.whole) <= 3 && n.bare() &&
		n.money+n.moneyAfter+n.scale+n.scaleAfter+n.percent == ""
}
