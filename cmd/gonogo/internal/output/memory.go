package output

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Garbage may take a share of what is in use, up to a number of bytes: most of an analysis' memory
// are the numbers of the rollouts, which live until the end. The share is never below leastGarbage:
// each collection looks at all rollouts, and the time of all collections would grow with the square
// of their number.
const (
	mostGarbage      = 40 // percent
	leastGarbage     = 10
	mostGarbageBytes = 48 << 20
)

// saving counts the callers of SaveMemory that are not done.
var saving struct {
	sync.Mutex
	users int
	was   int  // the percentage without any of them
	armed bool // adjust is called after the next collection
}

// SaveMemory collects garbage more often until the returned function is called. This costs little,
// because the numbers of the rollouts contain few pointers.
func SaveMemory() (enough func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	saving.Lock()
	defer saving.Unlock()
	if saving.users++; saving.users == 1 {
		saving.was = debug.SetGCPercent(mostGarbage)
	}
	if !saving.armed {
		saving.armed = true
		afterCollection(adjust)
	}
	return func() {
		saving.Lock()
		defer saving.Unlock()
		if saving.users--; saving.users == 0 {
			debug.SetGCPercent(saving.was)
		}
	}
}

// adjust sets the share of garbage by what is in use now, after each collection.
func adjust() {
	saving.Lock()
	defer saving.Unlock()
	if saving.armed = saving.users > 0; saving.armed {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(garbageFor(live[0].Value.Uint64()))
		afterCollection(adjust)
	}
}

// garbageFor returns how much garbage may wait, in percent of the bytes in use.
func garbageFor(live uint64) int {
	return int(min(mostGarbage, max(leastGarbage, 100*mostGarbageBytes/max(1, live))))
}

// afterCollection calls f once, after the next garbage collection.
func afterCollection(f func()) {
	type mark struct{ _ [16]byte } // large enough to have memory of its own
	runtime.SetFinalizer(new(mark), func(*mark) { f() })
}
