package audit

import (
	"math/big"
	"strings"
	"unicode"
)

// normal returns a text without what does not change an answer: case, spacing, the kinds of quotes
// and dashes, and surrounding punctuation.
func normal(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r > ' ' && r < 0x7f: // the most frequent case
			return unicode.ToLower(r)
		case invisible(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case strings.ContainsRune("‘’‚′", r):
			return '\''
		case strings.ContainsRune("“”„″", r):
			return '"'
		case r == '−' || r >= '‐' && r <= '―':
			return '-'
		}
		return unicode.ToLower(r)
	}, s)
	const marks = " ,;:!?\"'`*_"
	return strings.TrimLeft(strings.TrimRight(strings.Join(strings.Fields(s), " "), marks+"."), marks) // .5 is not 5
}

// invisible reports whether a character has no width, so that readers do not see it.
func invisible(r rune) bool {
	return r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff' || r == '\u00ad'
}

// right reports whether an answer means the same as the reference, or as another accepted answer:
// the same text, number or JSON value, bare or in the answer's template.
func (c *Case) right(answer string) bool {
	bare, inTemplate := unwrap(c.Answer, answer)
	for _, ref := range c.rights() {
		full := c.answer(ref)
		if equal(answer, ref) || full != ref && equal(answer, full) || inTemplate && equal(bare, ref) {
			return true
		}
	}
	return false
}

// equal compares two answers as texts, as numbers and as JSON values.
func equal(a, b string) bool {
	if normal(a) == normal(b) {
		return true
	}
	x, ok := parseNumber(a)
	y, too := parseNumber(b)
	if ok && too {
		return x.value().Cmp(y.value()) == 0 && x.words() == y.words()
	}
	p, ok := parseJSON(a)
	q, too := parseJSON(b)
	return ok && too && p.equal(q)
}

// abstains reports whether a reference means that there is no answer: then an answer that says
// nothing, or "I don't know", is not wrong.
func abstains(ref string) bool {
	switch normal(ref) {
	case "", "none", "null", "nil", "n/a", "na", "nan", "unknown", "[]", "{}", "no answer", "not available",
		"not applicable", "nothing",
		"unanswerable", "cannot be determined", "not enough information", "insufficient information", "i don't know",
		"i do not know", "not known":
		return true
	}
	return false
}

// near compares two numbers as a reader would who knows neither the unit nor the rounding: their
// values, or the digits before scale words and percent signs, differ by at most half a percent.
func near(a, b number) bool { return within(a, b, 5) }

// within reports whether two numbers differ by at most that many thousandths of b.
func within(a, b number, thousandths int64) bool {
	for _, x := range []*big.Rat{a.value(), a.figure()} {
		for _, y := range []*big.Rat{b.value(), b.figure()} {
			gap := new(big.Rat).Abs(new(big.Rat).Sub(x, y))
			limit := new(big.Rat).Mul(new(big.Rat).Abs(y), big.NewRat(thousandths, 1000))
			if gap.Cmp(limit) <= 0 {
				return true
			}
		}
	}
	return false
}
