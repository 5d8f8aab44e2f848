package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/sampler/input/document"
	"gonogo/sampler/limit"
)

// forms are the forms that the tag named is requires of a text, with their description in errors.
var forms = map[string]struct{ pattern, words string }{
	"duration": {
		`^([+-]?0|\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`,
		"a duration with its unit, such as 500ms, 30s or 5m",
	},
	"folder": {
		`^[a-z0-9]([a-z0-9_.-]{0,62}[a-z0-9_-])?$`,
		"made of a-z, 0-9, _, . and -, at most 64, and end with no dot",
	},
	"name": {`^[a-z0-9][a-z0-9_.-]*$`, "made of a-z, 0-9, _, . and -"},
	"url":  {`^https?://[^/\s]+`, "a http:// or https:// URL"},
}

// Options hold what the tags of a struct cannot say about its documents.
type Options struct {
	Title, Description string // of the schema

	Types map[reflect.Type]*jsonschema.Schema // of types that encode themselves, besides limit.Duration
	// the values of a text, or the names in a map, by path, such as audit.probes[].expect
	Lists map[string][]string
	// by path of a list: returns where a name went that the list once had; nil for a name that it
	// never had
	Moved map[string]func(name string) error
	Words *strings.Replacer // for what is in braces in docs; may be nil

	MaskURL func(string) string // hides the credentials of a URL; nil hides none
	Listed  string              // where all keys are listed, as the end of an error about an unknown key
}

// Table holds the keys of a kind of document, and its schema.
type Table struct {
	keys     []Key
	schema   *jsonschema.Schema
	opt      Options
	compiled func() *validator.Schema
}

// For returns the table of documents that are read into a T, a struct. It panics on invalid tags.
func For[T any](opt Options) *Table {
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[limit.Duration](): {Type: "string", Pattern: forms["duration"].pattern},
		reflect.TypeFor[uint64]():         {Type: "integer", Minimum: new(0.0), Format: "uint64"},
	}
	for goType, s := range opt.Types {
		types[goType] = s
	}
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic("schema: " + err.Error())
	}
	t := &Table{schema: schema, opt: opt}
	t.group(schema, reflect.TypeFor[T](), "", nil)
	schema.Types, schema.Type = nil, "object"
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title, schema.Description = opt.Title, opt.Description
	t.compiled = sync.OnceValue(t.compile)
	return t
}

// Keys lists all keys, in the order of the struct.
func (t *Table) Keys() []Key { return t.keys }

// Key returns the key at a path.
func (t *Table) Key(path string) (k Key, ok bool) {
	i := slices.IndexFunc(t.keys, func(k Key) bool { return k.Path == path })
	if i < 0 {
		return Key{}, false
	}
	return t.keys[i], true
}

// Find returns the key that a path names. If the path leads into the map of a key, inner is the
// rest of the path. The error says which key was probably meant.
func (t *Table) Find(path string) (k Key, inner string, err error) {
	k, ok := t.Key(path)
	for _, key := range t.keys {
		if rest, below := strings.CutPrefix(path, key.Path+"."); below && !ok && key.Type == "object" {
			k, inner = key, rest
		}
	}
	if k.Path != "" {
		return k, inner, nil
	}
	group, leaf, near := "", path, t.schema
	if i := strings.IndexByte(path, '.'); i > 0 && near.Properties[path[:i]] != nil {
		group, leaf, near = path[:i], path[i+1:], near.Properties[path[:i]]
	}
	if s := near.Properties[leaf]; s != nil {
		return Key{}, "", fmt.Errorf("is %s", groupOf(path, s))
	}
	return Key{}, "", fmt.Errorf("unknown key%s", t.suggest(group, leaf, near.PropertyOrder))
}

