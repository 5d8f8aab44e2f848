//go:build unix

package python

import "syscall"

// runs says whether workers can be run and ended on this system.
const runs = true

// ownSession keeps a worker apart: a ^C at the terminal is not for it, and all
// that it starts is in one group with it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killGroup kills a worker and what is in its group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
