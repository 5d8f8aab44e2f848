package stat_test

import (
	"fmt"

	"gonogo/analysis/stat"
)

// Four items, each tried four times; the reward is 0 or 1.
var items = [][]float64{{1, 1, 0, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 1, 1}}

func ExampleMean() {
	e := stat.Mean(items, &stat.Range{Lo: 0, Hi: 1}, 0.95)
	fmt.Printf("%.2f ± %.2f, between %.2f and %.2f\n", *e.Value, *e.SE, *e.Low, *e.High)
	fmt.Println(e.Method)

	// Every attempt failed: the interval rests on the number of items.
	e = stat.Mean([][]float64{{0, 0}, {0, 0}, {0, 0}}, &stat.Range{Lo: 0, Hi: 1}, 0.95)
	fmt.Printf("%.2f, between %.2f and %.2f\n", *e.Value, *e.Low, *e.High)
	// Output:
	// 0.50 ± 0.23, between 0.02 and 0.98
	// mean of item means (Miller 2024); Korn–Graubard interval
	// 0.00, between 0.00 and 0.71
}

func ExampleMaxOfK() {
	rewards := []float64{0, 0.2, 0.2, 0.9} // in ascending order
	for k := 1; k <= len(rewards); k++ {
		fmt.Printf("best of %d: %.3f\n", k, stat.MaxOfK(rewards, k))
	}
	// Output:
	// best of 1: 0.325
	// best of 2: 0.550
	// best of 3: 0.725
	// best of 4: 0.900
}

func ExampleInformative() {
	rewards := []float64{0, 0, 0, 0, 0, 0, 0, 1} // one success in eight
	for _, g := range []int{2, 4, 8} {
		fmt.Printf("groups of %d that could teach: %.2f\n", g, stat.Informative(rewards, g, 1e-6))
	}
	// Output:
	// groups of 2 that could teach: 0.25
	// groups of 4 that could teach: 0.50
	// groups of 8 that could teach: 1.00
}

func ExampleBestOf() {
	for _, point := range stat.BestOf(items, stat.Ks(4), &stat.Range{Lo: 0, Hi: 1}, 0.95) {
		fmt.Printf("k = %d: %.3f\n", point.K, *point.Value)
	}
	// Output:
	// k = 1: 0.500
	// k = 2: 0.625
	// k = 3: 0.688
	// k = 4: 0.750
}

func ExampleSignalBracket() {
	lower, upper := stat.SignalBracket(items, 7, 1e-6, 1e-6, 0.95)
	fmt.Printf("groups of 7 that could teach: %.2f to %.2f\n", *lower.Value, *upper.Value)
	// Output:
	// groups of 7 that could teach: 0.50 to 1.00
}

func ExampleFinite() {
	unit := &stat.Range{Lo: 0, Hi: 1}
	e := stat.Mean(items, unit, 0.95)
	file := stat.Finite(e, 4, 5, unit, 0.95) // the file holds 5 items, 4 were measured
	fmt.Printf("items like these: ± %.2f, this file: ± %.2f\n", *e.SE, *file.SE)
	// Output:
	// items like these: ± 0.23, this file: ± 0.13
}

func ExampleNeeded() {
	unit := &stat.Range{Lo: 0, Hi: 1}
	e := stat.Mean(items, unit, 0.95)
	fmt.Println(stat.Needed(e, 0.3, 4, unit, 0.95))
	fmt.Println(stat.Needed(e, 0.5, 4, unit, 0.95))
	// Output:
	// 24 true
	// 0 false
}
