package analysis

import (
	"maps"
	"reflect"
	"strings"
	"unicode"

	"gonogo/analysis/message"
)

// words returns the English words of the messages in the result, by id. It keeps words that the
// result already has, so that a result that was read is written as it was.
func (r *Result) words() map[string]string {
	english := make(map[string]string)
	texts{visit: func(t *message.Text) {
		if d, ok := message.Find(t.ID); ok {
			english[t.ID] = d.English
		} else if t.English != "" {
			english[t.ID] = t.English
		}
	}}.in(reflect.ValueOf(r))
	maps.Copy(english, r.English)
	return english
}

// addWords gives the messages that this program lacks their words in the result. A result can come
// from anywhere, so control characters are removed from the words and labels.
func (r *Result) addWords() {
	r.Gates.clean()
	if len(r.English) == 0 {
		return
	}
	texts{change: true, visit: func(t *message.Text) {
		if _, ok := message.Find(t.ID); !ok && plainWords(r.English[t.ID]) {
			t.English = strings.Map(visible, r.English[t.ID])
		}
	}}.in(reflect.ValueOf(r))
}

// plainWords reports whether foreign words can be filled in: they are of a sensible length and use
// each argument once, because arguments are messages themselves, and would multiply at each level.
func plainWords(words string) bool {
	const longest = 4 << 10
	used := make(map[string]bool)
	for _, part := range strings.Split(words, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		name, _, _ = strings.Cut(strings.ToLower(name), "|")
		if used[name] {
			return false
		}
		used[name] = true
	}
	return len(words) <= longest
}

// clean removes control characters from the labels of recorded gates.
func (gs Gates) clean() {
	for _, g := range gs {
		g.Label = strings.Map(visible, g.Label)
		Gates(g.Parts).clean()
	}
}

// visible returns a character, or -1 if it can control a terminal or reorder a line.
func visible(c rune) rune {
	if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
		return -1
	}
	return c
}

// texts visits the messages in a value, including messages in the arguments of others.
type texts struct {
	visit  func(*message.Text)
	change bool                  // visit may change messages
	known  map[reflect.Type]bool // whether values of a type can hold messages
}

// in visits the messages in a pointer, or in what is reached from one.
func (x texts) in(v reflect.Value) {
	if x.known == nil {
		x.known = make(map[reflect.Type]bool)
	}
	if !x.holds(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			x.in(v.Elem())
		}
	case reflect.Struct:
		if t, ok := v.Addr().Interface().(*message.Text); ok && !t.IsEmpty() {
			x.visit(t)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				x.in(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			x.in(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()) // the values of a map cannot be changed in place
			value.Elem().Set(v.MapIndex(key))
			x.in(value.Elem())
			if x.change {
				v.SetMapIndex(key, value.Elem())
			}
		}
	}
}

// holds reports whether values of a type can hold messages.
func (x texts) holds(t reflect.Type) bool {
	held, seen := x.known[t]
	if seen {
		return held
	}
	x.known[t] = false // of a type that refers to itself
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		held = x.holds(t.Elem())
	case reflect.Struct:
		held = t == reflect.TypeFor[message.Text]()
		for i := 0; i < t.NumField() && !held; i++ {
			held = t.Field(i).IsExported() && x.holds(t.Field(i).Type)
		}
	}
	x.known[t] = held
	return held
}
