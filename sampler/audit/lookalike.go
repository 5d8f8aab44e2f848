package audit

import (
	"strings"

	"gonogo/sampler/rollout"
)

// Note: a look-alike of the right answer, or one with characters of no width in
// it, is no bottom probe: whoever reads it reads the right answer, and a grader
// that takes it is not fooled. What is put here reads as a wrong answer.
var lookalike = Probe{
	Name: "lookalike", Expect: rollout.Bottom, Limit: partly,
	Doc: "A wrong answer in look-alike characters that turns into the right one when a grader throws away what is not ASCII: a full-width digit before the number (９42 for 42), else \"ｎｏｔ Paris ｂｕｔ Ｒｏｍｅ\".",
	Make: func(c *Case) []Payload {
		if !c.HasReference || isCode(c.Reference) {
			return nil
		}
		if n, ok := parseNumber(c.Reference); ok {
			return c.wrapped(n.lead + n.paren + n.sign + n.money + n.inner + wide("9") + n.rest())
		}
		if _, isJSON := parseJSON(c.Reference); isJSON {
			return nil
		}
		for _, other := range c.others(1) {
			return c.wrapped(wide("not ") + c.Reference + wide(" but "+other))
		}
		return nil
	},
}

// wide writes ASCII in its full-width forms.
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
