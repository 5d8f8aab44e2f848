package jsontext

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// plan decodes the value at s.At, nested in depth others, into a value that is zero unless a key is
// repeated. It returns false for a value that encoding/json refuses, or that is unusual: encoding/json
// then decodes all of the text.
type plan func(s *Scanner, depth int, to reflect.Value) bool

// mostNested is the depth of nesting from which encoding/json decodes a text.
const mostNested = 1000

// DecodeRow decodes an object in one pass into a struct, as Unmarshal does, except that of several equal
// keys the last wins, and that it calls other, which may be nil, for each key that the struct does not
// name. If ok is false, Unmarshal reads the members of the text better, or says what is wrong with them;
// other may have been called, and row points to a zero value. It must point to one before, too.
func DecodeRow(text []byte, row any, other func(key string, value []byte)) (ok bool) {
	into := reflect.ValueOf(row).Elem()
	p, known := rowPlans.Load(into.Type())
	if !known {
		p = structPlan(into.Type()) // even if the row decodes itself, by DecodeRow
		rowPlans.Store(into.Type(), p)
	}
	s := Scanner{Source: text, rows: true, other: other}
	s.Space()
	return p.(plan) != nil && s.begins('{') && into.IsZero() && s.decode(p.(plan), into)
}

// rowPlans caches the plan of each type of row, nil for one that is left to Unmarshal.
var rowPlans sync.Map // from reflect.Type to plan

// decode decodes the whole text into a zero value, which is zero again if ok is false.
func (s *Scanner) decode(p plan, into reflect.Value) (ok bool) {
	if p(s, 0, into) && s.End() == nil {
		return true
	}
	into.SetZero()
	return false
}

// plans caches the plan of each type.
var plans sync.Map // from reflect.Type to plan

// planOf returns the plan of a type. A type may contain itself, so its plan is looked up when a value
// is decoded.
func planOf(t reflect.Type) plan {
	if p, known := plans.Load(t); known {
		return p.(plan)
	}
	p := makePlan(t)
	plans.Store(t, p)
	return p
}

func makePlan(t reflect.Type) plan {
	switch pointer := reflect.PointerTo(t); {
	case t == reflect.TypeFor[json.RawMessage]():
		return readRaw
	case t.Kind() == reflect.Pointer:
		return readPointer
	case pointer.Implements(decodesItself[0]) && t.Name() != "":
		return readItself
	case pointer.Implements(decodesItself[0]), pointer.Implements(decodesItself[1]), t == reflect.TypeFor[json.Number]():
		return readOther
	}
	switch t.Kind() {
	case reflect.Struct:
		if p := structPlan(t); p != nil {
			return p
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return readSlice
		}
	case reflect.Map:
		if t.Key() == reflect.TypeFor[string]() {
			return readMap
		}
	case reflect.String:
		return readString
	case reflect.Bool:
		return readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readInt
	case reflect.Float32, reflect.Float64:
		return readFloat
	}
	return readOther
}

// next walks over the value at s.At and returns it.
func (s *Scanner) next(depth int) (value []byte, ok bool) {
	from := s.At
	ok = s.Value(depth) == nil
	return s.Source[from:s.At], ok
}

// null walks over null, if that is the value at s.At.
func (s *Scanner) null() bool {
	return s.At < len(s.Source) && s.Source[s.At] == 'n' && s.word("null") == nil
}

// begins reports whether the value at s.At begins with c.
func (s *Scanner) begins(c byte) bool { return s.At < len(s.Source) && s.Source[s.At] == c }

func readRaw(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	if ok {
		to.SetBytes(append([]byte(nil), value...))
	}
	return ok
}

func readItself(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	return ok && to.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(value) == nil
}

// readOther leaves a value to encoding/json.
func readOther(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	return ok && unmarshal(value, to.Addr().Interface()) == nil
}

func readPointer(s *Scanner, depth int, to reflect.Value) bool {
	if s.null() {
		to.SetZero()
		return true
	}
	if to.IsNil() {
		to.Set(reflect.New(to.Type().Elem()))
	}
	return planOf(to.Type().Elem())(s, depth, to.Elem())
}

func readString(s *Scanner, _ int, to reflect.Value) bool {
	from := s.At
	if !s.begins('"') {
		return s.null()
	}
	if s.Literal() != nil {
		return false
	}
	to.SetString(s.text(s.Source[from:s.At]))
	return true
}

func readBool(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	switch string(value) {
	case "true", "false":
		to.SetBool(len(value) == len("true"))
	case "null":
	default:
		return false
	}
	return ok
}

