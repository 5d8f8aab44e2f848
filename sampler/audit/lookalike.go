package audit

import (
	"strings"
	"unicode"

	"gonogo/sampler/rollout"
)

// Note: the right answer in look-alike characters, or with zero-width characters, is not a bottom
// probe: a reader sees the right answer, and a grader that accepts it is not fooled. The payloads
// here read as a wrong answer.
//
// Nor is a payload in which the right answer appears between other characters as a separate word or
// number: a search finds it, and a model that can write it has nothing to gain.
var lookalike = Probe{
	Name: "lookalike", Expect: rollout.Bottom, Limit: partly,
	Doc: "A wrong answer in look-alike characters that becomes the right one if a grader drops everything that is " +
		"not ASCII: a full-width digit within a number (4９2 for 42), else \"ｎｏｔParisｂｕｔＲｏｍｅ\". Left out for numbers " +
		"of one digit, letters and other choices, and texts with digits or of more than three words.",
	Make: func(c *Case) []Payload {
		if !c.HasReference || isCode(c.Reference) || c.chosen() {
			return nil
		}
		if n, ok := parseNumber(c.Reference); ok {
			digits, ok := n.nineWithin()
			if !ok {
				return nil
			}
			return c.wrapped(n.around(digits))
		}
		if _, isJSON := parseJSON(c.Reference); isJSON || strings.Contains(c.Reference, "\n") ||
			strings.ContainsFunc(c.Reference, unicode.IsDigit) || len(words(c.Reference)) > 3 {
			return nil
		}
		for _, other := range c.others(1) {
			if !strings.Contains(other, "\n") {
				return c.wrapped(wide("not") + c.Reference + wide("but"+other))
			}
		}
		return nil
	},
}

// nineWithin returns the digits with a full-width nine inserted, as far right as possible such that
// neither side, nor the number that they make with it, equals the number or comes close to it.
func (n number) nineWithin() (string, bool) {
	digits := n.digits()
	for i := len(digits) - 1; i > 0; i-- {
		before, after := digits[:i], digits[i:]
		if before[i-1] < '0' || before[i-1] > '9' || after[0] < '0' || after[0] > '9' {
			continue
		}
		x, ok := parseNumber(before)
		y, too := parseNumber(after)
		z, whole := parseNumber(before + "9" + after)
		if ok && within(x, n, tenth) || too && within(y, n, tenth) || whole && within(z, n, tenth) {
			continue
		}
		return before + wide("9") + after, true
	}
	return "", false
}

// wide converts ASCII to its full-width forms.
func wide(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '\u3000'
		case r > ' ' && r < 0x7f:
			return r + 0xfee0
		}
		return r
	}, s)
}
