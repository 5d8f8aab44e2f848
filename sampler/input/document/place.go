package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Locate returns the value at a path such as tools[0].name with its key, or its
// innermost part that exists.
func (n *Node) Locate(path string) Field {
	at := Field{Line: n.Line, Column: n.Column, Value: n}
	for path != "" {
		n, path = at.Value, strings.TrimPrefix(path, ".")
		if rest, ok := strings.CutPrefix(path, "["); ok {
			number, tail, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i >= len(n.Items) {
				return at
			}
			at, path = Field{Line: n.Items[i].Line, Column: n.Items[i].Column, Value: n.Items[i]}, tail
			continue
		}
		// A key may itself hold dots and brackets: the longest that fits wins.
		best := -1
		for i, f := range n.Fields {
			rest, ok := strings.CutPrefix(path, f.Key)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') &&
				(best < 0 || len(f.Key) > len(n.Fields[best].Key)) {
				best = i
			}
		}
		if best < 0 {
			return at
		}
		at = n.Fields[best]
		path = strings.TrimPrefix(path, at.Key)
	}
	return at
}

// Search finds the first matching key or value below a node, and the path of the value or of the map with the key.
func (n *Node) Search(meant func(string) bool) (path string, found bool) {
	if n.Kind != Map && n.Kind != List {
		return "", meant(n.Text)
	}
	for _, f := range n.Fields {
		if meant(f.Key) {
			return "", true
		}
		if inner, found := f.Value.Search(meant); found {
			return "." + f.Key + inner, true
		}
	}
	for i, item := range n.Items {
		if inner, found := item.Search(meant); found {
			return fmt.Sprintf("[%d]%s", i, inner), true
		}
	}
	return "", false
}
