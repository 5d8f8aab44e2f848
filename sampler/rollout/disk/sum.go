package disk

import (
	"fmt"
	"hash"
	"hash/crc32"
	"io"
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
