package jsontext

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Unmarshal is json.Unmarshal with exact keys: a field takes only the value of the key that is
// spelled exactly like its tag or name. encoding/json ignores the case of keys, and the last one
// wins, so a server's "Content" would replace the answer in "content". All JSON that others write
// is read with Unmarshal; a test checks that. It decodes most texts in one pass, and leaves the
// others, and all errors, to encoding/json.
//
// Note: encoding/json/v2 matches exactly, but it is an experiment in Go 1.26, and it changes
// other rules and the texts of errors.
func Unmarshal(text []byte, into any) error {
	if v := reflect.ValueOf(into); v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().IsZero() {
		s := Scanner{Source: text}
		if s.Space(); s.decode(planOf(v.Type().Elem()), v.Elem()) {
			return nil
		}
	}
	return unmarshal(text, into)
}

// unmarshal is Unmarshal by encoding/json. It costs one pass over the quotes of the text.
func unmarshal(text []byte, into any) error {
	if t := reflect.TypeOf(into); t != nil && t.Kind() == reflect.Pointer {
		if keys := keysOf(t.Elem()); keys != nil && keys.resemble(text) && json.Valid(text) {
			s := Scanner{Source: text}
			s.Space()
			text = s.exact(nil, keys.root)
		}
	}
	return json.Unmarshal(text, into)
}

// keys holds the keys that the decoding of a type looks for.
type keys struct {
	root    *form
	spelled map[string][]string // all its keys, by their folded spelling
}

// form says where a type has keys. It is nil for a type without keys, or one that decodes itself.
type form struct {
	fields map[string]*form // of a struct, by key
	elem   *form            // of a list or a map
}

// knownKeys caches the keys of each type that was decoded; nil for a type without keys.
var knownKeys sync.Map // from reflect.Type to *keys

func keysOf(t reflect.Type) *keys {
	if k, known := knownKeys.Load(t); known {
		return k.(*keys)
	}
	made := map[reflect.Type]*form{}
	k := &keys{root: formOf(t, made), spelled: map[string][]string{}}
	for _, f := range made {
		for name := range f.fields {
			folded := string(foldKey(nil, []byte(name)))
			if !slices.Contains(k.spelled[folded], name) {
				k.spelled[folded] = append(k.spelled[folded], name)
			}
		}
	}
	if len(k.spelled) == 0 {
		k = nil
	}
	knownKeys.Store(t, k)
	return k
}

var decodesItself = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}

// formOf returns the form of a type. made holds the forms of the enclosing types, so that a type
// can contain itself.
func formOf(t reflect.Type, made map[reflect.Type]*form) *form {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if f, known := made[t]; known {
		return f
	}
	if slices.ContainsFunc(decodesItself, reflect.PointerTo(t).Implements) {
		return nil
	}
	f := new(form)
	switch t.Kind() {
	case reflect.Struct:
		made[t], f.fields = f, map[string]*form{}
		f.addFields(t, made)
	case reflect.Slice, reflect.Array, reflect.Map:
		made[t] = f
		f.elem = formOf(t.Elem(), made)
	default:
		return nil
	}
	return f
}

// addFields adds the fields of a struct, which take precedence over those of its embedded structs.
func (f *form) addFields(t reflect.Type, made map[reflect.Type]*form) {
	var embedded []reflect.Type
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		embeds := field.Anonymous && name == ""
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		name = cmp.Or(name, field.Name)
		switch _, taken := f.fields[name]; {
		case embeds && inner.Kind() == reflect.Struct:
			embedded = append(embedded, inner)
		case tag != "-" && field.IsExported() && !taken:
			f.fields[name] = formOf(field.Type, made)
		}
	}
	for _, inner := range embedded {
		f.addFields(inner, made)
	}
}

const (
	longS  = '\u017f' // folds to s
	kelvin = '\u212a' // folds to k, and takes three bytes
)

// foldKey appends a key, folded as encoding/json folds it to compare it with ASCII names.
func foldKey(to, key []byte) []byte {
	for _, r := range string(key) {
		switch r = unicode.ToLower(r); r {
		case longS:
			r = 's'
		case kelvin:
			r = 'k'
		}
		to = utf8.AppendRune(to, r)
	}
	return to
}

// resemble reports whether a text may have one of the keys in another case. It checks every
// string before a colon, at any depth.
func (k *keys) resemble(text []byte) bool {
	for {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			return false
		}
		text = text[start+1:]
		end := 0
		for {
			quote := bytes.IndexByte(text[end:], '"')
			if quote < 0 {
				return false
			}
			end += quote
			if (end-len(bytes.TrimRight(text[:end], `\`)))%2 == 0 {
				break
			}
			end++
		}
		key := text[:end]
		text = text[end+1:]
		if after := bytes.TrimLeft(text, " \t\r\n"); len(after) > 0 && after[0] == ':' && k.resembles(key) {
			return true
		}
	}
}

// resembles reports whether a key, as written in a text, may be one of the keys in another case.
func (k *keys) resembles(key []byte) bool {
	if bytes.IndexByte(key, '\\') >= 0 {
		return true // an escaped key is left to the walk
	}
	var folded [64]byte
	if len(key) > len(folded)*utf8.RuneLen(kelvin) {
		return false
	}
	names := k.spelled[string(foldKey(folded[:0], key))]
	return len(names) > 1 || len(names) == 1 && names[0] != string(key)
}

// exact appends the value at s.At of a valid text, without the members of structs whose key is
// not spelled exactly like a field.
func (s *Scanner) exact(to []byte, f *form) []byte {
	from := s.At
	switch c := s.Source[from]; {
	case f != nil && c == '{':
		to = append(to, c)
		s.each('}', func() {
			key := s.At
			_ = s.Literal()
			name := Text(s.Source[key:s.At])
			s.Space()
			s.At++ // the colon
			s.Space()
			within, is := f.fields[name]
			switch {
			case f.fields == nil:
				within = f.elem
			case !is:
				_ = s.Value(1)
				return
			}
			if to[len(to)-1] != '{' {
				to = append(to, ',')
			}
			to = s.exact(append(AppendQuoted(to, name), ':'), within)
		})
		return append(to, '}')
	case f != nil && c == '[' && f.elem != nil:
		to = append(to, c)
		s.each(']', func() {
			if to[len(to)-1] != '[' {
				to = append(to, ',')
			}
			to = s.exact(to, f.elem)
		})
		return append(to, ']')
	}
	_ = s.Value(1) // no error: the text is valid
	return append(to, s.Source[from:s.At]...)
}

// each calls visit at the start of each member or element of the object or list at s.At.
func (s *Scanner) each(end byte, visit func()) {
	s.At++
	if s.Space(); s.Source[s.At] == end {
		s.At++
		return
	}
	for more := true; more; more, _ = s.Comma(end) {
		s.Space()
		visit()
	}
}
