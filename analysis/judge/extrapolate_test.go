package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"
)

// extrapolated analyses items of n rollouts whose rewards draw returns, and
// gives the train split.
func extrapolated(t *testing.T, items, n int, mend func(*analysis.Settings), draw func(item, sample int) float64) (*analysis.Result, *analysis.SplitResult) {
	t.Helper()
	var lines []string
	for i := range items {
		for j := range n {
			lines = append(lines, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i, j, draw(i, j)))
		}
	}
	s := analysis.DefaultSettings()
	s.Boot = 120
	if mend != nil {
		mend(&s)
	}
	r := analyze(t, s, lines)
	return r, r.Splits[rollout.Train]
}

func coinsOf(a, b float64, zero float64) func(int, int) float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	chances := map[int]float64{}
	law := distuv.Beta{Alpha: a, Beta: b, Src: rng}
	return func(item, _ int) float64 {
		p, ok := chances[item]
		if !ok {
			if rng.Float64() >= zero {
				p = law.Rand()
			}
			chances[item] = p
		}
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
}

func TestExtrapolatedCurves(t *testing.T) {
	half := 0.5
	r, sr := extrapolated(t, 150, 8, func(s *analysis.Settings) { s.GroupSize, s.PassThreshold = 100, &half }, coinsOf(0.5, 1, 0))
	ks := []int{16, 32, 64, 100, 128, 256, 512}
	for _, quantity := range []string{analysis.PassAtK, analysis.InformativeGroups, analysis.BestOfK} {
		for _, k := range ks {
			at := sr.ExtrapolatedAt(quantity, k)
			if len(at) != 2 || at[0].Model != analysis.BetaBinomial || at[1].Model != analysis.ZeroInflated {
				t.Fatalf("%s at %d: %v, want both models", quantity, k, at)
			}
			for _, x := range at {
				if x.Low == nil || x.High == nil || !(*x.Low <= *x.Value && *x.Value <= *x.High) || *x.Low < 0 || *x.High > 1 {
					t.Errorf("%s at %d by %s: %v [%v, %v]", quantity, k, x.Model, *x.Value, x.Low, x.High)
				}
			}
		}
	}
	if n := len(sr.Extrapolated); n != 2*2*len(ks) {
		t.Errorf("%d extrapolated entries, want %d: powers of two from twice the samples to four groups, and the group size", n, 2*2*len(ks))
	}
	// Rewards 0 and 1: the best of k is pass@k, and the truth is Beta(0.5, 1).
	pass, best := sr.ExtrapolatedAt(analysis.PassAtK, 256)[0], sr.ExtrapolatedAt(analysis.BestOfK, 256)[0]
	if math.Abs(*pass.Value-*best.Value) > 1e-12 {
		t.Errorf("pass@256 is %g, the best of 256 earns %g", *pass.Value, *best.Value)
	}
	// python3 -c "from scipy.special import betaln as B; import math; print(1-math.exp(B(.5,1+256)-B(.5,1)))"
	if truth := 0.9446918; truth < *pass.Low || truth > *pass.High {
		t.Errorf("pass@256 in [%g, %g], the truth is %g", *pass.Low, *pass.High, truth)
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "signal.informative" && f.Status != analysis.Skipped && !strings.Contains(f.Title.String(), "they decide nothing") {
			t.Errorf("%q does not show the fit beside the bracket", f.Title.String())
		}
	}
}

func TestExtrapolatedNamesTheGap(t *testing.T) {
	_, sr := extrapolated(t, 200, 8, nil, coinsOf(2, 2, 0.3))
	at := sr.ExtrapolatedAt(analysis.InformativeGroups, 256)
	if len(at) != 2 || *at[0].Value-*at[1].Value < 0.1 {
		t.Fatalf("three items in ten never succeed: %v, want fits that lie apart", at)
	}
	if notes := message.Clauses(sr.Beyond.Notes...).String(); !strings.Contains(notes, "uncertainty of the model") {
		t.Errorf("notes %q do not name the gap", notes)
	}
	if fits := sr.Beyond.Fits; len(fits) != 2 || math.Abs(fits[1].Zero-0.3) > 0.1 || fits[1].LogLikelihood <= fits[0].LogLikelihood {
		t.Errorf("fits %+v, want a likelier one with a point mass near 0.3", fits)
	}
}

