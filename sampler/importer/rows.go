package importer

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"gonogo/sampler/rollout"
)

// eachRow reads JSON lines as rows of type T, a struct, and hands them to
// yield in the order of the file. An error of yield gets the line's number.
func eachRow[T any](ctx context.Context, f File, sink Sink, yield func(line int, row *T) error) error {
	return readJSONLines(ctx, f, sink, rowDecoder[T](), func(l rollout.Line[*T]) error { return stopped(f, l.Number, yield(l.Number, l.Value)) })
}

// sinkError is an error of the sink, which comes back as it is.
type sinkError struct{ error }

func (e sinkError) Unwrap() error { return e.error }

// stopped names the line of an error, unless the sink ended the import.
func stopped(f File, line int, err error) error {
	if err == nil {
		return nil
	}
	if e, own := err.(sinkError); own {
		return e.error
	}
	return &rollout.LineError{File: f.Name, Line: line, Err: err}
}

// rowDecoder decodes objects into T. Keys are matched exactly, and what T does
// not name is passed over undecoded. It may be called on several goroutines.
func rowDecoder[T any]() func(text []byte) (*T, error) {
	keys := make(map[string]bool)
	for field := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys[name] = true
	}
	return func(text []byte) (*T, error) {
		wanted := make([]byte, 1, 512)
		wanted[0] = '{'
		err := rollout.Members(text, func(key string, value []byte) error {
			if keys[key] {
				if len(wanted) > 1 {
					wanted = append(wanted, ',')
				}
				wanted = append(append(append(append(wanted, '"'), key...), '"', ':'), value...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		row := new(T)
		return row, json.Unmarshal(append(wanted, '}'), row)
	}
}

// stopped names the place of an error about the current element, unless the
// sink ended the import.
func (a *array) stopped(err error) error {
	if e, own := err.(sinkError); own {
		return e.error
	}
	return a.errorf("%w", err)
}
