package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// variantOf is a run that says it varies another one.
func variantOf(t *testing.T, name string, lines []string) *rollout.Run {
	t.Helper()
	run := opened(t, lines)
	run.Manifest = &rollout.Manifest{Variant: &rollout.Variant{Name: name, Changes: []rollout.Change{{Key: "prompt", New: name}}}}
	return run
}

// rankVariants analyses a base and ranks variants of it.
func rankVariants(t *testing.T, s analysis.Settings, base *rollout.Run, variants ...*rollout.Run) *analysis.Result {
	t.Helper()
	r, err := judge.Analyze(t.Context(), base, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	before := *r
	if err := compare.RankVariants(t.Context(), r, base, variants, rollout.ReadOptions{}, s, gate.All()); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != before.Verdict || r.ExitCode != before.ExitCode || r.Note.String() != before.Note.String() {
		t.Errorf("variants moved the verdict from %s to %s", before.Verdict, r.Verdict)
	}
	return r
}

// passes gives each item a chance from 0.2 to 0.6, and gain more.
func passes(rng *rand.Rand, gain float64) func(i, j int) float64 {
	return func(i, _ int) float64 {
		if rng.Float64() < 0.2+0.4*float64(i%5)/4+gain {
			return 1
		}
		return 0
	}
}

func variantFinding(t *testing.T, r *analysis.Result) analysis.Finding {
	t.Helper()
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "variants.gain" {
			return f
		}
	}
	t.Fatal("there is no finding of variants.gain")
	return analysis.Finding{}
}

func TestVariantsAreRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	s := analysis.DefaultSettings()
	s.Boot = 0
	base := opened(t, append(graded("train", 60, 8, passes(rng, 0)), graded("eval", 40, 8, passes(rng, 0))...))
	made := func(name string, gain float64) *rollout.Run {
		return variantOf(t, name, append(graded("train", 60, 8, passes(rng, gain)), graded("eval", 40, 8, passes(rng, gain))...))
	}
	best := made("best", 0.3)
	r := rankVariants(t, s, base, made("worse", -0.2), best, variantOf(t, "empty", nil), made("good", 0.2))
	var got []string
	for _, v := range r.Variants.Ranked {
		got = append(got, v.Name+" "+string(v.Answer))
	}
	// By lift on eval: items that are nearly always right have little left to gain.
	if want := "worse loses, good gains, best gains, empty cannot_tell"; !r.Variants.ByLift || strings.Join(got, ", ") != want {
		t.Fatalf("ranked are %s, want %s", strings.Join(got, ", "), want)
	}
	f := variantFinding(t, r)
	if f.Status != analysis.Fail || f.Severity != analysis.Advisory || f.Split != rollout.Train {
		t.Errorf("finding is %+v", f)
	}
	for _, want := range []string{"best already gains +0.", "without any training, more than the gain of 0.05", "so does good"} {
		if !strings.Contains(f.Title.String(), want) {
			t.Errorf("the title %q does not say %q", f.Title.String(), want)
		}
	}
	if !strings.Contains(f.Remedy.String(), "it changes prompt") || !strings.Contains(f.Remedy.String(), "the best of 8 rollouts on train") {
		t.Errorf("the remedy is %q", f.Remedy.String())
	}
	if len(r.Variants.Notes) != 1 || !strings.Contains(r.Variants.Notes[0].String(), "on eval, which played no part in the choice") {
		t.Errorf("notes are %q", r.Variants.Notes)
	}
	// The difference is that of gonogo compare.
	c := comparedWith(t, s, base, best)
	near(t, "difference", r.Variants.Ranked[2].Splits[rollout.Train].Reward.Value, *c.Splits[rollout.Train].Reward.Value)
	var b strings.Builder
	if err := r.Encode(&b); err != nil || !json.Valid([]byte(b.String())) || !strings.Contains(b.String(), `"cannot_tell"`) {
		t.Errorf("result.json: %v", err)
	}
}

// Expected by hand: every item of 24 gains 1/2, to a mean of 7/8; one variant
// needs no correction.
func TestVariantByHand(t *testing.T) {
	s := analysis.DefaultSettings()
	s.Boot = 0
	base := opened(t, graded("train", 24, 2, func(_, j int) float64 { return 0.25 + 0.25*float64(j) }))
	up := variantOf(t, "up", graded("train", 24, 2, func(_, j int) float64 { return 0.75 + 0.25*float64(j) }))
	r := rankVariants(t, s, base, up)
	sp := r.Variants.Ranked[0].Splits[rollout.Train]
	near(t, "difference", sp.Reward.Value, 0.5)
	near(t, "mean of the variant", sp.Mean.Value, 0.875)
	near(t, "lift: the best of two is 1", sp.Lift.Value, 0.125)
	if r.Variants.ByLift {
		t.Error("ranked by lift on eval, and there is none")
	}
	if r.Variants.Ranked[0].Answer != analysis.Gains || *sp.Reward.PHolm != *sp.Reward.P {
		t.Errorf("answer %s, p %v corrected %v", r.Variants.Ranked[0].Answer, *sp.Reward.P, *sp.Reward.PHolm)
	}
}

