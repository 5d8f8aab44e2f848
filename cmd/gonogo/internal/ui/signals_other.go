//go:build !unix

package ui

import "os"

// deadlySignals are none: here such a write fails.
var deadlySignals []os.Signal
