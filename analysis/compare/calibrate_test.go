package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/compare"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// twoRuns is a world of two runs: chances of items spread over 0.2 to 0.7, and
// in the new run higher by shift, give or take swing.
type twoRuns struct {
	m, n         int
	shift, swing float64
}

// answers counts what Compare says of pairs of runs, read from files.
func (w twoRuns) answers(t *testing.T, rng *rand.Rand, sets int) map[compare.Answer]float64 {
	t.Helper()
	shares := map[compare.Answer]float64{}
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
		c := compared(t, openedIn(t, dirs[0], draw(base)), openedIn(t, dirs[1], draw(new)))
		shares[c.Answer] += 1 / float64(sets)
	}
	return shares
}

// The answers are wrong as seldom as they say: without a change, also where
// items change either way, regressed and improved together in at most 10 % (and
// of 20 items or more in at least 2 %: the test is awake); at a true change of
// delta "no change that matters" in at most 5 %. At three standard errors a
// change is found in 85 % or more.
func TestLongComparisonCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
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
		wrong := shares[compare.Regressed] + shares[compare.Improved]
		if wrong > 0.05+noise(0.05) || sets > 500 && w.m >= 20 && wrong < 0.02 {
			t.Errorf("m = %d, n = %d, swing %.2f: %.1f %% claim a change that is not there", w.m, w.n, w.swing, 100*wrong)
		}
		w.shift = 0.05
		equal := w.answers(t, rng, sets)[compare.Equivalent]
		if equal > 0.05+noise(0.05) {
			t.Errorf("m = %d, n = %d, swing %.2f: %.1f %% say that a change of delta does not matter", w.m, w.n, w.swing, 100*equal)
		}
		claimed := claims.Hold(wrong, 0, 0.10, sets)
		if w.m >= 20 {
			if text := awake.Hold(wrong, 0.02, 1, sets); wrong < 0.02 {
				claimed = text
			}
		}
		table.Row(w.m, w.n, w.swing, claimed, calibration.Percent(shares[compare.Equivalent]), equivalent.Hold(equal, 0, 0.05, sets), "")
	}
	w := twoRuns{m: 60, n: 4, shift: 0.13, swing: 0.05} // se = √((0.0025 + 2·0.23/4)/60) = 0.044
	found := w.answers(t, rng, sets)[compare.Improved]
	table.Row(w.m, w.n, w.swing, "", "", "", finds.Hold(found, 0.85, 1, sets))
	if found < 0.85-noise(0.85) {
		t.Errorf("a change of three standard errors is found in %.1f %%", 100*found)
	}
}

// power is the smallest gain that eval.power says would be shown.
func power(t *testing.T, s analysis.Settings, lines []string) float64 {
	t.Helper()
	r, err := judge.Analyze(t.Context(), opened(t, lines), rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Gate == "eval.power" && f.Value != nil {
			return *f.Value
		}
	}
	t.Fatal("eval.power does not say what would be shown")
	return 0
}

// If the gate says how small a change eval shows, real second runs whose
// items gain unevenly show it in 80 % of cases or more: the assumption errs on
// the careful side.
func TestLongEvalPowerCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	runs := 40
	if calibration.Full() {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(11, 4))
	const m, n = 60, 6
	found, claimed := 0, 0.0
	s := analysis.DefaultSettings()
	s.Boot = 0
	for range runs {
		ps := make([]float64, m)
		for i := range ps {
			ps[i] = 0.1 + 0.6*rng.Float64()
		}
		draw := func(gain, uneven float64) []string {
			return graded("eval", m, n, func(i, j int) float64 {
				p := ps[i] + gain
				if i%2 == 0 {
					p += uneven
				} else {
					p -= uneven
				}
				if rng.Float64() < p {
					return 1
				}
				return 0
			})
		}
		base := draw(0, 0)
		gain := power(t, s, base)
		claimed += gain / float64(runs)
		if compared(t, opened(t, base), opened(t, draw(gain, 0.1))).Answer == compare.Improved {
			found++
		}
	}
	share := float64(found) / float64(runs)
	table := calibration.New(52, "The gain that eval can show",
		fmt.Sprintf("Pairs of runs of %d items x %d: the second gains what eval.power said of the first that it shows in 80 %% of comparisons, unevenly. Found in per cent of %d pairs. Seed 11.", m, n, runs),
		"gain", "found")
	defer table.Write(t)
	table.Row(fmt.Sprintf("%.3f", claimed), table.Target("found in 80 % or more").Hold(share, 0.80, 1, runs))
	if noise := 3 * math.Sqrt(0.16/float64(runs)); share < 0.80-noise {
		t.Errorf("gains of %.3f, which eval was said to show, were found in %.1f %%", claimed, 100*share)
	}
}
