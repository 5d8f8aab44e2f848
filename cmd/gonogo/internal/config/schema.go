package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
)

// Schema returns the JSON Schema (draft 2020-12) of gonogo.yaml, made
// from keys(): for editors, and for checking a file without running it.
func Schema() []byte {
	all := Keys()
	properties := nest(all, func(k key) (json.RawMessage, bool) { return Marshal(k.schema()), true })
	var top map[string]any
	if err := json.Unmarshal(properties, &top); err != nil {
		panic(fmt.Sprintf("gonogo: schema: %v", err)) // nest writes JSON
	}
	for name, p := range top {
		if isGroup(name, all) {
			top[name] = map[string]any{"type": []string{"object", "null"}, "additionalProperties": false, "properties": p}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "gonogo.yaml",
		"description":          "The configuration of a gonogo run.",
		"type":                 "object",
		"additionalProperties": false,
		"properties":           top,
	}); err != nil {
		panic(fmt.Sprintf("gonogo: schema: %v", err))
	}
	return b.Bytes()
}

func isGroup(name string, all []key) bool {
	for _, k := range all {
		if strings.HasPrefix(k.Path, name+".") {
			return true
		}
	}
	return false
}

// schema is the schema of one key's value.
func (k key) schema() map[string]any {
	s := maps.Clone(kindOf(k.at(new(values))).schema)
	s["description"] = k.doc()
	if k.Default != "" {
		s["default"] = k.yaml(k.Default)
	}
	if k.Example != "" {
		s["examples"] = []json.RawMessage{k.yaml(k.Example)}
	}
	if k.Min != nil {
		s["minimum"] = *k.Min
	}
	if k.Max != nil {
		s["maximum"] = *k.Max
	}
	if k.Enum != nil {
		s["enum"] = k.Enum
	}
	if k.Pattern != "" {
		s["pattern"] = k.Pattern
	}
	if k.Entry != nil {
		s["items"] = entrySchema(k.Entry)
	}
	if s["items"] != nil && k.Names != nil {
		s["items"] = map[string]any{"enum": k.Names}
	}
	if value, ok := s["additionalProperties"]; ok && k.Names != nil {
		named := map[string]any{}
		for _, name := range k.Names {
			named[name] = value
		}
		s["properties"], s["additionalProperties"] = named, false
	}
	return s
}

// yaml turns a YAML value of the table into JSON.
func (k key) yaml(text string) json.RawMessage {
	node, err := parseYAML(k.Path, []byte(text))
	if err != nil {
		panic(fmt.Sprintf("gonogo: the table of keys: %v", err))
	}
	var b bytes.Buffer
	node.json(&b)
	return b.Bytes()
}

// doc is the key's doc line with what holds when it is left out.
func (k key) doc() string {
	text := k.Doc
	if k.Fallback != "" {
		text += ". Without it: " + k.Fallback
	}
	if k.Binding {
		text += ". Binding: a run made with another value is not continued"
	}
	return text
}

// Help words the table of keys, for `gonogo help config`.
func Help() string {
	var b strings.Builder
	b.WriteString(`gonogo.yaml (JSON will do as well). Every key may be left out. Keys marked * are
binding: a run directory that was made with another value is refused. Paths
start from the file's folder. --set KEY=VALUE overrides a key.

`)
	for _, k := range Keys() {
		mark := " "
		if k.Binding {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s (%s%s)\n", mark, k.Path, k.Type(), k.bounds())
		text := k.Doc + "."
		switch {
		case k.Default != "":
			text += " Default: " + k.Default + "."
		case k.Fallback != "":
			text += " Default: " + k.Fallback + "."
		}
		if k.Example != "" {
			text += " Example: " + k.Example
		}
		b.WriteString(ui.Wrap(text, "      ", 80))
		for _, e := range k.Entry {
			b.WriteString(ui.Wrap(fmt.Sprintf("- %s (%s): %s", e.Name, e.words(), e.Doc), "        ", 80))
		}
	}
	return b.String()
}

// bounds words what a value is limited to.
func (k key) bounds() string {
	switch {
	case k.Enum != nil:
		return ": " + ui.OrList(k.Enum)
	case k.Min != nil && k.Max != nil:
		return fmt.Sprintf(" from %g to %g", *k.Min, *k.Max)
	case k.Min != nil:
		return fmt.Sprintf(", at least %g", *k.Min)
	}
	return ""
}
