package output

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// The share has a lower bound, so that collections of a large run take no more of the time than those
// of a small one.
func TestGarbageIsAShareUpToABound(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 40}, {10 << 20, 40}, {120 << 20, 40}, {240 << 20, 20}, {480 << 20, 10}, {5 << 30, 10}, {1 << 40, 10},
	} {
		if got := garbageFor(c.live); got != c.want {
			t.Errorf("with %d MB in use garbage may take %d %%, want %d %%", c.live>>20, got, c.want)
		}
	}
}

// The share follows what is in use, and is as before when the last of several analyses is done.
func TestSaveMemoryEnds(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	first, second := SaveMemory(), SaveMemory()
	if got := percent(); got != mostGarbage {
		t.Errorf("at the start %d %%, want %d %%", got, mostGarbage)
	}
	ballast := make([]byte, 480<<20) // not touched
	for until := time.Now().Add(10 * time.Second); percent() > 10 && time.Now().Before(until); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(ballast)
	if got := percent(); got > 10 {
		t.Errorf("with 480 MB in use %d %%, want at most 10 %%", got)
	}
	first()
	if got := percent(); got > mostGarbage {
		t.Errorf("while the second analysis runs %d %%, want at most %d %%", got, mostGarbage)
	}
	second()
	if got := percent(); got != 100 {
		t.Errorf("at the end %d %%, want 100 %%", got)
	}
}
