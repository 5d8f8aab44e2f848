//go:build !unix

package python

import (
	"os"
	"syscall"
)

// runs says whether workers can be run and ended on this system.
const runs = false

func ownSession() *syscall.SysProcAttr { return nil }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
