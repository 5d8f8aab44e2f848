package disk

import (
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Checksum returns the CRC-32C and the size of a file, at the speed of reading it. It detects
// changes, not forgery.
func Checksum(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file that can be compared", path)
	}
	s := NewSum()
	if _, err := io.CopyBuffer(struct{ io.Writer }{s}, struct{ io.Reader }{f}, make([]byte, 1<<20)); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return s.String(), nil
}

// Checksums returns the checksums of the files in a directory that match the patterns, by their
// path in it, with slashes; nil if it is no directory. A pattern without a match gives none.
func Checksums(dir string, patterns ...string) (map[string]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	sums := make(map[string]string)
	for _, pattern := range patterns {
		names, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, fmt.Errorf("checksum the files %s: %w", pattern, err)
		}
		for _, name := range names {
			sum, err := Checksum(filepath.Join(dir, filepath.FromSlash(name)))
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed meanwhile
			}
			if err != nil {
				return nil, err
			}
			sums[name] = sum
		}
	}
	return sums, nil
}

// Sum is a checksum and a size of what is written to it.
type Sum struct {
	crc  hash.Hash32
	size int64
}

// NewSum returns the Sum of nothing.
func NewSum() *Sum { return &Sum{crc: crc32.New(crc32.MakeTable(crc32.Castagnoli))} }

func (s *Sum) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	return s.crc.Write(b)
}

func (s *Sum) String() string { return fmt.Sprintf("crc32c:%08x:%d", s.crc.Sum32(), s.size) }
