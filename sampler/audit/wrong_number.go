package audit

import (
	"math/big"
	"regexp"
	"strings"
	"unicode"

	"gonogo/sampler/rollout"
)

var numberOff = Probe{
	Name: "number_off", Expect: rollout.Bottom, Limit: partly,
	Doc: "The reference with its number a quarter off, written the same way. Some credit for being close is " +
		"reasonable, but not as much as for a right answer.",
	Make: func(c *Case) []Payload { return wrongNumber(c, offBy) },
}

var signFlipped = Probe{
	Name: "sign_flipped", Expect: rollout.Bottom, Limit: partly,
	Doc: "The reference with the sign of its number reversed: a loss instead of a profit. A grader that compares " +
		"only the digits accepts it. Left out for days, years, names and codes, and if the question itself mentions " +
		"a loss.",
	Make: func(c *Case) []Payload {
		if n, ok := parseNumber(c.Reference); ok && (c.name(n) || n.year() || strings.Contains(n.lead, "±") ||
			dayPattern.MatchString(n.tail)) || lossPattern.MatchString(c.prompt()) {
			return nil
		}
		return wrongNumber(c, func(n number) (number, bool) {
			n.setSign(!n.negative())
			return n, n.mantissa().Sign() != 0
		})
	},
}

var unit1000 = Probe{
	Name: "unit_1000", Expect: rollout.Bottom, Limit: partly,
	Doc: "The reference off by a factor of a thousand: billion for million, or three zeros more. A grader that " +
		"ignores units accepts it. Left out if the question asks for thousands, and for 1.500, which some read as 1500.",
	Make: func(c *Case) []Payload {
		if n, ok := parseNumber(c.Reference); ok &&
			(n.pointed() || n.scale+n.scaleAfter == "" && thousandPattern.MatchString(c.prompt())) {
			return nil
		}
		return wrongNumber(c, thousandfold)
	},
}

// thousandPattern finds questions that ask for a number in thousands: there, the full number is
// right as well.
var thousandPattern = regexp.MustCompile(`(?i)\bthousands?\b|['’]000|\bTsd\b|\bT€`)

// wrongNumber alters the number of a reference that is a number, or every number of a JSON
// reference, if that alters at least half of it.
func wrongNumber(c *Case, alter func(number) (number, bool)) []Payload {
	if !c.HasReference || isCode(c.Reference) { // LIMIT 13 may well have the same result as LIMIT 10
		return nil
	}
	if n, ok := parseNumber(c.Reference); ok {
		if n, ok = alter(n); !ok {
			return nil
		}
		return c.wrapped(n.String())
	}
	tree, ok := parseJSON(c.Reference)
	if !ok || tree.kind == scalar {
		return nil
	}
	altered := tree.mapLeaves(func(raw string) string {
		n, ok := parseNumber(raw)
		if !ok || raw[0] == '"' {
			return raw
		}
		if n, ok = alter(n); !ok {
			return raw
		}
		return n.String()
	})
	if tree.kept(altered) > half {
		return nil
	}
	return c.wrapped(altered.String())
}

// half is the share of a right JSON answer above which an altered copy that keeps it is more right
// than wrong.
const half = 0.5

// offBy returns a number a quarter larger, or a quarter smaller if a share would exceed 100 %, and
// different by at least one unit of the last digit; of zero, a half.
func offBy(n number) (number, bool) {
	v, decimals := n.mantissa(), len(n.fraction)
	factor := big.NewRat(5, 4)
	if n.percent != "" && v.Cmp(big.NewRat(80, 1)) > 0 && v.Cmp(big.NewRat(100, 1)) <= 0 {
		factor = big.NewRat(3, 4)
	}
	off := n.with(new(big.Rat).Mul(v, factor), decimals)
	switch {
	case v.Sign() == 0 && decimals > 0:
		off = n.with(big.NewRat(5, 10), decimals) // one unit of the last digit may be within a tolerance
	case off.mantissa().Cmp(v) == 0:
		off = n.with(v.Add(v, shift(big.NewRat(1, 1), -decimals)), decimals)
	}
	return off, true
}

// neighbours maps scale words to those for a thousand times more or less.
var neighbours = map[string]string{
	"thousand": "million", "million": "billion", "billion": "million", "trillion": "billion", "mn": "bn", "bn": "mn",
	"tn": "bn",
}

func thousandfold(n number) (number, bool) {
	if n.mantissa().Sign() == 0 {
		return n, false
	}
	word := n.scale + n.scaleAfter
	if other, ok := neighbours[strings.ToLower(strings.TrimSpace(word))]; ok {
		swap := func(s string) string { return strings.Replace(s, strings.TrimSpace(word), likeCase(other, word), 1) }
		if n.scale != "" {
			n.scale = swap(n.scale)
		} else {
			n.scaleAfter = swap(n.scaleAfter)
		}
		return n, true
	}
	return n.with(shift(n.mantissa(), 3), max(0, len(n.fraction)-3)), true
}

// likeCase returns a word with the capitalization of another.
func likeCase(word, like string) string {
	like = strings.TrimSpace(like)
	switch {
	case like == strings.ToUpper(like):
		return strings.ToUpper(word)
	case unicode.IsUpper(rune(like[0])):
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}
