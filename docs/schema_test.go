package docs

import (
	"archive/zip"
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/curate"
	"gonogo/analysis/history"
	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout"
)

var update = flag.Bool("update", false, "write the schemas again; then read them")

// published says of each schema which type it is of, and what holds of the file
// as a whole.
var published = map[string]struct {
	of      reflect.Type
	version string
	doc     string
}{
	"result":     {reflect.TypeFor[analysis.Result](), analysis.Schema, "The analysis of a run. Keys may be added under one schema, so that a result of an older version lacks keys that are required here; renaming or retyping a key makes a new schema. " + estimates},
	"comparison": {reflect.TypeFor[compare.Comparison](), compare.Schema, "A new run against a base run; every difference is new minus base. " + keys + estimates},
	"curation":   {reflect.TypeFor[curate.Curation](), curate.Schema, "Which rows of the training data are worth training on. " + keys + estimates},
	"night":      {reflect.TypeFor[history.Night](), history.NightSchema, "One night of gonogo nightly, on one line. " + keys},
	"pilot":      {reflect.TypeFor[pilot.Result](), pilot.Schema, "What the first steps of a training say, compared with its base run. " + keys + estimates},
	"history":    {reflect.TypeFor[history.History](), history.Schema, "What nights show together. " + keys},
}

const (
	keys      = "Keys may be added under one schema; renaming or retyping a key makes a new schema. "
	estimates = "An estimate (stat.Estimate) tells its value with its interval; null is what could not be estimated, and a warning says why. No number is NaN or infinite."
)

// The published schemas are what the types say. Each names its version.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	told := sources(t, "analysis", "analysis/collect", "analysis/compare", "analysis/curate", "analysis/history", "analysis/message", "analysis/pilot", "analysis/stat", "analysis/shift", "sampler/rollout/markup", "sampler/rollout")
	var packed bytes.Buffer
	pack := zip.NewWriter(&packed)
	for _, s := range Schemas() {
		p, ok := published[s.Name]
		if !ok {
			t.Errorf("%s: of no type", s.Name)
			continue
		}
		m := maker{told: told, made: make(map[string]object), top: p.of, version: p.version}
		top := m.of(p.of)
		schema := object{
			{"$schema", "https://json-schema.org/draft/2020-12/schema"},
			{"$id", "urn:" + strings.ReplaceAll(p.version, "/", ":")},
			{"title", s.Doc + ", schema " + p.version},
			{"description", strings.TrimSpace(p.doc)},
			{"$ref", top.get("$ref")},
		}
		var defs object
		for _, name := range m.order {
			defs = append(defs, member{name, m.made[name]})
		}
		schema = append(schema, member{"$defs", defs})
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(schema); err != nil {
			t.Fatal(err)
		}
		file := s.Name + ".schema.json"
		if w, err := pack.Create(file); err != nil {
			t.Fatal(err)
		} else if _, err := w.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		readable, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), readable) {
			t.Errorf("%s is not what the types say: run go test ./docs -update, and look at the difference; a key that was renamed or retyped makes a new schema", file)
		}
		if !bytes.Equal(b.Bytes(), s.JSON) {
			t.Errorf("schemas.zip has another %s: run go test ./docs -update", file)
		}
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schemas.zip", packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// member is one key of an object whose keys keep their order.
type member struct {
	key   string
	value any
}

type object []member

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// maker makes a definition of every named type it meets.
type maker struct {
	told    map[string]*told
	made    map[string]object
	order   []string
	top     reflect.Type // of the whole file, whose key schema is its version
	version string
}

// name is a type's in the schema: that of package analysis goes without it.
func name(t reflect.Type) string {
	short := func(s string) string { return strings.TrimPrefix(path.Base(s), "analysis.") }
	base, args, generic := strings.Cut(t.Name(), "[")
	full := short(path.Base(t.PkgPath()) + "." + base)
	if generic {
		full += "." + short(strings.TrimSuffix(args, "]"))
	}
	return full
}

func (m *maker) saying(t reflect.Type) *told {
	base, _, _ := strings.Cut(t.Name(), "[")
	if what := m.told[path.Base(t.PkgPath())+"."+base]; what != nil {
		return what
	}
	return &told{}
}

