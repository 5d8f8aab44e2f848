package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"gonogo/sampler/jsontext"
)

// fields appends the fields of one JSON object to a buffer. Bodies are not written with encoding/json,
// which would scan every carried item and every tool schema again on each turn.
type fields struct {
	buf  []byte
	more bool // the next field needs a comma
}

// object opens an object at the end of buf.
func object(buf []byte) *fields { return &fields{buf: append(buf, '{')} }

func (f *fields) end() []byte { return append(f.buf, '}') }

func (f *fields) key(name string) {
	if f.more {
		f.buf = append(f.buf, ',')
	}
	f.more = true
	f.buf = append(jsontext.AppendQuoted(f.buf, name), ':')
}

func (f *fields) raw(name, json string) {
	f.key(name)
	f.buf = append(f.buf, json...)
}

func (f *fields) text(name, value string) {
	f.key(name)
	f.buf = jsontext.AppendQuoted(f.buf, value)
}

func (f *fields) number(name string, value *float64) {
	if value != nil {
		f.key(name)
		f.buf = strconv.AppendFloat(f.buf, *value, 'g', -1, 64)
	}
}

func (f *fields) count(name string, value *int) {
	if value != nil {
		f.key(name)
		f.buf = strconv.AppendInt(f.buf, int64(*value), 10)
	}
}

// extra writes further fields, sorted by name.
func (f *fields) extra(more map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(more)) {
		f.raw(name, string(more[name]))
	}
}

// element prepares the next element of the array at the end of the buffer: it adds a comma if one is
// needed.
func (f *fields) element() {
	if last := f.buf[len(f.buf)-1]; last != '[' {
		f.buf = append(f.buf, ',')
	}
}

// elements appends elements that are already separated by commas.
func (f *fields) elements(json []byte) {
	if len(json) > 0 {
		f.element()
		f.buf = append(f.buf, json...)
	}
}
