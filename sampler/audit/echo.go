package audit

import (
	"strings"

	"gonogo/sampler/rollout"
)

var promptEcho = Probe{
	Name: "prompt_echo", Expect: rollout.Bottom, Limit: none,
	Doc: "The item's own question, repeated word for word. A grader that looks for the right words finds many of " +
		"them there. Left out if the question offers the right answer as a choice, or ends with its number: a " +
		"grader that takes the last number would not be fooled.",
	Make: func(c *Case) []Payload {
		_, numeric := parseNumber(c.Reference)
		if strings.TrimSpace(c.prompt()) == "" || (numeric || c.chosen()) && c.mentions(c.prompt()) {
			return nil
		}
		return []Payload{{Answer: c.prompt()}}
	},
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
