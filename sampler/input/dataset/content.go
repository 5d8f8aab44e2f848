package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/internal/jsonrows"
	"gonogo/sampler/internal/parquetfile"
)

// maxUnpacked is the number of bytes that a compressed data file may hold: all its rows are held in
// memory.
const maxUnpacked = 1 << 30

// content returns the rows of a data file as JSON lines, read from in, which reads all of f. They are
// the bytes of the file if it holds JSON lines and is not compressed. The rows of a Parquet file, of
// a JSON array, and of the only list of objects in a file that is one object are lines in their
// order, and their numbers take the place of line numbers in errors and names.
func content(f *os.File, in io.Reader, opt Options) (io.Reader, error) {
	head := make([]byte, compressed.Peek)
	n, _ := f.ReadAt(head, 0)
	if n == 0 {
		return in, nil // reading it reports an error again
	}
	if parquetfile.Is(head[:n]) {
		lines, err := parquetFile(in)
		return bytes.NewReader(lines), err
	}
	text := func(in io.Reader) (io.Reader, error) {
		if !compressed.Is(head[:n]) {
			return in, nil
		}
		return compressed.NewReader(in, maxUnpacked)
	}
	first, err := text(f)
	if err != nil {
		return nil, err
	}
	shape, err := jsonrows.Find(first)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	path, list, err := listOf(shape, opt)
	if err != nil {
		return nil, err
	}
	lines, err := text(in)
	if err != nil || !list {
		return lines, err
	}
	return jsonrows.NewReader(lines, path...)
}

// listOf returns the keys that lead to the list of rows in a file that does not hold one row a line;
// list is false for other files.
func listOf(shape jsonrows.Shape, opt Options) (path []string, list bool, err error) {
	isRow := func(key string) bool {
		return key == "messages" || key == "prompt" || key == "item" || key == opt.PromptField
	}
	switch {
	case shape.Array:
		return nil, true, nil
	case len(shape.Lists) == 0 || slices.ContainsFunc(shape.Keys, isRow):
		return nil, false, nil
	case len(shape.Lists) > 1:
		var names []string
		for _, path := range shape.Lists {
			names = append(names, strings.Join(path, "."))
		}
		return nil, false, fmt.Errorf("the file is one object with several lists (%s): write the rows of one of them, "+
			"one object per line (%s does it)", strings.Join(names, ", "), jsonrows.Command(shape.Lists[0]...))
	}
	return shape.Lists[0], true, nil
}

// parquetFile reads a whole Parquet file, and returns its rows as JSON lines.
func parquetFile(in io.Reader) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(in, maxParquet+1))
	if err != nil {
		return nil, err
	}
	return parquetLines(file)
}

// summed sums the bytes that are read from a file.
type summed struct {
	io.Reader
	sum interface {
		io.Writer
		Sum([]byte) []byte
	}
	n int64
}

func newSummed(rd io.Reader) *summed {
	s := &summed{sum: sha256.New()}
	s.Reader = io.TeeReader(rd, s)
	return s
}

// Write sums bytes that were read.
func (s *summed) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return s.sum.Write(p)
}

// finish reads the rest of the file and returns the SHA-256 and the number of its bytes.
func (s *summed) finish() (sha string, n int64, err error) {
	_, err = io.Copy(io.Discard, s.Reader)
	return hex.EncodeToString(s.sum.Sum(nil)), s.n, err
}
