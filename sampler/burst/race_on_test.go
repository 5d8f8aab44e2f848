//go:build race

package burst_test

import "runtime"

// oneProcessor runs a bubble on one processor until it is undone: of two timers of a
// bubble that fire at the same moment on two, both use the race detector's
// state of the bubble at once, and it crashes (runtime.timer.unlockAndRun of Go
// 1.26). What it finds depends on the order of events, not on the processors.
func oneProcessor() (undo func()) {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}
