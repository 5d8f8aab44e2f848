//go:build unix

package ui

import (
	"os"
	"syscall"
)

// deadlySignals end a process that writes to a pipe which no one reads, or more
// into a file than its limit. Where somebody listens the write fails instead.
var deadlySignals = []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
