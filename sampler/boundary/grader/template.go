package grader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Template is a text with variables in double braces, such as
// {{item.reference_answer}} or {{ sample.output_tools[0].function.name }}.
// The two namespaces are item (the data row) and sample (the output).
type Template struct {
	source string
	parts  []part
}

// part is a literal text, or a variable if path is set.
type part struct {
	text string
	path []step // the first step is the namespace
}

// step is a key, or an index if key is "".
type step struct {
	key   string
	index int
}

// String returns the template's source.
func (t Template) String() string { return t.source }

// sampleKeys lists the keys of sample that a template may name.
var sampleKeys = []string{"output_text", "output_json", "output_tools", "output_reasoning_summary", "choices"}

// ParseTemplate reads a template. Errors are "{{" without "}}", a namespace other than item and
// sample, and a key that sample never has.
func ParseTemplate(source string) (Template, error) {
	t := Template{source: source}
	rest := source
	for {
		before, after, found := strings.Cut(rest, "{{")
		if before != "" {
			t.parts = append(t.parts, part{text: before})
		}
		if !found {
			return t, nil
		}
		name, tail, closed := strings.Cut(after, "}}")
		if !closed {
			return Template{}, fmt.Errorf("template %q: \"{{\" without \"}}\"", brief(source))
		}
		path, err := parsePath(strings.TrimSpace(name))
		if err != nil {
			return Template{}, fmt.Errorf("template variable {{%s}}: %w", name, err)
		}
		t.parts = append(t.parts, part{text: strings.TrimSpace(name), path: path})
		rest = tail
	}
}

func parsePath(s string) ([]step, error) {
	var path []step
	for i := 0; i < len(s); {
		switch {
		case s[i] == '[':
			st, n, err := parseIndex(s[i:])
			if err != nil {
				return nil, err
			}
			path, i = append(path, st), i+n
		case i > 0 && s[i] != '.':
			return nil, fmt.Errorf("%q: a dot is missing", s[i:])
		default:
			if i > 0 {
				i++
			}
			end := i + strings.IndexAny(s[i:]+".", ".[")
			key := strings.TrimSpace(s[i:end])
			if key == "" {
				return nil, errors.New("a name is missing")
			}
			if bad := strings.IndexAny(key, "]{}\"'"); bad >= 0 {
				return nil, fmt.Errorf("%q cannot contain %q; write such a key as [\"key\"]", key, key[bad:bad+1])
			}
			path, i = append(path, step{key: key}), end
		}
	}
	return path, checkPath(path)
}

// parseIndex reads [3], ["key"] or ['key'] and returns its length.
func parseIndex(s string) (step, int, error) {
	inner := strings.TrimLeft(s[1:], " ")
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		key, after, closed := strings.Cut(inner[1:], inner[:1])
		after = strings.TrimLeft(after, " ")
		if !closed || key == "" || !strings.HasPrefix(after, "]") {
			return step{}, 0, fmt.Errorf("%q is not a quoted key within brackets", s)
		}
		return step{key: key}, len(s) - len(after) + 1, nil
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return step{}, 0, errors.New("\"[\" without \"]\"")
	}
	inner = strings.TrimSpace(s[1:end])
	index, err := strconv.Atoi(inner)
	if err != nil || index < 0 {
		return step{}, 0, fmt.Errorf("index %q is neither a number from 0 nor a quoted key", inner)
	}
	return step{index: index}, end + 1, nil
}

func checkPath(path []step) error {
	if len(path) == 0 {
		return errors.New("a name is missing")
	}
	switch path[0].key {
	case "item":
	case "sample":
		return checkSample(path[1:])
	default:
		return fmt.Errorf("%q is not a namespace: the name must begin with item or sample", path[0].key)
	}
	return nil
}

// checkSample refuses keys that sample never has, so that they are reported before sampling.
func checkSample(path []step) error {
	switch {
	case len(path) == 0 || slices.Contains(sampleKeys, path[0].key):
		return nil
	case path[0].key == "":
		return fmt.Errorf("sample is not a list; it has %s", strings.Join(sampleKeys, ", "))
	case path[0].key == "output_audio":
		return fmt.Errorf("the outputs measured here are text: sample has no output_audio; it has %s",
			strings.Join(sampleKeys, ", "))
	}
	return fmt.Errorf("sample has no %q; it has %s%s", path[0].key, strings.Join(sampleKeys, ", "),
		meant(path[0].key, sampleKeys))
}

// Render replaces the template's variables by their values: a string as its plain text, null as
// the empty text, any other value as its original JSON without spaces between tokens. How the hosted
// service renders values that are not strings is not documented; only this function decides it.
//
// An item variable that the row does not have is an error. A sample variable that the output does
// not have, such as a key of output_json when the model wrote no JSON, is the model's fault: it
// renders as the empty text and is listed in missing. s may be nil for a template that does not
// read sample.
func (t Template) Render(row json.RawMessage, s *Sample) (text string, missing []string, err error) {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case p.path == nil:
			b.WriteString(p.text)
		case p.path[0].key == "item":
			v, ok := walk(row, p.path[1:])
			if !ok {
				return "", nil, &sampler.GradeError{Kind: sampler.KindVariable, Err: absent(row, p)}
			}
			b.WriteString(valueText(v))
		case len(p.path) == 2 && p.path[1].key == "output_text":
			b.WriteString(s.text)
		default:
			v, ok := walk(s.JSON(), p.path[1:])
			if !ok {
				missing = append(missing, p.text)
			}
			b.WriteString(valueText(v))
		}
	}
	return b.String(), missing, nil
}

// valueText returns a JSON value as Render writes it.
func valueText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '"' || raw[0] == 'n' {
		return jsontext.TextOrJSON(raw)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// walk follows a path into a JSON value and reports whether it exists. A path through null or past
// the end of an array does not exist; a path that ends at null does.
func walk(raw json.RawMessage, path []step) (json.RawMessage, bool) {
	for _, st := range path {
		if st.key == "" {
			var list []json.RawMessage
			if jsontext.Unmarshal(raw, &list) != nil || st.index >= len(list) {
				return nil, false
			}
			raw = list[st.index]
			continue
		}
		var object map[string]json.RawMessage
		if jsontext.Unmarshal(raw, &object) != nil {
			return nil, false
		}
		v, ok := object[st.key]
		if !ok {
			return nil, false
		}
		raw = v
	}
	return raw, len(raw) > 0
}

// brief shortens a template for a message.
func brief(s string) string { return wording.Clip(s, 61) }

// ReferenceBy returns a function that finds an item's reference by a template. If the template
// yields no text, the function falls back to Item.Reference. ReferenceBy returns nil for an empty
// template and for an invalid one, which the audit refuses.
func ReferenceBy(template string) func(*rollout.Item) string {
	t, err := ParseTemplate(template)
	if template == "" || err != nil {
		return nil
	}
	return func(it *rollout.Item) string {
		text, _, err := t.Render(it.Row, nil)
		if err != nil || strings.TrimSpace(text) == "" {
			text, _, _ = it.Reference()
		}
		return text
	}
}
