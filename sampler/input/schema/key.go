package schema

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"gonogo/sampler/input/document"
	"gonogo/sampler/limit"
)

// Key is one key of a document.
type Key struct {
	*jsonschema.Schema        // of its value; its description contains everything known about the key
	Path               string // such as sampling.samples
	Doc                string // what it does
	Default            string // a YAML value; "" if there is none
	Fallback           string // in words: what applies if the key is absent and has no Default
	Example            string // a YAML value
	Binding            bool   // a run made with another value is not continued
	File               bool   // a path, relative to the document's folder
	arguments          bool   // a list whose texts may contain commas
	word               string // the only value of a path that is not a path
	index              []int  // of the field that holds the value
}

// At returns the key's field in v, a pointer to the struct of the table.
func (k Key) At(v any) reflect.Value { return reflect.ValueOf(v).Elem().FieldByIndex(k.index) }

// Value returns the key's value in v, a pointer to the struct of the table, as JSON; ok is false if
// it has none. Secrets are not masked.
func (k Key) Value(v any) (text json.RawMessage, ok bool) {
	switch f := k.At(v); f.Interface().(type) {
	case int, int64, float64, limit.Duration:
		return document.Marshal(f.Interface()), true
	case map[string]string, map[string]float64:
		return document.Marshal(f.Interface()), f.Len() > 0
	default:
		return document.Marshal(f.Interface()), !f.IsZero()
	}
}

// Argument converts a text from the command line into a value for the key, or for the entry inner
// of its map; name is the name of the value in errors. A path is relative to the working directory.
// A list may be written without its brackets, unless it is marked as arguments.
func (k Key) Argument(name, inner, value string) (*document.Node, error) {
	text := &document.Node{Kind: document.Text, Text: value}
	if k.File && value != "" && value != k.word {
		abs, err := filepath.Abs(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text.Text = abs
	}
	textOrMap := len(k.Types) > 0
	if k.Type == "string" && k.Pattern != forms["duration"].pattern || textOrMap &&
		!strings.HasPrefix(strings.TrimSpace(value), "{") ||
		inner != "" && k.AdditionalProperties != nil && k.AdditionalProperties.Type == "string" {
		return text, nil
	}
	if isList := k.Type == "array" && k.Items.Properties == nil; isList && !k.arguments &&
		!strings.HasPrefix(strings.TrimSpace(value), "[") {
		value = "[" + value + "]"
	}
	node, err := document.Parse(name, []byte(value))
	if err == nil && node.Kind == document.Null {
		return text, nil // only a key that is a text can use null
	}
	if err == nil && k.File && !textOrMap {
		for _, f := range node.Fields { // data.files={ID: PATH}
			if f.Value.Kind == document.Text && f.Value.Text != "" {
				f.Value.Text, err = filepath.Abs(f.Value.Text)
			}
		}
	}
	return node, err
}

// Kind names the type of the key's value and its bounds.
func (k Key) Kind() string { return kindOf(k.Schema) }

// Entry is a key of the maps in a list.
type Entry struct{ Name, Kind, Doc string }

// Entries lists the keys of the maps in the key's list; nil if the key holds something else.
func (k Key) Entries() (list []Entry) {
	if k.Items == nil {
		return nil
	}
	for _, name := range k.Items.PropertyOrder {
		s := k.Items.Properties[name]
		list = append(list, Entry{name, kindOf(s), s.Description})
	}
	return list
}

func kindOf(s *jsonschema.Schema) string {
	each := elementOf(s)
	text := strings.TrimPrefix(words(s), "a ")
	switch {
	case s.Enum != nil:
		return "text: " + text
	case each.Minimum != nil && each.Maximum != nil:
		return fmt.Sprintf("%s from %g to %g", text, *each.Minimum, *each.Maximum)
	case each.Minimum != nil && each.Format == "":
		return fmt.Sprintf("%s, at least %g", text, *each.Minimum)
	case strings.HasPrefix(text, "made of"):
		return "text, " + text
	}
	return text
}

// Names lists the only values that the key's text can have; nil if it can have others.
func (k Key) Names() []string { return enumOf(k.Schema) }

func enumOf(s *jsonschema.Schema) (names []string) {
	for _, name := range s.Enum {
		names = append(names, name.(string))
	}
	return names
}
