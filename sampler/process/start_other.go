//go:build !unix

package process

import (
	"os"
	"syscall"
)

// Supported says whether processes can be run, and ended with all they start, on this
// system.
const Supported = false

// Detach does nothing here.
func Detach() *syscall.SysProcAttr { return nil }

// KillGroup kills the process alone.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// there cannot be told here.
func there(int) bool { return true }

// pending cannot be seen here.
func pending(*os.File) bool { return false }
