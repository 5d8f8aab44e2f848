//go:build unix

package process

import "syscall"

// Runs says whether processes can be run, and ended with all they start, on this
// system.
const Runs = true

// Apart keeps a process apart: a ^C at the terminal is not for it, and all that
// it starts is in one group with it.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills a process that leads its group and what is in its group.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
