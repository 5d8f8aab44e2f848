package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on what a configuration may ask of its reader. Aliases repeat what
// they point at, so a small file could otherwise unfold into a huge one.
const (
	maxConfigBytes = 1 << 20
	maxAliases     = 100
	maxNodes       = 100_000
	maxDepth       = 100
	maxBrackets    = 1000 // open at one time; the library's cost grows with their square
)

// yamlNode is one value of a YAML or JSON document, aliases unfolded, with
// its place.
type yamlNode struct {
	kind         yamlKind
	text         string // of a scalar; a number's is JSON
	line, column int
	fields       []yamlField // of a map, in source order
	items        []*yamlNode // of a list
}

type yamlField struct {
	key          string
	line, column int
	value        *yamlNode
}

type yamlKind string

const (
	yamlNull   yamlKind = "nothing"
	yamlBool   yamlKind = "true or false"
	yamlNumber yamlKind = "a number"
	yamlString yamlKind = "a string"
	yamlMap    yamlKind = "a map"
	yamlList   yamlKind = "a list"
)

// jsonNumber is a number as JSON has it. Longer ones are text: exact arithmetic takes
// time that grows with their exponent.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,399})(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,3})?$`)

// parseYAML reads one document. An empty one is null. Errors are configErrors.
func parseYAML(name string, body []byte) (*yamlNode, error) {
	if len(body) > maxConfigBytes {
		return nil, Errors{{File: name, Msg: fmt.Sprintf("the file is larger than %d KB; data and transcripts belong in files of their own", maxConfigBytes>>10)}}
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if json.Valid(body) {
		body = bytes.ReplaceAll(body, []byte("\t"), []byte(" ")) // white space in JSON, forbidden in YAML
	}
	if line, column := tooDeep(body); line > 0 {
		return nil, Errors{{File: name, Line: line, Column: column, Msg: fmt.Sprintf("more than %d brackets are open", maxBrackets)}}
	}
	file, err := parser.ParseBytes(body, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			p := at.GetToken().Position
			return nil, Errors{{File: name, Line: p.Line, Column: p.Column, Msg: at.GetMessage()}}
		}
		return nil, Errors{{File: name, Msg: err.Error()}}
	}
	r := &yamlReader{name: name, anchors: map[string]ast.Node{}}
	var root *yamlNode
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
		root = &yamlNode{kind: yamlNull, line: 1, column: 1}
	}
	return root, r.errs.orNil()
}

// tooDeep returns the place where more than maxBrackets are open, 0 when that
// is nowhere. It counts those in text too, where they rarely fail to pair up.
func tooDeep(body []byte) (line, column int) {
	open := 0
	for i, c := range body {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		}
		if open > maxBrackets {
			before := body[:i]
			return 1 + bytes.Count(before, []byte("\n")), i - bytes.LastIndexByte(before, '\n')
		}
	}
	return 0, 0
}

// yamlReader turns the library's tree into ours.
type yamlReader struct {
	name    string
	anchors map[string]ast.Node
	aliases int
	nodes   int
	errs    Errors
}

func (r *yamlReader) fail(n ast.Node, format string, args ...any) *yamlNode {
	p := n.GetToken().Position
	r.errs = append(r.errs, Error{File: r.name, Line: p.Line, Column: p.Column, Msg: fmt.Sprintf(format, args...)})
	return &yamlNode{kind: yamlNull, line: p.Line, column: p.Column}
}

func (r *yamlReader) value(n ast.Node, depth int) *yamlNode {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		if len(r.errs) > 0 {
			return &yamlNode{kind: yamlNull}
		}
		return r.fail(n, "the document unfolds into more than %d values or %d levels", maxNodes, maxDepth)
	}
	at := n.GetToken().Position
	out := &yamlNode{line: at.Line, column: at.Column}
	switch n := n.(type) {
	case *ast.AnchorNode:
		r.anchors[n.Name.GetToken().Value] = n.Value
		return r.value(n.Value, depth+1)
	case *ast.AliasNode:
		return r.alias(n, depth)
	case *ast.TagNode:
		return r.fail(n, "tags such as %s are not read: write the plain value, in quotes when it is text", n.GetToken().Value)
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			first := n.Values[0].Key.GetToken().Position
			out.line, out.column = first.Line, first.Column
		}
		r.mapping(out, n.MapRange(), depth)
	case *ast.MappingValueNode:
		r.mapping(out, n.MapRange(), depth)
	case *ast.SequenceNode:
		out.kind = yamlList
		for _, item := range n.Values {
			out.items = append(out.items, r.value(item, depth+1))
		}
	default:
		r.scalar(out, n)
	}
	return out
}

