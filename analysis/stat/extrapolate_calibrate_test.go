package stat

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/calibration"
)

// beyond is one setting of the simulation of extrapolated curves, and how often
// each quantity was covered by the beta-binomial fit and by the zero-inflated
// one, of the data sets from which it is extrapolated: where items are alike
// nothing is.
type beyond struct {
	a, b       float64
	m, n       int
	sets, boot int
	covered    [2][3]float64 // share of told
	told       [2]int
}

// extrapolated are the quantities that are looked at.
var extrapolated = []func(Chances) float64{
	func(c Chances) float64 { return c.PassAt(64) },
	func(c Chances) float64 { return c.PassAt(256) },
	func(c Chances) float64 { return c.Informative(64) },
}

func (c *beyond) truth() Chances { return Chances{Alpha: []float64{c.b, c.a}} }

func (c *beyond) run() {
	truth, rng := c.truth(), seeded(uint64(c.m+c.n))
	law := distuv.Beta{Alpha: c.a, Beta: c.b, Src: rng}
	for set := range c.sets {
		successes, trials := make([]int, c.m), slices.Repeat([]int{c.n}, c.m)
		for i, item := range coins(rng, c.m, c.n, law.Rand) {
			successes[i] = int(sum(item))
		}
		counts := Trials(successes, trials)
		for i := range c.covered {
			if i == 1 && !calibration.Full() {
				continue
			}
			fit, ok := FitChances(counts, i == 1)
			if !ok || fit.Alike() {
				continue
			}
			c.told[i]++
			refits := Refits(counts, fit, i == 1, c.boot, uint64(set))
			for j, f := range extrapolated {
				low, high, _ := Percentiles(f(fit), refits, f, 0.95)
				if x := f(truth); low <= x && x <= high {
					c.covered[i][j]++
				}
			}
		}
	}
	for i, told := range c.told {
		for j := range c.covered[i] {
			c.covered[i][j] /= max(1, float64(told))
		}
	}
}

func (c *beyond) check(t *testing.T) {
	least := 0.90 - 3*math.Sqrt(0.09/float64(c.told[0]))
	if c.told[0] < c.sets/2 {
		t.Errorf("only %d of %d data sets are extrapolated from", c.told[0], c.sets)
	}
	for j, f := range extrapolated {
		if c.covered[0][j] < least {
			t.Errorf("Beta(%g, %g), m = %d, n = %d: quantity %d, %.3f, is covered in %.1f %%", c.a, c.b, c.m, c.n, j, f(c.truth()), 100*c.covered[0][j])
		}
	}
}

func beyonds() []*beyond {
	sets, boot, sizes := 60, 120, []int{60}
	truths := [][2]float64{{0.3, 1.5}, {2, 3}}
	if calibration.Full() {
		sets, boot, sizes = 250, 200, []int{40, 150}
		truths = [][2]float64{{0.3, 1.5}, {0.5, 0.5}, {0.15, 2}, {1, 1}, {2, 3}, {1, 20}}
	}
	var all []*beyond
	for _, ab := range truths {
		for _, m := range sizes {
			for _, n := range []int{8, 16} {
				all = append(all, &beyond{a: ab[0], b: ab[1], m: m, n: n, sets: sets, boot: boot})
			}
		}
	}
	return all
}

// TestLongCalibrationOfExtrapolation: intervals of pass@64, pass@256 and the share
// of informative groups of 64, under a true beta-binomial, cover in 90 % or
// more, give or take three standard errors of the simulation. The zero-inflated
// fit runs beside it in full only: it has a parameter that is not there.
func TestLongCalibrationOfExtrapolation(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	all := beyonds()
	t.Cleanup(func() { writeBeyond(t, all) })
	for _, c := range all {
		t.Run(fmt.Sprintf("Beta(%g, %g), %d items x %d", c.a, c.b, c.m, c.n), func(t *testing.T) {
			t.Parallel()
			c.run()
			c.check(t)
		})
	}
}

func writeBeyond(t *testing.T, all []*beyond) {
	table := calibration.New(30, "Beyond the samples",
		fmt.Sprintf("Chances of success from Beta(a, b), m items of n rollouts, and the truth extrapolated to 64 and 256: how often the 95 %% interval by %d refits holds it, in per cent of %d data sets a cell, "+
			"by the beta-binomial fit, which is the true model, and after the stroke by the zero-inflated one, which is shown beside it; told is the share of data sets from which the former is extrapolated, for items that differ too little are refused. Seed m + n.", all[0].boot, all[0].sets),
		"a", "b", "m", "n", "told", "pass@64", "covers", "pass@256", "covers", "informative at 64", "covers")
	var targets []*calibration.Target
	for _, about := range []string{"pass@64", "pass@256", "informative at 64"} {
		targets = append(targets, table.Target(about+" covers in 90 % or more by the beta-binomial fit"))
	}
	for _, c := range all {
		row := []any{c.a, c.b, c.m, c.n, calibration.Percent(float64(c.told[0]) / float64(c.sets))}
		for j, f := range extrapolated {
			row = append(row, fmt.Sprintf("%.3f", f(c.truth())), targets[j].Hold(c.covered[0][j], 0.90, 1, c.told[0])+" / "+calibration.Percent(c.covered[1][j]))
		}
		table.Row(row...)
	}
	table.Write(t)
}
