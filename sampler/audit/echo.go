package audit

import (
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

var promptEcho = Probe{
	Name: "prompt_echo", Expect: rollout.Bottom, Limit: none,
	Doc: "The item's own question, repeated word for word, and what it is about: its last paragraph, and the rest of a " +
		"line after a colon, in the answer's form. A grader that looks for the right words, or for most of them, finds " +
		"them there. Left out if the question offers the right answer as a choice, or ends with its number: a " +
		"grader that takes the last number would not be fooled.",
	Make: func(c *Case) []Payload {
		_, numeric := parseNumber(c.Reference)
		asked := c.prompt()
		left := func(text string) bool {
			return strings.TrimSpace(text) == "" || (numeric || c.chosen()) && c.mentions(text)
		}
		var list []Payload
		if !left(asked) {
			list = append(list, Payload{Answer: asked})
		}
		for _, part := range given(asked) {
			if !left(part) && !(c.HasReference && equal(part, c.Reference)) {
				list = append(list, Payload{Answer: c.answer(part)})
			}
		}
		return list
	},
}

// given returns what a question is about: its last paragraph, and what follows the first colon of a line,
// if these have several words and are not the whole question.
func given(asked string) (parts []string) {
	add := func(text string) {
		if text = strings.TrimSpace(text); strings.ContainsAny(text, " \n") && text != strings.TrimSpace(asked) &&
			!slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if i := strings.LastIndex(strings.TrimSpace(asked), "\n\n"); i > 0 {
		add(strings.TrimSpace(asked)[i:])
	}
	for line := range strings.Lines(asked) {
		if _, rest, ok := strings.Cut(line, ": "); ok {
			add(rest)
			break
		}
	}
	return parts
}

var otherReference = Probe{
	Name: "other_reference", Expect: rollout.Bottom, Limit: partly,
	Doc: "The right answer of another item, which is wrong for this one and shares less than half of its words. " +
		"Some credit for its form is reasonable, but not as much as for a right answer.",
	Make: func(c *Case) []Payload {
		if !c.HasReference {
			return nil
		}
		var out []Payload
		for _, other := range c.others(1) {
			out = append(out, c.wrapped(other)...)
		}
		return out
	},
}
