package parquetfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// meaning says what the values of a column stand for.
type meaning int

const (
	plain    meaning = iota // what they are
	unsigned                // integers without a sign, stored with one
	half                    // float16: two bytes, little-endian
	date                    // days since 1970
	moment                  // time since 1970, in the unit
	clock                   // time since midnight, in the unit
	span                    // a duration, in the unit
	decimal                 // an integer with a scale
	uuid                    // 16 bytes
)

// column is a node of the schema. The library does not know all meanings, so they are read from the
// file's own description.
type column struct {
	name     string
	children []*column // nil for a leaf
	list     bool      // its only child is repeated, and holds the elements
	entries  bool      // a map: its only child is repeated, and holds keys and values

	meaning meaning
	bits    int           // of unsigned integers
	unit    time.Duration // of moment, clock and span
	scale   int
}

// mostScale is the number of decimal digits that a decimal may have; SQL databases have up to 38.
const mostScale = 1000

// columnsOf returns the schema of a file as a tree. The n-th leaf is the n-th column.
func columnsOf(meta *format.FileMetaData) (*column, error) {
	elements := []format.SchemaElement(meta.Schema)
	root, err := nextColumn(&elements, 0)
	if err != nil {
		return nil, err
	}
	for _, kv := range meta.KeyValueMetadata {
		if kv.Key == arrowKey {
			root.spans(arrowFields(kv.Value))
		}
	}
	return root, nil
}

// nextColumn takes a node with its children from a list of nodes in depth-first order.
func nextColumn(elements *[]format.SchemaElement, depth int) (*column, error) {
	const deepest = 100
	if len(*elements) == 0 || depth > deepest {
		return nil, fmt.Errorf("its schema is broken or nested more than %d deep", deepest)
	}
	e := &(*elements)[0]
	*elements = (*elements)[1:]
	c := &column{name: e.Name}
	if e.Type.Valid {
		return c, c.describe(e)
	}
	_, isList := e.LogicalType.Value.(*format.ListType)
	_, isMap := e.LogicalType.Value.(*format.MapType)
	old := e.ConvertedType
	c.list = isList || old.Valid && old.V == deprecated.List
	c.entries = isMap || old.Valid && (old.V == deprecated.Map || old.V == deprecated.MapKeyValue)
	c.children = make([]*column, 0, min(int(max(0, e.NumChildren.V)), len(*elements)))
	for range e.NumChildren.V {
		child, err := nextColumn(elements, depth+1)
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, child)
	}
	return c, nil
}

// describe sets the meaning of a leaf.
func (c *column) describe(e *format.SchemaElement) error {
	switch logical := e.LogicalType.Value.(type) {
	case *format.IntType:
		if !logical.IsSigned {
			c.meaning, c.bits = unsigned, int(logical.BitWidth)
		}
	case *format.Float16Type:
		if c.meaning = half; e.TypeLength.V != 2 {
			return fmt.Errorf("column %s: a float16 has 2 bytes, not %d", c.name, e.TypeLength.V)
		}
	case *format.DateType:
		c.meaning = date
	case *format.TimestampType:
		c.meaning, c.unit = moment, unitOf(logical.Unit)
	case *format.TimeType:
		c.meaning, c.unit = clock, unitOf(logical.Unit)
	case *format.DecimalType:
		c.meaning, c.scale = decimal, int(logical.Scale)
		if logical.Scale < 0 || logical.Scale > mostScale || logical.Precision > mostScale {
			return fmt.Errorf("column %s: it claims decimals of %d digits", c.name, max(logical.Precision,
				logical.Scale))
		}
	case *format.UUIDType:
		c.meaning = uuid
	default:
		return c.describeOld(e)
	}
	return nil
}

// describeOld sets the meaning of a leaf of a file that older programs wrote.
func (c *column) describeOld(e *format.SchemaElement) error {
	if e.Type.V == format.Int96 { // only times have it
		c.meaning, c.unit = moment, time.Nanosecond
	}
	if !e.ConvertedType.Valid {
		return nil
	}
	switch e.ConvertedType.V {
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32:
		c.meaning, c.bits = unsigned, 32
	case deprecated.Uint64:
		c.meaning, c.bits = unsigned, 64
	case deprecated.Date:
		c.meaning = date
	case deprecated.TimestampMillis:
		c.meaning, c.unit = moment, time.Millisecond
	case deprecated.TimestampMicros:
		c.meaning, c.unit = moment, time.Microsecond
	case deprecated.TimeMillis:
		c.meaning, c.unit = clock, time.Millisecond
	case deprecated.TimeMicros:
		c.meaning, c.unit = clock, time.Microsecond
	case deprecated.Decimal:
		if c.meaning, c.scale = decimal, int(e.Scale.V); e.Scale.V < 0 || e.Scale.V > mostScale ||
			e.Precision.V > mostScale {
			return fmt.Errorf("column %s: it claims decimals of %d digits", c.name, max(e.Precision.V, e.Scale.V))
		}
	}
	return nil
}

// unitOf returns the unit of a time; without one it is a millisecond, which most programs write.
func unitOf(u format.TimeUnit) time.Duration {
	if u.Value == nil {
		return time.Millisecond
	}
	return u.Value.Duration()
}

