package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"gonogo/sampler/rollout/disk"
)

// MaxBytes is the size of the largest document.
const MaxBytes = 1 << 20

// Bounds on what a document may ask of its reader. Aliases repeat what they refer to, so a small
// file could otherwise expand into a huge one.
const (
	maxAliases  = 100
	maxNodes    = 100_000
	maxDepth    = 100
	maxBrackets = 1000 // open at one time, or lists that begin on one line; the library's cost grows with their square
)

// Node is a value of a YAML or JSON document, with aliases resolved, and its position.
type Node struct {
	Kind         Kind
	Text         string  // of a scalar; that of a number is JSON
	Line, Column int     // 1-based; 0 if the value was not read from a document
	Fields       []Field // of a map, in source order
	Items        []*Node // of a list
}

// Field is a key of a map with its position and its value.
type Field struct {
	Key          string
	Line, Column int
	Value        *Node
}

// Kind is the type of a value, in words.
type Kind string

// The kinds of values. A date is Text.
const (
	Null   Kind = "nothing"
	Bool   Kind = "true or false"
	Number Kind = "a number"
	Text   Kind = "a string"
	Map    Kind = "a map"
	List   Kind = "a list"
)

// jsonNumber matches a number in JSON's form. Longer numbers are text: the time for exact
// arithmetic grows with their exponent.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,399})(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,3})?$`)

// Parse reads one document in YAML or JSON; name is used in errors. An empty document is null.
// Errors are of type Errors. Tags, keys that are not text, and documents that expand too far when
// their aliases are resolved are errors.
func Parse(name string, body []byte) (*Node, error) {
	if len(body) > MaxBytes {
		return nil, Errors{{File: name, Msg: fmt.Sprintf("the file is larger than %d KB; data and transcripts "+
			"belong in separate files", MaxBytes>>10)}}
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if json.Valid(body) {
		body = bytes.ReplaceAll(body, []byte("\t"), []byte(" ")) // white space in JSON, forbidden in YAML
	}
	if line, column := tooDeep(body); line > 0 {
		return nil,
			Errors{{
				File: name, Line: line, Column: column,
				Msg: fmt.Sprintf("more than %d brackets or lists are open", maxBrackets),
			}}
	}
	file, err := parser.ParseBytes(body, 0)
	if err != nil {
		var yamlErr yaml.Error
		if errors.As(err, &yamlErr) && yamlErr.GetToken() != nil {
			p := yamlErr.GetToken().Position
			return nil, Errors{{File: name, Line: p.Line, Column: p.Column, Msg: yamlErr.GetMessage()}}
		}
		return nil, Errors{{File: name, Msg: err.Error()}}
	}
	r := &reader{name: name, anchors: map[string]ast.Node{}}
	var root *Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			r.fail(doc.Body, "a second document: write all in one")
			break
		}
		root = r.value(doc.Body, 0)
	}
	if root == nil {
		root = &Node{Kind: Null, Line: 1, Column: 1}
	}
	return root, r.errs.OrNil()
}

// ReadFile reads a regular file of at most MaxBytes.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case info.Size() > MaxBytes:
		return nil, fmt.Errorf("%s has %d KB, %d KB are allowed", path, info.Size()>>10, MaxBytes>>10)
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(body) > MaxBytes { // a device, or a file that grows
		err = fmt.Errorf("%s has more than %d KB, which is the most that is allowed", path, MaxBytes>>10)
	}
	return body, err
}

// tooDeep returns the position at which more than maxBrackets brackets are open, or as many lists
// begin on one line (- - -), and 0, 0 if there is none. It also counts brackets in strings, which
// are usually paired.
func tooDeep(body []byte) (line, column int) {
	open, begun := 0, 0
	space := func(c byte) bool { return c == ' ' || c == '\t' }
	for i, c := range body {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		}
		switch {
		case c == '\n' || c == '\r':
			begun = 0
		case begun >= 0 && (c == '-' || c == '?' || c == ':') && i+1 < len(body) && space(body[i+1]):
			begun++
		case !space(c):
			begun = -1
		}
		if open > maxBrackets || begun > maxBrackets {
			before := body[:i]
			return 1 + bytes.Count(before, []byte("\n")), i - bytes.LastIndexByte(before, '\n')
		}
	}
	return 0, 0
}

// reader converts the library's tree into Nodes.
type reader struct {
	name    string
	anchors map[string]ast.Node
	aliases int
	nodes   int
	errs    Errors
}

func (r *reader) fail(n ast.Node, format string, args ...any) *Node {
	p := n.GetToken().Position
	r.errs = append(r.errs, Error{File: r.name, Line: p.Line, Column: p.Column, Msg: fmt.Sprintf(format, args...)})
	return &Node{Kind: Null, Line: p.Line, Column: p.Column}
}

