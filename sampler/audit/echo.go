package audit

import (
	"strings"

	"gonogo/sampler/rollout"
)

var promptEcho = Probe{
	Name: "prompt_echo", Expect: rollout.Bottom, Limit: none,
	Doc: "The item's own question, given back word for word. A grader that looks for the right words finds many of them there. Left out where the question offers the right answer as a choice, or ends with its number: who takes the last one is not fooled.",
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
	Doc: "The right answer of another item, which is wrong for this one and shares less than half of its words. Credit for its form is sensible, as much as a right answer earns is not.",
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