// JSON returns the JSON Schema that documents are checked against; editors can use it too.
func (t *Table) JSON() []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, document.Marshal(t.schema), "", "  "); err != nil {
		panic(fmt.Sprintf("schema: %v", err)) // Marshal wrote valid JSON
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// compile compiles the schema for the validator.
func (t *Table) compile() *validator.Schema {
	const name = "schema.json"
	doc, err := validator.UnmarshalJSON(bytes.NewReader(t.JSON()))
	c := validator.NewCompiler()
	if err == nil {
		err = c.AddResource(name, doc)
	}
	if err != nil {
		panic("schema: " + err.Error())
	}
	return c.MustCompile(name)
}

// group completes the schema of a struct and of the groups in it from their tags, and records the
// keys.
func (t *Table) group(s *jsonschema.Schema, goType reflect.Type, prefix string, index []int) {
	s.Type, s.Types, s.Required = "", []string{"object", "null"}, nil // an empty group has no keys
	for i := range goType.NumField() {
		field, fieldIndex := goType.Field(i), append(slices.Clone(index), i)
		if field.Anonymous {
			t.group(s, field.Type, prefix, fieldIndex)
			continue
		}
		path := prefix + nameOf(field)
		value := s.Properties[nameOf(field)]
		if value == nil { // used only by the program
			continue
		}
		if _, isKey := field.Tag.Lookup("doc"); !isKey {
			t.group(value, field.Type, path+".", fieldIndex)
			continue
		}
		t.complete(value, field.Tag, path)
		if entry := value.Items; entry != nil && entry.Properties != nil {
			t.entry(entry, field.Type.Elem(), path+"[].")
		} else if value.Properties != nil && field.Type.Kind() == reflect.Struct {
			t.entry(value, field.Type, path+".")
		} else if text := elementOf(value); text.Type == "string" && text.Pattern == "" && text.Enum == nil {
			text.MinLength = new(1)
		}
		t.keys = append(t.keys, t.keyOf(value, field.Tag, path, fieldIndex))
	}
}

// entry completes the schemas of the fields of a struct that is a key, or an element of one.
func (t *Table) entry(s *jsonschema.Schema, goType reflect.Type, prefix string) {
	for _, inner := range reflect.VisibleFields(goType) {
		if value := s.Properties[nameOf(inner)]; value != nil { // else a field of another struct
			t.complete(value, inner.Tag, prefix+nameOf(inner))
		}
	}
}

func nameOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// elementOf returns the schema of the elements of a list or of the values of a map, and s itself
// for anything else.
func elementOf(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Items != nil:
		return s.Items
	case s.AdditionalProperties != nil && s.Properties == nil:
		return s.AdditionalProperties
	}
	return s
}

// keyOf returns the key described by the tags of its field.
func (t *Table) keyOf(s *jsonschema.Schema, tag reflect.StructTag, path string, index []int) Key {
	k := Key{
		Schema: s, Path: path, Doc: t.docOf(tag), Default: tag.Get("default"), Fallback: tag.Get("or"),
		Example: tag.Get("example"),
		Binding: marked(tag, "binding"), File: marked(tag, "file"), arguments: marked(tag, "arguments"),
		word: tag.Get("word"), index: index,
	}
	if k.Default != "" {
		s.Default = yamlJSON(k.Default)
	}
	if k.Example != "" {
		s.Examples = []any{yamlJSON(k.Example)}
	}
	if k.Fallback != "" {
		s.Description += ". Without it: " + k.Fallback
	}
	if k.Binding {
		s.Description += ". Binding: a run made with another value is not continued"
	}
	return k
}

func (t *Table) docOf(tag reflect.StructTag) string {
	if t.opt.Words == nil {
		return tag.Get("doc")
	}
	return t.opt.Words.Replace(tag.Get("doc"))
}

// complete completes the schema of a value from the tags of its field.
func (t *Table) complete(s *jsonschema.Schema, tag reflect.StructTag, path string) {
	s.Description, s.WriteOnly = t.docOf(tag), marked(tag, "secret", "variable", "url", "hidden")
	if len(s.Types) == 2 && s.Types[0] == "null" { // nil in Go; a document leaves the key out
		s.Type, s.Types = s.Types[1], nil
	}
	each := elementOf(s)
	each.Minimum, each.Maximum = bound(tag, "min", each.Minimum), bound(tag, "max", each.Maximum)
	if form, ok := forms[tag.Get("is")]; ok {
		each.Pattern = form.pattern
	}
	names := t.opt.Lists[path]
	if text := tag.Get("enum"); text != "" {
		names = strings.Split(text, ",")
	}
	switch {
	case names == nil:
	case s.AdditionalProperties != nil:
		none := &jsonschema.Schema{Not: &jsonschema.Schema{}}
		s.Properties, s.PropertyOrder, s.AdditionalProperties = map[string]*jsonschema.Schema{}, names, none
		for _, name := range names {
			s.Properties[name] = each.CloneSchemas()
		}
	default:
		for _, name := range names {
			each.Enum = append(each.Enum, name)
		}
	}
}

// bound returns the number of a tag, or otherwise if the field does not have the tag.
func bound(tag reflect.StructTag, name string, otherwise *float64) *float64 {
	text, ok := tag.Lookup(name)
	if !ok {
		return otherwise
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("schema: the tags: " + err.Error())
	}
	return &f
}

// yamlJSON converts the YAML value of a tag into JSON.
func yamlJSON(text string) json.RawMessage {
	node, err := document.Parse("a tag", []byte(text))
	if err != nil {
		panic("schema: the tags: " + err.Error())
	}
	return node.JSON()
}
