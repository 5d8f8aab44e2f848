//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// Supported says whether processes can be run, and ended with all they start, on this
// system.
const Supported = true

// Detach keeps a process apart: a ^C at the terminal is not for it, and all that
// it starts is in one group with it.
func Detach() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills a process that leads its group and what is in its group.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// there reports whether a process has that number.
func there(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// pending reports whether a pipe holds something to be read, and takes a byte of
// it.
func pending(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var n int
	var b [1]byte
	err = conn.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), b[:]) // it does not wait: our end of a pipe never does
		return true
	})
	return err == nil && n > 0
}
