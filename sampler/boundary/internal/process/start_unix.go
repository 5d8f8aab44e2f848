//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// Supported reports whether this system can run processes and end them with all
// that they start.
const Supported = true

// Detach returns attributes that start a process in its own session: a ^C at the terminal does not reach
// it, and all that it starts is in one group with it.
func Detach() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills a process that leads its group, and the group.
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
