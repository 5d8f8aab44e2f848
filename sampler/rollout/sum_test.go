package rollout

import (
	"os"
	"path/filepath"
	"testing"
)

// The check value of CRC-32C is 0xe3069283 (RFC 3720, B.4, by its catalogue entry).
func TestSumOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := FileChecksum(path); err != nil || got != "crc32c:e3069283:9" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := FileChecksum(filepath.Dir(path)); err == nil {
		t.Error("a directory has a sum")
	}
}

// What was read has the sum of the file.
func TestRecordsAreSummedAsTheyAreRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, RolloutsFile)
	if err := os.WriteFile(path, []byte("{\"item\":\"q1\",\"split\":\"train\",\"sample\":0,\"reward\":1}\n{\"item\":\"q1\",\"spl"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := run.Records(t.Context(), ReadOptions{}, func(*Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want, err := FileChecksum(path); err != nil || in.Sum != want || in.Torn != 1 {
		t.Errorf("%s, %d torn, want %s (%v)", in.Sum, in.Torn, want, err)
	}
}
