package importer

import (
	"bufio"
	"errors"
	"io"
	"sort"
)

// constants passes JSON on with the bare words that Python writes for numbers
// that JSON has no word for (NaN, Infinity, -Infinity) read as null, outside
// of strings. It remembers where that moved the text, so that offsets can be
// told in terms of the file.
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

// Read fills p.
func (c *constants) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(c.pending) > 0 {
			m := copy(p[n:], c.pending)
			c.pending = c.pending[m:]
			n += m
			continue
		}
		b, err := c.rd.ReadByte()
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		c.take(b)
		if len(c.pending) == 0 {
			p[n] = b
			n++
			c.out++
		}
	}
	return n, nil
}

// take follows the strings and puts null in the place of a bare word.
func (c *constants) take(b byte) {
	switch {
	case c.escape:
		c.escape = false
	case c.text:
		c.text, c.escape = b != '"', b == '\\'
	case b == '"':
		c.text = true
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
