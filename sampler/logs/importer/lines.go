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

// readJSONLines reads a file of JSON lines with rollout.ReadLines, and notes an incomplete last
// line.
func readJSONLines[T any](ctx context.Context, f File, sink Sink, decode func(text []byte) (T, error),
	yield func(rollout.Line[T]) error,
) error {
	rd, err := f.Open()
	if err != nil {
		return err
	}
	defer rd.Close()
	type keyed struct {
		value T
		key   string // see Sink.rowKey
	}
	torn, err := rollout.ReadLines(ctx, f.Name, rd, func(text []byte) (k keyed, err error) {
		if sink.rowKey != nil {
			k.key = sink.rowKey(text)
		}
		k.value, err = decode(text)
		return k, err
	}, func(l rollout.Line[keyed]) error {
		if sink.rowKey != nil {
			sink.row(l.Value.key)
		}
		return yield(rollout.Line[T]{Value: l.Value.value, Number: l.Number, Hash: l.Hash})
	})
	if err == nil && torn {
		sink.note("the last line was incomplete and left out")
	}
	return err
}

// lineError returns an error about a line.
func lineError(f File, line int, format string, args ...any) error {
	return &rollout.LineError{File: f.Name, Line: line, Err: fmt.Errorf(format, args...)}
}

// sniffKeys checks that the JSON object at the beginning of a file, which is one line or the whole
// file, has all the keys. If the object is broken or cut off, its first wanted key is enough, which
// should be the most distinctive one: reading the file will report the rest.
func sniffKeys(f File, want ...string) error {
	head, err := readHead(f)
	if err != nil {
		return err
	}
	for _, k := range want {
		if _, ok := head.keys[k]; !ok && (k == want[0] || !head.broken) {
			return fmt.Errorf("%w: the object it begins with has no %q", ErrUnrecognized, k)
		}
	}
	return nil
}

// head is the JSON object at the beginning of a file, as far as it was read.
type head struct {
	keys   map[string][]byte // its members; only the first ones of a long or broken object
	broken bool              // the file itself, not just the part read, ends within the object or is not JSON
}

func readHead(f File) (h head, err error) {
	const longest, look = 64 << 20, 1 << 20
	file, err := f.Open()
	if err != nil {
		return h, err
	}
	defer file.Close()
	rd := bufio.NewReaderSize(io.LimitReader(file, longest), 64<<10)
	if _, err := skipSpace(rd); err != nil {
		return h, sniffError(f, err)
	}
	if first, err := rd.Peek(1); err != nil || first[0] != '{' {
		return h, fmt.Errorf("%w: it does not begin with a JSON object", ErrUnrecognized)
	}
	text, err := rd.ReadBytes('\n')
	cut := len(text) >= look
	if err == nil && !cut && !isObject(text) { // spread over several lines
		var more []byte
		more, err = io.ReadAll(io.LimitReader(rd, look))
		text, cut = append(text, more...), len(more) == look
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return h, sniffError(f, err)
	}
	h.keys = make(map[string][]byte)
	err = rollout.Members(bytes.TrimSpace(text), func(key string, value []byte) error {
		h.keys[key] = value
		return nil
	})
	h.broken = err != nil && !cut
	return h, nil
}

// metrics reports whether the object holds what a trainer measured: trainer_state.json of Hugging Face, or a
// line of verl, tinker-cookbook, prime-rl or SkyRL.
func (h head) metrics() bool {
	for key := range h.keys {
		stepped := h.keys["step"] != nil && (key == "data" || strings.Contains(key, "/"))
		if stepped || strings.HasPrefix(key, "eval/") {
			return true
		}
	}
	return h.keys["log_history"] != nil
}

func isObject(text []byte) bool {
	return rollout.Members(text, func(string, []byte) error { return nil }) == nil
}
