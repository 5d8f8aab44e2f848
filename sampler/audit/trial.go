package audit

import "gonogo/sampler/rollout"

// Trial lists the probes that tell before any rollout whether a grader works at
// all: the reference, an empty answer and a wrong one.
func Trial() []Probe { return []Probe{reference, empty, wrong} }

var wrong = Probe{
	Name: "wrong", Expect: rollout.Bottom, Limit: partly,
	Doc: "The right answer of another item; text without meaning where there is none.",
	Make: func(c *Case) []Payload {
		if list := otherReference.Make(c); len(list) > 0 {
			return list
		}
		return c.worded(nonsense)
	},
}

// nonsense is no answer to anything.
const nonsense = "Qwzx vlorp 0xdead: blenth, mirgle and sporf."