func (r *reader) value(n ast.Node, depth int) *Node {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		if len(r.errs) > 0 {
			return &Node{Kind: Null}
		}
		return r.fail(n, "the document expands to more than %d values or %d levels", maxNodes, maxDepth)
	}
	position := n.GetToken().Position
	out := &Node{Line: position.Line, Column: position.Column}
	switch n := n.(type) {
	case *ast.AnchorNode:
		r.anchors[n.Name.GetToken().Value] = n.Value
		return r.value(n.Value, depth+1)
	case *ast.AliasNode:
		return r.alias(n, depth)
	case *ast.TagNode:
		return r.fail(n, "tags such as %s are not read: write the plain value, in quotes when it is text",
			n.GetToken().Value)
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			first := n.Values[0].Key.GetToken().Position
			out.Line, out.Column = first.Line, first.Column
		}
		r.mapping(out, n.MapRange(), depth)
	case *ast.MappingValueNode:
		r.mapping(out, n.MapRange(), depth)
	case *ast.SequenceNode:
		out.Kind = List
		for _, item := range n.Values {
			out.Items = append(out.Items, r.value(item, depth+1))
		}
	default:
		r.scalar(out, n)
	}
	return out
}

func (r *reader) alias(n *ast.AliasNode, depth int) *Node {
	name := n.Value.GetToken().Value
	target, ok := r.anchors[name]
	if !ok {
		return r.fail(n, "the alias *%s has no anchor &%s before it", name, name)
	}
	if r.aliases++; r.aliases > maxAliases {
		if len(r.errs) > 0 {
			return &Node{Kind: Null}
		}
		return r.fail(n, "more than %d aliases", maxAliases)
	}
	return r.value(target, depth+1)
}

func (r *reader) mapping(out *Node, pairs *ast.MapNodeIter, depth int) {
	out.Kind = Map
	var merged []Field
	for pairs.Next() {
		key, value := pairs.Key(), pairs.Value()
		if key.IsMergeKey() {
			merged = append(merged, r.merge(value, depth)...)
			continue
		}
		switch key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			r.fail(key, "a key must be plain text")
			continue
		}
		p := key.GetToken().Position
		out.Fields = append(out.Fields, Field{key.GetToken().Value, p.Line, p.Column, r.value(value, depth+1)})
	}
	if len(merged) == 0 {
		return
	}
	all := append(out.Fields, merged...)
	seen := make(map[string]bool, len(all))
	out.Fields = slices.DeleteFunc(all, func(f Field) bool {
		again := seen[f.Key]
		seen[f.Key] = true
		return again
	})
}

// merge returns the fields of `<<: *anchor`; the map's own fields win over them.
func (r *reader) merge(n ast.Node, depth int) []Field {
	from := r.value(n, depth+1)
	switch from.Kind {
	case Map:
		return from.Fields
	case List:
		var all []Field
		for _, item := range from.Items {
			all = append(all, item.Fields...)
		}
		return all
	}
	r.fail(n, "<< merges maps, this is %s", from.Kind)
	return nil
}

func (r *reader) scalar(out *Node, n ast.Node) {
	tk := n.GetToken()
	out.Kind, out.Text = Text, tk.Value
	switch n := n.(type) {
	case *ast.NullNode, *ast.CommentGroupNode:
		out.Kind, out.Text = Null, ""
	case *ast.BoolNode:
		out.Kind, out.Text = Bool, strconv.FormatBool(n.Value)
	case *ast.IntegerNode:
		out.Kind, out.Text = Number, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		if jsonNumber.MatchString(tk.Value) {
			out.Kind = Number
		} else if !math.IsInf(n.Value, 0) {
			out.Kind, out.Text = Number, strconv.FormatFloat(n.Value, 'g', -1, 64)
		}
	case *ast.LiteralNode:
		out.Text = n.Value.Value
	case *ast.StringNode:
		// The library reads 1e3 and integers past 64 bits as text.
		if tk.Type == token.StringType && jsonNumber.MatchString(tk.Value) {
			out.Kind = Number
		}
	}
}

// Get returns the value of a map's key, nil if it is absent.
func (n *Node) Get(key string) *Node {
	for _, f := range n.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// Inner returns the value at a path such as sampling.samples, nil if it is absent.
func (n *Node) Inner(path string) *Node {
	for key := range strings.SplitSeq(path, ".") {
		if n = n.Get(key); n == nil {
			return nil
		}
	}
	return n
}

// Show formats a value for an error. A hidden text, which may be a secret, is not shown.
func (n *Node) Show(hidden bool) string {
	switch {
	case n.Kind == Text && hidden:
		return "something else"
	case n.Kind == Text:
		return fmt.Sprintf("%.60q", n.Text)
	case n.Kind == Bool, n.Kind == Number:
		return n.Text
	}
	return string(n.Kind)
}

// JSON returns the value as JSON.
func (n *Node) JSON() json.RawMessage {
	var b bytes.Buffer
	n.json(&b)
	return b.Bytes()
}

// json writes the value as JSON.
func (n *Node) json(b *bytes.Buffer) {
	quote := func(s string) {
		text, _ := json.Marshal(s) // a string always marshals
		b.Write(text)
	}
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(n.Text)
	case Text:
		quote(n.Text)
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.json(b)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, f := range n.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(f.Key)
			b.WriteByte(':')
			f.Value.json(b)
		}
		b.WriteByte('}')
	}
}
