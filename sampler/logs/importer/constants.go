package importer

import (
	"bufio"
	"io"
	"sort"
)

// constants passes JSON through and replaces the bare words that Python writes for numbers that
// JSON cannot express (NaN, Infinity, -Infinity) by null, outside of strings. It remembers where
// this shifts the text, so offsets can be translated back to the file.
type constants struct {
	rd      *bufio.Reader
	text    bool   // within a string
	escape  bool   // after a backslash
	pending []byte // not yet passed on
	out     int64  // bytes passed on or pending
	moved   []int64
}

func newConstants(rd io.Reader) *constants {
	return &constants{rd: bufio.NewReaderSize(rd, 64<<10)}
}

// Read passes on what is buffered, at most len(p) bytes.
func (c *constants) Read(p []byte) (int, error) {
	if len(c.pending) > 0 {
		n := copy(p, c.pending)
		c.pending = c.pending[n:]
		return n, nil
	}
	if _, err := c.rd.Peek(1); err != nil || len(p) == 0 {
		return 0, err
	}
	buf, err := c.rd.Peek(min(c.rd.Buffered(), len(p)))
	if err != nil {
		return 0, err
	}
	if n := c.pass(buf); n > 0 {
		copy(p, buf[:n])
		c.out += int64(n)
		_, err = c.rd.Discard(n)
		return n, err
	}
	if p[0], err = c.rd.ReadByte(); err != nil {
		return 0, err
	}
	if c.take(p[0]); len(c.pending) > 0 {
		return c.Read(p)
	}
	c.out++
	return 1, nil
}

// pass returns how many bytes can be passed on unchanged, and tracks the strings in them.
func (c *constants) pass(buf []byte) int {
	for i, b := range buf {
		switch {
		case c.escape:
			c.escape = false
		case c.text:
			c.text, c.escape = b != '"', b == '\\'
		case b == '"':
			c.text = true
		case b == 'N' || b == 'I' || b == '-':
			return i
		}
	}
	return len(buf)
}

// take replaces a bare word that begins with b by null.
func (c *constants) take(b byte) {
	switch {
	case b == 'N' && c.next("aN"):
		c.moved = append(c.moved, c.out)
		c.replace("null")
	case b == 'I' && c.next("nfinity"):
		c.replace("null    ")
	case b == '-' && c.next("Infinity"):
		c.replace("null     ")
	}
}

// next consumes word if it comes next in the stream.
func (c *constants) next(word string) bool {
	b, err := c.rd.Peek(len(word))
	if err != nil || string(b) != word {
		return false
	}
	_, err = c.rd.Discard(len(word))
	return err == nil
}

func (c *constants) replace(by string) {
	c.pending = []byte(by)
	c.out += int64(len(by))
}

// offset converts an offset in the output to one in the file. Each NaN grew by one byte; the
// replacements of longer words are padded with blanks.
func (c *constants) offset(out int64) int64 {
	before := sort.Search(len(c.moved), func(i int) bool { return c.moved[i] >= out })
	return out - int64(before)
}
