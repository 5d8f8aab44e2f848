//go:build !unix

package process

import (
	"os"
	"syscall"
)

// Supported reports whether this system can run processes and end them with all
// that they start.
const Supported = false

// Detach returns nil: this system has no sessions.
func Detach() *syscall.SysProcAttr { return nil }

// KillGroup kills the process alone.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// there is unknown here.
func there(int) bool { return true }

// pending cannot be seen here.
func pending(*os.File) bool { return false }
