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

// maxDepth bounds the nesting of a body, so that a hostile one cannot exhaust the stack.
const maxDepth = 200

// node is a JSON value with its position in the source.
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

// place returns a mistake at the byte offset in body; the column counts bytes.
func place(name string, body []byte, offset int, path, msg string) document.Error {
	offset = min(max(offset, 0), len(body))
	before := body[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	return document.Error{
		File: name, Path: path, Line: line, Column: offset - bytes.LastIndexByte(before, '\n'),
		Msg: msg,
	}
}

// readTree parses the whole body. Errors are of type document.Errors.
func readTree(name string, body []byte) (*node, error) {
	var value json.RawMessage
	if err := jsontext.Unmarshal(body, &value); err != nil {
		offset := len(body)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = int(syntax.Offset) - 1
		}
		return nil, document.Errors{place(name, body, offset, "", "broken JSON: "+err.Error())}
	}
	s := jsontext.Scanner{Source: body}
	s.Space()
	start := s.At
	_ = s.Value(0) // the body is valid JSON
	root, err := treeOf(body[:s.At], "", start, 0)
	if treeErr, ok := errors.AsType[*treeError](err); ok {
		return nil, document.Errors{place(name, body, treeErr.offset, treeErr.path, treeErr.msg)}
	}
	return root, err
}

// treeError is a mistake that the decoder itself does not detect.
type treeError struct {
	offset    int
	path, msg string
}

// Error returns the message; readTree adds the position.
func (e *treeError) Error() string { return e.msg }

// treeOf builds the node of the value that begins at start and ends with the text.
func treeOf(text []byte, path string, start, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &treeError{start, path, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	n := &node{path: path, start: start, end: len(text)}
	s := jsontext.Scanner{Source: text, At: start}
	switch text[start] {
	case '{':
		n.token, n.fields = json.Delim('{'), map[string]*node{}
		return n, s.Members(func(literal, value []byte) error {
			from, key := s.At-len(value), jsontext.Text(literal)
			path := join(n.path, key)
			if _, twice := n.fields[key]; twice {
				offset := len(bytes.TrimRight(text[:from], " \t\r\n:")) - len(literal)
				return &treeError{offset, path, "this key appears twice"}
			}
			child, err := treeOf(text[:s.At], path, from, depth+1)
			n.keys, n.fields[key] = append(n.keys, key), child
			return err
		})
	case '[':
		n.token = json.Delim('[')
		return n, s.Elements(func(value []byte) error {
			child, err := treeOf(text[:s.At], n.path+"["+strconv.Itoa(len(n.items))+"]", s.At-len(value), depth+1)
			n.items = append(n.items, child)
			return err
		})
	case '"':
		n.token = jsontext.Text(text[start:])
	case 't', 'f':
		n.token = text[start] == 't'
	case 'n':
	default:
		n.token = json.Number(text[start:])
	}
	return n, nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
