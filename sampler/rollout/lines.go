package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/jsontext"
)

// Line is a line of JSON as its reader decoded it.
type Line[T any] struct {
	Value  T
	Number int    // 1-based
	Hash   uint64 // of its text; the same for the same text within one reading
}

// ReadLines reads JSON lines of other tools, which are not Records. It decodes them on
// all processors and calls yield for each, in the order of the file, on the caller's
// goroutine. Blank lines are skipped. Name is before the line number in errors.
//
// An error of decode is a *LineError, unless it is a broken last line without
// an end (ErrBroken), which is torn and left out; so decode takes lines apart by
// Members. The text is not to be kept. An error of yield
// ends the reading and is returned as it is. Memory is bounded by the longest
// line.
func ReadLines[T any](ctx context.Context, name string, rd io.Reader, decode func(text []byte) (T, error),
	yield func(Line[T]) error,
) (torn bool, err error) {
	var in Input
	p := newPipeline(rd, ReadOptions{}, Import)
	p.foreign = func(text []byte) (any, error) { return decode(text) }
	d := delivery{name: name, input: &in, foreign: func(res *result) error {
		return yield(Line[T]{Value: res.foreign.(T), Number: res.line, Hash: res.hash})
	}}
	err = p.run(ctx, d.batch)
	return in.Torn > 0, err
}

// Members calls visit for each member of the one JSON object that text is, in order, with
// its key and its value as it is written. The bare words NaN, Infinity and -Infinity,
// which Python writes, read null. Unlike encoding/json it distinguishes Reward from
// reward, and never decodes what visit skips. For text that is not JSON the error is
// ErrBroken and says where, and visit may have been called before.
func Members(text []byte, visit func(key string, value []byte) error) error {
	s := jsontext.Scanner{Source: text, Lenient: true}
	err := s.Members(func(key, value []byte) error {
		return visit(jsontext.Text(key), s.Strict(value))
	})
	if err == jsontext.ErrSyntax {
		return foreignSyntax(text, "object")
	}
	return err
}

// Elements calls visit for each element of the one JSON array that text is, as
// Members does for an object.
func Elements(text []byte, visit func(value []byte) error) error {
	s := jsontext.Scanner{Source: text, Lenient: true}
	err := s.Elements(func(value []byte) error {
		return visit(s.Strict(value))
	})
	if err == jsontext.ErrSyntax {
		return foreignSyntax(text, "array")
	}
	return err
}

// foreignSyntax says what is wrong with text that is not an object or array.
func foreignSyntax(text []byte, want string) error {
	s := jsontext.Scanner{Source: text, Lenient: true}
	if s.Space(); s.Value(0) == nil && s.End() == nil {
		return fmt.Errorf("it must be a JSON %s, not %s", want, excerpt(text))
	}
	var v json.RawMessage
	err := jsontext.Unmarshal(jsontext.Nullify(text), &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return brokenError{fmt.Errorf("broken JSON near byte %d: %w", syntax.Offset, err)}
	}
	return brokenError{errors.New("broken JSON")}
}
