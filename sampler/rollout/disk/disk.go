package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// ErrGone means that a file being written is no longer at its path: whatever is written to it from
// now on is lost.
var ErrGone = errors.New("it no longer exists: it, or its directory, was deleted, moved or replaced while it was " +
	"being written; put it back and run the same command again, which makes the missing rollouts")

// ErrTruncated means that something else truncated a file being written: part of its contents is lost.
var ErrTruncated = errors.New("it was truncated by another program while it was being written, and records are gone: " +
	"find out what writes into the run directory, then run the same command again, which makes the missing rollouts")

// Error reports a file or a directory that could not be written.
type Error struct {
	Doing string // what was being done, such as "append to"
	Path  string
	Err   error
}

// Error names the file, the cause and what to do.
func (e *Error) Error() string {
	cause := e.Err
	switch c := cause.(type) { // Path is named already, and names of temporary files are meaningless
	case *fs.PathError:
		cause = c.Err
	case *os.LinkError:
		cause = c.Err
	}
	text := fmt.Sprintf("%s %s: %v", e.Doing, e.Path, cause)
	if remedy := remedyOf(cause); remedy != "" {
		text += ": " + remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Same reports whether both errors have the same cause: a full disk is full for every file.
func (e *Error) Same(as *Error) bool {
	a, isA := errors.AsType[syscall.Errno](e.Err)
	b, isB := errors.AsType[syscall.Errno](as.Err)
	return isA && isB && a == b || errors.Is(e, ErrGone) && errors.Is(as, ErrGone)
}

// Wrap returns err as an *Error that says what was being done to path; nil for nil.
func Wrap(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{doing, path, err}
}

// remedyOf says how to fix a cause; "" if that is unknown.
func remedyOf(cause error) string {
	is := func(errs ...error) bool {
		for _, err := range errs {
			if errors.Is(cause, err) {
				return true
			}
		}
		return false
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return "free some space there"
	case is(syscall.EFBIG):
		return "raise the limit on the size of files (ulimit -f), or use a file system that has larger ones"
	case is(syscall.EROFS):
		return "it is mounted read-only: mount it for writing, or name another directory"
	case is(fs.ErrPermission):
		return "let this user write there, or name another directory"
	case is(fs.ErrNotExist, syscall.ESTALE):
		return "its directory does not exist: was it deleted or moved?"
	case is(syscall.EIO):
		return "the disk is failing: copy its files to another disk"
	case is(syscall.EMFILE, syscall.ENFILE):
		return "raise the limit on open files (ulimit -n)"
	}
	return ""
}

// Open opens a regular file for reading. Links are followed. Anything else, such as a named pipe or
// a device, is refused: reading it could wait or go on for ever.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe waits for its writer
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: irregular(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// irregular is the error for a file of this mode.
func irregular(mode fs.FileMode) error {
	kind := "something else"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Errorf("it is %s, not a regular file", kind)
}

// ReadFile is os.ReadFile for a regular file, as Open describes it.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// CheckRegularFile returns an error if something other than a regular file is at path. The files of
// a run belong to it: a symbolic link in a directory from another machine could make us overwrite
// its target.
func CheckRegularFile(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // a file that cannot be inspected cannot be opened either, and that error says more
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is not a regular file: put a file there, or name another directory", path)
	}
	return fmt.Errorf("%s is a symbolic link, which is not followed: put the file itself there, or name another "+
		"directory", path)
}

// CheckRegularDir is CheckRegularFile for a directory of a run. It may not exist yet.
func CheckRegularDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil // as above
	}
	return fmt.Errorf("%s is a symbolic link, which is not followed: put a directory there, or name another one", path)
}

// MakeDir makes a directory and its missing parents, and syncs their names to disk.
func MakeDir(dir string) error {
	var made []string
	for parent := filepath.Clean(dir); ; parent = filepath.Dir(parent) {
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) || parent == filepath.Dir(parent) {
			break
		}
		made = append(made, parent)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Wrap("make the directory", dir, err)
	}
	for _, one := range made {
		if err := SyncDir(filepath.Dir(one)); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir syncs new names in a directory to disk, where the system can.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // it may be writable but not readable
		return nil
	}
	if err != nil {
		return Wrap("open the directory", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) {
		return Wrap("force to disk the directory", dir, err)
	}
	return nil
}
