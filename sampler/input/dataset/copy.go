package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/internal/parquetfile"
	"gonogo/sampler/rollout/disk"
)

// byteOrderMark is what some programs write before the first row of a file.
const byteOrderMark = "\ufeff"

// Copy writes the rows of the file whose lines keep selects, in order and byte for byte: spacing,
// line ends and a missing last line end are unchanged. A byte order mark belongs to the file rather
// than to its first row, and is written if any row is. Blank lines are not rows and are left out.
// The file is read again: if it is no longer what Load read, Copy returns an error and the output
// must not be used. The rows of a Parquet file are written as JSON lines.
func (f *File) Copy(w io.Writer, keep func(line int) bool) error {
	in, err := disk.Open(f.Path)
	if err != nil {
		return fmt.Errorf("read the %s file again: %w", f.Split, err)
	}
	defer in.Close()
	from := bufio.NewReader(in)
	if first, _ := from.Peek(4); !parquetfile.Is(first) {
		return f.copyRows(from, w, keep)
	}
	file, lines, err := parquetFile(from)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(file)) != f.SHA256 {
		return f.changed()
	}
	again := *f
	again.SHA256 = fmt.Sprintf("%x", sha256.Sum256(lines))
	return again.copyRows(bytes.NewReader(lines), w, keep)
}

func (f *File) changed() error {
	return fmt.Errorf("%s changed while it was being read: run the command again", f.Path)
}

// copyRows is Copy for any reader.
func (f *File) copyRows(r io.Reader, w io.Writer, keep func(line int) bool) error {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, sum), 1<<16)
	mark := []byte(nil)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: %w", f.Path, line, err)
		}
		if line == 1 && bytes.HasPrefix(text, []byte(byteOrderMark)) {
			mark, text = text[:len(byteOrderMark)], text[len(byteOrderMark):]
		}
		if len(bytes.TrimSpace(text)) > 0 && keep(line) {
			for _, part := range [][]byte{mark, text} {
				if _, err := w.Write(part); err != nil {
					return fmt.Errorf("copy rows of %s: %w", f.Path, err)
				}
			}
			mark = nil
		}
		if err != nil {
			break
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return f.changed()
	}
	return nil
}

// HashFile returns the SHA-256 of a file's content in hexadecimal, as Load computes it.
func HashFile(path string) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file that can be compared", path)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
