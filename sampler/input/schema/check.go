package schema

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"gonogo/sampler/input/document"
	"gonogo/sampler/input/spelling"
)

// Check returns the mistakes in a document, at most 100 and a note that there are more. file is the
// document's name in the messages. Check first normalizes root: a number or a boolean where a text
// is meant, a key without a value, 0 for a duration, a name listed twice.
func (t *Table) Check(root *document.Node, file string) document.Errors {
	c := &checker{Table: t, root: root, file: file}
	c.normalize(root, t.schema, "", false)
	value, err := validator.UnmarshalJSON(bytes.NewReader(root.JSON()))
	if err == nil {
		err = t.compiled().Validate(value)
	}
	if invalid, ok := errors.AsType[*validator.ValidationError](err); ok {
		c.explain(invalid)
	} else if err != nil {
		c.fail(root, "", "%v", err)
	}
	return c.errs
}

// checker collects the mistakes of a document.
type checker struct {
	*Table
	root *document.Node
	file string
	errs document.Errors
}

// mostMistakes is how many mistakes of a document are listed.
const mostMistakes = 100

func (c *checker) full() bool { return len(c.errs) > mostMistakes }

// fail adds a mistake, but only the first one of each value.
func (c *checker) fail(n *document.Node, path, format string, args ...any) {
	found := document.Error{File: c.file, Line: n.Line, Column: n.Column, Path: path, Msg: fmt.Sprintf(format, args...)}
	switch {
	case c.full() || path != "" &&
		slices.ContainsFunc(c.errs, func(e document.Error) bool { e.Msg = found.Msg; return e == found }):
		return
	case len(c.errs) == mostMistakes:
		found = document.Error{File: c.file, Msg: fmt.Sprintf("more than %[1]d mistakes; only %[1]d are listed",
			mostMistakes)}
	}
	c.errs = append(c.errs, found)
}

// want adds the mistake that a value is not what the schema wants.
func (c *checker) want(n *document.Node, s *jsonschema.Schema, path string, hidden bool) {
	want := words(s)
	if k, ok := c.Key(path); ok && k.Example != "" && s.MinItems == nil && (s.Type == "array" || s.Type == "object") {
		want += ", such as " + k.Example
	}
	c.fail(n, path, "must be %s, got %s", want, n.Show(hidden))
}

// normalize rewrites what the schema would reject but a person may write: a number or a boolean
// where a text is meant, a key without a value, 0 for a duration, a name listed twice. It also
// finds the numbers and durations that no schema can reject.
func (c *checker) normalize(n *document.Node, s *jsonschema.Schema, path string, hidden bool) {
	hidden = hidden || s.WriteOnly
	switch {
	case n.Kind == document.Map:
		n.Fields = slices.DeleteFunc(n.Fields, func(f document.Field) bool {
			return f.Value.Kind == document.Null &&
				s.Properties[f.Key] != nil
		})
		for _, f := range n.Fields {
			if inner := within(s, f.Key); inner != nil {
				c.normalize(f.Value, inner, c.below(path, f.Key, hidden), hidden)
			}
		}
	case n.Kind == document.List && s.Items != nil:
		seen := map[string]bool{}
		n.Items = slices.DeleteFunc(n.Items, func(item *document.Node) bool {
			again := len(s.Items.Enum) > 0 && seen[item.Text]
			seen[item.Text] = true
			return again
		})
		for i, item := range n.Items {
			c.normalize(item, s.Items, fmt.Sprintf("%s[%d]", path, i), hidden)
		}
	case s.Pattern == forms["duration"].pattern:
		if n.Kind == document.Number && n.Text == "0" {
			n.Kind, n.Text = document.Text, "0s"
		}
		if span, err := time.ParseDuration(n.Text); n.Kind != document.Text || err != nil || span < 0 {
			c.want(n, s, path, hidden)
		}
	case s.Type == "string" && (n.Kind == document.Number || n.Kind == document.Bool):
		n.Kind = document.Text
	case s.Type == "integer" && n.Kind == document.Number:
		_, err := strconv.ParseInt(n.Text, 10, 64)
		if s.Format == "uint64" {
			_, err = strconv.ParseUint(n.Text, 10, 64)
		}
		if f, _ := strconv.ParseFloat(n.Text, 64); err != nil && math.Abs(f) < 1e15 && f == math.Trunc(f) { // 1e3, 60.0
			n.Text, err = strconv.FormatInt(int64(f), 10), nil
		}
		if err != nil {
			c.want(n, s, path, hidden)
		}
	case s.Type == "number" && n.Kind == document.Number:
		if _, err := strconv.ParseFloat(n.Text, 64); err != nil { // 1e999
			c.want(n, s, path, hidden)
		}
	}
}

