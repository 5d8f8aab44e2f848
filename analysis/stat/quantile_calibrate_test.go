package stat

import (
	"fmt"
	"math"
	"testing"

	"gonogo/analysis/calibration"
)

// The bootstrap of the intraclass correlation covers the true 0.5 in roughly
// its nominal share of data sets of 60 normal items: at least 88 %.
func TestLongCalibrationOfICC(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets := 300
	if calibration.Full() {
		sets = 2000
	}
	rng, covered := seeded(11), 0
	for range sets {
		items := make([][]float64, 60)
		for i := range items {
			effect := rng.NormFloat64()
			for range 6 {
				items[i] = append(items[i], effect+rng.NormFloat64())
			}
		}
		covered += hit(ICC(items, 0.95, 400, rng), 0.5)
	}
	share := float64(covered) / float64(sets)
	table := calibration.New(62, "Intraclass correlation",
		fmt.Sprintf("How often the 95 %% interval by 400 resamples of items holds the true 0.5, in per cent of %d data sets of 60 normal items x 6. A bootstrap of items is known to be a little short. Seed 11.", sets), "covers")
	defer table.Write(t)
	table.Row(table.Target("covers 88 % or more").Hold(share, 0.88, 1, sets))
	if share < 0.88 {
		t.Errorf("covered in %.1f %%", 100*share)
	}
}

// Intervals of quantiles cover, and those that ignore items are seen to fail.
func TestLongCalibrationOfQuantiles(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets := 1000
	if calibration.Full() {
		sets = 4000
	}
	table := calibration.New(63, "Quantiles",
		fmt.Sprintf("How often the 95 %% interval of a quantile holds the truth, in per cent of %d data sets of normal numbers: 80 independent ones, and 60 items of 6 with effects of their own, whose items are ignored beside it. Seed 21.", sets),
		"p", "independent", "items", "items ignored")
	defer table.Write(t)
	target, fails := table.Target("covers 93 to 99 %"), table.Target("ignoring items is seen to fail: at most 85 %")
	rng := seeded(21)
	for _, p := range []float64{0.5, 0.9} {
		truth := math.Sqrt2 * math.Erfinv(2*p-1) * math.Sqrt(1.5)
		alone, clustered, naive := 0, 0, 0
		for range sets {
			values := make([]float64, 80)
			for i := range values {
				values[i] = rng.NormFloat64() * math.Sqrt(1.5)
			}
			alone += hit(quantileCI(values, p, 0.95), truth)

			items := make([][]float64, 60)
			var all []float64
			for i := range items {
				effect := rng.NormFloat64()
				for range 6 {
					items[i] = append(items[i], effect+rng.NormFloat64()*math.Sqrt(0.5))
				}
				all = append(all, items[i]...)
			}
			clustered += hit(QuantileItems(items, p, 0.95), truth)
			naive += hit(quantileCI(all, p, 0.95), truth)
		}
		share := func(covered int) float64 { return float64(covered) / float64(sets) }
		table.Row(p, target.Hold(share(alone), 0.93, 0.99, sets), target.Hold(share(clustered), 0.93, 0.99, sets), fails.Hold(share(naive), 0, 0.85, sets))
		for about, covered := range map[string]int{"independent": alone, "clustered": clustered} {
			if share := share(covered); share < 0.93 || share > 0.99 {
				t.Errorf("p = %g, %s: covered in %.3f", p, about, share)
			}
		}
		if share := share(naive); share > 0.85 {
			t.Errorf("p = %g: ignoring items covers in %.3f, so this test shows nothing", p, share)
		}
	}
}
