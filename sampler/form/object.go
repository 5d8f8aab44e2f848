package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// object is the JSON object that an answer is, or holds in a code fence or at its end.
type object struct {
	fields map[string]any
	fence  string // the line that opens its code fence; "" if it has none
}

// objectIn finds the JSON object that an answer is or ends with.
func objectIn(answer string) (object, bool) {
	text := strings.TrimSpace(answer)
	fence := ""
	if body, ok := strings.CutSuffix(text, "```"); ok {
		if i := strings.LastIndex(body, "```"); i >= 0 {
			head, inner, _ := strings.Cut(body[i:], "\n")
			fence, text = strings.TrimSpace(head), strings.TrimSpace(inner)
		}
	}
	if !strings.HasSuffix(text, "}") {
		return object{}, false
	}
	for range mostStarts {
		if fields := decode(text); fields != nil {
			return object{fields, fence}, true
		}
		_, rest, ok := strings.Cut(text, "\n{")
		if !ok {
			break
		}
		text = "{" + rest
	}
	return object{}, false
}

// mostStarts bounds the lines of an answer at which an object may begin.
const mostStarts = 50

func decode(text string) (fields map[string]any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !json.Valid([]byte(text)) || d.Decode(&fields) != nil {
		return nil
	}
	return fields
}

// lookup returns the value at a path of keys.
func (o object) lookup(path []string) (value any, ok bool) {
	value = o.fields
	for _, key := range path {
		fields, is := value.(map[string]any)
		if value, ok = fields[key]; !is || !ok {
			return nil, false
		}
	}
	return value, true
}

// find returns the path to the first string, number or boolean that equals the reference, with
// keys in alphabetical order.
func find(fields map[string]any, reference string) (path []string, quoted, ok bool) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[key].(type) {
		case map[string]any:
			if path, quoted, ok = find(v, reference); ok {
				return append([]string{key}, path...), quoted, true
			}
		case string:
			if Same(v, reference) {
				return []string{key}, true, true
			}
		case json.Number, bool:
			if Same(encode(v), reference) {
				return []string{key}, false, true
			}
		}
	}
	return nil, false, false
}

// mostAreObjects reports whether at least half of the answers are JSON objects: in those, a text
// around the reference would be only a fragment of the object.
func mostAreObjects(examples []Example) bool {
	n := 0
	for _, e := range examples {
		if _, ok := objectIn(e.Answer); ok {
			n++
		}
	}
	return n > 0 && 2*n >= len(examples)
}

// objectForm finds the keys under which at least half of the examples state the reference.
func objectForm(examples []Example) (Form, bool) {
	counts, forms := map[string]int{}, map[string]Form{}
	for _, e := range examples {
		o, ok := objectIn(e.Answer)
		if !ok || sameObject(o.fields, e.Reference) {
			continue // not an object, or the reference is the whole object
		}
		path, quoted, ok := find(o.fields, e.Reference)
		if !ok {
			continue
		}
		value := Variable
		if quoted {
			value = `"` + Variable + `"`
		}
		for _, key := range slices.Backward(path) {
			value = "{" + encode(key) + ": " + value + "}"
		}
		if o.fence != "" {
			value = o.fence + "\n" + value + "\n```"
		}
		f := forms[value]
		f.Partial = (counts[value] == 0 || f.Partial) && len(o.fields) > 1
		f.Template, f.path, f.Stated = value, path, true
		forms[value] = f
		counts[value]++
	}
	if len(counts) == 0 {
		return Form{}, false
	}
	best := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
	return forms[best], 2*counts[best] >= len(examples)
}

func sameObject(fields map[string]any, reference string) bool {
	other := decode(strings.TrimSpace(reference))
	return other != nil && encode(fields) == encode(other)
}

// encode returns a value as JSON with sorted keys, and without escaping <, > and &.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // was decoded from JSON: cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
