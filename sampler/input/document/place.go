package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Locate returns the value at a path such as tools[0].name with its key. If the path does not
// exist, it returns the innermost part that does.
func (n *Node) Locate(path string) Field {
	found := Field{Line: n.Line, Column: n.Column, Value: n}
	for path != "" {
		n, path = found.Value, strings.TrimPrefix(path, ".")
		if rest, ok := strings.CutPrefix(path, "["); ok {
			number, tail, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i >= len(n.Items) {
				return found
			}
			found, path = Field{Line: n.Items[i].Line, Column: n.Items[i].Column, Value: n.Items[i]}, tail
			continue
		}
		// A key may itself contain dots and brackets: the longest key that fits wins.
		best := -1
		for i, f := range n.Fields {
			rest, ok := strings.CutPrefix(path, f.Key)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') &&
				(best < 0 || len(f.Key) > len(n.Fields[best].Key)) {
				best = i
			}
		}
		if best < 0 {
			return found
		}
		found = n.Fields[best]
		path = strings.TrimPrefix(path, found.Key)
	}
	return found
}

// Search finds the first key or value below a node that match accepts, and the path of the value or
// of the map that has the key.
func (n *Node) Search(match func(string) bool) (path string, found bool) {
	if n.Kind != Map && n.Kind != List {
		return "", match(n.Text)
	}
	for _, f := range n.Fields {
		if match(f.Key) {
			return "", true
		}
		if inner, ok := f.Value.Search(match); ok {
			return "." + f.Key + inner, true
		}
	}
	for i, item := range n.Items {
		if inner, ok := item.Search(match); ok {
			return fmt.Sprintf("[%d]%s", i, inner), true
		}
	}
	return "", false
}
