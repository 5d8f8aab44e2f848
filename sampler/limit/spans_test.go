package limit

import (
	"testing"
	"time"
)

// What a server lets through in each second is kept, tried again ever more rarely, and
// forgotten where nothing is refused any more.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		why     string
		allowed func(second int) uint64
		most    uint64 // after 60 seconds; 0 = no allowance
		refused int    // in them, at most
	}{
		{"a hundred a second", func(int) uint64 { return 100 }, 100, 10},
		{"one a second", func(int) uint64 { return 1 }, 1, 10},
		{"a hundred, and after 20 seconds 40", func(second int) uint64 {
			if second < 20 {
				return 100
			}
			return 40
		}, 40, 15},
		{"a hundred, and after 20 seconds any number", func(second int) uint64 {
			if second < 20 {
				return 100
			}
			return 1 << 40
		}, 0, 10},
		{"never anything refused", func(int) uint64 { return 1 << 40 }, 0, 0},
	} {
		var s spans
		var admitted uint64
		s.learn(noon, time.Second, 1)
		refused := 0
		for second := range 60 {
			now := noon.Add(time.Duration(second) * time.Second)
			for used := uint64(1); used <= 300 && s.wait(now, admitted) == 0; used++ {
				admitted++
				if used > c.allowed(second) {
					s.refused(Ticket{seq: admitted, at: now})
					refused++
					if !s.over {
						s.learn(now.Add(time.Second), time.Second, admitted+1) // its pause, until a test passes
						break
					}
				}
			}
		}
		if s.most != c.most && s.kept != c.most || refused > c.refused {
			t.Errorf("%s: %d a second and %d refused, want %d and at most %d", c.why, s.most, refused, c.most, c.refused)
		}
	}
}
