package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/jsontext"
)

// Line is a decoded line of JSON.
type Line[T any] struct {
	Value  T
	Number int    // 1-based
	Hash   uint64 // of the text; equal for equal texts within one reading
}

// ReadLines reads JSON lines of other tools, which are not Records. It decodes them on all
// processors and calls yield for each, in the order of the file, on the caller's goroutine. Blank
// lines are skipped. Errors have name before the line number.
//
// An error of decode becomes a *LineError, unless it is ErrBroken on a last line without newline:
// such a line is torn and is omitted. To return ErrBroken, decode should parse lines with Members.
// It must not keep text. An error of yield ends the reading and is returned unchanged. Memory is
// bounded by the longest line.
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

// Members calls visit for each member of the JSON object in text, in order, with its key and its
// raw value. The bare words NaN, Infinity and -Infinity, which Python writes, become null. Unlike
// encoding/json it distinguishes Reward from reward, and never decodes what visit skips. If text is
// not JSON, the error is ErrBroken and says where, and visit may have been called before.
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

// Elements calls visit for each element of the JSON array in text, as Members does for an object.
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

// foreignSyntax says what is wrong with text that is not an object or an array.
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
