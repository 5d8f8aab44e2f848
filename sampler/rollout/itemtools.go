package rollout

import (
	"bytes"
	"encoding/json"

	"gonogo/sampler/jsontext"
)

// toolsIn returns the tools of a row, nil for null. Tools written as JSON text are decoded. Members
// of a tool that are null are left out: Arrow gives every object of a column the keys of all of them,
// with null for those that an object lacks, and a schema with null for a property is no schema.
func toolsIn(value json.RawMessage) json.RawMessage {
	t := bytes.TrimSpace(value)
	if len(t) == 0 || jsontext.IsNull(t) {
		return nil
	}
	if list := listInText(t); list != nil {
		value, t = list, list
	}
	if !bytes.Contains(t, []byte("null")) {
		return value
	}
	clean, ok := appendSchema(make([]byte, 0, len(t)), t, 0, false)
	if !ok {
		return value
	}
	return clean
}

// listInText returns the list of objects that a JSON string holds as JSON text; nil if the value is
// anything else.
func listInText(value []byte) json.RawMessage {
	if len(value) == 0 || value[0] != '"' {
		return nil
	}
	text := bytes.TrimSpace([]byte(jsontext.TextOrJSON(value)))
	var list []map[string]json.RawMessage
	if len(text) == 0 || text[0] != '[' || jsontext.Unmarshal(text, &list) != nil {
		return nil
	}
	return text
}

// values are the keywords of JSON Schema whose value is data, in which null is a value. A map of named
// schemas, such as properties, may have such names, too.
var values = map[string]bool{"default": true, "const": true, "enum": true, "examples": true}

// schemaMaps are the keywords of JSON Schema whose value has a schema for each name.
var schemaMaps = map[string]bool{
	"properties": true, "patternProperties": true, "$defs": true, "definitions": true,
	"dependentSchemas": true,
}

// appendSchema appends a value without the members that are null. names says that the keys of an
// object are names rather than keywords.
func appendSchema(out, value []byte, depth int, names bool) (_ []byte, ok bool) {
	const deepest = 200
	if len(value) == 0 || depth > deepest {
		return nil, false
	}
	s := jsontext.Scanner{Source: value}
	first := true
	separate := func() {
		if !first {
			out = append(out, ',')
		}
		first = false
	}
	var err error
	switch value[0] {
	default:
		return append(out, value...), true
	case '[':
		out = append(out, '[')
		err = s.Elements(func(element []byte) error {
			separate()
			if out, ok = appendSchema(out, element, depth+1, false); !ok {
				return jsontext.ErrSyntax
			}
			return nil
		})
		return append(out, ']'), err == nil
	case '{':
		out = append(out, '{')
		err = s.Members(func(key, member []byte) error {
			if jsontext.IsNull(member) {
				return nil
			}
			separate()
			out = append(append(out, key...), ':')
			word := jsontext.Key(key)
			if !names && values[string(word)] {
				out = append(out, member...)
				return nil
			}
			if out, ok = appendSchema(out, member, depth+1, !names && schemaMaps[string(word)]); !ok {
				return jsontext.ErrSyntax
			}
			return nil
		})
		return append(out, '}'), err == nil
	}
}
