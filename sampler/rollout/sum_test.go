package rollout

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout/disk"
)

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
	if want, err := disk.Checksum(path); err != nil || in.Sum != want || in.Torn != 1 {
		t.Errorf("%s, %d torn, want %s (%v)", in.Sum, in.Torn, want, err)
	}
}
