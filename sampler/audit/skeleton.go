package audit

import (
	"strings"

	"gonogo/sampler/rollout"
)

var jsonSkeleton = Probe{
	Name: "json_skeleton", Expect: rollout.Bottom, Limit: shell,
	Doc: "If answers are JSON: the right keys with empty values, an object without keys, and the question as every " +
		"value. Some credit for the form is reasonable, but not half of what a right answer earns. Left out if most " +
		"of the right values are empty.",
	Make: func(c *Case) []Payload {
		tree, ok := c.jsonAnswer()
		if !ok || c.nothingIsRight() {
			return nil
		}
		empty := tree.emptied()
		if tree.kept(empty) > half {
			return nil
		}
		list := []Payload{{Answer: empty.String()}, {Answer: "{}"}}
		if asked := c.prompt(); asked != "" && !c.mentions(asked) {
			list = append(list, Payload{Answer: tree.mapLeaves(func(string) string { return encode(asked) }).String()})
		}
		return list
	},
}

// jsonAnswer returns a JSON object that has the form of an answer: the right answer, else the best
// recorded one.
func (c *Case) jsonAnswer() (node, bool) {
	var texts []string
	if c.HasReference {
		texts = append(texts, c.answer(c.Reference))
	}
	if best := c.best(); best != nil {
		texts = append(texts, strings.TrimSpace(best.Answer))
	}
	for _, text := range texts {
		if tree, ok := parseJSON(text); ok && tree.kind == object && len(tree.keys) > 0 {
			return tree, true
		}
	}
	return node{}, false
}

// emptied keeps the keys: strings become empty, lists lose their items, other values become null.
func (n node) emptied() node {
	switch {
	case n.kind == array:
		n.items = nil
	case n.kind == object:
		items := make([]node, len(n.items))
		for i, item := range n.items {
			items[i] = item.emptied()
		}
		n.items = items
	case n.raw[0] == '"':
		n.raw = `""`
	default:
		n.raw = "null"
	}
	return n
}
