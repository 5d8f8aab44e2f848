//go:build !unix

package process

import (
	"os"
	"syscall"
)

// Runs says whether processes can be run, and ended with all they start, on this
// system.
const Runs = false

// Apart does nothing here.
func Apart() *syscall.SysProcAttr { return nil }

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
