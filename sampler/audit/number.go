package audit

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number as it was written, split into parts so that one of them can be changed and the
// others are kept. Lead, sign, currency, digits, exponent and what follows make up the text again.
type number struct {
	lead       string // text before it
	paren      string // "(" with the spaces after it: the minus sign of accounting
	sign       string // "-", "−", "–" or "+" with the spaces after it
	money      string // "$", "USD", … with the spaces after it
	inner      string // a sign after the currency
	whole      string // digits before the point, without separators
	group      string // separator of groups of three; "" for none
	point      string // "." or ","; "" if there is no fraction
	fraction   string
	exponent   string // "e5"
	scale      string // " million", with the spaces before it
	percent    string // " %", with the spaces before it
	moneyAfter string // " EUR", with the spaces before it
	scaleAfter string // " million" after the currency
	tail       string // text after it
	closing    string // ")" of paren
}

var (
	digitsPattern = regexp.MustCompile(`(?:\d+(?:[.,'’\x{a0}\x{2009}\x{202f}]\d+)*|\.\d+)(?:[eE][+-]?\d+)?`)
	leadPattern   = regexp.MustCompile(
		`^(?s)(.*?)(\(\s*)?([-−–+]\s*)?((?:US\$|[$€£]|(?:USD|EUR|GBP|CHF)\b)\s*)?([-−–+]\s*)?$`)
	tailPattern = regexp.MustCompile(
		`^(?s)(\s?(?i:thousand|million|billion|trillion|mn|bn|tn|k)\b)?(\s?(?:%|percent\b|per cent\b))?(\s?(?:[$€£]|(?:USD|EUR|GBP|CHF)\b))?(\s?(?i:thousand|million|billion|trillion|mn|bn|tn)\b)?(.*)$`)
	ordinal = regexp.MustCompile(`^(?i:st|nd|rd|th)\b`)
)

// scales maps the words after a number to powers of ten.
var scales = map[string]int{
	"thousand": 3, "k": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12,
	"tn": 12,
}

// The bounds of a text that is a number and little else.
const (
	maxNumberText  = 80 // bytes
	maxNumberWords = 6
	maxDigits      = 40
	maxExponent    = 99
)

// parseNumber reads a text that consists of one number and little else, such as "$1,234.5 million",
// "7 %", "(3.2)", "−5 km" or "1.234,5". It rejects two numbers, a date, a version, a list and a
// digit within a name.
//
// A single comma before exactly three digits separates thousands; a single point never does.
func parseNumber(text string) (number, bool) {
	if len(text) > maxNumberText || !utf8.ValidString(text) || strings.ContainsAny(text, "\r\n") || bracketed(text) {
		return number{}, false
	}
	matches := digitsPattern.FindAllStringIndex(text, 2)
	if len(matches) != 1 {
		return number{}, false
	}
	n, ok := parseAt(text[:matches[0][0]], text[matches[0][0]:matches[0][1]], text[matches[0][1]:])
	if !ok || strings.ContainsFunc(n.lead+n.tail, unicode.IsDigit) ||
		len(strings.Fields(n.lead+" "+n.tail)) > maxNumberWords {
		return number{}, false
	}
	return n, true
}

// bracketed reports whether a text is a list, an interval or an object: "[1,2]" is two numbers.
func bracketed(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.ContainsAny(text[:1], "[{")
}

// lastNumber returns the last number of a text.
func lastNumber(text string) (number, bool) {
	matches := digitsPattern.FindAllStringIndex(text, -1)
	for i := len(matches) - 1; i >= 0; i-- {
		from, to := max(0, matches[i][0]-maxNumberText), min(len(text), matches[i][1]+maxNumberText)
		if i > 0 {
			from = max(from, matches[i-1][1])
		}
		if i+1 < len(matches) {
			to = min(to, matches[i+1][0])
		}
		if n, ok := parseAt(text[from:matches[i][0]], text[matches[i][0]:matches[i][1]], text[matches[i][1]:to]); ok {
			return n, true
		}
	}
	return number{}, false
}

// parseAt reads the number whose digits are between before and after.
func parseAt(before, digits, after string) (number, bool) {
	var n number
	if !n.readDigits(digits) || ordinal.MatchString(after) {
		return number{}, false
	}
	b := leadPattern.FindStringSubmatch(before)
	n.lead, n.paren, n.sign, n.money, n.inner = b[1], b[2], b[3], b[4], b[5]
	a := tailPattern.FindStringSubmatch(after)
	n.scale, n.percent, n.moneyAfter, n.scaleAfter, n.tail = a[1], a[2], a[3], a[4], a[5]
	if n.scale != "" && n.scaleAfter != "" {
		return number{}, false
	}
	if n.sign != "" && n.inner != "" || n.money != "" && n.moneyAfter != "" {
		return number{}, false
	}
	if last, _ := utf8.DecodeLastRuneInString(n.lead); unicode.IsLetter(last) || unicode.IsDigit(last) ||
		strings.ContainsRune("_/:#.,'’-−–+", last) {
		return number{}, false // a part of a name, a date or a path
	}
	return n, n.settleParen()
}

