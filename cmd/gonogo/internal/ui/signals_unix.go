//go:build unix

package ui

import (
	"os"
	"syscall"
)

// deadlySignals end a process that writes to a pipe without a reader, or beyond the size limit of a
// file. If a channel listens for them, the write returns an error instead.
var deadlySignals = []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