func TestExtrapolatedRefuses(t *testing.T) {
	half := 0.5
	threshold := func(s *analysis.Settings) { s.PassThreshold = &half }
	rng := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		about string
		n     int
		draw  func(item, sample int) float64
		note  string
		pass  bool // pass@k is extrapolated all the same
	}{
		{"nothing succeeds", 8, func(int, int) float64 { return 0 }, "all rewards are equal", false},
		{"everything succeeds", 8, func(int, int) float64 { return 1 }, "all rollouts pass", false},
		{"items that are alike", 8, func(i, j int) float64 { return float64(j % 2) }, "differ too little", false},
		{"single samples", 1, func(i, _ int) float64 { return float64(i % 2) }, "at least 2 valid rollouts", false},
		{"rewards of many values", 8, func(int, int) float64 { return rng.Float64() }, "more than 8 values", true},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			draw := test.draw
			if test.pass { // items that differ
				draw = func(i, j int) float64 { return test.draw(i, j) * float64(i%3) / 2 }
			}
			_, sr := extrapolated(t, 30, test.n, threshold, draw)
			if notes := message.Clauses(sr.Beyond.Notes...).String(); !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			if got := len(sr.ExtrapolatedAt(analysis.PassAtK, 64)) > 0; got != test.pass {
				t.Errorf("pass@64 extrapolated: %v, want %v", got, test.pass)
			}
			if at := sr.ExtrapolatedAt(analysis.InformativeGroups, 64); at != nil {
				t.Errorf("informative groups at 64: %v, want none", at)
			}
		})
	}
}

// No beta-binomial has half its items at a chance of one half and the others at
// 0 or 1, nor has one with a point mass at 0 alone.
func TestAModelThatMissesTheMeasuredIsNotExtrapolated(t *testing.T) {
	half := 0.5
	_, sr := extrapolated(t, 300, 16, func(s *analysis.Settings) { s.PassThreshold = &half }, func(i, j int) float64 {
		switch i % 6 {
		case 0:
			return 0
		case 1, 2:
			return 1
		}
		return float64(j % 2)
	})
	if len(sr.Beyond.Fits) != 4 {
		t.Fatalf("fits %+v, want two of each quantity", sr.Beyond.Fits)
	}
	for _, f := range sr.Beyond.Fits {
		if !f.Misfit {
			t.Errorf("the %s fit of %s is not refused", f.Model, f.Quantity)
		}
	}
	if len(sr.Extrapolated)+len(sr.Beyond.BestOf) > 0 {
		t.Errorf("extrapolated from models that miss what was measured: %v, %v", sr.Extrapolated, sr.Beyond.BestOf)
	}
	want := "the beta-binomial fit does not describe these items, and nothing is extrapolated from it: it puts the share of informative groups at"
	if notes := message.Clauses(sr.Beyond.Notes...).String(); !strings.Contains(notes, want) || strings.Contains(notes, "at 256") {
		t.Errorf("notes %q", notes)
	}
}

func TestExtrapolatedDoesNotDependOnProcessors(t *testing.T) {
	_, one := extrapolated(t, 60, 8, nil, coinsOf(0.5, 1, 0.2))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, other := extrapolated(t, 60, 8, nil, coinsOf(0.5, 1, 0.2))
	if d := cmp.Diff(one.Extrapolated, other.Extrapolated); d != "" {
		t.Errorf("with one processor (-many, +one):\n%s", d)
	}
}
