package judge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Twenty items whose rewards lie evenly within 0 and 0.008 say no more of those not drawn
// than twenty that always earn 0, to a trainer that takes rewards as they are.
func TestFineRewardsOfFewItemsDecideNoMoreThanZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 20))
	fine := func(int, int) float64 { return 0.008 * rng.Float64() }
	zero := func(int, int) float64 { return 0 }
	for about, reward := range map[string]func(i, j int) float64{"fine": fine, "zero": zero} {
		s := analysis.DefaultSettings()
		s.Normalize = analysis.NormalizeNone
		r := analyze(t, s, rows(20, 8, reward))
		if r.Verdict != analysis.Undecided {
			t.Errorf("%s rewards: %s by %s, want UNDECIDED", about, r.Verdict, stringOr(r.Reason, ""))
		}
	}
}

// Rare jackpots: 2 % of all rollouts earn 1, the others next to nothing. Best of
// 8 is 0.15 and the lift 0.13, far above their thresholds, so no sample of
// 20 items may be a NO-GO for them.
func TestRareJackpotsAreNoReasonForNoGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 20))
	wrong := 0
	const runs = 40
	for range runs {
		r := analyze(t, analysis.DefaultSettings(), rows(20, 8, func(int, int) float64 {
			if rng.Float64() < 0.02 {
				return 1
			}
			return 0.01 * rng.Float64()
		}))
		for _, f := range analysis.ByFact(r.Findings) {
			if f.Severity == analysis.Blocking && f.Status == analysis.Fail && (f.Gate == "baseline.reachable" || f.Gate == "exploration.lift") {
				wrong++
			}
		}
	}
	if wrong > runs/20 {
		t.Errorf("%d of %d runs fail baseline.reachable or exploration.lift", wrong, runs)
	}
}

// Gaussian rewards of standard deviation 0.0019: the range of 8 exceeds 0.01, the
// tolerance, in 0.48 % of groups, that of 64 in 18 % (simulated in plain Python,
// 200,000 and 20,000 groups). What groups of 8 show must not rule groups of 64 out.
func TestGroupsFarBeyondTheSamplesAreNotRuledOutByATolerance(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 64))
		s := analysis.DefaultSettings()
		s.GroupSize, s.Normalize = 64, analysis.NormalizeNone
		r := analyze(t, s, rows(400, 8, func(int, int) float64 { return 0.5 + 0.0019*rng.NormFloat64() }))
		if r.Verdict != analysis.Undecided {
			t.Errorf("seed %d: %s by %s, want UNDECIDED", seed, r.Verdict, stringOr(r.Reason, ""))
		}
		_, upper := r.Splits[rollout.Train].SignalAt(64)
		if *upper.High < 0.18 {
			t.Errorf("seed %d: at most %.3f of groups of 64 are informative, and 0.18 are", seed, *upper.High)
		}
	}
}

// gradedTwice makes lines with two grades an output; flip is how often the second one
// is thrown again.
func gradedTwice(m, n int, flip float64, rng *rand.Rand) []string {
	var out []string
	for i := range m {
		for j := range n {
			first := rng.IntN(2)
			second := first
			if rng.Float64() < flip {
				second = rng.IntN(2)
			}
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d,"grades":[%d,%d]}`, i, j, first, first, second))
		}
	}
	return out
}

// A grader that throws a coin makes groups whose rewards differ, and none that
// teach, also where its grades came with the rollouts.
func TestCoinFlipGraderIsNoGoByRecordedGrades(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), gradedTwice(60, 8, 1, rand.New(rand.NewPCG(3, 1))))
	if r.Verdict != analysis.NoGo || stringOr(r.Reason, "") != "grader.noise" {
		t.Errorf("%s by %s, want NO-GO by grader.noise", r.Verdict, stringOr(r.Reason, ""))
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "signal.informative" && f.Status == analysis.Pass {
			t.Errorf("%s signal.informative passes with %s", f.Severity, f.Title.String())
		}
	}
	if p := r.Plan; p.MinGroupSize != nil {
		t.Errorf("groups of %d are proposed for a grader that throws a coin", *p.MinGroupSize)
	}
}

// Half of the second grades are thrown again, so 1/4 of pairs differ and half
// of the variance within items is noise; rewards differ in 127/128 of groups.
func TestSignalIsNetOfGraderNoise(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), gradedTwice(60, 8, 0.5, rand.New(rand.NewPCG(5, 1))))
	sr := r.Splits[rollout.Train]
	at, _ := sr.SignalAt(8)
	share := sr.Variance.GraderShare
	if at.Net == nil {
		t.Fatal("nothing is net of noise though noise was measured")
	}
	near(t, "net", at.Net.Value, *at.Value*(1-*share.Value))
	if *at.Net.Low >= *at.Net.Value || *at.Net.High <= *at.Net.Value || *at.Net.Low > 0.5 || *at.Net.High < 0.5 {
		t.Errorf("net is %.3f [%.3f, %.3f], want an interval around 0.5", *at.Net.Value, *at.Net.Low, *at.Net.High)
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "signal.informative" {
			of := 1.0
			if f.Severity == analysis.Blocking {
				of = 800 // groups of a training without a plan
			}
			near(t, "what the gate judges", f.Value, of**at.Net.Value)
			if !strings.Contains(f.Title.String(), "grader noise") {
				t.Errorf("the finding does not say what was taken off: %s", f.Title.String())
			}
		}
	}
	sr.Extrapolated = append(sr.Extrapolated, analysis.Extrapolated{Quantity: analysis.InformativeGroups, K: 999, Model: analysis.Dirichlet, Value: new(1.0)})
	near(t, "what a model puts beyond the samples", sr.ExtrapolatedAt(analysis.InformativeGroups, 999)[0].Value, 1-*share.Value)
	plain := analyze(t, analysis.DefaultSettings(), rows(30, 8, func(_, j int) float64 { return float64(j % 2) }))
	if at, _ := plain.Splits[rollout.Train].SignalAt(8); at.Net != nil {
		t.Errorf("net of %v where no noise was measured", *at.Net)
	}
}
