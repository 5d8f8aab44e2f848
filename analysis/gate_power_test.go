package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/sampler/rollout"
)

// power returns the finding of eval.power on rewards of eval.
func power(t *testing.T, s analysis.Settings, lines []string) analysis.Finding {
	t.Helper()
	r := analyze(t, s, lines)
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "eval.power" {
			return f
		}
	}
	t.Fatal("there is no finding of eval.power")
	return analysis.Finding{}
}

// Expected by hand: items of eval earn 0 or 1 throughout, so nothing varies
// within them; between them the variance is m/(4(m-1)). Half of it twice over is
// what a correlation of 0.5 leaves, which is more than 0.05·0.95; the MDE is
// (1.959964 + 0.841621)·√(variance/m).
func TestEvalPowerByHand(t *testing.T) {
	m := 400
	f := power(t, analysis.DefaultSettings(), graded("eval", m, 4, func(i, _ int) float64 { return float64(i % 2) }))
	want := 2.8015852181129683 * math.Sqrt(float64(m)/float64(4*(m-1))/float64(m))
	near(t, "MDE", f.Value, want)
	if f.Status != analysis.Fail || f.Severity != analysis.Advisory || f.Split != rollout.Eval || !strings.Contains(f.Remedy.String(), "items sampled alike") {
		t.Errorf("finding is %+v", f)
	}
	s := analysis.DefaultSettings()
	s.Thresholds = analysis.Thresholds{"eval.power": 0.10}
	if f := power(t, s, graded("eval", m, 4, func(i, _ int) float64 { return float64(i % 2) })); f.Status != analysis.Pass {
		t.Errorf("a gain of 0.10 would be seen: %s", f.Title.String())
	}
}

func TestEvalPowerOfPoorSets(t *testing.T) {
	s := analysis.DefaultSettings()
	if f := power(t, s, graded("train", 30, 4, steps(4, 0))); f.Status != analysis.Skipped {
		t.Errorf("without eval: %v", f.Status)
	}
	if f := power(t, s, graded("eval", 1, 4, steps(4, 0))); f.Status != analysis.Unknown || f.Value != nil {
		t.Errorf("one item: %v", f.Status)
	}
	// Every item fails: nothing varies, and yet a gain would have to fall somewhere.
	f := power(t, s, graded("eval", 100, 4, func(int, int) float64 { return 0 }))
	near(t, "MDE of a dead set", f.Value, 2.8015852181129683*math.Sqrt(0.05*0.95/100))
	// One sample an item: two runs count as unrelated, 2·s².
	f = power(t, s, graded("eval", 100, 1, func(i, _ int) float64 { return float64(i % 2) }))
	near(t, "MDE of single samples", f.Value, 2.8015852181129683*math.Sqrt(2*(25./99)/100))
}

// Where the gate says how small a change eval shows, real second runs whose
// items gain unevenly show it in 80 % of cases or more: the assumption errs on
// the careful side.
func TestEvalPowerCalibration(t *testing.T) {
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
		gain := *power(t, s, base).Value
		claimed += gain / float64(runs)
		if compare(t, opened(t, base), opened(t, draw(gain, 0.1))).Answer == analysis.Improved {
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
