package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// eachRow reads JSON lines as rows of type T, a struct, and hands them to
// yield in the order of the file. An error of yield gets the line's number.
func eachRow[T any](ctx context.Context, f File, sink Sink, yield func(line int, row *T) error) error {
	return readJSONLines(ctx, f, sink, decodeRow[T],
		func(l rollout.Line[*T]) error { return stopped(f, l.Number, yield(l.Number, l.Value)) })
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

// marked is part of a row: the marks of failure in keys that the row does not name.
type marked struct{ marks failure.Marks }

func (m *marked) mark(key string, value []byte) { m.marks.Row(key, value) }

// failure returns the outcome and the cause of a row that marks itself as not judged; "" and
// "" where it does not. otherwise is the outcome where the mark does not say what failed.
func (m *marked) failure(otherwise rollout.Outcome) (rollout.Outcome, string) {
	f, failed := m.marks.First()
	if !failed {
		return "", ""
	}
	return rollout.OutcomeOf(f.Whose, otherwise), f.Text()
}

// decodeRow decodes an object into a new T, as decodeInto does.
func decodeRow[T any](text []byte) (*T, error) {
	row := new(T)
	return row, decodeInto(text, row)
}

// rowFields are the fields of structs that were decoded, by type: indices by key.
var rowFields sync.Map

// decodeInto decodes an object into row, a pointer to a struct. Keys are matched exactly, and
// what the struct does not name is passed over undecoded, but for marks of failure if it is
// marked. It may be called on several goroutines.
func decodeInto(text []byte, row any) error {
	into := reflect.ValueOf(row).Elem()
	known, _ := rowFields.Load(into.Type())
	fields, _ := known.(map[string]int)
	if fields == nil {
		fields = make(map[string]int)
		for i := range into.NumField() {
			if name, _, _ := strings.Cut(into.Type().Field(i).Tag.Get("json"), ","); name != "" {
				fields[name] = i
			}
		}
		rowFields.Store(into.Type(), fields)
	}
	marks, marked := row.(interface{ mark(string, []byte) })
	return rollout.Members(text, func(key string, value []byte) error {
		i, wanted := fields[key]
		if !wanted {
			if marked {
				marks.mark(key, value)
			}
			return nil
		}
		field := into.Field(i)
		if raw, as := field.Addr().Interface().(*json.RawMessage); as {
			*raw = bytes.Clone(value)
			return nil
		}
		field.SetZero() // the last of several equal keys wins
		if err := jsontext.Unmarshal(value, field.Addr().Interface()); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		return nil
	})
}

// stopped names the place of an error about the current element, unless the
// sink ended the import.
func (a *array) stopped(err error) error {
	if e, own := err.(sinkError); own {
		return e.error
	}
	return a.errorf("%w", err)
}
