package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// errKind says that a value is not of the kind that was asked for.
var errKind = errors.New("a value of another kind")

// Fields calls visit for each member of the one JSON object that text is: its key, and
// its value as it is written, checked but not decoded. It is for answers of servers,
// of which little is read, and that little once; what it accepts is what encoding/json
// accepts. Visit must keep no key. An error of visit ends the walk.
func Fields(text []byte, visit func(key, value []byte) error) error {
	s := Scanner{Source: text}
	return s.Members(func(key, value []byte) error {
		return visit(Key(key), value)
	})
}

// List calls visit for each element of the one JSON array that text is, as Fields
// does for an object. A list that is null has none.
func List(text []byte, visit func(value []byte) error) error {
	if IsNull(text) {
		return nil
	}
	s := Scanner{Source: text}
	return s.Elements(visit)
}

// IsNull reports whether a value is null.
func IsNull(value []byte) bool { return string(value) == "null" }

// ReadText stores the text of a checked value, a JSON string. Null changes nothing, and
// anything else is an error.
func ReadText(value []byte, into *string) error {
	switch {
	case value[0] == '"':
		*into = Text(value)
	case !IsNull(value):
		return errKind
	}
	return nil
}

// TextOrJSON returns the text of a JSON string, and any other JSON value as
// its own source; null and nothing give "".
func TextOrJSON(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || IsNull(raw) {
		return ""
	}
	if s := (Scanner{Source: raw}); raw[0] == '"' && s.Literal() == nil && s.At == len(raw) {
		return Text(raw)
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// ReadNumber returns a checked value that is a number; ok is false of any other, and
// of a number that no float64 holds.
func ReadNumber(value []byte) (n float64, ok bool) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}
