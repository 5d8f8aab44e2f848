package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
)

// node is a JSON value whose objects keep the order of their keys.
type node struct {
	kind  byte     // object, array or scalar
	raw   string   // of a scalar: its JSON
	keys  []string // of an object
	items []node   // of an object or an array
}

// The kinds of a node.
const (
	object = '{'
	array  = '['
	scalar = 's'
)

// parseJSON reads a text that is one JSON value.
func parseJSON(text string) (node, bool) {
	if !json.Valid([]byte(text)) { // also bounds the depth
		return node{}, false
	}
	r := nodeReader{text: text}
	return r.read(), true
}

// nodeReader reads nodes from a text that is known to be valid JSON. Using the tokens of
// encoding/json would take ten times as long.
type nodeReader struct {
	text string
	pos  int
}

// next skips spaces, commas and colons, and returns the character after them.
func (r *nodeReader) next() byte {
	for strings.IndexByte(" \t\r\n,:", r.text[r.pos]) >= 0 {
		r.pos++
	}
	return r.text[r.pos]
}

func (r *nodeReader) read() node {
	kind := r.next()
	if kind != object && kind != array {
		return node{kind: scalar, raw: r.scalar()}
	}
	r.pos++
	n := node{kind: kind}
	for r.next() != kind+2 { // '}' and ']' come two after their openings
		if kind == object {
			n.keys = append(n.keys, node{kind: scalar, raw: r.scalar()}.text())
			r.next()
		}
		n.items = append(n.items, r.read())
	}
	r.pos++
	return n
}

// scalar reads a string, which it returns as encode writes it, or a number or a word verbatim.
func (r *nodeReader) scalar() string {
	begin, plain := r.pos, true
	if r.text[begin] != '"' {
		for r.pos < len(r.text) && strings.IndexByte(" \t\r\n,:]}", r.text[r.pos]) < 0 {
			r.pos++
		}
		return r.text[begin:r.pos]
	}
	for r.pos++; r.text[r.pos] != '"'; r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '\\':
			plain = false
			r.pos++
		case c >= 0x7f:
			plain = false
		}
	}
	r.pos++
	raw := r.text[begin:r.pos]
	if plain {
		return raw
	}
	var s string
	_ = jsontext.Unmarshal([]byte(raw), &s) // valid, since the whole text is
	return encode(s)
}

// String returns the value without spaces.
func (n node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n node) write(b *strings.Builder) {
	if n.kind == scalar {
		b.WriteString(n.raw)
		return
	}
	b.WriteByte(n.kind)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.kind == object {
			b.WriteString(encode(n.keys[i]))
			b.WriteByte(':')
		}
		item.write(b)
	}
	b.WriteByte(n.kind + 2)
}

// encode returns a value as JSON without escaping <, > and &.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings, numbers and booleans cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns the text of a JSON string, and any other value as JSON.
func (n node) text() string {
	if n.kind != scalar || n.raw[0] != '"' {
		return n.String()
	}
	if !strings.Contains(n.raw, `\`) {
		return n.raw[1 : len(n.raw)-1]
	}
	var s string
	_ = jsontext.Unmarshal([]byte(n.raw), &s) // made by encode
	return s
}

// mapLeaves replaces every scalar by f of it.
func (n node) mapLeaves(f func(raw string) string) node {
	if n.kind == scalar {
		n.raw = f(n.raw)
		return n
	}
	items := make([]node, len(n.items))
	for i, item := range n.items {
		items[i] = item.mapLeaves(f)
	}
	n.items = items
	return n
}

// reversed reverses the keys of all objects if keys is set, and the items of all arrays if lists is
// set.
func (n node) reversed(keys, lists bool) node {
	n.keys, n.items = slices.Clone(n.keys), slices.Clone(n.items)
	for i := range n.items {
		n.items[i] = n.items[i].reversed(keys, lists)
	}
	if n.kind == object && keys {
		slices.Reverse(n.keys)
		slices.Reverse(n.items)
	}
	if n.kind == array && lists {
		slices.Reverse(n.items)
	}
	return n
}

// equal compares values: numbers by their value, strings normalized, objects regardless of the
// order of their keys.
func (n node) equal(m node) bool {
	if n.kind != m.kind || len(n.items) != len(m.items) {
		return false
	}
	if n.kind == scalar {
		return n.raw == m.raw || n.raw[0] == m.raw[0] && n.raw[0] == '"' && normal(n.text()) == normal(m.text()) ||
			equalNumbers(n.raw, m.raw)
	}
	for i, item := range n.items {
		j := i
		if n.kind == object {
			if j = slices.Index(m.keys, n.keys[i]); j < 0 {
				return false
			}
		}
		if !item.equal(m.items[j]) {
			return false
		}
	}
	return true
}

func equalNumbers(a, b string) bool {
	x, ok := parseNumber(a)
	y, too := parseNumber(b)
	return ok && too && x.value().Cmp(y.value()) == 0
}

// kept returns the share of a value that is unchanged in m, a value of the same shape: counted by
// fields or by leaves, whichever is larger. Replacing nothing by nothing leaves a part unchanged:
// null for false, an empty text for null.
func (n node) kept(m node) float64 {
	share := func(into func(node) bool) float64 {
		same, all := n.same(m, into)
		return float64(same) / float64(max(all, 1))
	}
	return max(share(func(n node) bool { return n.kind == object }),
		share(func(n node) bool { return n.kind != scalar }))
}

// same counts the parts of a value, and those that are equal in m. It descends into the values for
// which into returns true.
func (n node) same(m node, into func(node) bool) (same, all int) {
	if !into(n) || n.kind != m.kind || len(n.items) != len(m.items) {
		if n.equal(m) || n.void() && m.void() {
			return 1, 1
		}
		return 0, 1
	}
	for i := range n.items {
		s, a := n.items[i].same(m.items[i], into)
		same, all = same+s, all+a
	}
	return same, all
}

// void reports whether a value says nothing.
func (n node) void() bool {
	switch n.raw {
	case "null", "false", `""`, "0":
		return true
	}
	return n.kind != scalar && len(n.items) == 0
}

// find returns the path to the first scalar that accept accepts, depth first, following only the
// keys of objects.
func (n node) find(accept func(leaf node) bool) ([]string, node, bool) {
	if n.kind == scalar {
		return nil, n, accept(n)
	}
	if n.kind == object {
		for i, item := range n.items {
			if path, leaf, ok := item.find(accept); ok {
				return append([]string{n.keys[i]}, path...), leaf, true
			}
		}
	}
	return nil, node{}, false
}

// lookup returns the value at a path of keys.
func (n node) lookup(path []string) (node, bool) {
	for _, key := range path {
		i := -1
		if n.kind == object {
			i = slices.Index(n.keys, key)
		}
		if i < 0 {
			return node{}, false
		}
		n = n.items[i]
	}
	return n, true
}