// leaves returns the columns in their order in a row.
func (c *column) leaves() []*column {
	if c.children == nil {
		return []*column{c}
	}
	var all []*column
	for _, child := range c.children {
		all = append(all, child.leaves()...)
	}
	return all
}

// Value returns a value of the n-th column as a Go value that JSON can show: nil, a bool, a number, or
// a text. It is nil for NaN. Times are texts as in RFC 3339, durations are seconds.
func (f *File) Value(n int, v parquet.Value) any {
	if v.IsNull() || n < 0 || n >= len(f.leaves) {
		return nil
	}
	c := f.leaves[n]
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return c.value(v.Int32())
	case parquet.Int64:
		return c.value(v.Int64())
	case parquet.Int96:
		return c.value(v.Int96())
	case parquet.Float:
		return c.value(v.Float())
	case parquet.Double:
		return c.value(v.Double())
	}
	if b := v.ByteArray(); c.meaning == half || c.meaning == decimal || c.meaning == uuid {
		return c.value(b)
	}
	return string(v.ByteArray())
}

// value returns a value of the column as the library gives it, in the form of File.Value.
func (c *column) value(v any) any {
	switch v := v.(type) {
	case int32:
		return c.ofInt(int64(v), uint64(uint32(v)))
	case uint32:
		return c.ofInt(int64(int32(v)), uint64(v))
	case int64:
		return c.ofInt(v, uint64(v))
	case uint64:
		return c.ofInt(int64(v), v)
	case deprecated.Int96:
		const julian1970 = 2440588 // the Julian day of 1970-01-01
		nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
		return time.Unix((int64(v[2])-julian1970)*24*60*60, nanos).UTC().Format(time.RFC3339Nano)
	case float32:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		return v // JSON shows it with the digits that it has
	case float64:
		return finite(v)
	case []byte:
		return c.ofBytes(v)
	case [16]byte:
		return c.ofBytes(v[:])
	case *big.Float:
		if v == nil {
			return nil
		}
		return json.Number(v.Text('f', c.scale))
	}
	return v
}

// ofInt returns an integer in the form of File.Value; u is the same bits without a sign.
func (c *column) ofInt(n int64, u uint64) any {
	switch c.meaning {
	case unsigned:
		if c.bits < 64 {
			u &= math.MaxUint32
		}
		return u
	case date:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
	case moment:
		perSecond := int64(time.Second / c.unit)
		return time.Unix(n/perSecond, n%perSecond*int64(c.unit)).UTC().Format(time.RFC3339Nano)
	case clock:
		return time.Time{}.Add(time.Duration(n) * c.unit).Format("15:04:05.999999999")
	case span:
		return float64(n) / float64(time.Second/c.unit)
	case decimal:
		return c.scaled(big.NewInt(n))
	}
	return n
}

func (c *column) ofBytes(b []byte) any {
	switch {
	case c.meaning == half && len(b) == 2:
		return finite(halfFloat(binary.LittleEndian.Uint16(b)))
	case c.meaning == uuid && len(b) == 16:
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	case c.meaning == decimal:
		n := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return c.scaled(n)
	}
	return b
}

// scaled returns a decimal, exactly as it is.
func (c *column) scaled(n *big.Int) json.Number {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.scale)), nil)
	return json.Number(new(big.Rat).SetFrac(n, scale).FloatString(c.scale))
}

// halfFloat returns the shortest decimal that rounds to a float16 (IEEE 754 binary16): other programs
// show the number so, as they show other floats.
func halfFloat(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	sign := 1 - 2*float64(bits>>15)
	switch exponent {
	case 0: // subnormal
		exponent = 1
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	default:
		fraction += 1024
	}
	spacing := math.Ldexp(1, exponent-25)
	exact := fraction * spacing
	if fraction == 1024 { // floats below are closer
		spacing /= 2
	}
	for digits := 1; ; digits++ {
		f, err := strconv.ParseFloat(strconv.FormatFloat(exact, 'e', digits-1, 64), 64)
		if err != nil || math.Abs(f-exact) < spacing/2 || digits > 6 {
			return sign * f
		}
	}
}

// object returns a value of the column, as the library reconstructs it, in the form of File.Value:
// structs and maps as map[string]any, and lists as []any.
func (c *column) object(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		element := c
		if c.list && len(c.children) == 1 {
			element = c.children[0].element()
		}
		for i := range v {
			v[i] = element.object(v[i])
		}
		return v
	case map[string]any:
		for key := range v {
			if child := c.child(key); child != nil {
				v[key] = child.object(v[key])
			} else {
				v[key] = finite(v[key])
			}
		}
		return v
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.Type() != reflect.TypeFor[*big.Float]() { // in maps
		if p.IsNil() {
			return nil
		}
		return c.object(p.Elem().Interface())
	}
	if c.children != nil {
		return finite(v)
	}
	return c.value(v)
}

// element returns what a list holds: the only child of its repeated group, or the repeated node
// itself (Parquet, LogicalTypes.md, lists).
func (c *column) element() *column {
	if len(c.children) == 1 {
		return c.children[0]
	}
	return c
}

// child returns the column of a key: of a struct the child with that name, of a map its values.
func (c *column) child(key string) *column {
	if c.entries && len(c.children) == 1 && len(c.children[0].children) == 2 {
		return c.children[0].children[1]
	}
	for _, child := range c.children {
		if child.name == key {
			return child
		}
	}
	return nil
}
