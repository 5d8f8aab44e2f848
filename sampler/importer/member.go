package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// openMember reads a file that is one JSON object up to the array that is its
// member of that name, whose elements next returns. What stands before and
// behind the array is handed to keep, a member at a time. A file that is no
// object, or an object without that array, is ErrUnrecognized.
func openMember(f File, name string, keep func(key string, value json.RawMessage)) (*array, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	a := &array{src: f, rd: rd, clean: newConstants(rd), index: -1}
	if err := a.openMember(name, keep); err != nil {
		rd.Close()
		return nil, err
	}
	return a, nil
}

func (a *array) openMember(name string, keep func(string, json.RawMessage)) error {
	var err error
	if a.base, err = skipSpace(a.clean.rd); err != nil {
		return sniffError(a.src, err)
	}
	a.dec = json.NewDecoder(a.clean)
	if token, err := a.dec.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("%w: it is no JSON object", ErrUnrecognized)
	}
	key, err := a.members(name, keep)
	if err != nil {
		return err
	}
	if key == "" {
		return fmt.Errorf("%w: it has no %q", ErrUnrecognized, name)
	}
	if token, err := a.dec.Token(); err != nil || token != json.Delim('[') {
		return fmt.Errorf("%w: its %q is no array", ErrUnrecognized, name)
	}
	a.rest = func() error {
		if _, err := a.members("", keep); err != nil {
			return err
		}
		_, err := a.dec.Token() // the closing brace
		if err != nil {
			return a.broken(err)
		}
		return nil
	}
	return nil
}

// members hands on members up to the one called name, whose key it returns;
// "" at the end of the object.
func (a *array) members(name string, keep func(string, json.RawMessage)) (string, error) {
	for a.dec.More() {
		a.start = a.offset()
		token, err := a.dec.Token()
		if err != nil {
			return "", a.brokenMember(err)
		}
		key, _ := token.(string)
		if key == name && name != "" {
			return key, nil
		}
		var value json.RawMessage
		if err := a.dec.Decode(&value); err != nil {
			return "", a.brokenMember(err)
		}
		keep(key, value)
	}
	return "", nil
}

// brokenMember says that a member beside the array is no JSON.
func (a *array) brokenMember(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a.errorAt(endOfFile, errors.New("the file ends within the object: it was cut off"))
	}
	return a.errorAt(a.start, fmt.Errorf("broken JSON in or behind this member: %w", err))
}
