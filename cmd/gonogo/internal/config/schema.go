package config

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

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/sampler/audit"
	"gonogo/sampler/dataset"
	"gonogo/sampler/document"
	"gonogo/sampler/rollout"
)

// forms are the forms that the tag is holds a text to, with what an error calls them.
var forms = map[string]struct{ pattern, words string }{
	"duration": {`^([+-]?0|\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`, "a duration with its unit, such as 500ms, 30s or 5m"},
	"folder":   {`^[a-z0-9]([a-z0-9_.-]{0,62}[a-z0-9_-])?$`, "made of a-z, 0-9, _, . and -, at most 64, and end with no dot"},
	"name":     {`^[a-z0-9][a-z0-9_.-]*$`, "made of a-z, 0-9, _, . and -"},
	"url":      {`^https?://[^/\s]+`, "a http:// or https:// URL"},
}

// lists are the values of a text, or the names in a map, that other packages know.
var lists = map[string]func() []string{
	"audit.probes[].expect": func() []string {
		return ui.Names(rollout.Expectations(), func(e rollout.Expectation) string { return string(e) })
	},
	"audit.skip": func() []string { return ui.Names(audit.Probes(), func(p audit.Probe) string { return p.Name }) },
	"report.formats": func() []string {
		return append(ui.Names(report.Formats(), func(f report.Format) string { return f.Name }), DefaultFormats, AllFormats)
	},
	"report.lang":  message.Tags,
	"report.paper": report.Papers,
	"require":      gate.Requirable,
	"target":       func() []string { return ui.Names(dataset.Targets(), func(t dataset.Target) string { return t.Name }) },
	"thresholds": func() []string {
		return ui.Names(gate.Thresholds(), func(t analysis.Threshold) string { return t.Name })
	},
	"trainer.normalize": analysis.Normalizations,
}

// moved says where a name of a list went that it held once.
var moved = map[string]func(string) error{"require": gate.RenamedGateError, "thresholds": gate.RenamedThresholdError}

// key is one key of gonogo.yaml.
type key struct {
	*jsonschema.Schema        // of its value; its description holds all that is known
	Path               string // such as sampling.samples
	Doc                string // what it does
	Default            string // a YAML value; "" when there is none
	Fallback           string // in words: what is taken when the key is absent and has no Default
	Example            string // a YAML value
	Binding            bool   // a run made with another value is refused
	File               bool   // a path, relative to the configuration's folder
	word               string // the only value of a path that is none
	index              []int  // of the field that the value goes to
}

// at is where the key's value goes.
func (k key) at(v *values) reflect.Value { return reflect.ValueOf(v).Elem().FieldByIndex(k.index) }

// show returns the value that the key has in v as JSON; ok is false when it has none.
// Secrets are not masked.
func (k key) show(v *values) (text json.RawMessage, ok bool) {
	switch f := k.at(v); f.Interface().(type) {
	case int, int64, float64, Duration:
		return Marshal(f.Interface()), true
	case map[string]string, map[string]float64:
		return Marshal(f.Interface()), f.Len() > 0
	default:
		return Marshal(f.Interface()), !f.IsZero()
	}
}

// table is the schema of gonogo.yaml with the keys in it.
type table struct {
	schema *jsonschema.Schema
	keys   []key
}

// theTable is made once: the tags do not change.
var theTable = sync.OnceValue(func() *table {
	schema, err := jsonschema.For[values](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Duration]():  {Type: "string", Pattern: forms["duration"].pattern},
		reflect.TypeFor[jobSource](): {Types: []string{"string", "object"}},
		reflect.TypeFor[uint64]():    {Type: "integer", Minimum: new(0.0), Format: "uint64"},
	}})
	if err != nil {
		panic("gonogo: the schema of the configuration: " + err.Error())
	}
	t := &table{schema: schema}
	t.group(schema, reflect.TypeFor[values](), "", nil)
	schema.Types, schema.Type = nil, "object"
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title, schema.Description = "gonogo.yaml", "The configuration of a gonogo run."
	return t
})

// Keys lists every key of the configuration, in the order shown.
func Keys() []key { return theTable().keys }

// keyAt returns the key of a path.
func keyAt(path string) (k key, ok bool) {
	i := slices.IndexFunc(Keys(), func(k key) bool { return k.Path == path })
	if i < 0 {
		return key{}, false
	}
	return Keys()[i], true
}

