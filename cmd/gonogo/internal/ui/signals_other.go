//go:build !unix

package ui

import "os"

// deadlySignals is empty: on this system such a write returns an error.
var deadlySignals []os.Signal
