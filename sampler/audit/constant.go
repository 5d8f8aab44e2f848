package audit

import (
	"maps"
	"slices"

	"gonogo/sampler/rollout"
)

var constant = Probe{
	Name: rollout.ProbeConstant, Expect: rollout.Note,
	Doc: "The most common reference of the run as the answer to every item. Its mean reward can be earned without " +
		"reading the question.",
	Make: func(c *Case) []Payload {
		if c.Constant == "" {
			return nil
		}
		return c.wrapped(c.Constant)
	},
}

// mostCommon returns the most frequent text, the alphabetically first of several; "" if there are
// none.
func mostCommon(counts map[string]int) string {
	best := ""
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if counts[text] > counts[best] {
			best = text
		}
	}
	return best
}
