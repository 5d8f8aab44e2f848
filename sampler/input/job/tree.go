package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// maxDepth bounds the nesting of a body, so a hostile one cannot exhaust
// the stack.
const maxDepth = 200

// node is one JSON value that knows where it is in its source.
type node struct {
	path       string // such as method.reinforcement.tools[0].name
	start, end int    // byte offsets in the source
	token      json.Token
	keys       []string // of an object, in source order
	fields     map[string]*node
	items      []*node // of an array
}

// object reports whether the node is a JSON object.
func (n *node) object() bool { return n.token == json.Delim('{') }

// array reports whether the node is a JSON array.
func (n *node) array() bool { return n.token == json.Delim('[') }

// kind names the node's JSON type.
func (n *node) kind() string {
	switch t := n.token.(type) {
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}

// get returns the value of a key; null counts as absent.
func (n *node) get(key string) *node {
	c := n.fields[key]
	if c == nil || c.token == nil {
		return nil
	}
	return c
}

// place is a mistake at the byte offset in body; the column counts bytes.
func place(name string, body []byte, offset int, path, msg string) document.Error {
	offset = min(max(offset, 0), len(body))
	before := body[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	return document.Error{
		File: name, Path: path, Line: line, Column: offset - bytes.LastIndexByte(before, '\n'),
		Msg: msg,
	}
}

// treeReader builds nodes out of a decoder's tokens.
type treeReader struct {
	body []byte
	dec  *json.Decoder
}

// readTree parses the whole body. Errors are of type document.Errors.
func readTree(name string, body []byte) (*node, error) {
	var whole json.RawMessage
	if err := jsontext.Unmarshal(body, &whole); err != nil {
		at := len(body)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = int(syntax.Offset) - 1
		}
		return nil, document.Errors{place(name, body, at, "", "broken JSON: "+err.Error())}
	}
	r := &treeReader{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	r.dec.UseNumber()
	root, err := r.value("", 0)
	var own *treeError
	if errors.As(err, &own) {
		return nil, document.Errors{place(name, body, own.offset, own.path, own.msg)}
	}
	if err != nil {
		return nil, document.Errors{place(name, body, int(r.dec.InputOffset()), "", "broken JSON: "+err.Error())}
	}
	return root, nil
}

// treeError is a mistake the decoder itself does not see.
type treeError struct {
	offset    int
	path, msg string
}

// Error returns the message; readTree adds the place.
func (e *treeError) Error() string { return e.msg }

// next returns the offset of the next token.
func (r *treeReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.body) && bytes.IndexByte([]byte(" \t\r\n,:"), r.body[at]) >= 0 {
		at++
	}
	return at
}

func (r *treeReader) value(path string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &treeError{r.next(), path, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	n := &node{path: path, start: r.next()}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n.token = token
	switch token {
	case json.Delim('{'):
		err = r.object(n, depth)
	case json.Delim('['):
		err = r.array(n, depth)
	}
	n.end = int(r.dec.InputOffset())
	return n, err
}

func (r *treeReader) object(n *node, depth int) error {
	n.fields = map[string]*node{}
	for r.dec.More() {
		at := r.next()
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		path := join(n.path, key)
		if _, twice := n.fields[key]; twice {
			return &treeError{at, path, "this key appears twice"}
		}
		child, err := r.value(path, depth+1)
		if err != nil {
			return err
		}
		n.keys = append(n.keys, key)
		n.fields[key] = child
	}
	_, err := r.dec.Token()
	return err
}

func (r *treeReader) array(n *node, depth int) error {
	for r.dec.More() {
		child, err := r.value(n.path+"["+strconv.Itoa(len(n.items))+"]", depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, child)
	}
	_, err := r.dec.Token()
	return err
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
