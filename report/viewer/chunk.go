package viewer

import (
	"bytes"
	"errors"
	"io"
)

const (
	chunkBytes = 1 << 20
	longest    = 64 << 20 // of a line, as package rollout has it
)

// chunk is whole lines of the file, from offset at on.
type chunk struct {
	text []byte
	at   int64
	// tail marks a last line without its end: one that is being written, or torn.
	tail bool
	// long marks a line that is longer than may be read; text is empty, and its
	// bytes are size.
	long bool
	size int64
}

// readChunk reads whole lines from the offset on; io.EOF with an empty text is the end.
// What follows the last newline is a chunk of its own.
func readChunk(rd io.ReaderAt, at int64) (chunk, error) {
	for room := chunkBytes; ; room *= 4 {
		buf := make([]byte, min(room, longest+chunkBytes))
		n, err := rd.ReadAt(buf, at)
		buf = buf[:n]
		if err != nil && !errors.Is(err, io.EOF) {
			return chunk{}, err
		}
		if end := bytes.LastIndexByte(buf, '\n') + 1; end > 0 {
			return chunk{text: buf[:end], at: at, size: int64(end)}, nil
		}
		switch {
		case n == 0:
			return chunk{at: at}, io.EOF
		case err != nil:
			return chunk{text: buf, at: at, size: int64(n), tail: true}, nil
		case n > longest:
			return skipLong(rd, at, int64(n))
		}
	}
}

// skipLong looks for the end of a line that is too long.
func skipLong(rd io.ReaderAt, at, size int64) (chunk, error) {
	buf := make([]byte, chunkBytes)
	for {
		n, err := rd.ReadAt(buf, at+size)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return chunk{at: at, size: size + int64(i) + 1, long: true}, nil
		}
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return chunk{at: at, size: size, long: true, tail: true}, nil
		}
		if err != nil {
			return chunk{}, err
		}
	}
}

// lines calls visit for each line that is not blank, with its offset and its
// number from 0 on within the chunk, and returns how many there were.
func (c chunk) lines(visit func(text []byte, at int64, line int)) (n int) {
	const byteOrderMark = "\uFEFF"
	at := c.at
	for rest := c.text; len(rest) > 0; n++ {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		from := at
		if at += int64(len(text)); ended {
			at++
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
