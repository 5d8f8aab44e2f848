//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// LockFile locks the file at path for this process. The lock ends with release or with the process,
// however that ends.
func LockFile(path string) (release func() error, err error) {
	if err := CheckRegularFile(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, Wrap("open", path, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder := make([]byte, 20)
		n, _ := f.Read(holder)
		f.Close()
		return nil, heldBy(inParens(string(holder[:n])))
	}
	if err == nil || errors.Is(err, errors.ErrUnsupported) { // some network file systems have no locks
		err = writePID(f)
	}
	if err != nil {
		f.Close()
		return nil, Wrap("lock", path, err)
	}
	return f.Close, nil
}

// Holder returns the process that holds the file at path, if known. The check itself takes a shared
// LockFile for a moment, together with any others who check.
func Holder(path string) (pid string, held bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return "", false
	}
	text := make([]byte, 20)
	n, _ := f.Read(text)
	return strings.TrimSpace(string(text[:n])), true
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func inParens(pid string) string {
	if pid = strings.TrimSpace(pid); pid == "" {
		return ""
	}
	return " (pid " + pid + ")"
}
