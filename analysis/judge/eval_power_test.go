package judge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonogo/analysis"
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
	if f.Status != analysis.Fail || f.Severity != analysis.Advisory || f.Split != rollout.Eval || !strings.Contains(f.Remedy.String(), "items of eval the same way") {
		t.Errorf("finding is %+v", f)
	}
	s := analysis.DefaultSettings()
	s.Thresholds = analysis.Thresholds{"eval.power": 0.10}
	if f := power(t, s, graded("eval", m, 4, func(i, _ int) float64 { return float64(i % 2) })); f.Status != analysis.Pass {
		t.Errorf("a gain of 0.10 would be seen: %s", f.Title.String())
	}
}

// graded makes lines of m items of n rewards each from a function.
func graded(split string, m, n int, reward func(item, sample int) float64) []string {
	var out []string
	for i := range m {
		for j := range n {
			out = append(out, fmt.Sprintf(`{"item":"q%d","split":%q,"sample":%d,"reward":%g}`, i+1, split, j, reward(i, j)))
		}
	}
	return out
}

func TestEvalPowerOfPoorSets(t *testing.T) {
	quarters := func(i, j int) float64 { return float64(one(j < i%4)) }
	s := analysis.DefaultSettings()
	if f := power(t, s, graded("train", 30, 4, quarters)); f.Status != analysis.Skipped {
		t.Errorf("without eval: %v", f.Status)
	}
	if f := power(t, s, graded("eval", 1, 4, quarters)); f.Status != analysis.Unknown || f.Value != nil {
		t.Errorf("one item: %v", f.Status)
	}
	// Every item fails: nothing varies, and yet a gain would have to fall somewhere.
	f := power(t, s, graded("eval", 100, 4, func(int, int) float64 { return 0 }))
	near(t, "MDE of a dead set", f.Value, 2.8015852181129683*math.Sqrt(0.05*0.95/100))
	// One sample an item: two runs count as unrelated, 2·s².
	f = power(t, s, graded("eval", 100, 1, func(i, _ int) float64 { return float64(i % 2) }))
	near(t, "MDE of single samples", f.Value, 2.8015852181129683*math.Sqrt(2*(25./99)/100))
}
