package parquetfile

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// arrowKey is the key under which Arrow writes its own schema into a Parquet file: durations are plain
// integers in Parquet's.
const arrowKey = "ARROW:schema"

// arrowField is a field of an Arrow schema.
type arrowField struct {
	name     string
	unit     time.Duration // of a duration; 0 for other types
	children []arrowField
}

// spans sets the meaning of the leaves that are durations in Arrow's schema.
func (c *column) spans(fields []arrowField) {
	for _, f := range fields {
		for _, child := range c.children {
			if child.name == f.name {
				child.span(f)
			}
		}
	}
}

// span sets the meaning of the leaves of a field.
func (c *column) span(f arrowField) {
	switch {
	case c.children == nil && f.unit > 0 && c.meaning == plain:
		c.meaning, c.unit = span, f.unit
	case c.list && len(c.children) == 1 && len(f.children) == 1:
		c.children[0].element().span(f.children[0])
	case c.entries && len(c.children) == 1 && len(f.children) == 1:
		entries := c.children[0]
		for i := range min(len(entries.children), len(f.children[0].children)) { // the names may differ
			entries.children[i].span(f.children[0].children[i])
		}
	default:
		c.spans(f.children)
	}
}

// arrowFields returns the fields of Arrow's schema: an encapsulated IPC message in base64
// (https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format). It returns nil
// for anything else: the file is read without it.
func arrowFields(encoded string) []arrowField {
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(b) < 8 {
		return nil
	}
	if binary.LittleEndian.Uint32(b) == 0xffffffff { // the mark of a continuation, before the length
		b = b[4:]
	}
	message := flat{text: b[4:], left: new(int)}
	*message.left = 100_000
	message = message.indirect(0)
	const headerSchema = 1
	if kind, _ := message.number(1, 1); kind != headerSchema {
		return nil
	}
	return message.table(2).fields(1, 0)
}

// fields reads a vector of Field tables (format/Schema.fbs).
func (t flat) fields(id, depth int) (list []arrowField) {
	const deepest, duration = 32, 18
	for _, field := range t.vector(id) {
		if *t.left--; *t.left < 0 || depth > deepest {
			return nil
		}
		f := arrowField{name: field.string(0), children: field.fields(5, depth+1)}
		if kind, _ := field.number(2, 1); kind == duration {
			unit, given := field.table(3).number(0, 2)
			if !given {
				unit = 1 // milliseconds are the default
			}
			if unit < 4 {
				f.unit = [...]time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}[unit]
			}
		}
		list = append(list, f)
	}
	return list
}

// flat is a table of FlatBuffers (https://flatbuffers.dev/internals/). What is beyond the end of the
// text is read as absent.
type flat struct {
	text []byte
	at   int  // offset of the table; below 0 if it is absent
	left *int // how many more tables may be read
}

// u reads an unsigned integer of n bytes.
func (t flat) u(at, n int) int {
	if at < 0 || at > len(t.text)-n {
		return 0
	}
	switch n {
	case 1:
		return int(t.text[at])
	case 2:
		return int(binary.LittleEndian.Uint16(t.text[at:]))
	}
	return int(binary.LittleEndian.Uint32(t.text[at:]))
}

// indirect returns the table that the offset at a position leads to.
func (t flat) indirect(at int) flat {
	t.at = at + t.u(at, 4)
	if t.at > len(t.text)-4 || t.at == at {
		t.at = -1
	}
	return t
}

// field returns the position of a field; below 0 if it is absent.
func (t flat) field(id int) int {
	if t.at < 0 {
		return -1
	}
	vtable := t.at - int(int32(t.u(t.at, 4)))
	entry := 4 + 2*id
	if entry+2 > t.u(vtable, 2) {
		return -1
	}
	offset := t.u(vtable+entry, 2)
	if offset == 0 {
		return -1
	}
	return t.at + offset
}

func (t flat) number(id, bytes int) (n int, given bool) {
	at := t.field(id)
	return t.u(at, bytes), at >= 0
}

func (t flat) table(id int) flat {
	at := t.field(id)
	if at < 0 {
		t.at = -1
		return t
	}
	return t.indirect(at)
}

// vector returns the tables of a vector.
func (t flat) vector(id int) (list []flat) {
	at := t.field(id)
	if at < 0 {
		return nil
	}
	at += t.u(at, 4)
	for i := range min(t.u(at, 4), len(t.text)/4, *t.left) {
		list = append(list, t.indirect(at+4+4*i))
	}
	return list
}

func (t flat) string(id int) string {
	at := t.field(id)
	if at < 0 {
		return ""
	}
	at += t.u(at, 4)
	n := t.u(at, 4)
	if at < 0 || n > len(t.text)-at-4 {
		return ""
	}
	return string(t.text[at+4 : at+4+n])
}