// Lift grows with the number of samples: a variant with half as many rollouts of the same rewards is no
// worse. Expected by hand: of rewards 0, 1, 0, 1, … the best of 4 of 8 is 1 - C(4,4)/C(8,4) = 1 - 1/70, of
// 4 of 4 it is 1; the mean is 1/2.
func TestLiftsOfOneGroupSize(t *testing.T) {
	s := analysis.DefaultSettings()
	s.Boot = 0
	half := func(_, j int) float64 { return float64(j % 2) }
	eight := graded("eval", 24, 8, half)
	r := rankVariants(t, s, opened(t, eight), variantOf(t, "eight", eight), variantOf(t, "four", graded("eval", 24, 4, half)),
		variantOf(t, "one", graded("eval", 24, 1, half)))
	for _, v := range r.Variants.Ranked {
		sp := v.Splits[rollout.Eval]
		if want, ok := map[string]float64{"eight": 1 - 1.0/70 - 0.5, "four": 0.5}[v.Name]; ok {
			near(t, v.Name, sp.Lift.Value, want)
			near(t, "base", sp.BaseLift.Value, 1-1.0/70-0.5)
		} else if sp.Lift.Known() {
			t.Errorf("of one sample: %+v", sp.Lift)
		}
	}
}

func TestVariantsThatTellNothing(t *testing.T) {
	s := analysis.DefaultSettings()
	s.Boot = 0
	rng := rand.New(rand.NewPCG(5, 1))
	base := opened(t, graded("train", 30, 4, passes(rng, 0)))
	for what, c := range map[string]struct {
		lines  []string
		status analysis.Status
		want   string
	}{
		"no rollout":        {nil, analysis.Unknown, "not known: no variant could be compared"},
		"one item":          {graded("train", 1, 4, passes(rng, 0)), analysis.Unknown, "not clear"},
		"another split":     {graded("eval", 30, 4, passes(rng, 0)), analysis.Unknown, "not known: no variant could be compared"},
		"rewards all equal": {graded("train", 30, 4, passes(rng, 0.0)), analysis.Unknown, "not clear whether a variant gains"},
	} {
		r := rankVariants(t, s, base, variantOf(t, "v", c.lines))
		if f := variantFinding(t, r); f.Status != c.status || !strings.Contains(f.Title.String(), c.want) || strings.ContainsAny(f.Title.String()+f.Remedy.String(), "{}") {
			t.Errorf("%s: %v, %q, %q", what, f.Status, f.Title.String(), f.Remedy.String())
		}
	}
	r := rankVariants(t, s, base)
	if f := variantFinding(t, r); f.Status != analysis.Skipped || r.Variants != nil {
		t.Errorf("without variants: %v", f.Status)
	}
	// A small delta aside, equal rewards show that nothing larger is there.
	s.Thresholds = analysis.Thresholds{"compare.delta": 0.9}
	same := rankVariants(t, s, base, variantOf(t, "v", graded("train", 30, 4, passes(rand.New(rand.NewPCG(5, 1)), 0))))
	if f := variantFinding(t, same); f.Status != analysis.Pass || same.Variants.Ranked[0].Answer != analysis.NoDifference {
		t.Errorf("the same rewards: %v %s", f.Status, same.Variants.Ranked[0].Answer)
	}
}

// If none of five variants changes anything, a gain or a loss of any is
// claimed in at most 5 % of runs: the correction holds for all together.
func TestVariantsOfNothingRarelyGain(t *testing.T) {
	runs := 30
	if os.Getenv("GONOGO_CALIBRATE") == "1" {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(8, 2))
	s := analysis.DefaultSettings()
	s.Boot = 0
	wrong := 0
	for range runs {
		base := opened(t, graded("train", 24, 4, passes(rng, 0)))
		r := &analysis.Result{Splits: map[rollout.Split]*analysis.SplitResult{}, RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95}
		var all []*rollout.Run
		for i := range 5 {
			all = append(all, variantOf(t, fmt.Sprint("v", i), graded("train", 24, 4, passes(rng, 0))))
		}
		if err := compare.RankVariants(t.Context(), r, base, all, rollout.ReadOptions{}, s, nil); err != nil {
			t.Fatal(err)
		}
		claimed := false
		for _, v := range r.Variants.Ranked {
			claimed = claimed || v.Answer == analysis.Gains || v.Answer == analysis.Loses
		}
		if claimed {
			wrong++
		}
	}
	share := float64(wrong) / float64(runs)
	t.Logf("a variant of nothing is said to gain or to lose in %.1f %% of %d runs", 100*share, runs)
	if most := 0.05 + 3*math.Sqrt(0.05*0.95/float64(runs)); share > most {
		t.Errorf("in %.1f %% of runs, want at most %.1f %%", 100*share, 100*most)
	}
}
