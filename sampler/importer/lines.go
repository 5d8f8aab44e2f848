package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonogo/sampler/rollout"
)

// readJSONLines reads a file of JSON lines by rollout.ReadLines and notes a
// torn last line.
func readJSONLines[T any](ctx context.Context, f File, sink Sink, decode func(text []byte) (T, error), yield func(rollout.Line[T]) error) error {
	rd, err := f.Open()
	if err != nil {
		return err
	}
	defer rd.Close()
	torn, err := rollout.ReadLines(ctx, f.Name, rd, decode, yield)
	if err == nil && torn {
		sink.note("the last line was torn and left out")
	}
	return err
}

// lineError is an error about a line.
func lineError(f File, line int, format string, args ...any) error {
	return &rollout.LineError{File: f.Name, Line: line, Err: fmt.Errorf(format, args...)}
}

// sniffKeys looks at the JSON object that a file begins with, which may be a
// line or all of it, and wants all of the keys in it. An object that breaks off
// or is broken is taken when it has one of them: reading it will tell.
func sniffKeys(f File, want ...string) error {
	keys, broken, err := firstKeys(f)
	if err != nil {
		return err
	}
	var missing []string
	for _, k := range want {
		if _, there := keys[k]; !there {
			missing = append(missing, k)
		}
	}
	if len(missing) == 0 || broken && len(missing) < len(want) {
		return nil
	}
	return fmt.Errorf("%w: the object it begins with has no %q", ErrUnrecognized, strings.Join(missing, `" and no "`))
}

// firstKeys returns the members of the object that a file begins with. Of a
// long one they may be the first ones, and then broken is true.
func firstKeys(f File) (keys map[string][]byte, broken bool, err error) {
	const longest, head = 64 << 20, 1 << 20
	file, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	rd := bufio.NewReaderSize(io.LimitReader(file, longest), 64<<10)
	if _, err := skipSpace(rd); err != nil {
		return nil, false, sniffError(f, err)
	}
	if first, err := rd.Peek(1); err != nil || first[0] != '{' {
		return nil, false, fmt.Errorf("%w: it does not begin with a JSON object", ErrUnrecognized)
	}
	text, err := rd.ReadBytes('\n')
	if err == nil && len(text) < head && !isObject(text) { // written over several lines
		var more []byte
		more, err = io.ReadAll(io.LimitReader(rd, head))
		text = append(text, more...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, sniffError(f, err)
	}
	keys = make(map[string][]byte)
	err = rollout.Members(bytes.TrimSpace(text), func(key string, value []byte) error {
		keys[key] = value
		return nil
	})
	return keys, err != nil, nil
}

func isObject(text []byte) bool {
	return rollout.Members(text, func(string, []byte) error { return nil }) == nil
}