// within returns the schema of a value in a map; nil if there is none.
func within(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if inner := s.Properties[key]; inner != nil {
		return inner
	}
	return s.AdditionalProperties
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// below returns the path of a value in a map. In a hidden map, a key may be a URL with a password,
// which is masked.
func (c *checker) below(path, key string, hidden bool) string {
	if hidden && c.opt.MaskURL != nil {
		key = c.opt.MaskURL(key)
	}
	return join(path, key)
}

// explain adds the validator's findings as mistakes, each at its position.
func (c *checker) explain(e *validator.ValidationError) {
	for _, cause := range e.Causes {
		c.explain(cause)
	}
	if len(e.Causes) > 0 || c.full() {
		return
	}
	n, s, path, hidden := c.root, c.schema, "", false
	for _, step := range e.InstanceLocation {
		if n.Kind == document.List {
			i, _ := strconv.Atoi(step)
			n, s, path = n.Items[i], s.Items, path+"["+step+"]"
		} else {
			n, s, path = n.Get(step), within(s, step), c.below(path, step, hidden)
		}
		hidden = hidden || s.WriteOnly
	}
	_, isKey := c.Key(path)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			c.unknown(n, s, path, name)
		}
	case *kind.Required:
		c.fail(n, path, "the entry has no %s", strings.Join(k.Missing, ", "))
	case *kind.Minimum:
		c.fail(n, path, "must be %s or more, got %s", number(k.Want), n.Text)
	case *kind.Maximum:
		c.fail(n, path, "must be %s or less, got %s", number(k.Want), n.Text)
	case *kind.MinLength:
		c.fail(n, path, "is empty: leave the key out instead")
	case *kind.MinItems, *kind.MaxItems:
		c.fail(n, path, "must be %s, got %d", words(s), len(n.Items))
	case *kind.Enum:
		names := enumOf(s)
		switch list := path[:max(0, strings.LastIndexByte(path, '['))]; {
		case n.Kind != document.Text: // its type is another mistake
		case strings.HasSuffix(path, "]"):
			c.noName(n, list, path, n.Text, names)
		default:
			c.fail(n, path, "must be %s, got %s%s", words(s), n.Show(hidden), spelling.DidYouMean(n.Text, names))
		}
	case *kind.Type:
		if s.Properties != nil && !isKey && s.Items == nil && s.Required == nil {
			c.fail(n, path, "is %s, got %s", groupOf(path, s), n.Show(hidden))
			return
		}
		c.want(n, s, path, hidden)
	default:
		c.want(n, s, path, hidden)
	}
}

// groupOf names a group of keys.
func groupOf(path string, s *jsonschema.Schema) string {
	return "a group of keys such as " + join(path, s.PropertyOrder[0])
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// unknown adds the mistake that a map has no such key, with the key that was probably meant.
func (c *checker) unknown(n *document.Node, s *jsonschema.Schema, path, name string) {
	if c.full() {
		return
	}
	position := &document.Node{}
	for _, f := range n.Fields {
		if f.Key == name {
			position.Line, position.Column = f.Line, f.Column
		}
	}
	if group, leaf, dotted := strings.Cut(name, "."); dotted && path == "" && s.Properties[group] != nil {
		if _, ok := c.Key(name); ok {
			c.fail(position, "", "unknown key %q: write %s below %s", name, leaf, group)
			return
		}
	}
	if _, isKey := c.Key(path); isKey {
		c.noName(position, path, path, name, s.PropertyOrder)
		return
	}
	// in an entry, suggestions from other groups are useless
	if _, like := spelling.Suggest(name, s.PropertyOrder); !like && strings.HasSuffix(path, "]") {
		c.fail(position, "", "unknown key %q; the keys are %s", join(path, name), strings.Join(s.PropertyOrder, ", "))
		return
	}
	c.fail(position, "", "unknown key %.100q%s", join(path, name), c.suggest(path, name, s.PropertyOrder))
}

// noName adds the mistake that a list of names has no such name.
func (c *checker) noName(n *document.Node, list, path, name string, names []string) {
	if where := c.opt.Moved[list]; where != nil {
		if err := where(name); err != nil {
			c.fail(n, path, "%v", err)
			return
		}
	}
	c.fail(n, path, "there is no %.100q%s", name, spelling.DidYouMean(name, names))
}

// suggest returns the key that was probably meant, as the end of a message: a similar one in the
// same group, else a key elsewhere with the same last word, else a key whose last word is similar.
func (t *Table) suggest(group, name string, near []string) string {
	if word, ok := spelling.Suggest(name, near); ok {
		return fmt.Sprintf(", did you mean %q?", join(group, word))
	}
	var leaves, same []string
	for _, k := range t.keys {
		leaf := k.Path[strings.LastIndexByte(k.Path, '.')+1:]
		if leaves = append(leaves, leaf); leaf == name {
			same = append(same, k.Path)
		}
	}
	if len(same) > 0 {
		return fmt.Sprintf(", did you mean %s?", spelling.OrList(same))
	}
	if word, ok := spelling.Suggest(name, leaves); ok {
		return fmt.Sprintf(", did you mean %q?", t.keys[slices.Index(leaves, word)].Path)
	}
	return t.opt.Listed
}

// words says what a value must be.
func words(s *jsonschema.Schema) string {
	for _, form := range forms {
		if s.Pattern == form.pattern {
			return form.words
		}
	}
	switch {
	case s.Enum != nil:
		return spelling.OrList(enumOf(s))
	case len(s.Types) == 2 && s.Types[0] == "string":
		return "a path or a map"
	case s.Format == "uint64":
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
	case s.Type == "integer":
		return "a whole number"
	case s.Type == "number":
		return "a number"
	case s.Type == "boolean":
		return "true or false"
	case s.Type == "array" && s.MinItems != nil:
		return "a list of two numbers, such as [0, 1]"
	case s.Type == "array" && s.Items.Properties != nil:
		return "a list of maps"
	case s.Type == "array" && s.Items.Enum != nil:
		return "a list of names"
	case s.Type == "array":
		return "a list of texts"
	case s.Type == "object" && s.Required != nil:
		return "a map"
	case s.Type == "object" && (s.Properties != nil || s.AdditionalProperties.Type == "number"):
		return "a map from name to number"
	case s.Type == "object":
		return "a map from name to text"
	}
	return "text"
}