// settleParen reads "(3.2)" as −3.2, and a parenthesis among words as text. It rejects "(-3.2)",
// which may be either, and "(1,2)", which may be two numbers.
func (n *number) settleParen() bool {
	switch around := strings.TrimSpace(n.lead) == "" && strings.TrimSpace(n.tail) == ")"; {
	case n.paren == "":
	case around && (n.sign+n.inner != "" || n.point == "," && n.group == ""):
		return false
	case around:
		n.tail, n.closing = "", n.tail
	default:
		n.lead, n.paren = n.lead+n.paren, ""
	}
	return true
}

// readDigits separates the digits from their separators.
func (n *number) readDigits(s string) bool {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s, n.exponent = s[:i], s[i:]
		if e, err := strconv.Atoi(n.exponent[1:]); err != nil || e > maxExponent || e < -maxExponent {
			return false
		}
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
	var marks []string
	for _, r := range s {
		if !unicode.IsDigit(r) {
			marks = append(marks, string(r))
		}
	}
	if s[0] == '.' {
		parts = append([]string{""}, parts...)
	}
	if last := len(marks) - 1; last >= 0 && isPoint(marks, parts) {
		n.point, n.fraction = marks[last], parts[last+1]
		marks, parts = marks[:last], parts[:last+1]
	}
	if len(marks) > 0 {
		n.group = marks[0]
	}
	n.whole = strings.Join(parts, "")
	return grouped(marks, parts) && len(n.whole)+len(n.fraction) <= maxDigits && (len(n.whole) < 2 || n.whole[0] != '0')
}

// isPoint reports whether the last mark is a decimal point.
func isPoint(marks, parts []string) bool {
	last := marks[len(marks)-1]
	switch {
	case last != "." && last != ",":
		return false
	case len(marks) > 1:
		return last != marks[0]
	case last == ".":
		return true
	}
	return len(parts[1]) != 3 || len(parts[0]) > 3 || parts[0] == "0"
}

// grouped reports whether the marks are all the same and separate groups of three.
func grouped(marks, parts []string) bool {
	for i, mark := range marks {
		if mark != marks[0] || len(parts[i+1]) != 3 || len(parts[0]) > 3 || parts[0] == "" {
			return false
		}
	}
	return true
}

// String returns the number as it was read.
func (n number) String() string {
	return n.around(n.digits())
}

// around returns the number with other digits.
func (n number) around(digits string) string {
	return n.lead + n.paren + n.sign + n.money + n.inner + digits + n.exponent + n.scale + n.percent + n.moneyAfter + n.scaleAfter + n.tail + n.closing
}

// digits returns the digits with their separators.
func (n number) digits() string {
	whole := n.whole
	if n.group != "" {
		var b strings.Builder
		for i, d := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				b.WriteString(n.group)
			}
			b.WriteRune(d)
		}
		whole = b.String()
	}
	return whole + n.point + n.fraction
}

// negative reports whether the number is written as a negative one.
func (n number) negative() bool {
	return n.paren != "" || strings.ContainsAny(n.sign+n.inner, "-−–")
}

// mantissa returns the number without exponent, scale and percent sign.
func (n number) mantissa() *big.Rat {
	v, _ := new(big.Rat).SetString("0" + n.whole + "." + n.fraction + "0")
	if n.negative() {
		v.Neg(v)
	}
	return v
}

// figure returns the number without applying its scale word and percent sign.
func (n number) figure() *big.Rat {
	if n.exponent == "" {
		return n.mantissa()
	}
	e, _ := strconv.Atoi(n.exponent[1:])
	return shift(n.mantissa(), e)
}

// value returns the value of the number.
func (n number) value() *big.Rat {
	power := scales[strings.ToLower(strings.TrimSpace(n.scale+n.scaleAfter))]
	if n.percent != "" {
		power -= 2
	}
	return shift(n.figure(), power)
}

// shift multiplies v, in place, by a power of ten.
func shift(v *big.Rat, power int) *big.Rat {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
	if power < 0 {
		return v.Quo(v, new(big.Rat).SetInt(ten))
	}
	return v.Mul(v, new(big.Rat).SetInt(ten))
}

// words returns the text around the number, normalized, without currencies.
func (n number) words() string { return normal(n.lead + " " + n.tail) }

// bare reports whether nothing is around the number except a currency, a scale and a percent sign.
func (n number) bare() bool { return strings.TrimSpace(n.lead+n.tail) == "" }

// year reports whether the number may be a year.
func (n number) year() bool {
	return len(n.whole) == 4 && (n.whole[0] == '1' || n.whole[0] == '2') &&
		n.group+n.point+n.exponent+n.money+n.moneyAfter+n.scale+n.scaleAfter+n.percent == ""
}

// with returns the number with another mantissa, written with the same marks and with that many
// decimals.
func (n number) with(v *big.Rat, decimals int) number {
	text := new(big.Rat).Abs(v).FloatString(decimals)
	n.whole, n.fraction, _ = strings.Cut(text, ".")
	switch {
	case decimals == 0:
		n.point = ""
	case n.point == "" && n.group == ".":
		n.point = ","
	case n.point == "":
		n.point = "."
	}
	if below := v.Sign() < 0; below != n.negative() {
		n.setSign(below)
	}
	return n
}

// setSign makes the number negative or positive.
func (n *number) setSign(below bool) {
	n.paren, n.closing, n.sign, n.inner = "", "", "", ""
	if below {
		n.sign = "-"
	}
}
