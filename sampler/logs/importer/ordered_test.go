package importer

import (
	"io"
	"runtime"
	"testing"
)

// However many processors there are, few large values are in memory at a time, and all come in order.
func TestFewLargeValuesAreInFlight(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	for size, most := range map[int64]int64{1: 32, mostInFlight / 2: 2, mostInFlight - 1: 2, mostInFlight: 1, 9 * mostInFlight: 1} {
		const values = 100
		var next, inFlight, seen int64
		last := int64(0)
		err := inOrder(func() (int64, error) {
			if next == values {
				return 0, io.EOF
			}
			inFlight++
			seen = max(seen, inFlight)
			next++
			return next, nil
		}, func(int64) int64 { return size }, func(i int64) int64 { return i * i }, func(i, square int64) error {
			inFlight--
			if last++; i != last || square != i*i {
				t.Errorf("%d, %d come after %d", i, square, last-1)
			}
			return nil
		})
		if err != nil || last != values || seen != most {
			t.Errorf("of %d bytes each: %d values, %d in flight, want %d; %v", size, last, seen, most, err)
		}
	}
}
