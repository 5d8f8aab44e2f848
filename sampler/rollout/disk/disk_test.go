package disk

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDiskErrorsSayWhatToDo(t *testing.T) {
	for cause, want := range map[error]string{
		syscall.ENOSPC: "write run/run.json: no space left on device: free some space there",
		&fs.PathError{Op: "write", Path: "run/run.json.tmp7", Err: syscall.ENOSPC}: "write run/run.json: no space left on device: free some space there",
		&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EROFS}:        "write run/run.json: read-only file system: it is mounted read-only: mount it for writing, or name another directory",
		syscall.EFBIG:           "write run/run.json: file too large: raise the limit on the size of files (ulimit -f), or use a file system that has larger ones",
		syscall.EACCES:          "write run/run.json: permission denied: let this user write there, or name another directory",
		syscall.ENOENT:          "write run/run.json: no such file or directory: its directory does not exist: was it deleted or moved?",
		syscall.EIO:             "write run/run.json: input/output error: the disk is failing: copy its files to another disk",
		syscall.EMFILE:          "write run/run.json: too many open files: raise the limit on open files (ulimit -n)",
		errors.New("I give up"): "write run/run.json: I give up",
	} {
		err := Wrap("write", "run/run.json", cause)
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%q: it says %q, want %q", cause, err, want)
		}
	}
}

// A directory above the run's that was made with it is there after a power cut
// only when its name was forced to disk; here, that it is not an error.
func TestDirectoriesAboveARunAreMade(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	for _, dir := range []string{"run", "a/b/run", filepath.Join(base, "c", "run"), ".", "a/b/./run2/"} {
		if err := MakeDir(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir("file/run"); err == nil || !strings.Contains(err.Error(), "file/run") {
		t.Errorf("below a file: %v", err)
	}
}

// The check value of CRC-32C is 0xe3069283 (RFC 3720, B.4, by its catalogue entry).
func TestSumOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Checksum(path); err != nil || got != "crc32c:e3069283:9" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Checksum(filepath.Dir(path)); err == nil {
		t.Error("a directory has a sum")
	}
}

// Only a regular file is opened, whatever is at the path; a link to one is one.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(path("file"), []byte("text"), 0o644), os.Mkdir(path("dir"), 0o755),
		os.Symlink("file", path("link")), os.Symlink(os.DevNull, path("device"))); err != nil {
		t.Fatal(err)
	}
	pipe := exec.Command("mkfifo", path("pipe")).Run() == nil
	for name, want := range map[string]string{
		"file": "", "link": "", "dir": "it is a directory, not a regular file",
		"device": "it is a device, not a regular file", "pipe": "it is a pipe, not a regular file",
		"none": "no such file",
	} {
		if name == "pipe" && !pipe || name == "device" && runtime.GOOS == "windows" {
			continue
		}
		b, err := ReadFile(path(name))
		switch {
		case want == "" && (err != nil || string(b) != "text"):
			t.Errorf("%s: %q, %v", name, b, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// A file whose writer was killed goes away at the next write of the same file, if it is not one
// that another process is writing right now.
func TestRemainsOfAKilledWriterGoAway(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	old := time.Now().Add(-2 * time.Hour)
	for name, stale := range map[string]bool{
		"page.html.tmp1": true, "page.html.tmp2": false, "other.html.tmp3": true,
		"page.html.tmp": true, "page.html.tmpl": true, "page.html.tmp-4": true,
	} {
		if err := os.WriteFile(path(name), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		if stale {
			if err := os.Chtimes(path(name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := WriteFile(path("page.html"), []byte("whole")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"other.html.tmp3", "page.html", "page.html.tmp", "page.html.tmp-4", "page.html.tmp2", "page.html.tmpl"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v; want %v", names, err, want)
	}
}
