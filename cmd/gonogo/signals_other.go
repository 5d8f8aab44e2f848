//go:build !unix

package main

import "os"

// deadlySignals are none: here such a write fails.
var deadlySignals []os.Signal
