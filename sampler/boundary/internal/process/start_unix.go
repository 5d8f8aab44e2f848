//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// Supported reports whether this system can run processes and kill them with everything that they start.
const Supported = true

// Detach returns attributes that start a process in its own session: a ^C at the terminal does not
// reach it, and the processes that it starts are in its group.
func Detach() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills a group, given the process that leads it.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// exists reports whether there is a process with this pid.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// pending reports whether a pipe has data to read. It consumes a byte of it.
func pending(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var n int
	var b [1]byte
	err = conn.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), b[:]) // does not block: this end of the pipe is non-blocking
		return true
	})
	return err == nil && n > 0
}