func (r *yamlReader) alias(n *ast.AliasNode, depth int) *yamlNode {
	name := n.Value.GetToken().Value
	target, ok := r.anchors[name]
	if !ok {
		return r.fail(n, "the alias *%s has no anchor &%s before it", name, name)
	}
	if r.aliases++; r.aliases > maxAliases {
		if len(r.errs) > 0 {
			return &yamlNode{kind: yamlNull}
		}
		return r.fail(n, "more than %d aliases", maxAliases)
	}
	return r.value(target, depth+1)
}

func (r *yamlReader) mapping(out *yamlNode, pairs *ast.MapNodeIter, depth int) {
	out.kind = yamlMap
	var merged []yamlField
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
		out.fields = append(out.fields, yamlField{key.GetToken().Value, p.Line, p.Column, r.value(value, depth+1)})
	}
	for _, f := range merged {
		if out.get(f.key) == nil {
			out.fields = append(out.fields, f)
		}
	}
}

// merge returns the fields that `<<: *anchor` brings in; its own come first.
func (r *yamlReader) merge(n ast.Node, depth int) []yamlField {
	from := r.value(n, depth+1)
	switch from.kind {
	case yamlMap:
		return from.fields
	case yamlList:
		var all []yamlField
		for _, item := range from.items {
			all = append(all, item.fields...)
		}
		return all
	}
	r.fail(n, "<< merges maps, this is %s", from.kind)
	return nil
}

func (r *yamlReader) scalar(out *yamlNode, n ast.Node) {
	tk := n.GetToken()
	out.kind, out.text = yamlString, tk.Value
	switch n := n.(type) {
	case *ast.NullNode, *ast.CommentGroupNode:
		out.kind, out.text = yamlNull, ""
	case *ast.BoolNode:
		out.kind, out.text = yamlBool, strconv.FormatBool(n.Value)
	case *ast.IntegerNode:
		out.kind, out.text = yamlNumber, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		if jsonNumber.MatchString(tk.Value) {
			out.kind = yamlNumber
		} else if !math.IsInf(n.Value, 0) {
			out.kind, out.text = yamlNumber, strconv.FormatFloat(n.Value, 'g', -1, 64)
		}
	case *ast.LiteralNode:
		out.text = n.Value.Value
	case *ast.StringNode:
		// The library reads 1e3 and integers past 64 bits as text.
		if tk.Type == token.StringType && jsonNumber.MatchString(tk.Value) {
			out.kind = yamlNumber
		}
	}
}

// get returns the value of a map's key, nil when it is absent.
func (n *yamlNode) get(key string) *yamlNode {
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// inner returns the value below a path such as sampling.samples, nil when it is absent.
func (n *yamlNode) inner(path string) *yamlNode {
	for key := range strings.SplitSeq(path, ".") {
		if n = n.get(key); n == nil {
			return nil
		}
	}
	return n
}

// show words a value for an error. What is hidden may be a secret.
func (n *yamlNode) show(hidden bool) string {
	switch {
	case n.kind == yamlString && hidden:
		return "something else"
	case n.kind == yamlString:
		return fmt.Sprintf("%.60q", n.text)
	case n.kind == yamlBool, n.kind == yamlNumber:
		return n.text
	}
	return string(n.kind)
}

// body returns the value as JSON.
func (n *yamlNode) body() json.RawMessage {
	var b bytes.Buffer
	n.json(&b)
	return b.Bytes()
}

// json writes the value as JSON.
func (n *yamlNode) json(b *bytes.Buffer) {
	quote := func(s string) {
		b.Write(Marshal(s))
	}
	switch n.kind {
	case yamlNull:
		b.WriteString("null")
	case yamlBool, yamlNumber:
		b.WriteString(n.text)
	case yamlString:
		quote(n.text)
	case yamlList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.json(b)
		}
		b.WriteByte(']')
	case yamlMap:
		b.WriteByte('{')
		for i, f := range n.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(f.key)
			b.WriteByte(':')
			f.value.json(b)
		}
		b.WriteByte('}')
	}
}
