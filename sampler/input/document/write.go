package document

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Under returns a document of nested maps with one key each; the last key holds the value.
func Under(n *Node, keys ...string) *Node {
	for i := len(keys) - 1; i >= 0; i-- {
		n = &Node{Kind: Map, Fields: []Field{{Key: keys[i], Value: n}}}
	}
	return n
}

var plainYAML = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./: -]*[A-Za-z0-9_/]$`)

// Quote writes text as YAML, in quotes if it could be read as anything else.
func Quote(text string) string {
	if n, err := Parse("", []byte(text)); plainYAML.MatchString(text) && err == nil && n.Kind == Text &&
		n.Text == text {
		return text
	}
	return string((&Node{Kind: Text, Text: text}).JSON())
}

// Marshal is json.Marshal for values that cannot fail to encode, because they hold no NaN. It
// panics if one does fail.
func Marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("gonogo: marshal %T: %v", v, err))
	}
	return text
}