// of is the schema of a type where it is used.
func (m *maker) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{{"description", "any value"}}
	case t == reflect.TypeFor[rollout.Seconds]():
		return object{{"type", "number"}, {"description", "seconds"}}
	case t == reflect.TypeFor[analysis.Finding]():
		return m.of(reflect.TypeFor[analysis.StoredFinding]())
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		panic(fmt.Sprintf("%v writes itself: say here how", t))
	}
	if enum := m.enum(t); enum != nil {
		return m.define(t, func() object { return object{{"type", "string"}, {"enum", enum}} })
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Float64, reflect.Float32:
		return object{{"type", "number"}}
	case reflect.Int, reflect.Int64, reflect.Int32:
		return object{{"type", "integer"}}
	case reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}
	case reflect.Pointer:
		return orNull(m.of(t.Elem()))
	case reflect.Array:
		return object{{"type", "array"}, {"items", m.of(t.Elem())}, {"minItems", t.Len()}, {"maxItems", t.Len()}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", m.of(t.Elem())}}
	case reflect.Map:
		o := object{{"type", "object"}}
		if m.enum(t.Key()) != nil {
			o = append(o, member{"propertyNames", m.of(t.Key())})
		}
		return append(o, member{"additionalProperties", m.of(t.Elem())})
	case reflect.Struct:
		return m.define(t, func() object { return m.fields(t) })
	}
	panic(fmt.Sprintf("no schema of %v", t))
}

// orNull also takes null.
func orNull(o object) object {
	if typ, ok := o.get("type").(string); ok && len(o) == 1 {
		return object{{"type", []string{typ, "null"}}}
	}
	return object{{"anyOf", []object{o, {{"type", "null"}}}}}
}

// define refers to the type's definition, which it makes the first time.
func (m *maker) define(t reflect.Type, make func() object) object {
	n := name(t)
	if _, done := m.made[n]; !done {
		m.made[n] = nil // a type within itself refers to it
		m.order = append(m.order, n)
		o := make()
		if doc := m.saying(t).doc; doc != "" {
			o = append(object{{"description", doc}}, o...)
		}
		m.made[n] = o
	}
	return object{{"$ref", "#/$defs/" + n}}
}

// enum lists the words of a type that has constants; nil of another.
func (m *maker) enum(t reflect.Type) []string {
	what := m.saying(t)
	if t == reflect.TypeFor[curate.Reason]() { // some are the names of classes
		var all []string
		for _, r := range curate.Reasons() {
			all = append(all, string(r.Name))
		}
		return all
	}
	if t.Kind() == reflect.String && t.Name() != "string" && len(what.values) > 0 {
		return what.values
	}
	if t.Kind() != reflect.Int || !t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return nil
	}
	var words []string
	for i := range what.names {
		v := reflect.New(t).Elem()
		v.SetInt(int64(i))
		word, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			panic(err)
		}
		words = append(words, string(word))
	}
	return words
}

// fields is the schema of a struct; what it embeds lies flat in it.
func (m *maker) fields(t reflect.Type) object {
	var properties object
	var required []string
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			key, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && key == "":
				walk(f.Type)
				continue
			case !f.IsExported() || key == "-":
				continue
			}
			doc := m.saying(t).fields[f.Name]
			typ := f.Type
			if optional := strings.Contains(opts, "omit"); optional && typ.Kind() == reflect.Pointer {
				typ = typ.Elem() // absent, never null
			}
			o := m.of(typ)
			if typ.Kind() == reflect.Slice && (strings.Contains(doc, "null where") || strings.Contains(doc, "null if")) {
				o = orNull(o)
			}
			if strings.Contains(doc, `""`) && m.enum(f.Type) != nil {
				o = object{{"anyOf", []object{o, {{"const", ""}}}}}
			}
			if doc != "" {
				o = append(object{{"description", doc}}, o...)
			}
			properties = append(properties, member{key, o})
			if !strings.Contains(opts, "omit") {
				required = append(required, key)
			}
		}
	}
	walk(t)
	if t == m.top {
		for i, p := range properties {
			if p.key == "schema" {
				properties[i].value = object{{"const", m.version}}
			}
		}
	}
	o := object{{"type", "object"}, {"properties", properties}}
	if required != nil {
		o = append(o, member{"required", required})
	}
	return o
}
