package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
)

// twoRuns is a world of two runs: chances of items spread over 0.2 to 0.7, and
// in the new run higher by shift, give or take swing.
type twoRuns struct {
	m, n         int
	shift, swing float64
}

// answers counts what Compare says of pairs of runs, read from files.
func (w twoRuns) answers(t *testing.T, rng *rand.Rand, sets int) map[analysis.Answer]float64 {
	t.Helper()
	shares := map[analysis.Answer]float64{}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for range sets {
		base, new := make([]float64, w.m), make([]float64, w.m)
		for i := range base {
			base[i] = 0.2 + 0.5*rng.Float64()
			new[i] = base[i] + w.shift + w.swing*float64(2*rng.IntN(2)-1)
		}
		draw := func(ps []float64) []string {
			return graded("eval", w.m, w.n, func(i, _ int) float64 { return float64(one(rng.Float64() < ps[i])) })
		}
		c := compare(t, openedIn(t, dirs[0], draw(base)), openedIn(t, dirs[1], draw(new)))
		shares[c.Answer] += 1 / float64(sets)
	}
	return shares
}

// The answers are wrong as seldom as they say: without a change, also where
// items change either way, regressed and improved together in at most 10 % (and
// of 20 items or more in at least 2 %: the test is awake); at a true change of
// delta "no change that matters" in at most 5 %. At three standard errors a
// change is found in 85 % or more.
func TestComparisonCalibration(t *testing.T) {
	sets := 60
	worlds := []twoRuns{{m: 60, n: 4, swing: 0.12}, {m: 10, n: 8}}
	if calibration.Full() {
		sets, worlds = 600, nil
		for _, size := range [][2]int{{10, 8}, {20, 2}, {20, 8}, {60, 4}, {200, 1}, {200, 8}} {
			worlds = append(worlds, twoRuns{m: size[0], n: size[1]}, twoRuns{m: size[0], n: size[1], swing: 0.12})
		}
	}
	noise := func(p float64) float64 { return 3 * math.Sqrt(p*(1-p)/float64(sets)) }
	rng := rand.New(rand.NewPCG(21, 21))
	table := calibration.New(22, "Answers of a comparison",
		fmt.Sprintf("Pairs of runs as files, compared: regressed or improved where nothing changes on average, and \"no change that matters\" there and where the true change is delta = 0.05, in per cent of %d pairs. "+
			"Swing is how far items change either way. The last row is a change of three standard errors, and how often it is found. Seed 21.", sets),
		"m", "n", "swing", "claims a change", "equivalent", "equivalent at delta", "found")
	defer table.Write(t)
	claims, awake := table.Target("a change that is not there is claimed in 10 % at most"), table.Target("and in 2 % or more from 20 items up")
	equivalent, finds := table.Target("\"no change that matters\" at delta in 5 % at most"), table.Target("three standard errors are found in 85 % or more")
	for _, w := range worlds {
		shares := w.answers(t, rng, sets)
		wrong := shares[analysis.Regressed] + shares[analysis.Improved]
		if wrong > 0.05+noise(0.05) || sets > 500 && w.m >= 20 && wrong < 0.02 {
			t.Errorf("m = %d, n = %d, swing %.2f: %.1f %% claim a change that is not there", w.m, w.n, w.swing, 100*wrong)
		}
		w.shift = 0.05
		equal := w.answers(t, rng, sets)[analysis.Equivalent]
		if equal > 0.05+noise(0.05) {
			t.Errorf("m = %d, n = %d, swing %.2f: %.1f %% say that a change of delta does not matter", w.m, w.n, w.swing, 100*equal)
		}
		claimed := claims.Hold(wrong, 0, 0.10, sets)
		if w.m >= 20 {
			if text := awake.Hold(wrong, 0.02, 1, sets); wrong < 0.02 {
				claimed = text
			}
		}
		table.Row(w.m, w.n, w.swing, claimed, calibration.Percent(shares[analysis.Equivalent]), equivalent.Hold(equal, 0, 0.05, sets), "")
	}
	w := twoRuns{m: 60, n: 4, shift: 0.13, swing: 0.05} // se = √((0.0025 + 2·0.23/4)/60) = 0.044
	found := w.answers(t, rng, sets)[analysis.Improved]
	table.Row(w.m, w.n, w.swing, "", "", "", finds.Hold(found, 0.85, 1, sets))
	if found < 0.85-noise(0.85) {
		t.Errorf("a change of three standard errors is found in %.1f %%", 100*found)
	}
}
