package audit

import (
	"regexp"
	"strings"
	"unicode"

	"gonogo/sampler/rollout"
)

var thousands = Probe{
	Name: "thousands", Expect: rollout.Top, Limit: full,
	Doc: "The reference's number with thousands separators, or without them if it has any: 1,234,567 against " +
		"1234567. Whole numbers that may be years, names and codes are left out.",
	Make: func(c *Case) []Payload { return rewriteCount(c, number.regrouped) },
}

var currency = Probe{
	Name: "currency", Expect: rollout.Top, Limit: full,
	Doc: "An amount with its currency written another way: \"$5 million\" against \"5 million dollars\", \"USD 5\" " +
		"against \"$5\", \"5 €\" against \"€5\".",
	Make: func(c *Case) []Payload { return rewriteNumber(c, number.recurrencied) },
}

var percent = Probe{
	Name: "percent", Expect: rollout.Top, Limit: full,
	Doc: "A percentage as a fraction: 0.07 for 7 %. If the question asks for a share, also a fraction below one as " +
		"a percentage; any other 0.07 may not be one. Left out if the question asks for percent: there, 0.07 is a " +
		"different answer.",
	Make: func(c *Case) []Payload {
		return rewriteNumber(c, func(n number) (string, bool) {
			if percentPattern.MatchString(c.prompt()) || n.percent == "" &&
				(!sharePattern.MatchString(c.prompt()) || unitPattern.MatchString(c.prompt())) {
				return "", false
			}
			return n.repercented()
		})
	},
}

// What a question says that asks for a part of a whole, that asks for percent, and that means
// something else by share or asks for another form.
var (
	sharePattern   = regexp.MustCompile(`(?i)\b(?:share|fraction|proportion|probability)\b`)
	percentPattern = regexp.MustCompile(
		`(?i)\b(?:in|as|what|which|how many|nearest) (?:an? |the )?(?:%|per ?cent\w*)|\bpercentage of\b`)
	unitPattern = regexp.MustCompile(
		`(?i)\b(?:shares|decimals?|(?:per|a|each|stock) share|share (?:price|capital|count))\b`)
)

var trailingZeros = Probe{
	Name: "trailing_zeros", Expect: rollout.Top, Limit: full,
	Doc: "A number with one more zero after its decimal point, or without its trailing zeros: 3.5 against 3.50. " +
		"Numbers next to words, whole numbers that may be years, codes, 1.500, which some read as 1500, and 1,2, " +
		"which may be two numbers, are left out.",
	Make: func(c *Case) []Payload { return rewriteCount(c, number.rezeroed) },
}

// rewriteNumber writes the number of the reference in another way. A rewrite that would read as
// another value makes no payload.
func rewriteNumber(c *Case, rewrite func(number) (string, bool)) []Payload {
	n, ok := parseNumber(c.Reference)
	if !c.HasReference || !ok || n.pointed() || n.paired() {
		return nil
	}
	text, ok := rewrite(n)
	if !ok || !sameValue(n, text) {
		return nil
	}
	return c.restated(text)
}

// rewriteCount is rewriteNumber for numbers that count or measure something.
func rewriteCount(c *Case, rewrite func(number) (string, bool)) []Payload {
	if n, ok := parseNumber(c.Reference); ok && c.name(n) {
		return nil
	}
	return rewriteNumber(c, rewrite)
}

// sameValue reports whether the text reads as the number's value.
func sameValue(n number, text string) bool {
	m, ok := parseNumber(text)
	return ok && m.value().Cmp(n.value()) == 0
}

func (n number) regrouped() (string, bool) {
	switch {
	case n.exponent != "" || n.year() || len(n.whole) < 4:
		return "", false
	case n.group != "":
		n.group = ""
	case n.point == ",":
		n.group = "."
	default:
		n.group = ","
	}
	return n.String(), true
}

func (n number) rezeroed() (string, bool) {
	if !n.bare() || n.exponent != "" || n.year() {
		return "", false
	}
	trimmed := strings.TrimRight(n.fraction, "0")
	switch {
	case n.point == "":
		n.point, n.fraction = ".", "0"
		if n.group == "." {
			n.point = ","
		}
	case trimmed == "":
		n.point, n.fraction = "", ""
	case trimmed != n.fraction:
		n.fraction = trimmed
	default:
		n.fraction += "0"
		if n.point == "," && len(n.fraction) == 3 {
			n.fraction += "0" // 1,250 would be read as a thousand
		}
	}
	return n.String(), true
}

func (n number) repercented() (string, bool) {
	if !n.bare() || n.exponent+n.scale+n.scaleAfter+n.money+n.moneyAfter != "" {
		return "", false
	}
	if n.percent != "" {
		n.percent = ""
		return n.with(shift(n.mantissa(), -2), len(n.fraction)+2).String(), true
	}
	if n.fraction == "" || strings.Trim(n.whole, "0") != "" || n.mantissa().Sign() == 0 {
		return "", false
	}
	n.percent = "%"
	return n.with(shift(n.mantissa(), 2), max(0, len(n.fraction)-2)).String(), true
}

// Signs and names of unambiguous currencies.
var (
	currencyNames = map[string]string{"$": "dollars", "US$": "US dollars", "€": "euros", "£": "pounds"}
	currencySigns = map[string]string{"USD": "$", "EUR": "€", "GBP": "£"}
)

func (n number) recurrencied() (string, bool) {
	before, after := strings.TrimSpace(n.money), strings.TrimSpace(n.moneyAfter)
	switch {
	case n.percent != "":
		return "", false
	case currencySigns[before] != "":
		n.money = currencySigns[before]
	case currencySigns[after] != "":
		n.money, n.moneyAfter = currencySigns[after], ""
	case after != "" && currencyNames[after] != "":
		n.money, n.moneyAfter = after, ""
	case currencyNames[before] != "" && !startsWithLetter(n.tail):
		n.money, n.tail = "", " "+currencyNames[before]+n.tail
	default:
		return "", false
	}
	return n.String(), true
}

// startsWithLetter reports whether a word follows immediately.
func startsWithLetter(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) == 0
}
