package stat

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonogo/analysis/calibration"
)

// TestLongCalibrationOfAgreement counts how often intervals of 25 items with four
// dependent pairs each hold the truth, and how often a length that means
// nothing is called a correlation at 5 %.
func TestLongCalibrationOfAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets := 300
	if calibration.Full() {
		sets = 4000
	}
	rng := seeded(77)
	const m, n = 25, 4
	rho, truthK, truthA := 0.8, 0.6, 0.64
	spearman := 6 / math.Pi * math.Asin(rho/2) // of the bivariate normal (Pearson 1907)
	hits := map[string]int{}
	add := func(name string, e Estimate, truth float64) {
		if e.Low != nil && *e.Low <= truth && truth <= *e.High {
			hits[name]++
		}
	}
	for range sets {
		normal, binary := make([][]Pair, m), make([][]Pair, m)
		raters := make([][][]float64, m)
		length := make([][]Pair, m)
		for i := range m {
			u, v := rng.NormFloat64(), rng.NormFloat64() // of the item: half of the variance
			level, drift := rng.NormFloat64(), rng.NormFloat64()
			for range n {
				x := math.Sqrt(0.5)*u + math.Sqrt(0.5)*rng.NormFloat64()
				y := rho*x + math.Sqrt(1-rho*rho)*(math.Sqrt(0.5)*v+math.Sqrt(0.5)*rng.NormFloat64())
				normal[i] = append(normal[i], Pair{x, y})
				label := float64(rng.IntN(2))
				other := label
				if rng.Float64() < 0.2 { // kappa = 1 - 0.2/0.5
					other = 1 - label
				}
				binary[i] = append(binary[i], Pair{label, other})
				quality := 0.8 * rng.NormFloat64() // alpha = 0.64/(0.64+0.36)
				raters[i] = append(raters[i], []float64{quality + 0.6*rng.NormFloat64(), quality + 0.6*rng.NormFloat64()})
				long := rng.NormFloat64()
				length[i] = append(length[i], Pair{level + long, level + 0.7*drift*long + rng.NormFloat64()})
			}
		}
		add("spearman", Spearman(normal, 0.95), spearman)
		add("kappa", Kappa(binary, 0.95), truthK)
		add("alpha", Alpha(raters, 0.95, 199, rand.NewPCG(rng.Uint64(), 3)), truthA)
		add("slope", WithinLine(length, 0.95).Slope, 0)
		add("correlation", WithinLine(length, 0.95).Correlation, 0)
	}
	table := calibration.New(60, "Agreement with people, length",
		fmt.Sprintf("How often the 95 %% interval holds the truth, in per cent of %d data sets of %d items with %d dependent pairs each: Spearman's correlation of normal numbers, Cohen's κ of two raters, "+
			"Krippendorff's α by 199 resamples, and slope and correlation within items of a length that means nothing. Seed 77.", sets, m, n),
		"estimator", "covers")
	defer table.Write(t)
	target := table.Target("covers 93 to 98 %")
	slack := 3 * math.Sqrt(0.05*0.95/float64(sets))
	for _, name := range slices.Sorted(maps.Keys(hits)) {
		share := float64(hits[name]) / float64(sets)
		table.Row(name, target.Hold(share, 0.93, 0.98, sets))
		if share < 0.93-slack || share > 0.98+slack {
			t.Errorf("%s covers %.1f %%, want 93 to 98", name, 100*share)
		}
	}
}

