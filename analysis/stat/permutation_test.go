package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: 4 items of 4 rollouts, all 4 failures of one item: expected 1 each, so
// chi-square = 9 + 1 + 1 + 1 = 12, and p = 4/C(16,4) = 4/1820 = 0.0022. Two of one item
// and two of another: 1+1+1+1 = 4; 1 each: 0, which every deal reaches.
func TestCountsByItem(t *testing.T) {
	for _, c := range []struct {
		why          string
		counts       [][]int
		statistic, p float64
	}{
		{"all failures of one item", [][]int{{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, 12, 4.0 / 1820},
		{"one failure of each item", [][]int{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, 0, 1},
		{"one rollout that failed 4 times says no more than one that failed once", [][]int{{4, 0}, {0, 0}}, 4, 1},
		{"unequal items, each with its share", [][]int{{1, 0}, {1, 0, 1, 0}}, 0, 1},
	} {
		statistic, p := CountsByItem(c.counts, 20_000, rand.NewPCG(1, 2))
		if statistic == nil || math.Abs(*statistic-c.statistic) > 1e-9 || math.Abs(*p-c.p) > 0.001 {
			t.Errorf("%s: %v and p %v, want %g and %g", c.why, ValueOr(statistic, -1), ValueOr(p, -1), c.statistic, c.p)
		}
	}
	for why, counts := range map[string][][]int{"nothing": nil, "no failure": {{0}, {0}}, "one item": {{1, 0}, {}}} {
		if statistic, p := CountsByItem(counts, 99, rand.NewPCG(1, 2)); statistic != nil || p != nil {
			t.Errorf("%s: tested", why)
		}
	}
}

// By hand: of 4 untied pairs 2 of the 24 orders have |rho| = 1; with the Y 1 3 2 4, rho
// is 1 - 6·2/60 = 0.8, and 8 orders (Σd² of 0, 2 (three), and their mirrors) reach it.
func TestRankPermutation(t *testing.T) {
	for _, c := range []struct {
		why    string
		y      []float64
		rho, p float64
	}{
		{"falling together", []float64{9, 7, 2, 1}, -1, 2.0 / 24},
		{"nearly rising together", []float64{1, 3, 2, 4}, 0.8, 8.0 / 24},
	} {
		var pairs []Pair
		for i, y := range c.y {
			pairs = append(pairs, Pair{float64(i), y})
		}
		rho, p := RankPermutation(pairs, 20_000, rand.NewPCG(1, 2))
		if rho == nil || math.Abs(*rho-c.rho) > 1e-9 || math.Abs(*p-c.p) > 0.015 {
			t.Errorf("%s: %v and p %v, want %g and %g", c.why, ValueOr(rho, -9), ValueOr(p, -1), c.rho, c.p)
		}
	}
	if rho, p := RankPermutation([]Pair{{0, 1}, {0, 2}}, 99, rand.NewPCG(1, 2)); rho != nil || p != nil {
		t.Error("X that does not vary is tested")
	}
}