// group completes the schema of a struct and of the groups in it by their tags, and
// notes the keys.
func (t *table) group(s *jsonschema.Schema, of reflect.Type, prefix string, index []int) {
	s.Type, s.Types, s.Required = "", []string{"object", "null"}, nil // an empty group is one without keys
	for i := range of.NumField() {
		field, at := of.Field(i), append(slices.Clone(index), i)
		if field.Anonymous {
			t.group(s, field.Type, prefix, at)
			continue
		}
		path := prefix + nameOf(field)
		value := s.Properties[nameOf(field)]
		if value == nil { // of this program alone
			continue
		}
		if _, isKey := field.Tag.Lookup("doc"); !isKey {
			t.group(value, field.Type, path+".", at)
			continue
		}
		tell(value, field.Tag, path)
		if entry := value.Items; entry != nil && entry.Properties != nil {
			for _, inner := range reflect.VisibleFields(field.Type.Elem()) {
				if value := entry.Properties[nameOf(inner)]; value != nil { // else a struct of others
					tell(value, inner.Tag, path+"[]."+nameOf(inner))
				}
			}
		} else if text := held(value); text.Type == "string" && text.Pattern == "" && text.Enum == nil {
			text.MinLength = new(1)
		}
		t.keys = append(t.keys, keyOf(value, field.Tag, path, at))
	}
}

func nameOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// held is the schema of what a list or a map holds, and of anything else itself.
func held(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Items != nil:
		return s.Items
	case s.AdditionalProperties != nil && s.Properties == nil:
		return s.AdditionalProperties
	}
	return s
}

// keyOf is the key with the tags of its field.
func keyOf(s *jsonschema.Schema, tag reflect.StructTag, path string, index []int) key {
	k := key{
		Schema: s, Path: path, Doc: docOf(tag), Default: tag.Get("default"), Fallback: tag.Get("or"), Example: tag.Get("example"),
		Binding: marked(tag, "binding"), File: marked(tag, "file"), word: tag.Get("word"), index: index,
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

func docOf(tag reflect.StructTag) string {
	stages := ui.Names(analysis.Stages(), func(s analysis.Stage) string { return s.Name })
	return strings.NewReplacer("{origin}", fixtures.Origin, "{stages}", strings.Join(stages, ", ")).Replace(tag.Get("doc"))
}

// marked reports whether a field has one of the marks.
func marked(tag reflect.StructTag, marks ...string) bool {
	return slices.ContainsFunc(strings.Split(tag.Get("mark"), ","), func(m string) bool { return slices.Contains(marks, m) })
}

// tell completes the schema of a value by the tags of its field.
func tell(s *jsonschema.Schema, tag reflect.StructTag, path string) {
	s.Description, s.WriteOnly = docOf(tag), marked(tag, "secret", "variable", "url", "hidden")
	if len(s.Types) == 2 && s.Types[0] == "null" { // nil in Go, where a document leaves the key out
		s.Type, s.Types = s.Types[1], nil
	}
	each := held(s)
	each.Minimum, each.Maximum = bound(tag, "min", each.Minimum), bound(tag, "max", each.Maximum)
	if is, ok := forms[tag.Get("is")]; ok {
		each.Pattern = is.pattern
	}
	var names []string
	if text := tag.Get("enum"); text != "" {
		names = strings.Split(text, ",")
	} else if list, ok := lists[path]; ok {
		names = list()
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
		each.Enum = ui.Names(names, func(name string) any { return name })
	}
}

// bound is the number of a tag, where it has one.
func bound(tag reflect.StructTag, name string, otherwise *float64) *float64 {
	text, given := tag.Lookup(name)
	if !given {
		return otherwise
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("gonogo: the tags of the configuration: " + err.Error())
	}
	return &f
}

// yamlJSON turns a YAML value of a tag into JSON.
func yamlJSON(text string) json.RawMessage {
	node, err := document.Parse("a tag", []byte(text))
	if err != nil {
		panic("gonogo: the tags of the configuration: " + err.Error())
	}
	return node.JSON()
}

// Schema returns the JSON Schema (draft 2020-12) of gonogo.yaml: what a configuration is
// checked by, for editors too.
func Schema() []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, Marshal(theTable().schema), "", "  "); err != nil {
		panic(fmt.Sprintf("gonogo: schema: %v", err)) // Marshal wrote it
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// compiled is the schema as its validator has it.
var compiled = sync.OnceValue(func() *validator.Schema {
	const name = "gonogo.json"
	doc, err := validator.UnmarshalJSON(bytes.NewReader(Schema()))
	c := validator.NewCompiler()
	if err == nil {
		err = c.AddResource(name, doc)
	}
	if err != nil {
		panic("gonogo: the schema of the configuration: " + err.Error())
	}
	return c.MustCompile(name)
})
