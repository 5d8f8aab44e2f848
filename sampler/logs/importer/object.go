package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// openObject reads from the beginning of the file to the opening bracket of the array at the end of
// the path.
func (a *array) openObject() error {
	token, err := a.dec.Token()
	if err != nil || token != json.Delim('{') {
		return fmt.Errorf("%w: it is not a JSON object", ErrUnrecognized)
	}
	return a.members(nil)
}

// leave reads what follows the array in the enclosing objects.
func (a *array) leave() error {
	if len(a.path) == 0 {
		return nil
	}
	a.ended = true
	return a.members(slices.Clone(a.path[:len(a.path)-1]))
}

// members reads the members of the object at the path inside, and of its enclosing objects, until
// the array begins or all objects are closed.
func (a *array) members(inside []string) error {
	for {
		if !a.dec.More() {
			if _, err := a.dec.Token(); err != nil {
				return a.cut(err)
			}
			if len(inside) == 0 {
				a.ended = true
				return nil
			}
			inside = inside[:len(inside)-1]
			continue
		}
		key, err := a.dec.Token()
		if err != nil {
			return a.cut(err)
		}
		here := append(slices.Clone(inside), key.(string))
		if !slices.Equal(here, a.path[:min(len(here), len(a.path))]) {
			if err := a.beside(here); err != nil {
				return err
			}
			continue
		}
		found, err := a.step(here)
		if found || err != nil {
			return err
		}
		if len(here) < len(a.path) && a.deeper {
			inside = here
		}
	}
}

// step reads the first token of a value on the path: the bracket of the array, the brace of an
// object that leads to it, or null.
func (a *array) step(here []string) (found bool, err error) {
	again := a.ended
	a.deeper = false
	start := a.offset()
	token, err := a.dec.Token()
	switch {
	case err != nil:
		return false, a.cut(err)
	case token == nil:
		return false, nil
	case again:
		return false, a.errorAt(start, fmt.Errorf("%q occurs twice", strings.Join(here, ".")))
	case token == json.Delim('[') && len(here) == len(a.path):
		return true, nil
	case token == json.Delim('{') && len(here) < len(a.path):
		a.deeper = true
		return false, nil
	}
	want := "an object"
	if len(here) == len(a.path) {
		want = "a list"
	}
	return false, a.errorAt(start, fmt.Errorf("%q must be %s", strings.Join(here, "."), want))
}

// beside passes on a member that is not on the path.
func (a *array) beside(here []string) error {
	var value json.RawMessage
	if err := a.dec.Decode(&value); err != nil {
		return a.cut(err)
	}
	if a.other == nil {
		return nil
	}
	return a.other(strings.Join(here, "."), value)
}

// cut returns the error for broken text around the array.
func (a *array) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a.errorAt(endOfFile, errors.New("the file ends too early: it was cut off"))
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return a.errorAt(a.offset(), fmt.Errorf("broken JSON: %w", err))
	}
	if _, ok := errors.AsType[*rollout.LineError](err); ok {
		return err
	}
	return a.src.errorOf("read", err)
}
