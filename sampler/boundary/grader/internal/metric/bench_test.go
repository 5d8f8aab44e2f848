package metric

import (
	"strings"
	"testing"
)

// BenchmarkScores compares texts of 1,840 and 1,760 bytes, and a reference of
// 200 bytes with a wall of text of 20,000.
func BenchmarkScores(b *testing.B) {
	long := readGolden(b).Pairs
	all := func(from string) string {
		var s strings.Builder
		for _, p := range long {
			if strings.HasPrefix(p.Why, from) {
				s.WriteString(p.Input + " ")
			}
		}
		return s.String()
	}
	one, other := all("long 0"), all("long 1")
	wall := strings.Repeat(other+one, 10)[:20000]
	for _, size := range []struct{ name, input, reference string }{
		{"1840x1760", one[:1840], other[:1760]},
		{"20000x200", wall, one[100:300]},
	} {
		for _, m := range Metrics() {
			b.Run(size.name+"/"+m.Name, func(b *testing.B) {
				for b.Loop() {
					m.Score(size.input, size.reference)
				}
			})
		}
	}
}
