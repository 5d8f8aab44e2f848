package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// errKind means that a value is of another kind than the one asked for.
var errKind = errors.New("a value of another kind")

// Fields calls visit for each member of the JSON object that is the whole text, with its key
// and its value as written, checked but not decoded. It suits answers of servers, of which
// little is read, and only once. It accepts exactly what encoding/json accepts. visit must not
// keep the key. An error of visit ends the walk.
func Fields(text []byte, visit func(key, value []byte) error) error {
	s := Scanner{Source: text}
	return s.Members(func(key, value []byte) error {
		return visit(Key(key), value)
	})
}

// List calls visit for each element of the JSON array that is the whole text, as Fields does
// for an object. Null is an array without elements.
func List(text []byte, visit func(value []byte) error) error {
	if IsNull(text) {
		return nil
	}
	s := Scanner{Source: text}
	return s.Elements(visit)
}

// IsNull reports whether a value is null.
func IsNull(value []byte) bool { return string(value) == "null" }

// ReadText stores the text of a checked value that is a JSON string. Null changes nothing, and
// any other value is an error.
func ReadText(value []byte, into *string) error {
	switch {
	case value[0] == '"':
		*into = Text(value)
	case !IsNull(value):
		return errKind
	}
	return nil
}

// TextOrJSON returns the text of a JSON string, and any other value as its source; null and an
// empty value give "".
func TextOrJSON(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || IsNull(raw) {
		return ""
	}
	if s := (Scanner{Source: raw}); raw[0] == '"' && s.Literal() == nil && s.At == len(raw) {
		return s.text(raw)
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// ReadNumber returns a checked value as a number; ok is false if it is not a number, or not
// within the range of float64.
func ReadNumber(value []byte) (n float64, ok bool) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}
