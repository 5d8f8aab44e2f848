package viewer

import (
	"bytes"
	"errors"
	"io"
)

const (
	chunkBytes = 1 << 20
	longest    = 64 << 20 // longest line in bytes, as in package rollout
)

// chunk is whole lines of the file, starting at an offset.
type chunk struct {
	text   []byte
	offset int64
	// tail marks a last line without a newline: still being written, or torn.
	tail bool
	// long marks a line that is too long to read; text is empty, and size is its length.
	long bool
	size int64
}

// readChunk reads whole lines from the offset on. At the end of the file it returns io.EOF and an
// empty text. Text after the last newline is a chunk of its own.
func readChunk(rd io.ReaderAt, offset int64) (chunk, error) {
	for room := chunkBytes; ; room *= 4 {
		buf := make([]byte, min(room, longest+chunkBytes))
		n, err := rd.ReadAt(buf, offset)
		buf = buf[:n]
		if err != nil && !errors.Is(err, io.EOF) {
			return chunk{}, err
		}
		if end := bytes.LastIndexByte(buf, '\n') + 1; end > 0 {
			return chunk{text: buf[:end], offset: offset, size: int64(end)}, nil
		}
		switch {
		case n == 0:
			return chunk{offset: offset}, io.EOF
		case err != nil:
			return chunk{text: buf, offset: offset, size: int64(n), tail: true}, nil
		case n > longest:
			return skipLong(rd, offset, int64(n))
		}
	}
}

// skipLong finds the end of a line that is too long.
func skipLong(rd io.ReaderAt, offset, size int64) (chunk, error) {
	buf := make([]byte, chunkBytes)
	for {
		n, err := rd.ReadAt(buf, offset+size)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return chunk{offset: offset, size: size + int64(i) + 1, long: true}, nil
		}
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return chunk{offset: offset, size: size, long: true, tail: true}, nil
		}
		if err != nil {
			return chunk{}, err
		}
	}
}

// lines calls visit for each line that is not blank, with its offset and its number within the
// chunk, counted from 0, and returns the number of lines.
func (c chunk) lines(visit func(text []byte, offset int64, line int)) (n int) {
	const byteOrderMark = "\uFEFF"
	offset := c.offset
	for rest := c.text; len(rest) > 0; n++ {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		from := offset
		if offset += int64(len(text)); ended {
			offset++
		}
		rest = after
		if from == 0 {
			trimmed := bytes.TrimPrefix(text, []byte(byteOrderMark))
			from += int64(len(text) - len(trimmed))
			text = trimmed
		}
		if len(bytes.TrimSpace(text)) > 0 {
			visit(text, from, n)
		}
	}
	return n
}
