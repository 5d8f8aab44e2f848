package importer

import (
	"bufio"
	"io"
	"sort"
)

// constants passes JSON on with the bare words that Python writes for numbers
// that JSON has no word for (NaN, Infinity, -Infinity) read as null, outside
// of strings. It remembers where that moved the text, so offsets can be
// given in terms of the file.
type constants struct {
	rd      *bufio.Reader
	text    bool   // within a string
	escape  bool   // behind a backslash
	pending []byte // still to be passed on
	out     int64  // bytes passed on or pending
	moved   []int64
}

func newConstants(rd io.Reader) *constants {
	return &constants{rd: bufio.NewReaderSize(rd, 64<<10)}
}

// Read passes on what is buffered, at most as much as p holds.
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

// pass returns how many bytes may be passed on as they are, and follows the
// strings in them.
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

// take puts null in the place of a bare word.
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

// next takes word off the stream if it comes next.
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

// offset turns an offset of what was passed on into one of the file. Each NaN
// grew by one byte; the longer words were filled up with blanks.
func (c *constants) offset(out int64) int64 {
	before := sort.Search(len(c.moved), func(i int) bool { return c.moved[i] >= out })
	return out - int64(before)
}
