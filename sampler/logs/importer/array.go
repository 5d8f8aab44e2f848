package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/rollout"
)

// array reads a JSON array one element at a time. The array is a whole file or is nested in the
// object that makes up the file.
type array struct {
	src    File
	path   []string // the keys that lead to the array; empty if the array is the whole file
	other  func(key string, value json.RawMessage) error
	rd     io.ReadCloser
	base   int64 // bytes before the bracket
	clean  *constants
	dec    *json.Decoder
	deeper bool  // the element read last was an object on the path
	ended  bool  // all enclosing objects are closed
	index  int   // index of the element read last
	start  int64 // byte offset in the file where that element begins
}

// openArrayIn reads up to the array at the end of path. It passes the members of the objects on the
// path, before and after the array, to other, under keys such as results.stats. A file without the
// array has no elements; a file that begins with something else is ErrUnrecognized.
func openArrayIn(src File, path []string, other func(key string, value json.RawMessage) error) (*array, error) {
	rd, err := src.Open()
	if err != nil {
		return nil, err
	}
	return newArray(src, rd, path, other)
}

func newArray(
	src File, rd io.ReadCloser, path []string, other func(key string, value json.RawMessage) error,
) (*array, error) {
	a := &array{src: src, path: path, other: other, rd: rd, clean: newConstants(rd), index: -1}
	if err := a.open(); err != nil {
		rd.Close()
		return nil, err
	}
	return a, nil
}

func (a *array) open() error {
	var err error
	if a.base, err = skipSpace(a.clean.rd); err != nil {
		return sniffError(a.src, err)
	}
	a.dec = json.NewDecoder(a.clean)
	if len(a.path) > 0 {
		return a.openObject()
	}
	token, err := a.dec.Token()
	if err != nil || token != json.Delim('[') {
		return fmt.Errorf("%w: it is not a JSON array", ErrUnrecognized)
	}
	return nil
}

// offset returns the number of bytes of the file read so far.
func (a *array) offset() int64 { return a.base + a.clean.offset(a.dec.InputOffset()) }

func (a *array) close() error { return a.rd.Close() }

// next returns the text of the next element, and io.EOF after the last one.
func (a *array) next(ctx context.Context) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", a.src.Name, err)
	}
	if a.ended || !a.dec.More() {
		return nil, a.finish()
	}
	a.index++
	a.start = a.offset()
	var element json.RawMessage
	if err := a.dec.Decode(&element); err != nil {
		return nil, a.broken(err)
	}
	return element, nil
}

// finish reads the closing bracket and makes sure that nothing follows.
func (a *array) finish() error {
	if !a.ended {
		if _, err := a.dec.Token(); err != nil {
			a.index++
			a.start = a.offset()
			return a.broken(err)
		}
		if err := a.leave(); err != nil {
			return err
		}
	}
	end := a.offset()
	if _, err := a.dec.Token(); !errors.Is(err, io.EOF) {
		return a.errorAt(end, errors.New("there is more text after its end"))
	}
	return io.EOF
}

// broken returns the error for a current element that is not JSON, with its position.
func (a *array) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a.errorAt(endOfFile, fmt.Errorf("entry %d: the file ends within it: it was cut off", a.index))
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
		return fmt.Errorf("read %s: %w", a.src.Name, err)
	}
	syntaxAt, locateErr := a.locate()
	if locateErr != nil {
		return errors.Join(err, locateErr)
	}
	return a.errorAt(syntaxAt, fmt.Errorf("entry %d: broken JSON: %w", a.index, err))
}

// locate reads the current element again to find the byte offset at which it stops being valid
// JSON. (A decoder that has already read other elements counts that offset differently.)
func (a *array) locate() (at int64, err error) {
	_, start, err := a.position(a.start)
	if err != nil {
		return 0, err
	}
	rd, err := a.src.Open()
	if err != nil {
		return 0, err
	}
	defer rd.Close()
	if _, err := io.CopyN(io.Discard, rd, start); err != nil {
		return 0, fmt.Errorf("read %s: %w", a.src.Name, err)
	}
	clean := newConstants(rd)
	var element json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.NewDecoder(clean).Decode(&element))
	if !ok {
		return start, nil // the element itself is valid: what follows it is not
	}
	return start + clean.offset(syntax.Offset-1), nil
}

// errorf returns an error about the current element.
func (a *array) errorf(format string, args ...any) error {
	return a.errorAt(a.start, fmt.Errorf("entry %d: %w", a.index, fmt.Errorf(format, args...)))
}

// endOfFile is the position of something missing at the end of the file.
const endOfFile = -1

// errorAt adds the line and byte offset of pos to err.
func (a *array) errorAt(pos int64, err error) error {
	line, offset, positionErr := a.position(pos)
	if positionErr != nil {
		return errors.Join(err, positionErr)
	}
	return &rollout.LineError{File: a.src.Name, Line: line, Err: fmt.Errorf("byte %d: %w", offset, err)}
}

// position reads the source again to find the 1-based line of the byte at pos. It skips commas,
// colons and white space from there on.
func (a *array) position(pos int64) (line int, offset int64, err error) {
	f, err := a.src.Open()
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	rd := bufio.NewReaderSize(f, 64<<10)
	for line = 1; ; {
		_, err := rd.Peek(1)
		if errors.Is(err, io.EOF) {
			return line, offset, nil
		}
		if err != nil {
			return 0, 0, fmt.Errorf("read %s: %w", a.src.Name, err)
		}
		block, _ := rd.Peek(rd.Buffered())
		from := len(block) // where the byte may be
		if pos != endOfFile {
			from = int(min(int64(from), max(0, pos-offset)))
		}
		n := from + len(block[from:]) - len(bytes.TrimLeft(block[from:], ",: \t\r\n"))
		line += bytes.Count(block[:n], []byte("\n"))
		offset += int64(n)
		if n < len(block) {
			return line, offset, nil
		}
		_, _ = rd.Discard(n) // it was peeked
	}
}
