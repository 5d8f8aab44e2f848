package analysis

import (
	"reflect"

	"gonogo/analysis/message"
)

// kept are the fields of a Result that hold what was said in English while it
// was measured: why a number is not known, what a reader must know beside it.
var kept = map[string]bool{"Warnings": true, "Notes": true, "Assumptions": true, "Note": true, "Why": true}

// retold returns a copy of r whose kept texts are said in l, as far as the
// language knows them. Lists without any are shared with r.
func retold(l message.Language, r *Result) *Result {
	t := teller{l: l, holds: make(map[reflect.Type]bool)}
	out := *r
	out.Run.Notes = tell(t, "Notes", r.Run.Notes)
	out.Splits = tell(t, "", r.Splits)
	out.Plan = tell(t, "", r.Plan)
	out.Shift = tell(t, "", r.Shift)
	out.Grader = tell(t, "", r.Grader)
	out.Burst = tell(t, "", r.Burst)
	out.Variants = tell(t, "", r.Variants)
	return &out
}

// teller says kept texts again.
type teller struct {
	l     message.Language
	holds map[reflect.Type]bool // whether a type holds kept texts
}

func tell[T any](t teller, field string, x T) T {
	return t.value(field, reflect.ValueOf(&x).Elem()).Interface().(T)
}

// value copies what a field holds.
func (t teller) value(field string, v reflect.Value) reflect.Value {
	if !kept[field] && !t.keeps(v.Type()) {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(t.l.Again(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(t.value(field, v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(t.value(f.Name, v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(t.value(field, v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		}
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, t.value(field, v.MapIndex(k)))
		}
	}
	return out
}

// keeps reports whether values of a type hold kept texts.
func (t teller) keeps(of reflect.Type) bool {
	if held, known := t.holds[of]; known {
		return held
	}
	t.holds[of] = false // a type within itself adds nothing
	held := false
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		held = t.keeps(of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			f := of.Field(i)
			held = held || f.IsExported() && (kept[f.Name] || t.keeps(f.Type))
		}
	}
	t.holds[of] = held
	return held
}