// TestLongCalibrationOfYouden: 20 items, 15 wrong and 9 right answers each, rates
// that differ by item.
func TestLongCalibrationOfYouden(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets := 400
	if calibration.Full() {
		sets = 4000
	}
	rng := seeded(78)
	table := calibration.New(61, "Youden's J",
		fmt.Sprintf("How often the 95 %% interval holds the truth, in per cent of %d audits of 20 items with 15 wrong and 9 right answers each, false rates that differ by item. Seed 78.", sets),
		"false accepts", "false rejects", "covers")
	defer table.Write(t)
	target := table.Target("covers 92 % or more: rates are near an end")
	for _, w := range []struct{ accept, reject float64 }{{0.02, 0.02}, {0.1, 0.05}, {0.3, 0.3}} {
		covered := 0
		for range sets {
			accepts, rejects := make([]Counts, 20), make([]Counts, 20)
			for i := range accepts {
				p, q := w.accept*2*rng.Float64(), w.reject*2*rng.Float64()
				accepts[i].N, rejects[i].N = 15, 9
				for range 15 {
					if rng.Float64() < p {
						accepts[i].Hits++
					}
				}
				for range 9 {
					if rng.Float64() < q {
						rejects[i].Hits++
					}
				}
			}
			_, _, j := Youden(accepts, rejects, 0.95)
			covered += hit(j, 1-w.accept-w.reject)
		}
		share := float64(covered) / float64(sets)
		table.Row(w.accept, w.reject, target.Hold(share, 0.92, 1, sets))
		if share < 0.92-3*math.Sqrt(0.05*0.95/float64(sets)) {
			t.Errorf("accept %g, reject %g: J covers %.1f %%", w.accept, w.reject, 100*share)
		}
	}
}

// TestLongCalibrationOfVerdictErrors: labels of a sample of a run's outputs, drawn at random or at other rates
// among accepted and rejected ones.
func TestLongCalibrationOfVerdictErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const sets = 2000
	rng := seeded(79)
	table := calibration.New(65, "A grader's errors by labels",
		fmt.Sprintf("How often the 95 %% interval holds the truth, in per cent of %d runs of eight outputs an item, items that differ in how often they are right: false accepts, false rejects, the share of right "+
			"outputs, the change of the false accepts to another run of the same items and grader, and the share of right outputs by Rogan & Gladen with the errors on four other texts an item. Seed 79.", sets),
		"items", "right", "false accepts", "false rejects", "labelled of the rejected", "of the accepted", "estimate", "covers")
	defer table.Write(t)
	target := table.Target("covers 93 to 98 %, errors near an end 93 % or more")
	slack := 3 * math.Sqrt(0.05*0.95/sets)
	for _, w := range []struct {
		m                 int
		p, accept, reject float64
		keep              [2]float64
	}{
		{60, 0.4, 0.2, 0.2, [2]float64{0.3, 0.3}},
		{60, 0.4, 0.2, 0.2, [2]float64{0.1, 0.6}},
		{200, 0.3, 0.1, 0.3, [2]float64{0.1, 0.1}},
		{200, 0.3, 0.1, 0.3, [2]float64{0.05, 0.3}},
		{100, 0.6, 0.3, 0.05, [2]float64{0.25, 0.25}},
		{100, 0.2, 0.05, 0.1, [2]float64{0.1, 1}},
		{100, 0.5, 0.5, 0.5, [2]float64{0.2, 0.2}}, // se + sp - 1 = 0
	} {
		names := []string{"false accepts", "false rejects", "right", "change", "right by texts"}
		covered := make([]int, len(names))
		for range sets {
			items := gradedItems(rng, w.m, 8, w.p, w.accept, w.reject, w.keep)
			e := ErrorsOf(items, 0.95)
			change, _ := ErrorChange(items, gradedItems(rng, w.m, 8, w.p, w.accept, w.reject, w.keep), 0.95)
			texts := RoganGladen(items, gradedItems(rng, w.m, 4, 0.5, w.accept, w.reject, [2]float64{1, 1}), 0.95)
			for i, c := range []struct {
				e     Estimate
				truth float64
			}{{e.FalseAccept, w.accept}, {e.FalseReject, w.reject}, {e.Right, w.p}, {change, 0}, {texts.Right, w.p}} {
				covered[i] += hit(c.e, c.truth)
			}
		}
		if w.accept+w.reject == 1 {
			names = names[:4] // Rogan & Gladen's formula divides by 0 there
		}
		for i, name := range names {
			share, high := float64(covered[i])/sets, 0.98
			if w.accept < 0.2 || w.reject < 0.2 {
				high = 1
			}
			table.Row(w.m, w.p, w.accept, w.reject, w.keep[0], w.keep[1], name, target.Hold(share, 0.93, high, sets))
			if share < 0.93-slack || share > high+slack {
				t.Errorf("%+v: the interval of %s covers %.1f %%", w, name, 100*share)
			}
		}
	}
}
