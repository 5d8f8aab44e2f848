package shift

import "testing"

// BenchmarkCompare is the size that a user may hand in: 50,000 rows of 1 KB
// against 1,000.
func BenchmarkCompare(b *testing.B) {
	long := plain
	long.median = 140 // words of 6 letters: 1 KB
	train := Sample{"train", onlyText(long.rows(seeded(1), 50_000))}
	eval := Sample{"eval", onlyText(long.rows(seeded(2), 1_000))}
	b.Run("tests", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Compare(train, eval, Options{})
		}
	})
	b.Run("coverage", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Coverage(train, eval, Options{})
		}
	})
}
