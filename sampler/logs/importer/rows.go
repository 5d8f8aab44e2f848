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

// eachRow reads JSON lines as rows of type T, a struct, and passes them to yield in the order of
// the file. An error of yield is returned with the line number.
func eachRow[T any](ctx context.Context, f File, sink Sink, yield func(line int, row *T) error) error {
	return readJSONLines(ctx, f, sink, decodeRow[T],
		func(l rollout.Line[*T]) error { return stopped(f, l.Number, yield(l.Number, l.Value)) })
}

// sinkError is an error of the sink, which is returned unchanged.
type sinkError struct{ error }

func (e sinkError) Unwrap() error { return e.error }

// stopped adds the line to an error, unless the sink ended the import.
func stopped(f File, line int, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(sinkError); ok {
		return e.error
	}
	return &rollout.LineError{File: f.Name, Line: line, Err: err}
}

// marked is embedded in a row and holds the marks of failure under keys that the row does not name.
type marked struct{ marks failure.Marks }

func (m *marked) mark(key string, value []byte) { m.marks.Row(key, value) }

// failure returns outcome and cause if the row marks itself as not judged, otherwise "" and "". The
// outcome is otherwise if the mark does not say what failed.
func (m *marked) failure(otherwise rollout.Outcome) (rollout.Outcome, string) {
	f, failed := m.marks.First()
	if !failed {
		return "", ""
	}
	return rollout.OutcomeOf(f.Whose, otherwise), f.Text()
}

// decodeRow decodes an object into a new T, and prepares it if it has such a method, which takes the
// work with long texts from the goroutine that yields rows in order; see decodeInto.
func decodeRow[T any](text []byte) (*T, error) {
	row := new(T)
	err := decodeInto(text, row)
	if r, ok := any(row).(interface{ prepare() }); ok && err == nil {
		r.prepare()
	}
	return row, err
}

// rowFields caches the fields of decoded structs by type: field indices by key.
var rowFields sync.Map

// decodeInto decodes an object into row, a pointer to a struct. Keys are matched exactly. Keys that
// the struct does not name are skipped without decoding, except for marks of failure if row has a
// mark method. It is safe for concurrent use.
func decodeInto(text []byte, row any) error {
	marks, marked := row.(interface{ mark(string, []byte) })
	var other func(string, []byte)
	if marked {
		other = marks.mark
	}
	if jsontext.DecodeRow(text, row, other) {
		return nil
	}
	return decodeMembers(text, row)
}

// decodeMembers is decodeInto for rows with NaN or with errors, which name the key.
func decodeMembers(text []byte, row any) error {
	into := reflect.ValueOf(row).Elem()
	known, _ := rowFields.Load(into.Type())
	fields, _ := known.(map[string]int)
	if fields == nil {
		fields = make(map[string]int)
		for i := range into.NumField() {
			if name, _, _ := strings.Cut(into.Type().Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
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
		if raw, ok := field.Addr().Interface().(*json.RawMessage); ok {
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

// stopped adds the position of the current element to an error, unless the sink ended the import.
func (a *array) stopped(err error) error {
	if e, ok := err.(sinkError); ok {
		return e.error
	}
	return a.errorf("%w", err)
}
