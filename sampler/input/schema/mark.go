package schema

import (
	"reflect"
	"slices"
	"strings"
)

// marked reports whether a field has one of the marks.
func marked(tag reflect.StructTag, marks ...string) bool {
	return slices.ContainsFunc(strings.Split(tag.Get("mark"), ","),
		func(m string) bool { return slices.Contains(marks, m) })
}

// ReplaceHidden replaces each text in v, a pointer to a struct, that is marked as secret, variable
// or url, or is in a map so marked, by the result of f. name is the text's key in a map. Maps are
// replaced, not modified; the elements of slices are modified in place.
func ReplaceHidden(v any, f func(mark, name, text string) string) {
	eachMarked(reflect.ValueOf(v).Elem(), "", f)
}

func eachMarked(v reflect.Value, mark string, f func(mark, name, text string) string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			inner := ""
			for _, name := range []string{"secret", "variable", "url"} {
				if marked(tag, name) {
					inner = name
				}
			}
			eachMarked(v.Field(i), inner, f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachMarked(v.Elem(), mark, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachMarked(v.Index(i), mark, f)
		}
	case reflect.String:
		if mark != "" {
			v.SetString(f(mark, "", v.String()))
		}
	case reflect.Map:
		texts, ok := v.Interface().(map[string]string)
		if mark == "" || !ok || texts == nil {
			return
		}
		out := make(map[string]string, len(texts))
		for name, text := range texts {
			to := f(mark, name, text)
			if mark == "url" { // a map from one URL to another
				name = f(mark, "", name)
			}
			out[name] = to
		}
		v.Set(reflect.ValueOf(out))
	}
}
