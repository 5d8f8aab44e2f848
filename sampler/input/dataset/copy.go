package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/rollout/disk"
)

// byteOrderMark is what some programs write before the first row of a file.
const byteOrderMark = "\ufeff"

// Copy writes the rows of the file whose lines keep selects, in order and byte for byte: spacing,
// line ends and a missing last line end are unchanged. A byte order mark belongs to the file rather
// than to its first row, and is written if any row is. Blank lines are not rows and are left out.
// The file is read again: if it is no longer what Load read, Copy returns an error and the output
// must not be used. The rows of a file that does not hold JSON lines, or is compressed, are written
// as JSON lines; see [content].
func (f *File) Copy(w io.Writer, keep func(line int) bool) error {
	file, err := disk.Open(f.Path)
	if err != nil {
		return fmt.Errorf("read the %s file again: %w", f.Split, err)
	}
	defer file.Close()
	in := newSummed(file)
	rows, err := content(file, in, f.options)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	err = f.copyRows(rows, w, keep)
	if sum, _, readErr := in.finish(); readErr != nil || sum != f.SHA256 {
		err = errors.Join(f.changed(), readErr)
	}
	return err
}

func (f *File) changed() error {
	return fmt.Errorf("%s changed while it was being read: run the command again", f.Path)
}

// copyRows is Copy for any reader.
func (f *File) copyRows(r io.Reader, w io.Writer, keep func(line int) bool) error {
	in := bufio.NewReaderSize(r, 1<<16)
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
