package jsonrows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// NewReader returns a reader of the rows of a list as JSON lines: of the list that the keys of a path
// lead to or, without keys, of the array that makes up the file; see Find.
func NewReader(rd io.Reader, path ...string) (io.Reader, error) {
	r := &reader{walker: newWalker(rd), inside: len(path) > 0, row: 1}
	for _, key := range path {
		if err := r.enter(key); err != nil {
			return nil, err
		}
	}
	c, err := r.next()
	if err == nil && c != '[' {
		err = errors.New("it is not a JSON array")
	}
	return r, err
}

// reader is a list of rows that is read as lines.
type reader struct {
	walker
	nesting
	inside bool // the list is in an object
	row    int  // number of the row that is read
	ended  bool
}

// errFound ends a walk at the value of a key.
var errFound = errors.New("found")

// enter walks to the value of a key in the object that comes next.
func (r *reader) enter(wanted string) error {
	c, err := r.next()
	if err != nil {
		return err
	}
	if c != '{' {
		return errBroken
	}
	err = r.members(func(key string) error {
		if key == wanted {
			return errFound
		}
		c, err := r.next()
		if err == nil {
			err = r.skip(c)
		}
		return err
	})
	switch {
	case errors.Is(err, errFound):
		return nil
	case err == nil:
		return fmt.Errorf("there is no %q", wanted)
	}
	return err
}

// Read reads rows, each followed by a line end. Line breaks between the values of a row become
// spaces.
func (r *reader) Read(p []byte) (n int, err error) {
	for n < len(p) && !r.ended {
		if m := r.copyText(p[n:]); m > 0 {
			n += m
			continue
		}
		c, err := r.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return n, fmt.Errorf("the file ends within row %d: it was cut off", r.row)
		case err != nil:
			return n, err
		case r.text && (c == '\n' || c == '\r'):
			return n, fmt.Errorf("row %d: broken JSON: a line break in a string", r.row)
		case !r.text && isSpace(c):
			c = ' '
		case !r.text && r.depth == 0 && c == ',':
			c = '\n'
			r.row++
		case !r.text && r.depth == 0 && c == ']':
			c, r.ended = '\n', true
		case !r.text && r.depth == 0 && c == '}':
			return n, fmt.Errorf("row %d: broken JSON: a brace that closes nothing", r.row)
		default:
			r.add(c)
		}
		p[n] = c
		n++
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, r.finish()
}

// copyText copies what is buffered of the string that the reader is in, up to its quote, a line break
// or the end of p.
func (r *reader) copyText(p []byte) int {
	if !r.text {
		return 0
	}
	window, _ := r.in.Peek(min(r.in.Buffered(), len(p)))
	for _, c := range []byte{'"', '\n', '\r'} {
		if i := bytes.IndexByte(window, c); i >= 0 {
			window = window[:i]
		}
	}
	if n := copy(p, window); n > 0 {
		slashes := len(bytes.TrimRight(window, `\`))
		r.escaped = (n-slashes)%2 == 1 != (r.escaped && slashes == 0)
		_, _ = r.in.Discard(n) // it was peeked
		return n
	}
	return 0
}

// finish makes sure that nothing follows an array.
func (r *reader) finish() error {
	if r.inside {
		_, err := io.Copy(io.Discard, r.in)
		if err != nil {
			return err
		}
		return io.EOF
	}
	if _, err := r.next(); err == nil {
		return errors.New("there is more text after the end of the array")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return io.EOF
}
