package rollout

import (
	"bytes"
	"errors"
	"strconv"

	"gonogo/sampler/rollout/literal"
)

// errKind says that a value is not of the kind that was asked for.
var errKind = errors.New("a value of another kind")

// Fields calls visit for each member of the one JSON object that text is, as
// encoding/json would match it to the fields of a struct: its key in lower case and
// its value as it is written, checked but not decoded. It is for answers of servers,
// of which little is read, and that little once; what it accepts is what encoding/json
// accepts. Visit must keep no key. An error of visit ends the walk.
func Fields(text []byte, visit func(key, value []byte) error) error {
	s := scanner{b: text}
	return s.members(func(key, value []byte) error {
		return visit(lower(literal.Key(key)), value)
	})
}

// lower returns a key in lower case, and is the key itself where it is.
func lower(key []byte) []byte {
	for _, c := range key {
		if c >= 'A' && c <= 'Z' {
			return bytes.ToLower(key)
		}
	}
	return key
}

// List calls visit for each element of the one JSON array that text is, as Fields
// does for an object. A list that is null has none.
func List(text []byte, visit func(value []byte) error) error {
	if isNull(text) {
		return nil
	}
	s := scanner{b: text}
	return s.elements(visit)
}

// ReadText stores the text of a checked value, a JSON string. Null changes nothing, and
// anything else is an error.
func ReadText(value []byte, into *string) error {
	switch {
	case value[0] == '"':
		*into = literal.Text(value)
	case !isNull(value):
		return errKind
	}
	return nil
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