func readInt(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	if !ok || IsNull(value) {
		return ok
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || to.OverflowInt(n) {
		return false
	}
	to.SetInt(n)
	return true
}

func readFloat(s *Scanner, depth int, to reflect.Value) bool {
	value, ok := s.next(depth)
	if !ok || IsNull(value) {
		return ok
	}
	if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return false
	}
	n, err := strconv.ParseFloat(string(value), to.Type().Bits())
	if err != nil {
		return false
	}
	to.SetFloat(n)
	return true
}

// readSlice reads a list. Of two lists under equal keys, encoding/json decodes the second into the
// elements of the first.
func readSlice(s *Scanner, depth int, to reflect.Value) bool {
	if s.null() {
		to.SetZero()
		return true
	}
	if !s.begins('[') || depth > mostNested || to.Cap() > 0 {
		return false
	}
	element := planOf(to.Type().Elem())
	s.At++
	if s.Space(); s.begins(']') {
		s.At++
		to.Set(reflect.MakeSlice(to.Type(), 0, 0))
		return true
	}
	for more := true; more; {
		n := to.Len()
		if n == to.Cap() {
			to.Grow(max(n, 4)) // few lists are shorter
		}
		to.SetLen(n + 1)
		s.Space()
		if !element(s, depth+1, to.Index(n)) {
			return false
		}
		var err error
		if more, err = s.Comma(']'); err != nil {
			return false
		}
	}
	return true
}

func readMap(s *Scanner, depth int, to reflect.Value) bool {
	if s.null() {
		to.SetZero()
		return true
	}
	if to.IsNil() {
		to.Set(reflect.MakeMap(to.Type()))
	}
	read := planOf(to.Type().Elem())
	element := reflect.New(to.Type().Elem()).Elem()
	return s.members(depth, func(key []byte) bool {
		element.SetZero()
		ok := read(s, depth+1, element)
		to.SetMapIndex(reflect.ValueOf(string(key)), element)
		return ok
	})
}

// members calls read at the value of each member of the object at s.At.
func (s *Scanner) members(depth int, read func(key []byte) bool) bool {
	if !s.begins('{') || depth > mostNested {
		return false
	}
	s.At++
	if s.Space(); s.begins('}') {
		s.At++
		return true
	}
	for more := true; more; {
		s.Space()
		key := s.At
		if !s.begins('"') || s.Literal() != nil {
			return false
		}
		lit := s.Source[key:s.At]
		if s.Space(); !s.begins(':') {
			return false
		}
		s.At++
		s.Space()
		if !read(Key(lit)) {
			return false
		}
		var err error
		if more, err = s.Comma('}'); err != nil {
			return false
		}
	}
	return true
}

// structPlan returns the plan of a struct; nil for one that encoding/json reads, because it has equally
// deep fields of one name, or options such as string.
func structPlan(t reflect.Type) plan {
	type field struct {
		index []int
		read  plan
	}
	fields := make(map[string]field)
	usual := true
	var add func(t reflect.Type, within []int)
	add = func(t reflect.Type, within []int) {
		for f := range t.Fields() {
			tag := f.Tag.Get("json")
			name, options, _ := strings.Cut(tag, ",")
			at := append(slices.Clone(within), f.Index...)
			switch was, twice := fields[cmp.Or(name, f.Name)]; {
			case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
				add(f.Type, at)
			case f.Anonymous || slices.Contains(strings.Split(options, ","), "string") || twice && len(was.index) == len(at):
				usual = false
			case tag != "-" && f.IsExported() && (!twice || len(was.index) > len(at)):
				fields[cmp.Or(name, f.Name)] = field{index: at}
			}
		}
	}
	if add(t, nil); !usual {
		return nil
	}
	var once sync.Once
	return func(s *Scanner, depth int, to reflect.Value) bool {
		if s.null() {
			return true
		}
		once.Do(func() { // not before: a field may be of the same type
			for name, f := range fields {
				fields[name] = field{f.index, planOf(t.FieldByIndex(f.index).Type)}
			}
		})
		return s.members(depth, func(key []byte) bool {
			f, wanted := fields[string(key)]
			row := depth == 0 && s.rows
			if !wanted {
				value, ok := s.next(depth + 1)
				if ok && row && s.other != nil {
					s.other(string(key), value)
				}
				return ok
			}
			field := to.FieldByIndex(f.index)
			if row {
				field.SetZero()
			}
			return f.read(s, depth+1, field)
		})
	}
}
