package rollout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	batchBytes = 256 << 10 // text in a batch, unless one line is longer
	budget     = 32 << 20  // text of all batches in progress, unless one is larger
)

// MaxLine is the length of the longest line that is read, and so of the longest that is written.
const MaxLine = 64 << 20

const byteOrderMark = "\uFEFF"

// batch is a run of complete lines on its way from the reader through a worker to the caller.
type batch struct {
	text []byte // complete lines; the last one may lack its newline
	size int    // memory that text takes
	line int    // 1-based number of the first line
	err  error  // why reading ended after these lines; io.EOF at the end
	done chan struct{}
	out  []result
}

// errLongLine says that the batch begins with a line longer than MaxLine.
var errLongLine = fmt.Errorf("line is longer than %d MB: cut or leave out its longest texts", MaxLine>>20)

// cutter cuts a stream into batches.
type cutter struct {
	rd    io.Reader
	line  int
	carry []byte // the start of a line that was cut at the end of the last batch
	first bool   // nothing has been read yet
	most  int    // the longest allowed line; slightly longer ones may pass
}

func newCutter(rd io.Reader) *cutter { return &cutter{rd: rd, line: 1, first: true, most: MaxLine} }

// next fills b with the next lines. It may reuse the memory of b.
func (c *cutter) next(ctx context.Context, b *batch) {
	b.line, b.err, b.done = c.line, nil, make(chan struct{})
	text := append(b.text[:0], c.carry...)
	if c.carry = c.carry[:0]; cap(c.carry) > 4*batchBytes {
		c.carry = nil
	}
	searched := 0
	for b.err == nil {
		if b.err = ctx.Err(); b.err != nil {
			break
		}
		if len(text) == cap(text) {
			if end := bytes.LastIndexByte(text[searched:], '\n') + 1; end > 0 {
				c.carry = append(c.carry, text[searched+end:]...)
				text = text[:searched+end]
				break
			}
			if searched = len(text); searched > c.most {
				b.err, text = errLongLine, nil
				break
			}
			text = append(make([]byte, 0, searched+min(max(searched, batchBytes), c.most+batchBytes-searched)), text...)
		}
		var n int
		n, b.err = c.rd.Read(text[len(text):cap(text)])
		text = c.dropBOM(text[:len(text)+n])
	}
	b.text, b.size = text, cap(text)
	c.line += bytes.Count(text, []byte("\n"))
}

// dropBOM removes the byte order mark at the start of the stream.
func (c *cutter) dropBOM(text []byte) []byte {
	if !c.first || len(text) < 3 {
		return text
	}
	c.first = false
	return bytes.TrimPrefix(text, []byte(byteOrderMark))
}

// lines calls visit for each line that is not blank, without surrounding white space, until visit
// returns false. torn marks a last line without newline.
func (b *batch) lines(visit func(text []byte, line int, torn bool) bool) {
	line := b.line
	for rest := b.text; len(rest) > 0; line++ {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if text = bytes.Trim(text, " \t\r"); len(text) > 0 && !visit(text, line, !ended) {
			return
		}
	}
}

// atEnd reports whether the batch is the last of a stream that was read to its end.
func (b *batch) atEnd() bool { return errors.Is(b.err, io.EOF) }
