//go:build !unix

package process

import (
	"os"
	"syscall"
)

// Supported reports whether this system can run processes and kill them with everything that they start.
const Supported = false

// Detach returns nil: this system has no sessions.
func Detach() *syscall.SysProcAttr { return nil }

// KillGroup kills only the process.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// exists returns true: this system cannot say.
func exists(int) bool { return true }

// pending returns false: this system cannot say.
func pending(*os.File) bool { return false }
