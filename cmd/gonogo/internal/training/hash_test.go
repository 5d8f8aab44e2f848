package training

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The hashes are those of sha256sum, of a folder those of the lines that it prints for its files.
func TestSHA256(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"1.jsonl": "a", "2.jsonl.gz": "b", "note.txt": "c", ".tmp/3.jsonl": "d"} {
		write(t, filepath.Join(dir, name), text)
	}
	for name, want := range map[string]string{
		"1.jsonl": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", // printf a | sha256sum
		// printf '%s  1.jsonl\n%s  2.jsonl.gz\n' $(printf a | sha256sum | cut -c-64) $(printf b | sha256sum | cut -c-64) | sha256sum
		".": "5230937a7955079aab32f686515deef2ced81af10763a09f6d76d5b5af075127",
	} {
		if got, err := SHA256(filepath.Join(dir, name), []string{"[0-9]*.jsonl"}); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := SHA256(filepath.Join(dir, "missing"), nil); err == nil {
		t.Error("a missing file has a hash")
	}
}

// A log that grows while it is read is read again, three times at most.
func TestWhileSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	for grows, want := range map[int]int{0: 1, 1: 2, 9: 3} {
		write(t, file, "")
		reads, text := 0, ""
		if err := whileSame([]string{file}, func() error {
			if reads++; reads <= grows {
				text += "x"
				write(t, file, text)
			}
			return nil
		}); err != nil || reads != want {
			t.Errorf("a log that grows %d times: %d reads, %v, want %d", grows, reads, err, want)
		}
	}
	failed := errors.New("failed")
	if err := whileSame(nil, func() error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
