package stat

import "testing"

// The size of a large run: 10,000 items, 16 rollouts each.
func benchItems() [][]float64 {
	rng := seeded(1)
	return coins(rng, 10000, 16, rng.Float64)
}

func BenchmarkMean(b *testing.B) {
	items := benchItems()
	for b.Loop() {
		Mean(items, &unit, 0.95)
	}
}

func BenchmarkBestOfCurve(b *testing.B) {
	items := benchItems()
	ks := Ks(16)
	for b.Loop() {
		BestOf(items, ks, &unit, 0.95)
	}
}

func BenchmarkSignalCurve(b *testing.B) {
	items := benchItems()
	for b.Loop() {
		for g := 2; g <= 16; g++ {
			Signal(items, g, 1e-6, 0.95)
		}
	}
}

func BenchmarkICC(b *testing.B) {
	items := benchItems()
	for b.Loop() {
		ICC(items, 0.95, 1000, seeded(2))
	}
}

func BenchmarkBetaBinomialFit(b *testing.B) {
	items := benchItems()
	successes, n := make([]int, len(items)), make([]int, len(items))
	for i, item := range items {
		for _, y := range item {
			successes[i] += int(y)
		}
		n[i] = len(item)
	}
	for b.Loop() {
		BetaBinomialFit(successes, n)
	}
}

// 2,000 refits with a point mass, the slower of both fits.
func BenchmarkRefits(b *testing.B) {
	items := benchItems()
	successes, n := make([]int, len(items)), make([]int, len(items))
	for i, item := range items {
		successes[i], n[i] = int(sum(item)), len(item)
	}
	counts := Trials(successes, n)
	fit, _ := FitChances(counts, true)
	b.ReportAllocs()
	for b.Loop() {
		Refits(counts, fit, true, 2000, 1)
	}
}
