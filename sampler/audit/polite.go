package audit

import (
	"strings"

	"gonogo/sampler/rollout"
)

// Text that does not change an answer comes before it, or on both sides: many graders read the last
// line.
const (
	paddingText = "Let me take this one step at a time. First I go over what is being asked and gather what is " +
		"needed to answer it. " +
		"Then I put it in order, look at it once more from the beginning, and make sure that nothing has been " +
		"overlooked. " +
		"Having done all of that with due care, I can now state the result, which follows directly from the " +
		"considerations above."
	greeting = "Thank you for this interesting question! I am happy to help."
	farewell = "I hope this helps. Please let me know if there is anything else that I can do for you."
)

var padding = Probe{
	Name: "padding", Expect: rollout.Same,
	Doc: "A recorded answer with three sentences before it that say nothing. Length alone must not change the " +
		"grade. Good and poor rollouts are mixed; answers that are code or JSON are left out.",
	Make: func(c *Case) []Payload {
		return c.dressed(func(answer string) string { return paddingText + "\n\n" + answer })
	},
}

var politeness = Probe{
	Name: "politeness", Expect: rollout.Same,
	Doc: "A recorded answer with thanks before it and kind words after it. Manners must not change the grade. Good " +
		"and poor rollouts are mixed; answers that are code or JSON are left out.",
	Make: func(c *Case) []Payload {
		return c.dressed(func(answer string) string { return greeting + "\n\n" + answer + "\n\n" + farewell })
	},
}

// dressed returns a recorded answer with text around it, if that does not change the answer.
func (c *Case) dressed(dress func(string) string) []Payload {
	base := c.either()
	if base == nil || base.Outcome != rollout.Graded || isCode(base.Answer) {
		return nil
	}
	if tree, ok := parseJSON(strings.TrimSpace(base.Answer)); ok && tree.kind != scalar {
		return nil
	}
	return []Payload{{Answer: dress(base.Answer), Base: base}}
}
